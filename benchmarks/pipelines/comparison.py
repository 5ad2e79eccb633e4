"""Every treebank: both are trained on its train part, the dev part chooses, and the test part is scored.

Scores are the measures of CoNLL 2018 from raw text, from gold words where a treebank has no text. Models are
kept in the folder of the peers, because UDPipe trains for up to hours; delete them to train again.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.data import treebank
from benchmarks.measuring.row import Row
from benchmarks.peers.folder import kept
from benchmarks.peers.process import Measured, measure
from benchmarks.pipelines import ours, udpipe
from palmette.evaluation.raw_text import evaluate_raw_text
from palmette.formats import Corpus, read_conllu, write_conllu
from palmette.tools.pipeline.evaluation import bare
from palmette.tools.pipeline.texts import text_of

RAW = (
    "ud_ta_ttb",
    "ud_ja_gsd",
    "ud_he_htb",
    "ud_ug_udt",
    "ud_it_partut",
    "ud_de_lit",
    "ud_tr_imst",
    "ud_en_ewt",
)
WORDS = ("ud_eu_bdt", "ud_nl_lassysmall", "ud_zh_gsd")  # these have no text
MEASURES = ("words", "sentences", "upos", "ufeats", "lemmas", "las")
LEAST_RATIO = 10
_COPIES = 10  # of the test part, so that a run takes long enough to be measured


def rows(quick: bool) -> Iterator[Row]:
    """A row for training and one for annotation of every treebank; `quick` takes the smallest alone."""
    for name in RAW[:1] if quick else (*RAW, *WORDS):
        yield from _compared(name, words=name in WORDS)


def _compared(name: str, words: bool) -> Iterator[Row]:
    train, dev, test = (treebank(name, part) for part in ("train", "dev", "test"))
    files = {"ours": kept(f"{name}.palm"), "udpipe": kept(f"{name}.udpipe")}
    works: dict[str, Any] = {"ours": ours, "udpipe": udpipe}
    trained = {
        who: measure(works[who].train, str(train), str(dev), path)
        for who, path in files.items()
        if not Path(path).exists()
    }
    if len(trained) == 2:
        yield Row(f"train {name} / udpipe", trained["ours"].cpu_seconds, trained["udpipe"].cpu_seconds)
    gold = read_conllu(test)
    source = kept(f"{name}-test.conllu" if words else f"{name}-test.txt")
    if words:
        write_conllu(bare(gold), source)
    else:
        Path(source).write_text(text_of(gold).text, encoding="utf-8")
    scores: dict[str, dict[str, float]] = {}
    for who, path in files.items():
        output = kept(f"{name}-{who}.conllu")
        measure(works[who].annotate, source, path, output, int(words))
        scores[who] = _scores(gold, output)
    yield _row(
        name,
        gold,
        files,
        {who: _timed(works[who], source, path, words) for who, path in files.items()},
        scores,
    )


def _timed(works: Any, source: str, model: str, words: bool) -> Measured:
    """Several copies of the text at once."""
    long = kept(f"long-{Path(source).name}")
    Path(long).write_text(
        (Path(source).read_text(encoding="utf-8") + "\n\n" * (not words)) * _COPIES, encoding="utf-8"
    )
    return measure(works.annotate, long, model, kept("timed.conllu"), int(words), times=2)


def _row(
    name: str,
    gold: Corpus,
    files: dict[str, str],
    times: dict[str, Measured],
    scores: dict[str, dict[str, float]],
) -> Row:
    shown = [measure for measure in MEASURES if measure in scores["ours"]]
    return Row(
        f"annotate {name} / udpipe",
        times["ours"].cpu_seconds,
        times["udpipe"].cpu_seconds,
        amount=_COPIES * gold.n_words / 1e3,
        unit="k words",
        least_ratio=LEAST_RATIO,
        memory=" / ".join(f"{Path(path).stat().st_size / 1e6:.1f} MB" for path in files.values()),
        quality=", ".join(f"{m} {scores['ours'][m]:.2f} / {scores['udpipe'][m]:.2f}" for m in shown),
        holds=all(scores["ours"][m] >= scores["udpipe"][m] for m in shown),
    )


def _scores(gold: Corpus, output: str) -> dict[str, float]:
    found = evaluate_raw_text(gold, output)
    return {name: 100 * found.f1(name) for name in MEASURES if name in found.counts}
