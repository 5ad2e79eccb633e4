"""The oracle of deduction: rules instantiated by trying every fact and item in every place, again and again.

No agenda, no index, no order of joins: a rule has an instance for every choice of premises under which its
variables have values, its comparisons hold and its conditions can be met. Only the parser is the library's.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from palmette.inference.facts import Item
from palmette.inference.forest import Forest
from palmette.inference.rules import GOAL, Atom, Expression, Rule, parse_rules

Values = dict[str, int | str]
Node = Item | int  # an item, or the part of a fact or of a rule's weight


class Instance(NamedTuple):
    """An edge as the engine should build it."""

    head: Item
    part: int
    tails: tuple[Node, ...]


class NaiveDeduction:
    """Everything that the rules derive; facts are lists of (name, arguments, weight), numbered as parts."""

    def __init__(self, text: str, facts: Sequence[tuple[str, tuple[int | str, ...], float]]) -> None:
        parsed = parse_rules(text)
        assert parsed.goal is not None
        self.rules: list[Rule] = [*parsed.rules, parsed.goal]
        self.derived = {rule.head.signature for rule in self.rules}
        self.facts = [Item(name, arguments) for name, arguments, _ in facts]
        self.weights = [w for *_, w in facts] + [math.prod(rule.weights) for rule in self.rules]
        self.given = [k for k, fact in enumerate(self.facts) if self._signature(fact) in self.derived]
        self.items = {self.facts[k] for k in self.given}
        while True:
            found = {
                (r, *instance) for r, rule in enumerate(self.rules) for instance in self._instances(r, rule)
            }
            heads = {instance[1] for instance in found}
            if heads <= self.items:
                break
            self.items |= heads
        edges = [Instance(*rest) for _, *rest in found]
        edges += [Instance(self.facts[k], k, ()) for k in self.given]
        self.all_edges = Counter(edges)
        self.edges = self._useful()

    @cached_property
    def totals(self) -> dict[Item, float]:
        """The inside sums of all items, where there is no cycle."""
        return self._sums(self.weights)

    @cached_property
    def total(self) -> float:
        return self.totals.get(Item(GOAL.name, ()), 0.0)

    @cached_property
    def count(self) -> int:
        return round(self._sums([1.0] * len(self.weights)).get(Item(GOAL.name, ()), 0.0))

    def _sums(self, weights: Sequence[float]) -> dict[Item, float]:
        sums: dict[Item, float] = {}

        def value(node: Node) -> float:
            if isinstance(node, int):
                return weights[node]
            if node not in sums:
                sums[node] = math.nan  # where there is a cycle, nothing else comes out
                sums[node] = math.fsum(
                    n * weights[edge.part] * math.prod(map(value, edge.tails))
                    for edge, n in self.edges.items()
                    if edge.head == node
                )
            return sums[node]

        value(Item(GOAL.name, ()))
        return sums

    @staticmethod
    def _signature(item: Item) -> tuple[str, int]:
        return item.name, len(item.arguments)

    def _candidates(self, atom: Atom) -> list[tuple[Node, Item]]:
        if atom.signature in self.derived:
            return [(item, item) for item in self.items if self._signature(item) == atom.signature]
        return [(k, fact) for k, fact in enumerate(self.facts) if self._signature(fact) == atom.signature]

    def _instances(self, r: int, rule: Rule) -> Iterator[tuple[Item, int, tuple[Node, ...]]]:
        for values, chosen in self._choices(rule, rule.body, {}, ()):
            solved = _solve(rule, chosen, values)
            if solved is None:
                continue
            head = Item(rule.head.name, tuple(_value(e, solved) for e in rule.head.arguments))
            premises = [node for atom, (node, _) in zip(rule.body, chosen) if not atom.is_condition]
            facts = [
                node
                for i, node in enumerate(premises)
                if isinstance(node, int) and not (rule.head is GOAL and i == 0)
            ]
            own = len(self.facts) + r
            part = facts[0] if facts else own
            if facts:
                premises.remove(part)
                premises += [own] if rule.weights else []
            yield head, part, tuple(premises)

    def _choices(
        self, rule: Rule, atoms: Sequence[Atom], values: Values, chosen: tuple[tuple[Node, Item], ...]
    ) -> Iterator[tuple[Values, tuple[tuple[Node, Item], ...]]]:
        if not atoms:
            yield values, chosen
            return
        for candidate in self._candidates(atoms[0]):
            matched = _match(atoms[0], candidate[1], values)
            if matched is not None:
                yield from self._choices(rule, atoms[1:], matched, (*chosen, candidate))

    def _useful(self) -> Counter[Instance]:
        """What the goal can be traced back to."""
        wanted, todo = set(), [Item(GOAL.name, ())]
        while todo:
            item = todo.pop()
            if item not in wanted:
                wanted.add(item)
                todo += [
                    tail
                    for edge in self.all_edges
                    if edge.head == item
                    for tail in edge.tails
                    if isinstance(tail, Item)
                ]
        return Counter({edge: n for edge, n in self.all_edges.items() if edge.head in wanted})


def edges_of(forest: Forest, derived: set[tuple[str, int]]) -> Counter[Instance]:
    """The edges that a forest holds, in the same form; leaves are named by their parts."""
    graph = forest.graph
    names: list[Node] = []
    for node in range(graph.n_nodes):
        item = forest.item(node)
        is_item = (item.name, len(item.arguments)) in derived
        names.append(item if is_item else int(graph.labels[graph.edge_start[node]]))
    found: Counter[Instance] = Counter()
    for edge in range(graph.n_edges):
        head = names[graph.heads[edge]]
        if isinstance(head, Item):
            tails = tuple(names[t] for t in graph.tails_of(edge).tolist())
            found[Instance(head, int(graph.labels[edge]), tails)] += 1
    return found


def as_mapping(facts: Sequence[tuple[str, tuple[int | str, ...], float]]) -> Mapping[str, object]:
    """Facts in the form that Deduction.run takes; facts of one name and arity must come together."""
    from palmette.inference.facts import Columns

    rows: dict[str, list[tuple[tuple[int | str, ...], float]]] = {}
    for name, arguments, weight in facts:
        rows.setdefault(name, []).append((arguments, weight))
    return {
        name: Columns(
            *([list(column) for column in zip(*(arguments for arguments, _ in some))]),
            weights=[weight for _, weight in some],
        )
        for name, some in rows.items()
    }


def _match(atom: Atom, item: Item, values: Values) -> Values | None:
    values = dict(values)
    for expression, argument in zip(atom.arguments, item.arguments):
        if not expression.terms:
            if expression.constant != argument:
                return None
        elif expression.shift is not None:
            name, offset = expression.shift
            if offset and isinstance(argument, str):
                return None
            value = argument - offset if offset else argument  # type: ignore[operator]
            if values.setdefault(name, value) != value:
                return None
    return values


def _solve(rule: Rule, chosen: Sequence[tuple[Node, Item]], values: Values) -> Values | None:
    """The values of all variables, or None where something does not hold."""
    values = dict(values)
    for _ in rule.comparisons:
        for c in rule.comparisons:
            for one, other in ((c.left, c.right), (c.right, c.left)):
                if c.operator == "==" and one.shift is not None and one.shift[1] == 0:
                    name = one.shift[0]
                    if name not in values and all(v in values for v in other.variables):
                        values[name] = _value(other, values)
    for atom, (_, item) in zip(rule.body, chosen):
        for expression, argument in zip(atom.arguments, item.arguments):
            if _value(expression, values) != argument:
                return None
    return values if all(_holds(c.operator, c.left, c.right, values) for c in rule.comparisons) else None


def _holds(operator: str, left: Expression, right: Expression, values: Values) -> bool:
    a, b = _value(left, values), _value(right, values)
    if operator in ("==", "!="):
        return (a == b) == (operator == "==")
    assert isinstance(a, int)
    assert isinstance(b, int)
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[operator]


def _value(expression: Expression, values: Values) -> int | str:
    if not expression.terms:
        return expression.constant
    if expression.shift is not None and expression.shift[1] == 0:
        return values[expression.shift[0]]
    total = expression.constant
    for factor, name in expression.terms:
        total += factor * values[name]  # type: ignore[operator]
    return total
