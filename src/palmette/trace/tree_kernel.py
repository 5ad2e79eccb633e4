"""Tree kernels: Δ of every pair of nodes, and the fragments that two trees share (Collins & Duffy 2002).

K of whole trees is the native kernel's. Δ of two nodes is what remains of K of their subtrees without the pairs
that lie deeper: K(a, b) = Δ(a, b) + Σ_c K(c, b) + Σ_d K(a, d) − Σ_c Σ_d K(c, d), over children c of a and d of b.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from palmette.features.kernels.trees import TreeKernel
from palmette.trace.inputs import number_of
from palmette.trace.registry import Field
from palmette.trace.steps import Change, Figure, Step, Trace, number
from palmette.trees.tree import Leaf, Tree

FIELDS = (
    Field("input", "(NP (D the) (N dog))", "the first tree"),
    Field("other", "(S (NP (D the) (N cat)) (VP (V saw) (NP (D the) (N dog))))", "the second tree"),
    Field("decay", "1", "λ, from 0 to 1: a fragment of s productions counts λ^s"),
)
_MOST_NODES, _MOST_FRAGMENTS = 20, 60


@dataclass
class Node:
    """A node or a word of a tree, numbered in preorder."""

    number: int
    label: str
    tree: Tree | None
    children: list[Node] = field(default_factory=list)

    def all(self) -> Iterator[Node]:
        """This node and all below it."""
        yield self
        for child in self.children:
            yield from child.all()


def read_tree(text: str, name: str) -> Node:
    """A tree in brackets with its nodes; ValueError if it is not one, or too large to look at."""
    try:
        tree = Tree.parse(text)
    except ValueError as error:
        raise ValueError(f"{name}: expected a tree such as (NP (D the) (N dog)): {error}") from None
    count = 0

    def made(item: Tree | Leaf) -> Node:
        nonlocal count
        count += 1
        if count > _MOST_NODES:
            raise ValueError(f"{name}: a trace shows trees of at most {_MOST_NODES} nodes and words")
        if isinstance(item, Leaf):
            return Node(count - 1, item.word, None)
        node = Node(count - 1, item.label, item)
        node.children = [made(child) for child in item.children]
        return node

    return made(tree)


def tree_kernel(input: str, other: str, decay: str) -> Trace:
    """Compare all pairs of nodes, then list what both trees have."""
    kernel = TreeKernel(decay=number_of(decay, "decay", 1e-6, 1))
    trees = [read_tree(input, "input"), read_tree(other, "other")]
    nodes = [[node for node in tree.all() if node.tree is not None] for tree in trees]
    deltas = _deltas(kernel, nodes)
    names = [[f"{node.label} {node.number + 1}" for node in own] for own in nodes]
    steps = []
    for i in reversed(range(len(nodes[0]))):
        for j in reversed(range(len(nodes[1]))):
            value, (a, b) = float(deltas[i, j]), (nodes[0][i], nodes[1][j])
            if value <= 0:
                continue
            below = [(c, d) for c, d in zip(a.children, b.children) if c.tree is not None]
            at = [(nodes[0].index(c), nodes[1].index(d)) for c, d in below]
            product = "".join(f" · (1 + {number(float(deltas[pair]))})" for pair in at)
            formula = f"Δ = {number(kernel.decay)}{product} = {number(value)}"
            reads = tuple(("table", (names[0][p], names[1][q])) for p, q in at if deltas[p, q] > 0)
            marks = [Change("trees", (k, n.number), n.label, None, "best") for k, n in enumerate((a, b))]
            rest = _unmarked(trees, {(0, a.number), (1, b.number)})
            cell = Change("table", (names[0][i], names[1][j]), number(value), min(1.0, value / deltas.max()))
            text = f"{names[0][i]} and {names[1][j]} have the production {_production(a)}"
            steps.append(Step(text, (*rest, *marks, cell), formula, reads))
    total = float(kernel(trees[0].tree, trees[1].tree))
    steps.append(
        Step("K is the sum of the table", tuple(_unmarked(trees, set())), f"K = Σ Δ = {number(total)}")
    )
    shared = _shared(kernel, trees)
    for text, one, two in shared[:_MOST_FRAGMENTS]:
        found = [_places(tree, text) for tree in trees]
        marks = [Change("trees", (k, n), _label(trees[k], n), None, "best") for k in (0, 1) for n in found[k]]
        rest = _unmarked(trees, {(k, n) for k in (0, 1) for n in found[k]})
        row = [
            Change("fragments", (text, column), number(value))
            for column, value in (("first", one), ("second", two), ("product", one * two))
        ]
        steps.append(
            Step(
                f"Both trees have {text}",
                (*rest, *marks, *row),
                f"{number(one)} · {number(two)} = {number(one * two)}",
            )
        )
    note = f"K = {number(total)}: the sum of all products."
    if len(shared) > _MOST_FRAGMENTS:
        note += f" The first {_MOST_FRAGMENTS} of {len(shared)} shared fragments are shown."
    return Trace(
        "tree-kernel",
        "Tree kernels: what two trees share",
        "K(S, T) = Σ_{a ∈ S} Σ_{b ∈ T} Δ(a, b),   "
        "Δ(a, b) = λ Π_{j} (1 + Δ(a_{j}, b_{j})) where the productions agree",
        [
            Figure("trees", "trees", "The trees", {"nodes": [_json(tree) for tree in trees]}),
            Figure(
                "table",
                "table",
                "Δ of nodes of the first tree and the second",
                {"rows": names[0], "columns": names[1]},
            ),
            Figure(
                "fragments",
                "table",
                "Shared fragments, with the root of their weight times how often each tree has them",
                {
                    "rows": [text for text, _, _ in shared[:_MOST_FRAGMENTS]],
                    "columns": ["first", "second", "product"],
                },
            ),
        ],
        steps,
        {"kernel": total, "fragments": {text: one * two for text, one, two in shared}},
        note,
    )


def _deltas(kernel: TreeKernel, nodes: list[list[Node]]) -> Any:
    """Δ of all pairs of nodes from K of all pairs of subtrees."""
    k = kernel([n.tree for n in nodes[0]], [n.tree for n in nodes[1]])
    made = [np.eye(len(own)) for own in nodes]
    for own, less in zip(nodes, made):
        for i, node in enumerate(own):
            for child in node.children:
                if child.tree is not None:
                    less[i, own.index(child)] -= 1
    found = made[0] @ k @ made[1].T
    return np.where(np.abs(found) < 1e-9, 0.0, found)


def _shared(kernel: TreeKernel, trees: list[Node]) -> list[tuple[str, float, float]]:
    """The fragments of both trees, small ones first, with the value of each in either."""
    one, two = (kernel.features(tree.tree) for tree in trees if tree.tree is not None)
    return sorted(
        ((text, one[text], two[text]) for text in one.keys() & two.keys()), key=lambda row: (len(row[0]), row)
    )


def _places(tree: Node, fragment: str) -> set[int]:
    """The numbers of nodes where a fragment is found."""
    pattern, found = _pattern(fragment), set[int]()
    for node in tree.all():
        if node.tree is not None:
            found |= _matched(node, pattern) or set()
    return found


Pattern = tuple[str, list[Any]]


def _pattern(fragment: str) -> Pattern:
    """A fragment in brackets as nested pairs; words are in quotes."""
    parts, stack = fragment.replace("(", " ( ").replace(")", " ) ").split(), [("", list[Any]())]
    for part in parts:
        if part == "(":
            stack.append(("", []))
        elif part == ")":
            done = stack.pop()
            stack[-1][1].append(done)
        elif stack[-1][0] == "":
            stack[-1] = (part, stack[-1][1])
        else:
            stack[-1][1].append((part, []))
    made: Pattern = stack[0][1][0]
    return made


def _matched(node: Node, pattern: Pattern) -> set[int] | None:
    label, children = pattern
    if (node.label if node.tree is not None else f'"{node.label}"') != label:
        return None
    if not children:
        return {node.number}
    if len(children) != len(node.children):
        return None
    found = {node.number}
    for child, below in zip(node.children, children):
        more = _matched(child, below)
        if more is None:
            return None
        found |= more
    return found


def _production(node: Node) -> str:
    right = [child.label if child.tree is not None else f'"{child.label}"' for child in node.children]
    return f"{node.label} → {' '.join(right)}"


def _unmarked(trees: list[Node], kept: set[tuple[int, int]]) -> list[Change]:
    return [
        Change("trees", (k, node.number), node.label)
        for k, tree in enumerate(trees)
        for node in tree.all()
        if (k, node.number) not in kept
    ]


def _label(tree: Node, number: int) -> str:
    return next(node.label for node in tree.all() if node.number == number)


def _json(tree: Node) -> list[dict[str, Any]]:
    return [
        {
            "label": node.label,
            "word": node.tree is None,
            "children": [child.number for child in node.children],
        }
        for node in tree.all()
    ]
