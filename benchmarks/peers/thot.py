"""Translation by thot (sil-thot, sil-machine from PyPI): trained once, kept among the peers, and asked."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import Any

from benchmarks.peers.folder import kept
from benchmarks.peers.process import Work

_CONFIG = """-tm tm/src_trg
-lm lm/trg.lm
-W 0.4
-S 10
-A 10
-E 2
-nomon {jumps}
-be
-G 0
-h 6
-olp 0 0 1 5 1 0
-tmw 1 1 1 1 1 1 1 0
"""
_ASIDE = 1000
_GERMAN_ENGLISH = (-6.248341, 1.618095, 3.864416, 1.74836, 4.063359, 4.334862, 0.940098, 0.0)


def trained(name: str, source: str, target: str, jumps: int, tuned_on: int) -> Path:
    """The folder of a model: HMM alignment, trigrams, weights tuned on pairs that it puts aside itself.

    It puts 1,000 pairs aside, and translates them up to a hundred times to tune: half an hour of a processor.
    tuned_on: how many of them are used. With fewer than all it begins with the weights that it found for German
    and English, and translates them up to forty times.
    """
    from machine.corpora import TextFileTextCorpus
    from machine.translation.thot import ThotSmtModelTrainer

    folder = Path(kept(f"thot/{name}"))
    if (folder / "done").exists():
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    for part in ("tm", "lm"):
        (folder / part).mkdir(parents=True)
    config = folder / "smt.cfg"
    config.write_text(_CONFIG.format(jumps=jumps))
    corpus = TextFileTextCorpus(source).align_rows(TextFileTextCorpus(target))
    began = time.process_time()
    with ThotSmtModelTrainer("hmm", corpus, config) as trainer:
        if tuned_on < _ASIDE:
            _shorten(trainer._model_weight_tuner, tuned_on)
        trainer.train(lambda status: None)
        trainer.save()
    (folder / "done").write_text(f"{time.process_time() - began}\n")
    return folder


def _shorten(tuner: Any, tuned_on: int) -> None:
    whole = tuner.tune
    tuner.max_function_evaluations = 40

    def tune(parameters: Any, sources: Any, targets: Any, stats: Any, progress: Any) -> Any:
        parameters.model_weights = list(_GERMAN_ENGLISH)
        return whole(parameters, sources[:tuned_on], targets[:tuned_on], stats, progress)

    tuner.tune = tune


def translate(
    name: str, train_source: str, train_target: str, jumps: int, tuned_on: int, text: str, output: str
) -> Work:
    """Translate the lines of a file, and write them to another one."""
    from machine.translation.thot import ThotSmtModel

    folder = trained(name, train_source, train_target, jumps, tuned_on)
    model: Any = ThotSmtModel("hmm", folder / "smt.cfg")
    lines = Path(text).read_text(encoding="utf-8").splitlines()

    def run() -> list[str]:
        return [" ".join(model.translate(line.split()).target_tokens) for line in lines]

    def judge(made: list[str]) -> dict[str, float]:
        Path(output).write_text("".join(f"{line}\n" for line in made), encoding="utf-8")
        return {"sentences": float(len(made))}

    return Work(run, judge)
