"""Every treebank: both are trained on its train part, the dev part chooses, and the test part is scored.

Scores are the measures of CoNLL 2018 from raw text, from gold words where a treebank has no text. UDPipe trains
for up to hours, so models are kept in the folder of the peers, with what is measured of them: a run goes on with
the first treebank that is not done. Delete the files of a treebank there to begin again with it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.data import treebank
from benchmarks.measuring.row import Row
from benchmarks.peers.folder import kept
from benchmarks.peers.process import Measured, measure
from benchmarks.pipelines import shipped
from benchmarks.pipelines.training import LIMIT, WORKS, Trained, trained
from palmette.evaluation.raw_text import evaluate_raw_text
from palmette.formats import Corpus, read_conllu, write_conllu
from palmette.tools.pipeline.evaluation import bare
from palmette.tools.tokens.treebank_text import treebank_text

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
    """The pipeline that comes with Palmette, and training and annotation of every treebank, or of the smallest."""
    yield from shipped.rows()
    for name in RAW[:1] if quick else (*RAW, *WORDS):
        yield from _compared(name, words=name in WORDS)


def _compared(name: str, words: bool) -> Iterator[Row]:
    both = {who: trained(who, name) for who in WORKS}
    works = [one.work for one in both.values() if one.work is not None]
    if len(works) == 2:
        yield Row(f"train {name} / udpipe", works[0].cpu_seconds, works[1].cpu_seconds)
    gold = read_conllu(treebank(name, "test"))
    found = _measured(name, gold, both, words)
    yield _row(name, gold, both, found)


def _measured(name: str, gold: Corpus, both: dict[str, Trained], words: bool) -> dict[str, Any]:
    """Scores, and the time and memory of annotation, by whose they are; kept until a model is newer."""
    models = {who: one.path for who, one in both.items() if one.path is not None}
    record = Path(kept(f"{name}-measured.json"))
    if record.exists():
        found: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
        newest = max(Path(path).stat().st_mtime for path in models.values())
        if found.keys() == models.keys() and record.stat().st_mtime > newest:
            return found
    source = kept(f"{name}-test.conllu" if words else f"{name}-test.txt")
    if words:
        write_conllu(bare(gold), source)
    else:
        Path(source).write_text(treebank_text(gold).text, encoding="utf-8")
    found = {}
    for who, path in models.items():
        output = kept(f"{name}-{who}.conllu")
        measure(WORKS[who].annotate, source, path, output, int(words))
        scores = evaluate_raw_text(gold, output)
        found[who] = {
            "scores": {m: 100 * scores.f1(m) for m in MEASURES if m in scores.counts},
            "work": asdict(_timed(WORKS[who], source, path, words)),
        }
    record.write_text(json.dumps(found), encoding="utf-8")
    return found


def _timed(works: Any, source: str, model: str, words: bool) -> Measured:
    """Several copies of the text at once."""
    long = kept(f"long-{Path(source).name}")
    Path(long).write_text(
        (Path(source).read_text(encoding="utf-8") + "\n\n" * (not words)) * _COPIES, encoding="utf-8"
    )
    return measure(works.annotate, long, model, kept("timed.conllu"), int(words), times=2)


def _row(name: str, gold: Corpus, both: dict[str, Trained], found: dict[str, Any]) -> Row:
    ours, peer = found["ours"]["scores"], found.get("udpipe", {}).get("scores")
    shown = [measure for measure in MEASURES if measure in ours]
    quality = ", ".join(f"{m} {ours[m]:.2f}" + (f" / {peer[m]:.2f}" if peer else "") for m in shown)
    return Row(
        f"annotate {name} / udpipe",
        found["ours"]["work"]["cpu_seconds"],
        found["udpipe"]["work"]["cpu_seconds"] if peer else None,
        amount=_COPIES * gold.n_words / 1e3,
        unit="k words",
        least_ratio=LEAST_RATIO if peer else None,
        memory=" / ".join(
            f"{Path(one.path).stat().st_size / 1e6:.1f} MB, peak {found[who]['work']['peak_mb']:.0f} MB"
            for who, one in both.items()
            if one.path is not None
        ),
        quality=quality if peer else f"{quality}; UDPipe was not trained after {LIMIT // 60} minutes",
        holds=all(ours[m] >= peer[m] for m in shown) if peer else None,
    )
