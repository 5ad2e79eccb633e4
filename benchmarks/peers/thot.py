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


def trained(name: str, source: str, target: str, jumps: int) -> Path:
    """The folder of a model: HMM alignment, trigrams, weights tuned on pairs that it puts aside itself."""
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
        trainer.train(lambda status: None)
        trainer.save()
    (folder / "done").write_text(f"{time.process_time() - began}\n")
    return folder


def translate(name: str, train_source: str, train_target: str, jumps: int, text: str, output: str) -> Work:
    """Translate the lines of a file, and write them to another one."""
    from machine.translation.thot import ThotSmtModel

    folder = trained(name, train_source, train_target, jumps)
    model: Any = ThotSmtModel("hmm", folder / "smt.cfg")
    lines = Path(text).read_text(encoding="utf-8").splitlines()

    def run() -> list[str]:
        return [" ".join(model.translate(line.split()).target_tokens) for line in lines]

    def judge(made: list[str]) -> dict[str, float]:
        Path(output).write_text("".join(f"{line}\n" for line in made), encoding="utf-8")
        return {"sentences": float(len(made))}

    return Work(run, judge)
