"""The parsers that a pipeline may choose from, on treebanks with predicted tags.

Every parser learns from jackknifed tags, as in a pipeline, and is measured on the dev part with the tags that the
morphology of the train part predicts. Beside whole treebanks there are mixtures with more crossing arcs: all
sentences of a treebank that have such arcs, and as many that have none. What is measured is kept in the folder of
the peers, a file for each parser and treebank: a run goes on where the last one ended.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.data import treebank
from benchmarks.measuring.row import Row
from benchmarks.peers.folder import kept
from benchmarks.peers.process import Measured, Work, measure
from palmette import DependencyParser
from palmette.formats import Corpus, read_conllu, write_conllu
from palmette.tools.dependency.tags import is_empty
from palmette.tools.dependency.treebank import check_trees
from palmette.tools.morphology import Morphology
from palmette.tools.pipeline.jackknifing import jackknifed
from palmette.tools.pipeline.learned_steps import TAGS, quick_tags
from palmette.tools.pipeline.parser_choice import BEAM, parser_choices
from palmette.tools.pipeline.training import bare_trees
from palmette.trees.shapes import projectivise

WHOLE = (
    "ud_ta_ttb",
    "ud_ja_gsd",
    "ud_he_htb",
    "ud_ug_udt",
    "ud_it_partut",
    "ud_de_lit",
    "ud_tr_imst",
    "ud_eu_bdt",
    "ud_nl_lassysmall",
    "ud_en_ewt",
)
MIXED = ("ud_de_lit", "ud_eu_bdt", "ud_nl_lassysmall", "ud_tr_imst", "ud_ug_udt")
_MIXTURE = "-crossing"
_FOLDS = 5


class Candidate(NamedTuple):
    """A method with its options, and whether it looks at XPOS."""

    name: str
    method: str
    options: Mapping[str, Any]
    xpos: bool = True


CANDIDATES = (
    Candidate("graph", "graph", {}),
    Candidate("graph, no XPOS", "graph", {}, xpos=False),
    Candidate("graph, projective", "graph", {"projective": True}),
    Candidate("graph, crossing", "graph", {"projective": False}),
    Candidate("beam", "transition", BEAM),
    Candidate("beam, no XPOS", "transition", BEAM, xpos=False),
    Candidate("greedy", "transition", {}),
)


def rows(quick: bool) -> Iterator[Row]:
    """A row for every parser of every treebank; `quick` takes the smallest alone."""
    names = WHOLE[:1] if quick else (*WHOLE, *(name + _MIXTURE for name in MIXED))
    for name in names:
        train, dev = _prepared(name)
        corpus = check_trees(read_conllu(train), skip_bad=True)
        columns = [column for column in TAGS if not is_empty(corpus, column)]
        facts = parser_choices(corpus, columns, None, dev=True).facts
        yield from (_row(name, k, train, dev, columns, facts) for k in range(len(CANDIDATES)))


def _row(name: str, k: int, train: str, dev: str, columns: list[str], facts: str) -> Row:
    record = Path(kept(f"parser-{name}-{k}.json"))
    if record.exists():
        work = Measured(**json.loads(record.read_text(encoding="utf-8")))
    else:
        work = measure(parse, train, dev, k)
        record.write_text(json.dumps(asdict(work)), encoding="utf-8")
    one = CANDIDATES[k]
    if not one.xpos and "xpos" not in columns:
        facts = f"the same as with XPOS, which is not there; {facts}"
    quality = f"LAS {work.quality['las']:.2f}, UAS {work.quality['uas']:.2f}; {facts}"
    return Row(f"{name}: {one.name}", work.cpu_seconds, quality=quality)


def parse(train: str, dev: str, k: int) -> Work:
    """Training of a candidate, and its scores on the dev part."""
    one = CANDIDATES[k]
    corpus, held_out = check_trees(read_conllu(train), skip_bad=True), read_conllu(dev)
    columns = [name for name in TAGS if not is_empty(corpus, name) and (one.xpos or name != "xpos")]

    def run() -> DependencyParser:
        made = DependencyParser(one.method, options=dict(one.options) or None, columns=columns)
        return made.fit(corpus, dev=held_out)

    def judge(made: DependencyParser) -> dict[str, float]:
        scores = made.evaluate(held_out)
        return {"las": 100 * scores.las, "uas": 100 * scores.uas}

    return Work(run, judge)


def _prepared(name: str) -> tuple[str, str]:
    """The files of a train part with jackknifed tags and of a dev part with predicted ones; made once."""
    paths = kept(f"parser-{name}-train.conllu"), kept(f"parser-{name}-dev.conllu")
    if all(Path(path).exists() for path in paths):
        return paths
    own = name.removesuffix(_MIXTURE)
    train, dev = (read_conllu(treebank(own, part)) for part in ("train", "dev"))
    if own != name:
        train, dev = mixture(train), mixture(dev)
    columns = [column for column in TAGS if not is_empty(train, column)]
    write_conllu(jackknifed(train, columns, _FOLDS, partial(quick_tags, columns)), paths[0])
    write_conllu(Morphology(columns=columns).fit(train).annotate(bare_trees(dev)), paths[1])
    return paths


def mixture(corpus: Corpus) -> Corpus:
    """The sentences with arcs that cross, and as many of the others, the first of them, in their order."""
    trees = check_trees(corpus, skip_bad=True)
    assert trees.heads is not None
    _, lifts = projectivise(np.ascontiguousarray(trees.heads, np.int32), trees.offsets)
    crossing = np.add.reduceat(lifts > 0, trees.offsets[:-1]) > 0
    others = np.flatnonzero(~crossing)[: int(crossing.sum())]
    return trees.select(sorted([*np.flatnonzero(crossing).tolist(), *others.tolist()]))
