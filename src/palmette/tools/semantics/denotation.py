"""Denotations of DCS trees, by dynamic programming from the leaves up (CSC 448, eq. 125).

    ⟦⟨p; j1/k1: c1; …⟩⟧ = w(p) ∩ ⋂ᵢ { v : v_jᵢ = t_kᵢ, t ∈ ⟦cᵢ⟧ }

Each node is visited once, and a join only needs the joined component of the child, so the cost is linear in the
nodes times the tuples of their predicates. What a comparison looks at is more: the pairs of a value and a marked
value below it, which are composed edge by edge. `limit` bounds these pairs.
"""

from __future__ import annotations

from collections.abc import Iterable

from palmette.tools.semantics.dcs import AGGREGATE, COMPARE, JOIN, DCSTree, Edge
from palmette.tools.semantics.world import EMPTY, Ids, World

Pairs = dict[int, set[int]]
LIMIT = 10_000_000


class Denotations:
    """Computes and remembers the denotations of trees in a world.

    ties: "all" answers of a superlative, or the "first" in the order of the database. limit: of pairs in a
    comparison; a tree that needs more is a ValueError. keep: how many sets are remembered.
    """

    def __init__(self, world: World, *, ties: str = "all", limit: int = LIMIT, keep: int = 50_000) -> None:
        self.world = world
        self.ties = ties
        self.limit = limit
        self.keep = keep
        self._known: dict[tuple[str, int], Ids] = {}

    def set_ties(self, ties: str) -> None:
        """Change what superlatives do with equal values."""
        self.ties = ties
        self._known.clear()

    def answer(self, tree: DCSTree) -> Ids:
        """Return the values that a tree denotes: those of its extracted component."""
        return self.component(tree, tree.column)

    def component(self, tree: DCSTree, column: int) -> Ids:
        """Return the values of one component of the denotation."""
        key = tree.key, column
        found = self._known.get(key)
        if found is None:
            if len(self._known) >= self.keep:
                self._known.clear()
            found = self._known[key] = self._component(tree, column)
        return found

    def _component(self, tree: DCSTree, column: int) -> Ids:
        if tree.values is not None:
            return self._compared(tree, self._joined(tree, tree.values))
        aggregate = next((edge for edge in tree.edges if edge.relation == AGGREGATE), None)
        if aggregate is not None:
            number = self._aggregate(tree.predicate, aggregate)
            found = EMPTY if number is None else frozenset({self.world.number(number)})
            return self._compared(tree, self._joined(tree, found))
        predicate = self.world.find(tree.predicate)
        if predicate is None:
            raise ValueError(f"The world has no predicate {tree.predicate!r}.")
        if not 1 <= column <= predicate.arity:
            raise ValueError(f"{tree.predicate} has {predicate.arity} components, not {column}.")
        if predicate.arity == 1:
            return self._compared(tree, self._joined(tree, predicate.columns[0]))
        if predicate.arity == 2 and not any(edge.relation == COMPARE for edge in tree.edges):
            return self._pairs_component(tree, column)
        return frozenset(row[column - 1] for row in self.rows(tree))

    def _joined(self, tree: DCSTree, values: Ids) -> Ids:
        for edge in tree.edges:
            if edge.relation == JOIN:
                values = values & self.component(edge.child, edge.child_column)
        return values

    def _compared(self, tree: DCSTree, values: Ids) -> Ids:
        for edge in tree.edges:
            if edge.relation == COMPARE:
                values = self.execute(edge, values)
        return values

    def _pairs_component(self, tree: DCSTree, column: int) -> Ids:
        """Join a binary predicate by its index, from the side that the children restrict."""
        predicate = self.world.find(tree.predicate)
        assert predicate is not None
        sides: list[Ids | None] = [None, None]
        for edge in tree.edges:
            values = self.component(edge.child, edge.child_column)
            side = sides[edge.parent - 1]
            sides[edge.parent - 1] = values if side is None else side & values
        own, other = sides[column - 1], sides[2 - column]
        if other is None:
            return predicate.columns[column - 1] if own is None else predicate.columns[column - 1] & own
        index = predicate.index[2 - column]
        found = frozenset[int]().union(*(index.get(value, EMPTY) for value in other))
        return found if own is None else found & own

    def rows(self, tree: DCSTree) -> Iterable[tuple[int, ...]]:
        """Return the tuples of a denotation."""
        if tree.values is not None:
            return {(value,) for value in self.component(tree, 1)}
        predicate = self.world.find(tree.predicate)
        if predicate is None or any(edge.relation == AGGREGATE for edge in tree.edges):
            return {(value,) for value in self.component(tree, 1)}
        found = predicate.rows
        for edge in tree.edges:
            if edge.relation == JOIN:
                values, at = self.component(edge.child, edge.child_column), edge.parent - 1
                found = frozenset(row for row in found if row[at] in values)
        for edge in tree.edges:
            if edge.relation == COMPARE:
                at = edge.parent - 1
                values = self.execute(edge, frozenset(row[at] for row in found))
                found = frozenset(row for row in found if row[at] in values)
        return found

    def _aggregate(self, name: str, edge: Edge) -> float | None:
        """Compute an aggregate: `count` of the values, others of the numbers, once for every tuple.

        There is no average, largest or smallest of no numbers: None.
        """
        if name == "count":
            return float(len(self.component(edge.child, edge.child_column)))
        at = edge.child_column - 1
        numbers = [self._number(row[at]) for row in self.rows(edge.child)]
        if name == "sum":
            return sum(numbers)
        if not numbers:
            return None
        if name == "average":
            return sum(numbers) / len(numbers)
        if name in ("largest", "smallest"):
            return max(numbers) if name == "largest" else min(numbers)
        raise ValueError(f"There is no aggregate {name!r}.")

    def _number(self, value: int) -> float:
        found = self.world.values[value]
        if not isinstance(found, float):
            raise ValueError(f"{found} is not a number.")
        return found

    # Mark and execute

    def pairs(self, tree: DCSTree, column: int, within: Ids | None = None) -> Pairs:
        """Return the marked values of each value of a component, of those `within`."""
        below = next((e for e in tree.edges if e.relation == JOIN and e.child.marked), None)
        if tree.mark is None and below is None:
            raise ValueError(f"{tree} has no mark to compare by.")
        marked: Pairs | None = None
        found: Pairs = {}
        n = 0
        if below is not None and tree.mark is None:
            marked = self.pairs(below.child, below.child_column)
        at = column - 1
        to = (tree.mark if below is None or tree.mark is not None else below.parent) - 1  # type: ignore[operator]
        for row in self.rows(tree):
            if within is not None and row[at] not in within:
                continue
            own = found.setdefault(row[at], set())
            before = len(own)
            own.update((row[to],) if marked is None else marked.get(row[to], ()))
            n += len(own) - before
            if n > self.limit:
                raise ValueError(
                    f"A comparison has more than {self.limit:,} pairs: the question is too large."
                )
        return found

    def execute(self, edge: Edge, values: Ids) -> Ids:
        """Return those of the values that a comparison keeps."""
        pairs = self.pairs(edge.child, edge.child_column, values)
        operator = edge.operator
        if operator in ("argmax", "argmin"):
            sign = 1 if operator == "argmax" else -1
            degrees = {v: max(sign * self._number(y) for y in ys) for v, ys in pairs.items() if ys}
            return self._best(degrees)
        if operator == "most":
            return self._best({v: len(ys) for v, ys in pairs.items() if ys})
        if operator == "fewest":
            return self._best({v: -len(pairs.get(v, ())) for v in values})
        if operator == "no":
            return frozenset(v for v in values if not pairs.get(v))
        if operator == "every":
            every = self._marked_values(edge.child)
            return frozenset(v for v in values if pairs.get(v, set()) >= every)
        if operator in ("at least", "at most", "exactly"):
            amount = 0.0 if edge.amount is None else edge.amount
            tests = {"at least": float.__ge__, "at most": float.__le__, "exactly": float.__eq__}
            return frozenset(v for v in values if tests[operator](float(len(pairs.get(v, ()))), amount))
        if operator in ("greater", "less"):
            return self._than(edge, pairs)
        raise ValueError(f"There is no comparison {operator!r}.")

    def _than(self, edge: Edge, pairs: Pairs) -> Ids:
        """Return the values one of whose numbers is beyond all that they are compared with."""
        if edge.than is None:
            raise ValueError(f"{edge.operator} needs something to compare with.")
        bounds = [self._number(v) for v in self.answer(edge.than)]
        if not bounds:
            return EMPTY
        if edge.operator == "greater":
            top = max(bounds)
            return frozenset(v for v, ys in pairs.items() if any(self._number(y) > top for y in ys))
        low = min(bounds)
        return frozenset(v for v, ys in pairs.items() if any(self._number(y) < low for y in ys))

    def _marked_values(self, tree: DCSTree) -> Ids:
        """Return what the marked component may be: what its own node or the child joined to it denotes."""
        if tree.mark is None:
            below = next(e for e in tree.edges if e.relation == JOIN and e.child.marked)
            return self._marked_values(below.child)
        at = [e for e in tree.edges if e.relation == JOIN and e.parent == tree.mark]
        if not at:
            return self.component(tree, tree.mark)
        found = self.component(at[0].child, at[0].child_column)
        for edge in at[1:]:
            found &= self.component(edge.child, edge.child_column)
        return found

    def _best(self, degrees: dict[int, float] | dict[int, int]) -> Ids:
        if not degrees:
            return EMPTY
        top = max(degrees.values())
        best = [v for v, degree in degrees.items() if degree == top]
        return frozenset(best if self.ties == "all" else [min(best)])
