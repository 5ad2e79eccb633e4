"""What a search over the labels of sentences found, and what it looked at (CSC 448, §7).

The searches are those of `palmette.structures.chain_search`. A tagger with hidden variants of its labels predicts
by probabilities, which no single search finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from palmette.structures.chain_search import ChainSearch, SearchResult

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from palmette.structures.chain import Chain
    from palmette.structures.chain_scores import ChainScores
    from palmette.tools.sequence.model import SequenceStructure

__all__ = ["ChainSearch", "SearchTotals", "Searched", "check_searchable", "search_all", "search_errors"]


@dataclass(frozen=True)
class Searched:
    """The labels that a search found for a sentence, and their score.

    states_touched: how many states the search extended. exact: whether no labels with a higher score are possible.
    """

    output: list[str]
    score: float
    states_touched: int
    exact: bool


@dataclass
class SearchTotals:
    """Sums over sentences: how many there are, how many of them were searched exactly, and the states extended."""

    sentences: int = 0
    exact: int = 0
    states: int = 0

    def add(self, found: Sequence[Searched]) -> None:
        """Count these sentences."""
        self.sentences += len(found)
        self.exact += sum(one.exact for one in found)
        self.states += sum(one.states_touched for one in found)


def check_searchable(structure: SequenceStructure) -> None:
    """Refuse a search where labels are predicted by sums over their hidden variants."""
    if structure.hidden != 1:
        raise ValueError(
            "A tagger with hidden variants of its labels predicts by probabilities; it takes no 'search'."
        )


def search_all(
    agreeing: Iterable[tuple[Chain, ChainScores, NDArray[np.bool_] | None]], search: ChainSearch
) -> list[SearchResult]:
    """Search every sentence; ValueError names the sentence for which nothing was found."""
    found = []
    for number, (chain, scores, allowed) in enumerate(agreeing, 1):
        try:
            found.append(chain.search(scores, search, allowed=allowed))
        except ValueError as error:
            raise ValueError(f"Sentence {number}: {error}") from None
    return found


def search_errors(found: Sequence[Any], best: Sequence[Any]) -> int:
    """Count the sentences whose labels have a lower score than the best labels."""
    return sum(one.score < other.score - 1e-6 * max(1.0, abs(other.score)) for one, other in zip(found, best))
