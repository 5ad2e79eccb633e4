"""Derivations by rules as pairs of trees with the same nodes: to draw them side by side."""

from __future__ import annotations

from collections.abc import Sequence

from palmette.drawing.pairs import NodeLink, draw_pair, draw_pair_svg
from palmette.tools.translation.chart.derivation import RuleNode
from palmette.trees.tree import Child, Leaf, Tree


def derivation_trees(root: RuleNode, words: Sequence[str]) -> tuple[Tree, Tree, list[NodeLink]] | None:
    """Return both trees of a derivation, and the nodes that belong together, by their places in preorder.

    words: the source sentence. Nodes without words on a side are left out there. None if a side has no words.
    """
    numbers = {id(node): number for number, node in enumerate(root)}
    trees = [_side(root, words, numbers, source) for source in (True, False)]
    if trees[0] is None or trees[1] is None:
        return None
    places = [{node.note: place for place, node in enumerate(tree.preorder())} for tree in trees if tree]
    links = [(place, places[1][node]) for node, place in places[0].items() if node in places[1]]
    return trees[0], trees[1], links


def draw_derivation(
    root: RuleNode, words: Sequence[str], *, ascii: bool = False, width: int | None = None
) -> str | None:
    """Return both trees of a derivation as text; None if a side has no words."""
    found = derivation_trees(root, words)
    return None if found is None else draw_pair(*found, ascii=ascii, width=width)


def draw_derivation_svg(root: RuleNode, words: Sequence[str]) -> str | None:
    """Return both trees of a derivation as an SVG image; None if a side has no words."""
    found = derivation_trees(root, words)
    return None if found is None else draw_pair_svg(*found)


def _side(root: RuleNode, words: Sequence[str], numbers: dict[int, int], source: bool) -> Tree | None:
    """The tree of one side, each node with its number as a note."""
    opened: list[list[Child]] = [[]]
    todo: list[tuple[RuleNode | str | None, RuleNode]] = [(root, root)]
    position = 0
    while todo:
        item, node = todo.pop()
        if isinstance(item, str):
            opened[-1].append(Leaf(item, position))
            position += 1
        elif item is None:
            if children := opened.pop():
                opened[-1].append(Tree(node.label, children, note=numbers[id(node)]))
        else:
            opened.append([])
            todo.append((None, item))
            symbols = item.source(words) if source else item.target
            for symbol in reversed(symbols):
                todo.append((symbol if isinstance(symbol, str) else item.children[symbol], item))
    found = opened[0][0] if opened[0] else None
    return found if isinstance(found, Tree) else None
