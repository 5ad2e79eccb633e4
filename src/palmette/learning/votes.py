"""The vote of many weight vectors, for every structure: each searches, and the output that most of them find wins.

Kernel Methods, "voted perceptron"; Freund and Schapire 1999. A vector has as many votes as examples it survived in
training. Exact are all vectors, one search per vector and input; to keep only those that survived longest
(`Perceptron(vectors=…)`) is an approximation. A vector is kept as its difference from the one before it.

A model with votes asks `elect` with a function from weights to the outputs of all its inputs: it need not know
what an output is, except that equal ones are equal.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from palmette._native import PerceptronMemory
from palmette.learning.problem import Weights

Output = TypeVar("Output", bound=Hashable)
_PREFIX = "votes"
_KINDS = {"start": "f4", "start_places": "u4", "bounds": "i8", "places": "u4", "values": "f4", "votes": "f8"}


class Elected(NamedTuple):
    """An output, and its share of the votes, from 0 to 1."""

    output: Any
    share: float


@dataclass(frozen=True, eq=False)
class VotedWeights:
    """Weight vectors that vote: vector k is the start and the first k changes.

    Change k has the values `values` at the places `places` from bounds[k] to bounds[k + 1]. votes: of every
    vector; one without votes is only a step to the next.
    """

    start: Weights
    bounds: NDArray[np.int64]
    places: NDArray[np.int64]
    values: NDArray[np.float32]
    votes: NDArray[np.float64]

    @classmethod
    def of(cls, start: Weights, memory: PerceptronMemory) -> VotedWeights:
        """Return the vectors that a perceptron made from a start."""
        return cls(start, *memory.vectors())

    def __len__(self) -> int:
        return max(1, int(np.count_nonzero(self.votes)))

    def vectors(self) -> Iterator[tuple[Weights, float]]:
        """Yield every vector with its share of the votes; the array is changed in place for the next one."""
        w, total = self.start.copy(), float(self.votes.sum())
        shares = self.votes / total if total else np.ones(1)
        for k, share in enumerate(shares.tolist()):
            if k:
                part = slice(int(self.bounds[k - 1]), int(self.bounds[k]))
                w[self.places[part]] += self.values[part]
            if share:
                yield w, share

    def elect(self, search: Callable[[Weights], Iterable[Output]]) -> list[list[Elected]]:
        """Return for every input all outputs that got votes, the winner first; of equal ones the first found.

        search: the best output of every input with the weights given, which it must not keep.
        """
        tallies: list[dict[Output, float]] = []
        for w, share in self.vectors():
            for i, output in enumerate(search(w)):
                if i == len(tallies):
                    tallies.append({})
                tallies[i][output] = tallies[i].get(output, 0.0) + share
        return [
            [Elected(*one) for one in sorted(tally.items(), key=lambda one: -one[1])] for tally in tallies
        ]

    # Files

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return what a model file keeps; the start without its zeros."""
        first = np.flatnonzero(self.start)
        return {
            f"{_PREFIX}.start": self.start[first].astype("<f4"),
            f"{_PREFIX}.start_places": first.astype("<u4"),
            f"{_PREFIX}.bounds": self.bounds.astype("<i8"),
            f"{_PREFIX}.places": self.places.astype("<u4"),
            f"{_PREFIX}.values": self.values.astype("<f4"),
            f"{_PREFIX}.votes": self.votes.astype("<f8"),
        }

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_weights: int) -> VotedWeights | None:
        """Return the votes of a model file, None if it has none; ValueError if they are damaged."""
        if f"{_PREFIX}.votes" not in arrays:
            return None
        found = {name: np.asarray(arrays.get(f"{_PREFIX}.{name}", ())) for name in _KINDS}
        if any(one.ndim != 1 or one.dtype != np.dtype(f"<{_KINDS[name]}") for name, one in found.items()):
            raise ValueError("its votes are not there")
        first, at, bounds, places, values, votes = found.values()
        steps = np.diff(bounds)
        good = (
            len(first) == len(at)
            and len(places) == len(values)
            and len(bounds) == len(votes) > 0
            and bounds[0] == 0
            and bounds[-1] == len(places)
            and not (steps < 0).any()
            and max(at.max(initial=0), places.max(initial=0)) < max(n_weights, 1)
            and all(np.isfinite(one).all() for one in (first, values, votes))
            and not (votes < 0).any()
            and float(np.abs(values).sum(dtype=np.float64)) < 1e30
        )
        if not good or (len(places) and not n_weights):
            raise ValueError("its votes do not fit its weights")
        start = np.zeros(n_weights, dtype=np.float32)
        start[at] = first
        return cls(start, bounds.copy(), places.astype(np.int64), values.copy(), votes.copy())


def votes_of(extra: object) -> VotedWeights | None:
    """Return the votes among what a learner made beside its weights (`Learned.extra`), or None."""
    return extra if isinstance(extra, VotedWeights) else None


def no_single_score(what: str) -> ValueError:
    """Return the error of what a vote cannot do, since it has no score of its own."""
    return ValueError(
        f"{what} needs one weight vector, and this model votes with many: train it with voted=false."
    )
