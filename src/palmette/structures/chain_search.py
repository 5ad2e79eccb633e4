"""Search for the best labels without looking at every state (CSC 448, §7).

| method         | extends                                                        | finds                     |
|----------------|----------------------------------------------------------------|---------------------------|
| viterbi        | every state, or for many labels those that can still win       | the best                  |
| dijkstra       | the state of least cost first                                  | the best                  |
| astar          | the state of least cost + h first, h of eq. 65                 | the best                  |
| weighted_astar | the state of least cost + weight · h first                     | cost ≤ weight · the least |
| constant_astar | the state of least cost + c · (N − i) first, `weight` as c     | something, often the best |
| topk           | the `top` best states of every position                        | something good            |
| beam           | the states within `width` of the best score of every position  | something good            |

The cost of a step is minus its score, raised by one constant for all steps where a score is positive. h(i) is the
sum of the least costs of a step to each position after i. With c · (N − i) in its place, where N − i steps are
left, a search goes the deeper the larger c is; it is not admissible if a step may cost less than c.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from palmette.inference.semiring import checked_count
from palmette.structures.chain_scores import Labels
from palmette.structures.prepared_chain import PreparedChain
from palmette.structures.prepared_states import PreparedStates

METHODS = ("viterbi", "dijkstra", "astar", "weighted_astar", "constant_astar", "topk", "beam")


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What a search found: `states_touched` counts the states that it extended, `exact` says whether the labels
    are certain to be the best."""

    labels: Labels
    score: float
    states_touched: int
    exact: bool


def search(
    chain: PreparedChain | PreparedStates,
    method: str,
    *,
    weight: float = 2.0,
    top: int = 8,
    width: float = 5.0,
) -> SearchResult:
    """The best labels of the only sentence, by one of the methods above."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}; got {method!r}")
    if method == "viterbi":
        labels, scores, touched = chain.core.best(1)
        if scores[0] == -math.inf:
            raise chain.infeasible(0)
        return SearchResult(labels, float(scores[0]), int(touched[0]), True)
    core = chain.core
    if method in ("topk", "beam"):
        if not width >= 0:
            raise ValueError(f"width must not be negative, got {width}")
        kept = checked_count(top, "top", least=1) if method == "topk" else 2**62
        found, exact, score, states, labels = core.multi_stack(
            kept, math.inf if method == "topk" else float(width)
        )
    else:
        if method == "weighted_astar" and not 1 <= weight < math.inf:
            raise ValueError(
                f"the weight of the heuristic must be a finite number of at least 1, got {weight}"
            )
        if method == "constant_astar" and not 0 <= weight < math.inf:
            raise ValueError(f"the cost c of a step must be a finite number of at least 0, got {weight}")
        factor = {"dijkstra": 0.0, "astar": 1.0}.get(method, float(weight))
        found, exact, score, states, labels = core.best_first(factor, method == "constant_astar")
    if not found:
        length = int(chain.offsets[-1])
        if chain.dead_end(0) == length:
            raise ValueError(f"{method} pruned every allowed label sequence; widen it")
        raise chain.infeasible(0)
    return SearchResult(labels, score, states, exact)
