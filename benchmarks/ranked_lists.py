"""Lists of candidates for `benchmarks.reranking`, made once by cross-training and kept beside the peers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.accuracy import GOALS, read
from benchmarks.data import corpus
from benchmarks.peers.folder import kept
from palmette.evaluation.candidates import measured
from palmette.formats.nbest import read_nbest, write_nbest
from palmette.structures.candidates import Candidates
from palmette.tools.constituency.input import gold_trees
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.reranking.lists import candidate_lists, cross_lists
from palmette.tools.spans import SpanTagger

Parts = tuple[list[Candidates], list[Candidates], list[Candidates]]  # train, dev, test
FOLDS = 5


def parses(method: str, k: int) -> Parts:
    """The k best trees of the Penn Treebank sample."""
    paths = corpus("const_en_ptb/train.mrg.gz", "const_en_ptb/dev.mrg", "const_en_ptb/test.mrg")
    trees = [gold_trees(str(path)).trees for path in paths]
    return _kept(f"{method}-{k}", lambda: ConstituencyParser(method), trees, k, "brackets")


def entities(k: int) -> Parts:
    """The k best labellings of the Spanish newspaper text."""
    (goal,) = (one for one in GOALS if one.folder.startswith("ner_es"))
    parts = [read(goal, goal.train), read(goal, "dev.txt"), read(goal, goal.test)]
    return _kept(f"spans-{k}", lambda: SpanTagger(templates="ner"), parts, k, "spans")


def _kept(name: str, make: Callable[[], Any], data: list[Any], k: int, measure: str) -> Parts:
    paths = [Path(kept(f"reranking-{name}-{part}.nbest.gz")) for part in ("train", "dev", "test")]
    if not all(path.exists() for path in paths):
        write_nbest(cross_lists(make, data[0], FOLDS, k), paths[0])
        model = make().fit(data[0])
        for path, part in zip(paths[1:], data[1:]):
            write_nbest(candidate_lists(model, part, k), path)
    train, dev, test = (list(measured(read_nbest(path), measure)) for path in paths)
    return train, dev, test
