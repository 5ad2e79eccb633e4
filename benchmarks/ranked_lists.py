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
from palmette.trees import Tree

Parts = tuple[list[Candidates], list[Candidates], list[Candidates]]  # train, dev, test
FOLDS = 5


def parses(method: str, k: int) -> Parts:
    """The k best trees of the Penn Treebank sample."""
    return _kept(f"{method}-{k}", lambda: ConstituencyParser(method), _trees("const_en_ptb"), k, "brackets")


def icelandic_parses(method: str, k: int) -> Parts:
    """The k best trees of the Icelandic test set, of a parser for every fourth tree of the training data."""
    train, dev, test = _trees("const_is_icepahc")
    few = [train[::4], dev[::4], test]
    return _kept(f"icelandic-{method}-{k}", lambda: ConstituencyParser(method), few, k, "brackets")


def _trees(folder: str) -> list[list[Tree]]:
    paths = corpus(*(f"{folder}/{name}" for name in ("train.mrg.gz", "dev.mrg", "test.mrg")))
    return [list(gold_trees(str(path)).trees) for path in paths]


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
