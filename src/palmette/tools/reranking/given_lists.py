"""Lists of candidates as users give them, and as learners read them: pass by pass, with a record."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from palmette.formats.candidates import Candidates, Output
from palmette.formats.files import Source
from palmette.formats.given import existing, is_path, listed
from palmette.formats.nbest import NBestFile
from palmette.trees.tree import Tree

Lists = Iterable[Candidates] | Source


@dataclasses.dataclass
class TrainingRecord:
    """The numbers of lists and candidates that were learned from, and of those that were left out."""

    lists: int = 0
    candidates: int = 0
    empty: int = 0
    too_large: int = 0
    without_gold: int = 0
    probabilities: bool = True

    @property
    def n_tokens(self) -> int:
        return self.candidates

    def __len__(self) -> int:
        return self.lists

    def facts(self) -> dict[str, Any]:
        """Return the numbers for the record of the training."""
        return {
            "lists": self.lists,
            "candidates": self.candidates,
            "without_candidates": self.empty,
            "too_large": self.too_large,
            "without_gold": self.without_gold,
            "probabilities": self.probabilities,
        }


TOO_LARGE = Candidates([], [], counts=np.zeros((0, 3), dtype=np.int64))  # in place of a list that is


class LearnableLists:
    """The lists that have a candidate; ValueError for one without a right output."""

    def __init__(self, lists: Iterable[Candidates], record: TrainingRecord) -> None:
        self._lists, self._record = lists, record

    def __iter__(self) -> Any:
        record = self._record
        record.lists = record.candidates = record.empty = record.too_large = record.without_gold = 0
        record.probabilities = True
        for number, given in enumerate(self._lists, 1):
            if given is TOO_LARGE:
                record.too_large += 1
                continue
            if given.counts is None:
                raise ValueError(f"List {number} has no right output to learn from.")
            if not len(given):
                record.empty += 1
                continue
            record.lists += 1
            record.candidates += len(given)
            record.without_gold += not given.has_gold
            record.probabilities &= given.has_probabilities
            yield given


class Again:
    """An iterable that begins again."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make

    def __iter__(self) -> Any:
        return self._make()


def read_lists(X: Lists) -> Iterable[Candidates]:
    """Return the lists of a file, or those given; TypeError for anything else."""
    if is_path(X):
        return NBestFile(existing(X, "lists of candidates are made with Candidates"))
    if isinstance(X, Candidates):
        raise TypeError("A reranker takes lists of candidates; got one. Put it into a list.")
    if isinstance(X, NBestFile):
        return X
    lists = listed(X, "Lists of candidates")
    for number, given in enumerate(lists, 1):
        if not isinstance(given, Candidates):
            raise TypeError(f"A reranker takes lists of candidates. Number {number} is {given!r:.60}.")
    return lists


def lists_with(X: Lists, y: Sequence[Output] | None) -> Iterable[Candidates]:
    """Return the lists with their right outputs y, if there are any."""
    if y is None:
        return read_lists(X)
    lists, right = list(read_lists(X)), listed(y, "Right outputs")
    if len(lists) != len(right):
        raise ValueError(f"There must be one right output for each list; got {len(right)} for {len(lists)}.")
    return [given.with_gold(gold) for given, gold in zip(lists, right)]


def lists_of_kind(X: Lists, first: int, *, trees: bool) -> Iterator[Candidates]:
    """Yield the lists, counted from `first` on; ValueError for one with other outputs than those asked for."""
    for number, given in enumerate(read_lists(X), first):
        if any(isinstance(output, Tree) != trees for output in given.outputs):
            kinds = ("words with labels", "trees") if trees else ("trees", "words with labels")
            raise ValueError(f"List {number} has {kinds[0]}; this reranker chooses among {kinds[1]}.")
        yield given
