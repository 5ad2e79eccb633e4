"""Forests: the hypergraph that a deduction leaves, with the names of its items and the scores of its facts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from palmette.inference.facts import Item, Value
from palmette.inference.function_forest import FunctionForest
from palmette.inference.functions import Combination, functions_of, head_score
from palmette.inference.hypergraph import CycleError, Derivation, Floats, Hypergraph, Ints, Marginals
from palmette.inference.semiring import checked_count, checked_scores
from palmette.trees.tree import Leaf, Tree


@dataclass(frozen=True)
class SearchStatistics:
    """How much a search looked at."""

    items_made: int
    items_popped: int
    edges_built: int


@dataclass(frozen=True, eq=False, repr=False)
class Proof:
    """A derivation as a tree: an item, the fact that its rule carried (if any), and the proofs of its premises.

    `score` is the log-weight of this proof; printing shows the tree, one item a line. Two proofs are equal if they
    derive the same in the same way. Nothing here is recursive: a proof may be as deep as memory allows.
    """

    item: Item
    label: Item | None
    children: tuple[Proof, ...]
    score: float

    def preorder(self) -> Iterator[tuple[Proof, int]]:
        """This proof and all inside it, each before its premises, with their depths."""
        stack: list[tuple[Proof, int]] = [(self, 0)]
        while stack:
            proof, depth = stack.pop()
            yield proof, depth
            stack.extend((child, depth + 1) for child in reversed(proof.children))

    def tree(self, word: str = "word") -> Tree:
        """The proof as a constituency tree: items without a name are nodes, labelled by their first argument, and
        facts `word(w, i)` are the leaves. What else the proof holds is left out, also nodes without words.
        """
        made: dict[int, Tree | Leaf] = {}
        stack: list[tuple[Proof, bool]] = [(self, False)]
        while stack:
            proof, ready = stack.pop()
            if proof.item.name == word:
                made[id(proof)] = _leaf(proof.item)
            elif ready:
                children = [made[id(child)] for child in proof.children if id(child) in made]
                if proof.label is not None and proof.label.name == word:
                    children.append(_leaf(proof.label))
                if children:
                    made[id(proof)] = Tree(str(proof.item.arguments[0]), children)
            elif proof.item.name == "" and proof.item.arguments:
                stack.append((proof, True))
                stack.extend((child, False) for child in proof.children)
        found = made.get(id(self))
        if not isinstance(found, Tree):
            raise ValueError(
                f"the proof of {self.item} has no constituents with words, that is facts {word}(w, i)"
            )
        return found

    def svg(self) -> str:
        """Return the proof as an SVG image, every item above its premises; TooLargeError for a large one."""
        from palmette.inference.pictures import proof_svg

        return proof_svg(self)

    def _repr_svg_(self) -> str | None:
        from palmette.drawing.canvas import drawn_or_nothing

        return drawn_or_nothing(self.svg)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Proof) and self._steps() == other._steps()

    def __hash__(self) -> int:
        return hash(self._steps())

    def _steps(self) -> tuple[tuple[Item, Item | None, int], ...]:
        return tuple((proof.item, proof.label, depth) for proof, depth in self.preorder())

    def __repr__(self) -> str:
        return f"<Proof of {self.item}, score {self.score:.6g}>"

    def __str__(self) -> str:
        lines = []
        for proof, depth in self.preorder():
            by = f"  ← {proof.label}" if proof.label is not None and proof.label != proof.item else ""
            lines.append(indented(str(proof.item) + by, depth))
        return "\n".join(lines)


def indented(text: str, depth: int) -> str:
    """A line of a tree; past forty levels the depth is a number, since a page has few columns."""
    return "  " * depth + text if depth <= 40 else "  " * 40 + f"({depth}) {text}"


def _leaf(fact: Item) -> Leaf:
    if len(fact.arguments) != 2 or not isinstance(fact.arguments[1], int):
        raise ValueError(
            f"{fact} is not a leaf of a tree: expected a word and its position, {fact.name}(w, i)"
        )
    return Leaf(str(fact.arguments[0]), fact.arguments[1])


class Forest:
    """Everything that derives the goal, packed. All scores are logs; by default those of the facts as given.

    `graph` is the hypergraph and `scores` its part scores. Part k is the k-th fact, in the order in which facts
    were given; the parts after the facts are the rules' own weights. A learner that changes the scores passes
    its own: every method takes them. Where rules combine weights by functions, the forest has best and k-best
    derivations and their number, but no sums.
    """

    def __init__(
        self,
        graph: Hypergraph,
        scores: Floats,
        statistics: SearchStatistics,
        predicates: Sequence[tuple[str, bool]],
        nodes: tuple[Ints, Ints, Ints],
        part_names: Sequence[tuple[str, int, npt.NDArray[np.int32]]],
        decode: Callable[[int], Value],
        combinations: Mapping[int, Combination] | None = None,
    ) -> None:
        self.graph = graph
        self.scores = scores
        self.statistics = statistics
        self._predicates = predicates  # name, and whether rules derive it
        self._predicate, self._argument_start, self._arguments = nodes
        self._part_names = part_names
        self._decode = decode
        self._combinations = combinations or {}  # by the part of a rule

    @property
    def is_product(self) -> bool:
        """Whether all rules multiply, so that sums over derivations can be computed."""
        return not self._combinations

    def __repr__(self) -> str:
        return f"<Forest: {self.graph.n_nodes} nodes, {self.graph.n_edges} edges, {self.graph.n_parts} parts>"

    def svg(self) -> str:
        """Return the items and how they are derived as an SVG image; TooLargeError for a large forest."""
        from palmette.inference.pictures import forest_svg

        return forest_svg(self)

    def _repr_svg_(self) -> str | None:
        from palmette.drawing.canvas import drawn_or_nothing

        return drawn_or_nothing(self.svg)

    # What nodes and parts stand for

    def item(self, node: int) -> Item:
        """The item, or fact, of a node."""
        predicate = int(self._predicate[node])
        if predicate < 0:
            return Item("weight of the rule", ())
        first, last = self._argument_start[node], self._argument_start[node + 1]
        return Item(
            self._predicates[predicate][0], tuple(map(self._decode, self._arguments[first:last].tolist()))
        )

    def fact(self, part: int) -> Item | None:
        """The fact of a part; None for the weight of a rule."""
        for name, first, rows in self._part_names:
            if first <= part < first + len(rows):
                return Item(name, tuple(map(self._decode, rows[part - first].tolist())))
        return None

    @cached_property
    def items(self) -> dict[Item, int]:
        """The node of every item and fact in the forest."""
        return {self.item(node): node for node in range(self.graph.n_nodes)}

    # What the semirings say

    def log_z(self, scores: npt.ArrayLike | None = None) -> float:
        """The log of the total weight of all derivations; -inf where there is none."""
        self.check_sums()
        with self._named_cycles():
            return self.graph.log_z(self._scores(scores))

    def count(self) -> int:
        """How many derivations there are."""
        with self._named_cycles():
            return self.graph.count()

    def best(self, scores: npt.ArrayLike | None = None) -> Proof | None:
        """The derivation of the greatest weight, or None."""
        if not self.is_product:
            return next(iter(self.kbest(1, scores)), None)
        with self._named_cycles():
            derivation = self.graph.best(self._scores(scores))
        return None if derivation is None else self.proof(derivation, scores)

    def kbest(self, k: int, scores: npt.ArrayLike | None = None) -> list[Proof]:
        """The k derivations of the greatest weights, in descending order."""
        with self._named_cycles():
            if self.is_product:
                found = self.graph.kbest(self._scores(scores), k)
            else:
                checked = checked_scores(self._scores(scores))
                functions = FunctionForest(self.graph, checked, self._combinations)
                found = functions.kbest(checked_count(k, "k", least=1))
            return [self.proof(derivation, scores) for derivation in found]

    def samples(
        self, n: int = 1, scores: npt.ArrayLike | None = None, *, random_state: int = 0
    ) -> list[Proof]:
        """n derivations drawn in proportion to their weights."""
        self.check_sums()
        with self._named_cycles():
            found = self.graph.samples(self._scores(scores), n, random_state=random_state)
        return [self.proof(d, scores) for d in found]

    def marginals(self, scores: npt.ArrayLike | None = None) -> Marginals:
        """The expected number of uses of every part, node and edge, by number."""
        self.check_sums()
        with self._named_cycles():
            return self.graph.marginals(self._scores(scores))

    def item_marginals(self, scores: npt.ArrayLike | None = None) -> dict[Item, float]:
        """The expected number of uses of every derived item."""
        nodes = self.marginals(scores).nodes.tolist()
        kinds = self._predicate.tolist()
        return {
            item: nodes[node]
            for item, node in self.items.items()
            if node != self.graph.root and kinds[node] >= 0 and self._predicates[kinds[node]][1]
        }

    def fact_marginals(self, scores: npt.ArrayLike | None = None) -> dict[Item, float]:
        """The expected number of uses of every fact that the forest uses."""
        parts = self.marginals(scores).parts.tolist()
        total: dict[Item, float] = {}
        for part in np.unique(self.graph.labels).tolist():
            if (fact := self.fact(part)) is not None:
                total[fact] = total.get(fact, 0.0) + parts[part]
        return total

    def proof(self, derivation: Derivation, scores: npt.ArrayLike | None = None) -> Proof:
        """A derivation of the graph with its names; the goal itself is left out."""
        part_scores = self._scores(scores)
        done: list[Proof] = []
        steps = zip(derivation.nodes.tolist(), derivation.parts.tolist(), derivation.arities.tolist())
        for node, part, arity in reversed(list(steps)):
            children = tuple(done.pop() for _ in range(arity))
            tails = [child.score for child in children]
            score = head_score(float(part_scores[part]), self._combinations.get(part), tails)
            done.append(Proof(self.item(node), self.fact(part), children, score))
        root = done[0]
        top = root.children[0]
        return Proof(top.item, top.label, top.children, root.score)

    # Helpers of the above

    def _scores(self, scores: npt.ArrayLike | None) -> Any:
        return self.scores if scores is None else scores

    def check_sums(self) -> None:
        """Refuses sums over derivations where a rule does not multiply."""
        for combination in self._combinations.values():
            name = next(functions_of(combination.operand))
            raise ValueError(
                f"sums over derivations need rules that multiply, but the rule at {combination.where} uses "
                f"{name}; best, kbest and count work with it"
            )

    @contextmanager
    def _named_cycles(self) -> Iterator[None]:
        try:
            yield
        except CycleError as error:
            message, nodes = error.args
            shown = ", ".join(str(self.item(node)) for node in nodes[:8]) + (
                ", ..." if len(nodes) > 8 else ""
            )
            raise CycleError(f"{message}: the cycle goes through {shown}") from None
