"""Hypergraphs: all outputs of one input, packed, and what one inside and one outside pass compute.

A node is an item; an edge derives its head from its tails and stands for one *part* of the output, its label.
A derivation of the root picks an edge for the root, then one for each tail, and so on; its score is the sum
of the scores of its parts. Every method takes the part scores, so the same hypergraph serves all weights. All
passes cost O(edges + tails) unless their docstring says otherwise. CSC 448, §11.

Where nodes form cycles, sums are the least solution of the inside equations, the best derivation comes from
Knuth's algorithm, and what needs an acyclic graph raises a `CycleError` that says which nodes it met.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from palmette import _native
from palmette.inference.any_semiring import inside_in_python, outside_in_python
from palmette.inference.semiring import LOG, Semiring, Values, checked_count, checked_scores, checked_values

CycleError = _native.CycleError
CycleError.__doc__ = (
    "A hypergraph has a cycle where the result needs one without, or where the sum over it diverges. "
    "`args` is the message and the nodes of the cycle."
)

_MOST = 2**31 - 1

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Derivation:
    """One derivation of the root: its score and its edges in preorder (an edge, then its tails' in turn)."""

    graph: Hypergraph
    score: float
    edges: Ints

    @property
    def parts(self) -> Ints:
        """The labels of the edges, in the same order."""
        return self.graph.labels[self.edges]

    @property
    def nodes(self) -> Ints:
        """The heads of the edges, in the same order."""
        return (np.searchsorted(self.graph.edge_start, self.edges, side="right") - 1).astype(np.int32)

    @property
    def arities(self) -> Ints:
        """The numbers of tails of the edges, in the same order."""
        return self.graph.tail_start[self.edges + 1] - self.graph.tail_start[self.edges]

    def tree(self) -> tuple[int, tuple[Any, ...]]:
        """The derivation as nested pairs (edge, subderivations)."""
        done: list[tuple[int, tuple[Any, ...]]] = []
        for edge, arity in zip(reversed(self.edges.tolist()), reversed(self.arities.tolist())):
            done.append((edge, tuple(done.pop() for _ in range(arity))))
        return done[0]


@dataclass(frozen=True, eq=False)
class Marginals:
    """How often the derivations use what, on average: the probability of a use where none is used twice."""

    graph: Hypergraph
    scores: Floats
    log_z: float
    parts: Floats
    nodes: Floats

    @cached_property
    def edges(self) -> Floats:
        """One number per edge."""
        return self.graph.core.edge_marginals(self.scores)


class Hypergraph:
    """A packed forest in compact arrays.

    `heads[e]` is the node that edge `e` derives; its tails are `tails[tail_start[e] : tail_start[e + 1]]`,
    and `labels[e]` is its part (by default the number of the edge as it was given). Edges may come in any
    order; they are kept grouped by head, and edge numbers in results refer to the order kept.

    >>> graph = Hypergraph.from_edges([(2, [0, 1]), (0, []), (0, []), (1, [])], root=2)
    >>> graph.count()
    2
    >>> scores = np.log([1.0, 0.25, 0.5, 0.5])
    >>> graph.best(scores).parts.tolist()
    [0, 2, 3]
    >>> graph.marginals(scores).parts.round(3).tolist()
    [1.0, 0.333, 0.667, 1.0]
    """

    def __init__(
        self,
        heads: npt.ArrayLike,
        tail_start: npt.ArrayLike,
        tails: npt.ArrayLike,
        *,
        labels: npt.ArrayLike | None = None,
        n_nodes: int | None = None,
        n_parts: int | None = None,
        root: int | None = None,
    ) -> None:
        """Builds the graph from arrays; `root` is the last node unless given, -1 if there is none."""
        head_array, tail_array = _indices(heads, "heads"), _indices(tails, "tails")
        start_array = _integers(tail_start, "tail_start").astype(np.int64)
        label_array = _indices(np.arange(len(head_array)) if labels is None else labels, "labels")
        if n_nodes is None:
            n_nodes = 1 + max(_largest(head_array), _largest(tail_array))
        self.core = _native.Hypergraph(
            _size(n_nodes, "n_nodes"),
            _size(_largest(label_array) + 1 if n_parts is None else n_parts, "n_parts"),
            _size(n_nodes - 1 if root is None else root, "root"),
            head_array,
            start_array,
            tail_array,
            label_array,
        )

    @classmethod
    def from_core(cls, core: _native.Hypergraph) -> Hypergraph:
        """Wraps what a native builder made."""
        graph = cls.__new__(cls)
        graph.core = core
        return graph

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[int, Sequence[int]] | tuple[int, Sequence[int], int]],
        *,
        n_nodes: int | None = None,
        n_parts: int | None = None,
        root: int | None = None,
    ) -> Hypergraph:
        """Builds the graph from (head, tails) or (head, tails, label) tuples, all of one kind."""
        rows = list(edges)
        with_labels = {len(row) for row in rows}
        if not with_labels <= {2} and not with_labels <= {3}:
            raise ValueError("edges must be all (head, tails) or all (head, tails, label)")
        return cls(
            [row[0] for row in rows],
            np.cumsum([0, *(len(row[1]) for row in rows)]),
            [t for row in rows for t in row[1]],
            labels=[row[2] for row in rows] if with_labels == {3} else None,  # type: ignore[misc]
            n_nodes=n_nodes,
            n_parts=n_parts,
            root=root,
        )

    # The arrays

    @property
    def n_nodes(self) -> int:
        return self.core.n_nodes

    @property
    def n_edges(self) -> int:
        return self.core.n_edges

    @property
    def n_parts(self) -> int:
        return self.core.n_parts

    @property
    def root(self) -> int:
        """The node to derive; -1 where there is none."""
        return self.core.root

    @property
    def is_acyclic(self) -> bool:
        return self.core.is_acyclic

    @cached_property
    def heads(self) -> Ints:
        return np.repeat(np.arange(self.n_nodes, dtype=np.int32), np.diff(self.edge_start))

    @property
    def labels(self) -> Ints:
        return self.core.labels

    @property
    def edge_start(self) -> Ints:
        """The edges of node v are edge_start[v] .. edge_start[v + 1] - 1."""
        return self.core.edge_start

    @property
    def tail_start(self) -> Ints:
        return self.core.tail_start

    @property
    def tails(self) -> Ints:
        return self.core.tails

    @property
    def order(self) -> Ints:
        """The nodes, tails before heads (nodes of a cycle are together)."""
        return self.core.order

    def tails_of(self, edge: int) -> Ints:
        """The tails of one edge."""
        return self.tails[self.tail_start[edge] : self.tail_start[edge + 1]]

    def __reduce__(self) -> tuple[Any, ...]:
        """For pickle and copy: the arrays, from which the same graph is built again."""
        arrays = (self.heads, self.tail_start, self.tails)
        return _rebuilt, (arrays, self.labels, self.n_nodes, self.n_parts, self.root)

    def __repr__(self) -> str:
        kind = "acyclic" if self.is_acyclic else "cyclic"
        return f"<Hypergraph: {self.n_nodes} nodes, {self.n_edges} edges, {self.n_parts} parts, {kind}>"

    def svg(self, scores: npt.ArrayLike | None = None) -> str:
        """Return the nodes and edges as an SVG image; with scores, an edge is the darker the likelier it is.

        TooLargeError for what nobody could follow.
        """
        from palmette.inference.pictures import graph_svg

        return graph_svg(self, scores=scores)

    def _repr_svg_(self) -> str | None:
        from palmette.drawing.canvas import drawn_or_nothing

        return drawn_or_nothing(self.svg)

    # One pass up, one pass down

    def inside(self, values: Values, semiring: Semiring[Any] = LOG) -> Any:
        """The ⊕ over all derivations of each node; `values` has the semiring value of each part."""
        native = getattr(semiring, "native_inside", None)
        if native is not None:
            return native(self.core, values)
        return inside_in_python(self.core, values, semiring)

    def outside(self, values: Values, semiring: Semiring[Any] = LOG) -> Any:
        """The ⊕ over all ways to complete each node to a derivation of the root. ⊗ must be commutative."""
        native = getattr(semiring, "native_outside", None)
        if native is not None:
            return native(self.core, values)
        return outside_in_python(self.core, values, semiring)

    def log_z(self, scores: npt.ArrayLike) -> float:
        """The log of the sum of exp(score) over all derivations of the root; -inf if there are none."""
        return float(self._of_root(self.inside(scores), -math.inf))

    def count(self) -> int:
        """How many derivations the root has, exactly."""
        counts = self.core.count_values(np.ones(self.n_parts, dtype=np.uint64), False)
        return int(self._of_root(counts, 0))

    def marginals(self, scores: npt.ArrayLike) -> Marginals:
        """The expected number of uses of every part, node and edge; zero where nothing derives the root."""
        checked = checked_scores(scores)
        log_z, parts, nodes = self.core.marginals(checked)
        return Marginals(self, checked, log_z, parts, nodes)

    def max_marginals(self, scores: npt.ArrayLike) -> Floats:
        """For every edge the score of the best derivation that uses it."""
        return self.core.max_marginals(checked_scores(scores))

    # Derivations

    def best(self, scores: npt.ArrayLike) -> Derivation | None:
        """The derivation with the highest score, or None if there is none."""
        found = self._derivations(self.core.best(checked_scores(scores)))
        return found[0] if found else None

    def kbest(self, scores: npt.ArrayLike, k: int) -> list[Derivation]:
        """The k best derivations in descending order, fewer if there are fewer.

        Lazy (Huang & Chiang 2005, algorithm 3): a Viterbi pass, then only what the k best need.
        """
        most = checked_count(k, "k", least=1)
        return self._derivations(self.core.kbest(checked_scores(scores), most))

    def samples(self, scores: npt.ArrayLike, n: int = 1, *, random_state: int = 0) -> list[Derivation]:
        """n independent derivations drawn with probability exp(score) / Z; `score` is its log."""
        wanted = checked_count(n, "n")
        seed = operator.index(random_state) % 2**64
        return self._derivations(self.core.samples(checked_scores(scores), wanted, seed))

    def mbr(
        self, scores: npt.ArrayLike, gains: npt.ArrayLike | None = None, *, over: str = "parts"
    ) -> Derivation | None:
        """The derivation of least risk: the one with the highest expected gain.

        A derivation gains `gains[k]` (1 by default) for each of its parts that the true one has; with
        `over="nodes"` for each of its nodes instead, as in labelled recall (CSC 448, §10.4). The score
        of the result is its expected gain.
        """
        marginals = self.marginals(scores)
        if over == "parts":
            graph, expected = self, marginals.parts
        elif over == "nodes":
            # An impossible edge must not stand in for a possible one of the same head.
            labels = np.where(marginals.edges > 0, self.heads, self.n_nodes)
            graph, expected = self.relabelled(labels, self.n_nodes + 1), marginals.nodes
        else:
            raise ValueError(f"over must be 'parts' or 'nodes', got {over!r}")
        weights = np.ones(len(expected)) if gains is None else np.asarray(gains, dtype=np.float64)
        if weights.shape != expected.shape:
            raise ValueError(f"expected {len(expected)} gains, got an array of shape {weights.shape}")
        # What no derivation of positive probability uses stays forbidden.
        gain = np.where(expected > 0, expected * checked_values(weights), -np.inf)
        gain = np.append(gain, np.full(graph.n_parts - len(gain), -np.inf))
        found = graph._derivations(graph.core.best(checked_scores(gain)))
        return Derivation(self, found[0].score, found[0].edges) if found else None

    # Expectations

    def expectation(self, scores: npt.ArrayLike, values: npt.ArrayLike) -> float:
        """E[v] for a value v that adds up over parts, such as a loss; 0 where there is no derivation."""
        marginals, checked = self.marginals(scores).parts, checked_values(values)
        if checked.shape != marginals.shape:
            raise ValueError(f"expected one value for each of the {self.n_parts} parts, got {len(checked)}")
        return float(marginals @ checked)

    def covariance(self, scores: npt.ArrayLike, values: npt.ArrayLike) -> Floats:
        """Cov[v, uses of part k] for every part k: the gradient of E[v] by the scores (notes, §4.6)."""
        return self.core.covariance(checked_scores(scores), checked_values(values))[1]

    def entropy(self, scores: npt.ArrayLike) -> float:
        """The entropy of the distribution over derivations, in nats; 0 where there is none."""
        # The choice of an edge at every node that a derivation comes to, and not log Z - E[score], which is a
        # small difference of large numbers.
        marginals = self.marginals(scores)
        used = np.flatnonzero(marginals.edges > 0)
        p = marginals.edges[used]
        # Logs before the difference: a quotient by the smallest numbers overflows.
        return float(p @ (np.log(marginals.nodes[self.heads[used]]) - np.log(p)))

    def entropy_gradient(self, scores: npt.ArrayLike) -> Floats:
        """The derivative of the entropy by every part score: minus the covariance of score and part."""
        checked = checked_scores(scores)
        return -self.core.covariance(checked, _finite(checked))[1]

    # Other graphs

    def prune(self, scores: npt.ArrayLike, margin: float) -> Hypergraph:
        """Keeps the edges that a derivation within `margin` of the best score uses, and all nodes."""
        if not margin >= 0:
            raise ValueError(f"margin must not be negative, got {margin}")
        through = self.max_marginals(scores)
        best = through.max(initial=-math.inf)
        # The best derivation itself must survive the rounding of its sums.
        slack = 1e-9 * max(1.0, abs(best)) if math.isfinite(best) else 0.0
        return self.restricted((through >= best - margin - slack) & (through > -np.inf))

    def restricted(self, keep: npt.ArrayLike) -> Hypergraph:
        """The same nodes with the edges for which `keep` is true."""
        mask = np.asarray(keep, dtype=bool)
        if mask.shape != (self.n_edges,):
            raise ValueError(f"keep must have one entry per edge, {self.n_edges}; got shape {mask.shape}")
        return Hypergraph.from_core(self.core.restricted(np.ascontiguousarray(mask, dtype=np.uint8)))

    def relabelled(self, labels: npt.ArrayLike, n_parts: int | None = None) -> Hypergraph:
        """The same edges with other parts: `labels[e]` for edge e."""
        array = _indices(labels, "labels")
        return Hypergraph(
            self.heads,
            self.tail_start,
            self.tails,
            labels=array,
            n_nodes=self.n_nodes,
            n_parts=n_parts,
            root=self.root,
        )

    # Helpers of the above

    def _of_root(self, values: Any, default: Any) -> Any:
        return default if self.root < 0 else values[self.root]

    def _derivations(self, arrays: tuple[Floats, Ints, npt.NDArray[np.int64]]) -> list[Derivation]:
        scores, edges, start = arrays
        bounds = start.tolist()
        return [
            Derivation(self, score, edges[first:last])
            for score, (first, last) in zip(scores.tolist(), pairwise(bounds))
        ]


def _rebuilt(
    arrays: tuple[Ints, Ints, Ints], labels: Ints, n_nodes: int, n_parts: int, root: int
) -> Hypergraph:
    return Hypergraph(*arrays, labels=labels, n_nodes=n_nodes, n_parts=n_parts, root=root)


def _integers(values: npt.ArrayLike, name: str) -> npt.NDArray[np.integer[Any]]:
    array = np.asarray(values)
    if array.size == 0:
        return np.zeros(0, dtype=np.int32)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(f"{name} must be a one-dimensional array of integers")
    return array


def _indices(values: npt.ArrayLike, name: str) -> Ints:
    array = _integers(values, name)
    if array.size and (array.min() < 0 or array.max() >= _MOST):
        raise ValueError(f"{name} must lie between 0 and 2^31 - 2; found {array.min()} to {array.max()}")
    return np.ascontiguousarray(array, dtype=np.int32)


def _size(number: int, name: str) -> int:
    if not -_MOST <= (integer := operator.index(number)) <= _MOST:
        raise ValueError(f"{name} must be below 2^31, got {integer}")
    return integer


def _largest(indices: Ints) -> int:
    return int(indices.max(initial=-1))


def _finite(scores: Floats) -> Floats:
    """Scores with 0 for -inf: what has no probability has no share in an expectation."""
    return np.where(np.isfinite(scores), scores, 0.0)
