"""The ways to combine two trees: T1 of eq. 127, with the predicates that A inserts and the types that F asks for.

cities + California           join, by an inserted relation: ⟨city; 1/1: ⟨city.state; 2/1: ⟨'california'⟩⟩⟩
capital + Texas               join at the open component: ⟨state.capital; 1/1: ⟨'texas'⟩⟩
river + Mississippi           join of equal types: ⟨river; 1/1: ⟨'mississippi'⟩⟩
longest + rivers              superlative, by an inserted attribute: C argmax ⟨river.length*2⟩
largest + population          superlative by an attribute, which waits for a set
most + rivers                 superlative by number, which waits for a set
no + rivers                   quantifier, which waits for a set
longer + the Red              comparative, which waits for a set
how many + rivers             count of a Σ
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from palmette.tools.semantics.chart import Grammar, Item
from palmette.tools.semantics.dcs import AGGREGATE, COMPARE, JOIN, DCSTree, Edge
from palmette.tools.semantics.derived import attributes, has_years
from palmette.tools.semantics.features import Names, Scorer
from palmette.tools.semantics.meanings import SET
from palmette.tools.semantics.places import PLACE
from palmette.tools.semantics.schema import NUMBER
from palmette.tools.semantics.world import Predicate, World

Way = tuple[float, Names, Callable[[], Item]]
FINAL = "final"  # a number that was computed
_WAITING = {"most": "by number", "fewest": "by number", "no": "quantified", "every": "quantified"}


class Rules(Grammar):
    """The combinations that a world allows."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._links: dict[tuple[str, str], list[tuple[Predicate, int]]] = {}
        self._attributes: dict[str, list[Predicate]] = {}
        self._none: dict[tuple[str, str], bool] = {}

    def links(self, head: str, child: str) -> list[tuple[Predicate, int]]:
        """The predicates that join two types, with the component of the head."""
        found = self._links.get((head, child))
        if found is None:
            found = self._links[head, child] = [
                (p, column)
                for p in self.world.binary()
                for column in (1, 2)
                if p.types[column - 1] == head and p.types[2 - column] == child and NUMBER not in p.types
            ]
        return found

    def attributes(self, type: str) -> list[Predicate]:
        """The numbers that entities of a type have."""
        found = self._attributes.get(type)
        if found is None:
            found = self._attributes[type] = list(attributes(self.world, type))
        return found

    def combine(self, scorer: Scorer, a: Item, b: Item) -> Iterator[Way]:
        if a.kind == SET and b.kind == SET:
            yield from self._joins(scorer, a, b, True)
            yield from self._joins(scorer, b, a, False)
        elif a.kind == SET:
            yield from self._operations(scorer, b, a, False)
        elif b.kind == SET:
            yield from self._operations(scorer, a, b, True)

    # Joins

    def _joins(self, scorer: Scorer, head: Item, child: Item, head_left: bool) -> Iterator[Way]:
        left, right = (head.end, child.start) if head_left else (child.end, head.start)
        assert head.tree is not None
        assert child.tree is not None
        far = _is_far(head, head_left)
        if head.type == child.type and head.type != NUMBER:
            score, names = scorer.join("=", None, head.name, child.name, head_left, left, right, far=far)
            yield score, names, lambda: _joined(head, head.column, child)
        if head.open is not None and head.open[1] == child.type:
            column = head.open[0]
            predicate = self.world.find(head.tree.predicate)
            score, names = scorer.join("@", predicate, head.name, child.name, head_left, left, right, far=far)
            yield score, names, lambda: _joined(head, column, child, None)
        elif head.open is not None and child.type not in (NUMBER, PLACE) and self._has_none(head, child.type):
            column = head.open[0]  # the area of a city, where only states have one: there is none
            score, names = scorer.join("@none", None, head.name, child.name, head_left, left, right, far=far)
            yield score, names, lambda: _joined(head, column, child, None)
        if head.type == NUMBER or child.type == NUMBER:
            return
        for predicate, column in self.links(head.type, child.type):
            relation = predicate.name if column == 1 else f"{predicate.name}⁻¹"
            score, names = scorer.join(
                relation, predicate, head.name, child.name, head_left, left, right, far=far
            )
            yield score, names, lambda p=predicate, c=column: _linked(head, p, c, child)  # type: ignore[misc]

    def _has_none(self, head: Item, type: str) -> bool:
        """Whether no predicate of the same meaning is about a type."""
        assert head.tree is not None
        key = head.tree.predicate, type
        found = self._none.get(key)
        if found is None:
            own = self.world.find(head.tree.predicate)
            known = {p.types[0] for p in self.world.binary() if own is not None and p.label == own.label}
            found = self._none[key] = type not in known
        return found

    # Operations

    def _operations(self, scorer: Scorer, op: Item, s: Item, op_left: bool) -> Iterator[Way]:
        kind = op.kind
        if kind in ("argmax", "argmin"):
            yield from self._superlative(scorer, op, s, op_left)
        elif kind in _WAITING:
            score, names = scorer.operation(kind, op.word, s.type, s.type, op_left)
            if s.type != NUMBER and op_left:
                yield score, names, lambda: _waits(op, s, _WAITING[kind])
        elif kind in ("at least", "at most", "exactly") and s.name == "number:" and op_left:
            score, names = scorer.operation(kind, op.word, "amount", s.type, op_left)
            yield score, names, lambda: _waits(op, s, "amount")
        elif kind in ("greater", "less") and op_left:
            score, names = scorer.operation(kind, op.word, s.type, s.type, op_left)
            yield score, names, lambda: _waits(op, s, "than")
        elif kind in ("count", "sum", "average"):
            yield from self._aggregates(scorer, op, s, op_left)
        elif kind == "by attribute":
            yield from self._by_attribute(scorer, op, s, op_left)
        elif kind in ("by number", "quantified"):
            yield from self._quantified(scorer, op, s, op_left)
        elif kind == "amount" and op_left and s.type != NUMBER:
            score, names = scorer.operation(op.name, op.word, s.type, s.type, op_left)
            yield score, names, lambda: _waits(op, s, "quantified", op.extra)
        elif kind == "than":
            yield from self._compared(scorer, op, s, op_left)

    def _superlative(self, scorer: Scorer, op: Item, s: Item, op_left: bool) -> Iterator[Way]:
        if s.type == NUMBER:
            if s.open is not None and s.tree is not None and not s.tree.edges:
                score, names = scorer.operation(op.kind, op.word, s.name, "attribute", op_left)
                yield score, names, lambda: _by(op, s)
            aggregate = "largest" if op.kind == "argmax" else "smallest"
            score, names = scorer.operation(op.kind, op.word, s.name, "value", op_left)
            yield score, names, lambda: _aggregated(aggregate, s)
            return
        if op.tree is not None:  # the user says by which attribute
            named = self.world.find(op.tree.predicate)
            given = [named] if named is not None and op.type == s.type else []
        elif scorer.bare(op.word):
            given = []  # "most" has no attribute of its own: it counts, or a word names the attribute
        else:
            given = self.attributes(s.type)
        for attribute in given:
            score, names = scorer.operation(op.kind, op.word, attribute.name, s.type, op_left)
            yield score, names, lambda p=attribute: _superlative(s, op.kind, DCSTree(p.name, mark=2))  # type: ignore[misc]

    def _by_attribute(self, scorer: Scorer, op: Item, s: Item, op_left: bool) -> Iterator[Way]:
        assert op.open is not None
        assert op.tree is not None
        if op.open[1] == s.type:
            left, right = (op.end, s.start) if op_left else (s.end, op.start)
            score, names = scorer.join("by", None, s.name, op.name, not op_left, left, right)
            operator = str(op.extra)
            tree = replace(op.tree, mark=op.column, column=1)
            yield score, names, lambda: _superlative(s, operator, tree)

    def _quantified(self, scorer: Scorer, op: Item, s: Item, op_left: bool) -> Iterator[Way]:
        assert op.tree is not None
        operator, amount = op.extra if isinstance(op.extra, tuple) else (str(op.extra), None)
        left, right = (op.end, s.start) if op_left else (s.end, op.start)
        if op.type == s.type and operator == "no":
            score, names = scorer.join("=", None, s.name, op.name, not op_left, left, right, operator)
            tree = replace(op.tree, mark=op.column)
            yield score, names, lambda: _compared(s, Edge(COMPARE, tree, s.column, op.column, operator))
        for predicate, column in self.links(s.type, op.type):
            relation = predicate.name if column == 1 else f"{predicate.name}⁻¹"
            score, names = scorer.join(
                relation, predicate, s.name, op.name, not op_left, left, right, operator
            )

            def made(p: Predicate = predicate, c: int = column) -> Item:
                assert op.tree is not None
                below = Edge(JOIN, op.tree, 3 - c, op.column)
                edge = Edge(
                    COMPARE, DCSTree(p.name, (below,), mark=3 - c), s.column, c, operator, None, amount
                )
                return _compared(s, edge)

            yield score, names, made

    def _compared(self, scorer: Scorer, op: Item, s: Item, op_left: bool) -> Iterator[Way]:
        """Compare a number of each value with a number, or with the same number of other entities."""
        assert op.tree is not None
        if s.type == NUMBER:
            return
        for attribute in self.attributes(s.type):
            if op.word in scorer.general.time and not has_years(self.world, attribute):
                continue
            than: list[DCSTree] = []
            if op.type == NUMBER:
                than = [replace(op.tree, column=op.column)]
            else:
                than = [
                    DCSTree(p.name, (Edge(JOIN, op.tree, 1, op.column),), column=2)
                    for p in self.attributes(op.type)
                    if p.label == attribute.label
                ]
            for tree in than:
                score, names = scorer.operation(str(op.extra), op.word, attribute.name, op.type, op_left)
                mark = DCSTree(attribute.name, mark=2)
                yield (
                    score,
                    names,
                    lambda t=tree, k=mark: _compared(s, Edge(COMPARE, k, s.column, 1, str(op.extra), t)),  # type: ignore[misc]
                )

    def _aggregates(self, scorer: Scorer, op: Item, s: Item, op_left: bool) -> Iterator[Way]:
        if op.kind == "count":
            if s.type != NUMBER:
                score, names = scorer.operation("count", op.word, s.type, s.type, op_left)
                yield score, names, lambda: _aggregated("count", s)
            else:
                score, names = scorer.operation("count", op.word, s.name, "value", op_left)
                yield score, names, lambda: _same(s)
        elif s.type == NUMBER:
            score, names = scorer.operation(op.kind, op.word, s.name, s.type, op_left)
            yield score, names, lambda: _aggregated(op.kind, s)


def _is_far(head: Item, left: bool) -> bool:
    """Whether the head has words of its children on the side where another child is joined."""
    if len(head.steps) < 2:
        return False
    return any(t.start > head.anchor if left else t.start < head.anchor for t in head.steps)


def _item(s: Item, tree: DCSTree, open: tuple[int, str] | None) -> Item:
    return Item(s.kind, s.name, s.type, tree, s.column, open, 0.0, (), s.start, s.end, s.anchor)


def _same(s: Item) -> Item:
    assert s.tree is not None
    return _item(s, s.tree, s.open)


def _joined(head: Item, column: int, child: Item, open: tuple[int, str] | bool | None = True) -> Item:
    assert head.tree is not None
    assert child.tree is not None
    tree = head.tree.with_edge(Edge(JOIN, child.tree, column, child.column))
    return _item(head, tree, head.open if open is True else None)


def _linked(head: Item, predicate: Predicate, column: int, child: Item) -> Item:
    assert head.tree is not None
    assert child.tree is not None
    between = DCSTree(predicate.name, (Edge(JOIN, child.tree, 3 - column, child.column),))
    return _item(head, head.tree.with_edge(Edge(JOIN, between, head.column, column)), head.open)


def _superlative(s: Item, operator: str, marked: DCSTree) -> Item:
    return _compared(s, Edge(COMPARE, marked, s.column, 1, operator))


def _compared(s: Item, edge: Edge) -> Item:
    assert s.tree is not None
    return _item(s, s.tree.with_edge(edge), s.open)


def _aggregated(name: str, s: Item) -> Item:
    assert s.tree is not None
    tree = DCSTree(name, (Edge(AGGREGATE, s.tree, 1, s.column),))
    return Item(FINAL, name, NUMBER, tree, 1, None, 0.0, (), s.start, s.end, s.anchor)


def _waits(op: Item, s: Item, kind: str, extra: object = None) -> Item:
    """Return an operation that has its set, and waits for another."""
    if kind == "amount":
        extra = op.kind, _amount(s)
    elif extra is None:
        extra = op.kind
    return Item(
        kind,
        f"{op.name} {s.name}",
        s.type,
        s.tree,
        s.column,
        s.open,
        0.0,
        (),
        s.start,
        s.end,
        s.anchor,
        op.word,
        extra,
    )


def _by(op: Item, s: Item) -> Item:
    return Item(
        "by attribute",
        s.name,
        s.type,
        s.tree,
        s.column,
        s.open,
        0.0,
        (),
        s.start,
        s.end,
        s.anchor,
        op.word,
        op.kind,
    )


def _amount(s: Item) -> float:
    assert s.tree is not None
    try:
        return float(s.tree.predicate.strip("'"))
    except ValueError:
        return 0.0
