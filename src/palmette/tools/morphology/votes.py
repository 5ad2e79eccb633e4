"""What taggers say of the words, added to the scores of a `Morphology`: both decide together.

    score(analysis) = Σ scores of its parts + weight · Σ over the taggers  log p(its value in the tagger's column)

A tagger sees neighbouring labels of one column, the morphology the parts of whole analyses: they make other
mistakes. Every value of a tagger's column is one more part of the analyses that have it. O(words · values).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.tools.morphology.analyses import AnalysisTable
from palmette.tools.sequence.model import stride

_LEAST = 1e-6  # a probability that is not lower for any value, so that no tagger alone forbids one

Floats = NDArray[np.float32]


class TagProbabilities(NamedTuple):
    """The probabilities of the values of a column, [words, values]."""

    values: tuple[str, ...]
    p: Floats


@dataclass(frozen=True, eq=False)
class Votes:
    """The probabilities by taggers for columns of analyses, and how much they count."""

    columns: Mapping[str, TagProbabilities]
    weight: float

    def rows(self, begin: int, end: int) -> Votes:
        """Those of some words in a row."""
        return Votes({k: one._replace(p=one.p[begin:end]) for k, one in self.columns.items()}, self.weight)


class VotedParts(NamedTuple):
    """Scores of parts with those of votes, [words · stride], and the parts of all labels."""

    unary: Floats
    label_rows: NDArray[np.int64]
    label_parts: NDArray[np.int32]
    n_parts: int


class Vote(NamedTuple):
    """What the tagger of a column adds to the scores: [words, values], and the value of every label."""

    column: str
    values: list[str]
    scores: Floats
    of_labels: NDArray[np.int64]


def votes_on(table: AnalysisTable, votes: Votes) -> list[Vote]:
    """The votes for the values that analyses have."""
    found = []
    for name, (values, p) in votes.columns.items():
        own, of_labels = table.numbered[name]
        at = {value: i for i, value in enumerate(values)}
        there = np.array([at.get(value, len(values)) for value in own], dtype=np.int64)
        likely = np.concatenate([p, np.zeros((len(p), 1), np.float32)], axis=1)[:, there]
        scores = np.float32(votes.weight) * np.log(np.maximum(likely, np.float32(_LEAST)))
        found.append(Vote(name, own, scores, of_labels))
    return found


def with_votes(table: AnalysisTable, unary: Floats, votes: Votes) -> VotedParts:
    """The scores with a part more for every value that a tagger votes on; unary: [words · stride]."""
    found, n, n_labels = votes_on(table, votes), len(table.parts), len(table)
    k = len(found)
    firsts = n + np.cumsum([0, *(len(one.values) for one in found)])
    rows = table.label_rows + k * np.arange(n_labels + 1)
    parts = np.zeros(int(rows[-1]), dtype=np.int32)
    owner = np.repeat(np.arange(n_labels), np.diff(table.label_rows))
    parts[np.arange(len(table.label_parts)) + k * owner] = table.label_parts
    words = unary.reshape(-1, stride(n))
    scores = np.zeros((len(words), stride(int(firsts[-1]))), dtype=np.float32)
    scores[:, :n] = words[:, :n]
    for j, vote in enumerate(found):
        parts[rows[1:] - k + j] = firsts[j] + vote.of_labels
        scores[:, firsts[j] : firsts[j + 1]] = vote.scores
    return VotedParts(scores.reshape(-1), rows, parts, int(firsts[-1]))
