"""What several models believe of the same sentences: averaged probabilities of brackets, tags by majority.

A model without probabilities votes with the brackets of its best tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from palmette.structures.chart.bracket_risk import averaged
from palmette.tools.constituency.model import Bracket, ConstituencyModel, Marginals, Parse, Sentences
from palmette.trees.tree import Tree


class Ballot(NamedTuple):
    """One sentence: of every model the probabilities of brackets, and its own tree."""

    marginals: list[Marginals]
    parses: list[Parse]

    def average(self, weights: Sequence[float]) -> Marginals:
        """The mean of the probabilities."""
        mean = averaged([plain(table) for table in self.marginals], weights)
        return {Bracket(*bracket): p for bracket, p in mean.items()}

    def tags(self, weights: Sequence[float]) -> list[str]:
        """For every word the tag that most models give it, by their weights; the earlier model breaks ties."""
        columns = zip(*(parse.tree.tags for parse in self.parses))
        return [_winner(tags, weights) for tags in columns]


def ballots(
    models: Sequence[ConstituencyModel],
    sentences: Sentences,
    tags: Sentences | None = None,
    *,
    n_jobs: int = 1,
) -> list[Ballot]:
    """What the models say of every sentence; none is empty."""
    tables, parses = [], []
    for model in models:
        found = model.parse(sentences, tags=tags, n_jobs=n_jobs)
        parses.append(found)
        try:
            tables.append(model.marginals(sentences, n_jobs=n_jobs))
        except ValueError:
            tables.append([dict.fromkeys(spans_of(parse.tree), 1.0) for parse in found])
    return [Ballot(list(one), list(two)) for one, two in zip(zip(*tables), zip(*parses), strict=True)]


def plain(marginals: Marginals) -> dict[tuple[int, int, str], float]:
    """The probabilities by triples."""
    return {(start, end, label or ""): p for (start, end, label), p in marginals.items()}


def spans_of(tree: Tree) -> list[Bracket]:
    """The brackets of a tree without gaps, those of the root and of tags apart."""
    return [
        Bracket(*span.segments[0], span.label)
        for span in tree.spans()[0 if tree.is_preterminal else 1 :]
        if len(span.segments) == 1
    ]


def _winner(tags: Sequence[str], weights: Sequence[float]) -> str:
    if len(set(tags)) == 1:
        return tags[0]
    votes: Counter[str] = Counter()
    for tag, weight in zip(tags, weights):
        votes[tag] += weight  # type: ignore[assignment]
    return max(tags, key=lambda tag: votes[tag])
