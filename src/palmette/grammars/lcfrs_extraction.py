"""An LCFRS read off discontinuous trees of nodes with one or two children, and the trees as its derivations.

    P(A → B C, yield | A) = count(A → B C, yield) / count(A)

Unary rules that would run in a circle (A → B of one tree, B → A of another) are left out, rarest first, and
the upper of the two nodes with them. Linear in the nodes, but for sets of words as bits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette.grammars.lcfrs_table import LcfrsTable, table_of, yield_of
from palmette.transforms.binarization import MADE
from palmette.transforms.fan_out import segments_in
from palmette.trees.tree import Child, Leaf, Tree

Ints = NDArray[np.int32]
TAG = MADE + "word"  # above a word that hangs in a phrase without a tag of its own


@dataclass(frozen=True, eq=False)
class Derivations:
    """Trees as nodes in postorder; first[t] is where tree t begins.

    left, right: numbers of nodes within the tree, -1 for none. rule: of the binary rules, or with one child
    of the unary ones; -1 for tags. words: of tags, in the order of the nodes; word_nodes: where they are;
    positions: in the sentence.
    """

    first: NDArray[np.int64]
    symbol: Ints
    rule: Ints
    left: Ints
    right: Ints
    word_nodes: Ints
    words: tuple[str, ...]
    positions: Ints


def extract_lcfrs(trees: Sequence[Tree]) -> tuple[LcfrsTable, Derivations]:
    """The grammar of binarized trees that share a root label, and its derivations of them."""
    if not trees:
        raise ValueError("A grammar is read off at least one tree; got none.")
    trees = _without_circles([_tagged(tree) for tree in trees])
    root = trees[0].label
    counts: Counter[tuple[str, ...]] = Counter()
    fan_out: dict[str, int] = {}
    tags: set[str] = set()
    nodes: list[tuple[str, tuple[str, ...], int, int]] = []  # name, rule, children
    first = [0]
    word_nodes: list[int] = []
    words: list[Leaf] = []
    for tree in trees:
        if tree.label != root:
            raise ValueError(f"The trees have different roots: {root!r} and {tree.label!r}.")
        start = len(nodes)

        def visit(node: Tree, below: list[tuple[str, int, int]], start: int = start) -> tuple[str, int, int]:
            here = len(nodes) - start
            if node.is_preterminal:
                leaf = node.children[0]
                assert isinstance(leaf, Leaf)
                name, cover = symbol_name(node.label, 1, tag=True), below[0][1]
                tags.add(name)
                word_nodes.append(len(nodes))
                words.append(leaf)
                nodes.append((name, (), -1, -1))
                fan_out[name] = 1
                return name, cover, here
            cover = sum(bits for _, bits, _ in below)
            name = symbol_name(node.label, segments_in(cover))
            fan_out[name] = segments_in(cover)
            if len(below) == 1:
                rule: tuple[str, ...] = (name, below[0][0])
                nodes.append((name, rule, below[0][2], -1))
            elif len(below) == 2:
                left, right = sorted(below, key=lambda child: child[1] & -child[1])
                rule = (name, left[0], right[0], yield_of(left[1], right[1]))
                nodes.append((name, rule, left[2], right[2]))
            else:
                raise ValueError(
                    f"A node {node.label!r} has {len(below)} children: binarize the trees first."
                )
            counts[rule] += 1
            return name, cover, here

        tree.fold(lambda leaf: ("", 1 << leaf.position, -1), visit)
        first.append(len(nodes))
    totals: Counter[str] = Counter()
    for rule, count in counts.items():
        totals[rule[0]] += count
    ordered = dict(sorted(fan_out.items()))
    weights = {rule: counts[rule] / totals[rule[0]] for rule in sorted(counts)}
    table = table_of(weights, symbol_name(root, 1), ordered, sorted(tags))
    numbers = {name: i for i, name in enumerate(ordered)}
    rule_numbers: dict[tuple[str, ...], int] = {(): -1}
    for length in (2, 4):
        rule_numbers |= {rule: i for i, rule in enumerate(rule for rule in weights if len(rule) == length)}
    rules = [rule_numbers[rule] for _, rule, _, _ in nodes]
    return table, Derivations(
        np.array(first, np.int64),
        np.array([numbers[name] for name, _, _, _ in nodes], np.int32),
        np.array(rules, np.int32),
        np.array([left for _, _, left, _ in nodes], np.int32),
        np.array([right for _, _, _, right in nodes], np.int32),
        np.array(word_nodes, np.int32),
        tuple(leaf.word for leaf in words),
        np.array([leaf.position for leaf in words], np.int32),
    )


def symbol_name(label: str, fan_out: int, *, tag: bool = False) -> str:
    """The name of a symbol: `noun/0` for a tag, `NP` and `NP/2` for phrases.

    >>> label_of(symbol_name("NP", 2))
    'NP'
    """
    if tag:
        return f"{label}/0"
    return label if fan_out == 1 and not label.rpartition("/")[2].isdecimal() else f"{label}/{fan_out}"


def label_of(name: str) -> str:
    """The label of a symbol's name."""
    label, slash, number = name.rpartition("/")
    return label if slash and number.isdecimal() else name


def _tagged(tree: Tree) -> Tree:
    """The tree with a made tag above each word that has siblings."""

    def visit(node: Tree, below: list[Child]) -> Child:
        if node.is_preterminal or all(isinstance(child, Tree) for child in below):
            return Tree(node.label, below, node.note)
        return Tree(
            node.label,
            [Tree(TAG, [child]) if isinstance(child, Leaf) else child for child in below],
            node.note,
        )

    if all(
        isinstance(child, Tree)
        for node in tree.preorder()
        if not node.is_preterminal
        for child in node.children
    ):
        return tree
    made = tree.fold(lambda leaf: leaf, visit)
    assert isinstance(made, Tree)
    return made


def _without_circles(trees: list[Tree]) -> list[Tree]:
    """The trees without unary steps that, with commoner ones, lead back to where they begin."""
    counts = Counter(
        (node.label, child.label)
        for tree in trees
        for node in tree.preorder()
        if len(node.children) == 1
        for child in node.children
        if isinstance(child, Tree) and not child.is_preterminal
    )
    below: dict[str, set[str]] = {}  # all that a label derives in unary steps that are kept
    dropped: set[tuple[str, str]] = set()
    for (parent, child), _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        reached = {child} | below.get(child, set())
        if parent in reached:
            dropped.add((parent, child))
            continue
        for label, known in [*below.items(), (parent, below.setdefault(parent, set()))]:
            if label == parent or parent in known:
                known |= reached
    if not dropped:
        return trees

    def visit(node: Tree, children: list[Child]) -> Child:
        (only, *others) = children
        if (
            not others
            and isinstance(only, Tree)
            and (node.label, only.label) in dropped
            and not only.is_preterminal
        ):
            return only
        return Tree(node.label, children, node.note)

    shorter = [tree.fold(lambda leaf: leaf, visit) for tree in trees]
    return [tree for tree in shorter if isinstance(tree, Tree)]
