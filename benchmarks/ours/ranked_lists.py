"""Lists of candidates for `benchmarks.reranking`, made once by cross-training and kept beside the peers.

Settings are measured on nested lists. Those of the training data do not do: the first models of all folds but one
have seen that fold's right answers, so what they still get wrong elsewhere is not what the model of that fold gets
wrong in it. So for every fold the rest is cut into folds once more, as if the fold did not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.accuracy import GOALS, read
from benchmarks.data import corpus
from benchmarks.peers.folder import kept
from palmette.evaluation.candidates import measured
from palmette.formats.candidates import Candidates
from palmette.formats.nbest import read_nbest, write_nbest
from palmette.tools.constituency.input import gold_trees
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.reranking.lists import FirstModel, candidate_lists, cross_lists, fold_bounds, select
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.trees.tree import Tree

FOLDS = 5
Lists = list[Candidates]


@dataclass(frozen=True)
class ListSource:
    """A first model and its data: train, dev and test. Lists have k candidates."""

    name: str
    make: Callable[[], FirstModel]
    data: Callable[[], Sequence[Any]]
    k: int
    measure: str

    def parts(self) -> tuple[Lists, Lists, Lists]:
        """The lists of the training data, each from a model of other folds, and of the dev and the test set."""
        data = cache(self.data)
        model = cache(lambda: self.make().fit(data()[0]))

        def ranked(part: int) -> Lists:
            return candidate_lists(model(), data()[part], self.k)

        return (
            self._kept("train", lambda: cross_lists(self.make, data()[0], FOLDS, self.k)),
            self._kept("dev", lambda: ranked(1)),
            self._kept("test", lambda: ranked(2)),
        )

    def folds(self) -> list[tuple[Lists, Lists]]:
        """Of every fold of the training data: lists to learn from, made without it, and its own."""
        train, _, _ = self.parts()
        found = []
        for fold, (begin, end) in enumerate(fold_bounds(len(train), FOLDS)):

            def make(begin: int = begin, end: int = end) -> Lists:
                rest = select(self.data()[0], [*range(begin), *range(end, len(train))])
                return cross_lists(self.make, rest, FOLDS, self.k)

            found.append((self._kept(f"without-{fold}", make), train[begin:end]))
        return found

    def _kept(self, part: str, make: Callable[[], Lists]) -> Lists:
        path = Path(kept(f"reranking-{self.name}-{self.k}-{part}.nbest.gz"))
        if not path.exists():
            write_nbest(make(), path)
        return list(measured(read_nbest(path), self.measure))


def parses(method: str, k: int) -> ListSource:
    """The k best trees of the Penn Treebank sample."""
    return ListSource(
        method, lambda: ConstituencyParser(method), lambda: _trees("const_en_ptb"), k, "brackets"
    )


def icelandic_parses(method: str, k: int) -> ListSource:
    """The k best trees of the Icelandic test set, of a parser for every fourth tree of the training data."""

    def data() -> list[list[Tree]]:
        train, dev, test = _trees("const_is_icepahc")
        return [train[::4], dev[::4], test]

    return ListSource(f"icelandic-{method}", lambda: ConstituencyParser(method), data, k, "brackets")


def entities(k: int) -> ListSource:
    """The k best labellings of the Spanish newspaper text."""
    (goal,) = (one for one in GOALS if one.folder.startswith("ner_es"))
    names = (goal.train, "dev.txt", goal.test)
    return ListSource(
        "spans", lambda: SpanTagger(templates="ner"), lambda: [read(goal, name) for name in names], k, "spans"
    )


def _trees(folder: str) -> list[list[Tree]]:
    paths = corpus(*(f"{folder}/{name}" for name in ("train.mrg.gz", "dev.mrg", "test.mrg")))
    return [list(gold_trees(str(path)).trees) for path in paths]
