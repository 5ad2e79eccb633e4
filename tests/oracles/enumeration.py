"""The oracle: every output of a small input by name, and all sums and maxima taken over that list.

An output is a tuple of parts (numbers, a part as often as the output uses it) and its score is the sum of the
scores of its parts. `Enumeration` takes any list of outputs and answers in plain NumPy what an algorithm must
answer; nothing in it comes from the engine. Below stand the makers of such lists: the derivations of an
acyclic hypergraph, label sequences, binary trees and dependency trees, with their closed-form counts.

>>> chain = Enumeration(label_sequences(n=2, k=2), scores=[0.0, 1.0, 0.0, 0.0])
>>> chain.count, chain.best
(4, (1, 2))
>>> bool(np.isclose(chain.log_z, np.log(2 + 2 * np.e)))
True
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt

from palmette.inference.hypergraph import Hypergraph

Output = tuple[int, ...]
Floats = npt.NDArray[np.float64]


class Enumeration:
    """All outputs of one input under part scores; those of score -inf count, but have no probability.

    Where every output has a score of its own, let each be its one part: `Enumeration.of_scores(scores)`.
    """

    def __init__(self, outputs: Iterable[Sequence[int]], scores: npt.ArrayLike) -> None:
        self.outputs: list[Output] = [tuple(int(part) for part in output) for output in outputs]
        self.part_scores = np.asarray(scores, dtype=float)
        self.scores = np.array([math.fsum(self.part_scores[list(y)]) for y in self.outputs])

    @classmethod
    def of_scores(cls, scores: npt.ArrayLike) -> Enumeration:
        return cls([(i,) for i in range(np.size(scores))], scores)

    @property
    def count(self) -> int:
        return len(self.outputs)

    # Maxima

    @property
    def best_score(self) -> float:
        return float(self.scores.max(initial=-math.inf))

    @property
    def best(self) -> Output | None:
        """The first of the best outputs; None where none has a probability."""
        return None if self.best_score == -math.inf else self.outputs[int(self.scores.argmax())]

    def kbest_scores(self, k: int) -> Floats:
        possible = self.scores[self.scores > -math.inf]
        return np.sort(possible)[::-1][:k]

    def max_marginals(self, uses: npt.ArrayLike | None = None) -> Floats:
        """For every part the score of the best output that uses it; -inf where none does."""
        used = self._uses(uses) > 0
        return np.where(used, self.scores[:, None], -math.inf).max(axis=0, initial=-math.inf)

    # Sums

    @cached_property
    def log_z(self) -> float:
        best = self.best_score
        return best if best == -math.inf else best + math.log(math.fsum(np.exp(self.scores - best)))

    @cached_property
    def probabilities(self) -> Floats:
        """One per output; all zero where the sum is zero."""
        return np.zeros(self.count) if self.log_z == -math.inf else np.exp(self.scores - self.log_z)

    @cached_property
    def uses(self) -> Floats:
        """uses[y, k] is how often output y uses part k."""
        return count_uses(self.outputs, len(self.part_scores))

    def marginals(self, uses: npt.ArrayLike | None = None) -> Floats:
        """The expected number of uses of every part; `uses` may count other things per output than parts."""
        return self.probabilities @ self._uses(uses)

    def values(self, part_values: npt.ArrayLike) -> Floats:
        """The value of every output, for something that adds up over parts."""
        return self.uses @ np.asarray(part_values, dtype=float)

    def expectation(self, part_values: npt.ArrayLike) -> float:
        return float(self.probabilities @ self.values(part_values))

    def covariance(self, part_values: npt.ArrayLike) -> Floats:
        """Cov[v, uses of part k] for every part k."""
        centred = self.values(part_values) - self.expectation(part_values)
        return (self.probabilities * centred) @ (self.uses - self.marginals())

    def covariance_matrix(self) -> Floats:
        """Cov[uses of part j, uses of part k]: the second derivative of log Z."""
        centred = self.uses - self.marginals()
        return centred.T @ (self.probabilities[:, None] * centred)

    @property
    def entropy(self) -> float:
        p = self.probabilities[self.probabilities > 0]
        return float(-(p * np.log(p)).sum())

    def entropy_gradient(self) -> Floats:
        return -self.covariance(np.where(np.isfinite(self.part_scores), self.part_scores, 0.0))

    def bayes_gain(self, gains: npt.ArrayLike, uses: npt.ArrayLike | None = None) -> float:
        """The highest expected gain of an output that has a probability."""
        counts = self._uses(uses)
        gain = counts @ (np.asarray(gains, dtype=float) * (self.probabilities @ counts))
        return float(gain[self.probabilities > 0].max(initial=-math.inf))

    def _uses(self, uses: npt.ArrayLike | None) -> Floats:
        return self.uses if uses is None else np.asarray(uses, dtype=float)


def count_uses(outputs: Sequence[Sequence[int]], n_parts: int) -> Floats:
    """A matrix of outputs × parts."""
    counts = np.zeros((len(outputs), n_parts))
    for row, output in zip(counts, outputs):
        np.add.at(row, list(output), 1.0)
    return counts


def gradient(f: Callable[[Floats], float], x: npt.ArrayLike, step: float = 1e-5) -> Floats:
    """The derivative of f by every finite entry of x, by central differences; 0 for an entry of -inf."""
    at = np.asarray(x, dtype=float)
    slopes = np.zeros(len(at))
    for k in np.flatnonzero(np.isfinite(at)):
        change = step * (np.arange(len(at)) == k)
        slopes[k] = (f(at + change) - f(at - change)) / (2 * step)
    return slopes


# Hypergraphs


def derivations(graph: Hypergraph, node: int | None = None, *, limit: int = 100_000) -> list[Output]:
    """The derivations of a node (the root by default) of an acyclic graph, as tuples of edges in preorder."""
    done: dict[int, list[Output]] = {}

    def of(v: int) -> list[Output]:
        if v not in done:
            done[v] = [
                (edge, *(e for part in parts for e in part))
                for edge in range(graph.edge_start[v], graph.edge_start[v + 1])
                for parts in product(*(of(int(t)) for t in graph.tails_of(edge)))
            ]
            if len(done[v]) > limit:
                raise ValueError(f"node {v} has more than {limit} derivations: too many to enumerate")
        return done[v]

    start = graph.root if node is None else node
    return [] if start < 0 else of(start)


def contexts(graph: Hypergraph, node: int) -> list[Output]:
    """The derivations of the root with one use of the node left open, as tuples of the edges around it."""
    done: dict[int, list[Output]] = {}

    def around(v: int) -> list[Output]:
        if v not in done:
            done[v] = [()] if v == graph.root else []
            for position in np.flatnonzero(graph.tails == v).tolist():
                edge = int(np.searchsorted(graph.tail_start, position, side="right")) - 1
                first, last = graph.tail_start[edge : edge + 2].tolist()
                tails = [int(graph.tails[i]) for i in range(first, last) if i != position]
                others = [derivations(graph, t) for t in tails]
                for parts in product(around(int(graph.heads[edge])), *others):
                    done[v].append((edge, *(e for part in parts for e in part)))
        return done[v]

    return around(node)


def enumerate_hypergraph(graph: Hypergraph, scores: npt.ArrayLike, node: int | None = None) -> Enumeration:
    """The derivations of a node with the labels of their edges as parts, in the order of `derivations`."""
    return Enumeration([graph.labels[list(d)] for d in derivations(graph, node)], scores)


# Other structures


def label_sequences(n: int, k: int) -> Iterator[Output]:
    """All sequences of n labels out of k; label y at position i is part i·k + y. There are k^n."""
    for labels in product(range(k), repeat=n):
        yield tuple(i * k + y for i, y in enumerate(labels))


def binary_trees(i: int, j: int) -> Iterator[tuple[tuple[int, int], ...]]:
    """All binary trees over the words i .. j-1 as tuples of their spans. There are catalan(j - i - 1)."""
    if j - i == 1:
        yield ((i, j),)
    for split in range(i + 1, j):
        for left, right in product(binary_trees(i, split), binary_trees(split, j)):
            yield ((i, j), *left, *right)


def dependency_trees(n: int, *, projective: bool = False, single_root: bool = False) -> Iterator[Output]:
    """All trees over the words 1 .. n under root 0, each as its heads[1 .. n]; see the counts below."""
    for heads in product(range(n + 1), repeat=n):
        if single_root and heads.count(0) != 1:
            continue
        if _is_tree(heads) and (not projective or _is_projective(heads)):
            yield heads


def _is_tree(heads: Output) -> bool:
    for word in range(1, len(heads) + 1):
        for _ in heads:
            word = heads[word - 1] if word else 0
        if word:
            return False
    return True


def _is_projective(heads: Output) -> bool:
    arcs = [(min(h, d), max(h, d)) for d, h in enumerate(heads, start=1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


# Closed forms


def catalan(n: int) -> int:
    """Binary trees with n inner nodes."""
    return math.comb(2 * n, n) // (n + 1)


def spanning_trees(n: int) -> int:
    """Trees over n words under a root that may have several children (Cayley)."""
    return (n + 1) ** (n - 1)


def single_root_trees(n: int) -> int:
    """Trees over n words under a root with one child."""
    return n ** (n - 1)


def projective_trees(n: int, *, single_root: bool = False) -> int:
    """Projective trees over n words under a root with any number of children, or with one."""
    return math.comb(3 * n - 2, n - 1) // n if single_root else math.comb(3 * n, n) // (2 * n + 1)
