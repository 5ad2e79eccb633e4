"""Search for the best labels without looking at every state (CSC 448, §7).

| search           | extends                                                        | finds                     |
|------------------|----------------------------------------------------------------|---------------------------|
| viterbi          | every state, or for many labels those that can still win       | the best                  |
| dijkstra         | the state of least cost first                                  | the best                  |
| astar            | the state of least cost + h first, h of eq. 65                 | the best                  |
| weighted-astar=W | the state of least cost + W · h first                          | cost ≤ W · the least      |
| constant-astar=C | the state of least cost + C · (N − i) first                    | something, often the best |
| top-k=K          | the K best states of every position                            | something good            |
| beam=WIDTH       | the states within WIDTH of the best score of every position    | something good            |

The cost of a step is minus its score, raised by one constant for all steps where a score is positive. h(i) is the
sum of the least costs of a step to each position after i. With C · (N − i) in its place, where N − i steps are
left, a search goes the deeper the larger C is; it is not admissible if a step may cost less than C.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from palmette.structures.chain_scores import Labels
from palmette.structures.prepared_chain import PreparedChain
from palmette.structures.prepared_states import PreparedStates

# The searches; of those with a number: what it is, the least it may be, and what it is if not given.
METHODS: dict[str, tuple[str, float, float] | None] = {
    "viterbi": None,
    "dijkstra": None,
    "astar": None,
    "weighted-astar": ("the weight of the heuristic", 1, 2.0),
    "constant-astar": ("the cost of a step", 0, 2.0),
    "top-k": ("the number of states", 1, 8),
    "beam": ("the width", 0, 5.0),
}


@dataclass(frozen=True)
class ChainSearch:
    """One of the searches, with its number where it has one.

    >>> ChainSearch.of("top-k=4")
    ChainSearch(method='top-k', value=4.0)
    """

    method: str = "viterbi"
    value: float | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise ValueError(f"search must be one of {', '.join(METHODS)}; got {self.method!r}")
        about = METHODS[self.method]
        if about is None:
            if self.value is not None:
                raise ValueError(f"{self.method} takes no number; got {self.value:g}")
            return
        name, least, usual = about
        if self.value is None:
            object.__setattr__(self, "value", usual)
        elif not least <= self.value < math.inf:
            raise ValueError(
                f"{self.method}: {name} must be a finite number of at least {least:g}; got {self.value:g}"
            )
        elif self.method == "top-k" and self.value != int(self.value):
            raise ValueError(f"{self.method}: {name} must be a whole number; got {self.value:g}")

    @classmethod
    def of(cls, given: str | ChainSearch) -> ChainSearch:
        """Return a search from its text, NAME or NAME=NUMBER."""
        if isinstance(given, ChainSearch):
            return given
        name, equals, number = given.partition("=")
        if not equals:
            return cls(name)
        try:
            return cls(name, float(number))
        except ValueError as error:
            if "could not convert" not in str(error):
                raise
            raise ValueError(f"search: expected NAME=NUMBER; got {given!r}") from None

    def __str__(self) -> str:
        return self.method if self.value is None else f"{self.method}={self.value:g}"


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found: `states_touched` counts the states that it extended, `exact` says whether the labels
    are certain to be the best."""

    labels: Labels
    score: float
    states_touched: int
    exact: bool


def search(chain: PreparedChain | PreparedStates, how: ChainSearch) -> SearchResult:
    """Return the best labels of the only sentence, by one of the searches above."""
    core, value = chain.core, how.value
    if how.method == "viterbi":
        labels, scores, touched = core.best(1)
        if scores[0] == -math.inf:
            raise chain.infeasible(0)
        return SearchResult(labels, float(scores[0]), int(touched[0]), True)
    if how.method in ("top-k", "beam"):
        assert value is not None
        narrow = (min(int(value), 2**62), math.inf) if how.method == "top-k" else (2**62, value)
        found, exact, score, states, labels = core.multi_stack(*narrow)
    else:
        factor = {"dijkstra": 0.0, "astar": 1.0}.get(how.method, value or 0.0)
        found, exact, score, states, labels = core.best_first(factor, how.method == "constant-astar")
    if not found:
        length = int(chain.offsets[-1])
        if chain.dead_end(0) == length:
            raise ValueError(f"{how} pruned every allowed label sequence; widen it")
        raise chain.infeasible(0)
    return SearchResult(labels, score, states, exact)
