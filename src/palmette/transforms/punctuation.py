"""Punctuation in trees: where no phrase claims it, it hangs below the root and tears every phrase around it apart.

A treebank of discontinuous trees becomes mostly continuous when its punctuation is taken out, or lowered to
where it is; a parser trained on such trees puts it back below the root. All O(nodes · depth).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from palmette.trees.tree import Child, Leaf, Tree

# Tags of punctuation in the treebanks of Alpino and Lassy, Universal Dependencies, Negra and Tiger, and Penn.
PUNCTUATION = frozenset(
    ["punct", "LET", "PUNCT", "$,", "$.", "$(", "$[", "$*LRB*", ",", ".", ":", "``", "''", "-LRB-", "-RRB-"]
)


def without_words(tree: Tree, dropped: Callable[[Tree], bool]) -> Tree | None:
    """The tree without the preterminals that are dropped, the other words renumbered; None if no word is left.

    >>> tree = Tree.parse("(TOP (S (NP (NN time)) (, ,) (VP (VBZ flies))))")
    >>> print(without_words(tree, lambda tag: tag.label == ","))
    (TOP (S (NP (NN time)) (VP (VBZ flies))))
    """

    def kept(node: Tree, below: list[Child | None]) -> Child | None:
        if node.is_preterminal and dropped(node):
            return None
        children = [child for child in below if child is not None]
        return Tree(node.label, children, node.note) if children else None

    left = tree.fold(lambda leaf: leaf, kept)
    if left is None:
        return None
    assert isinstance(left, Tree)
    return at_positions(left, {position: i for i, position in enumerate(left.positions)})


def at_positions(tree: Tree, places: dict[int, int] | Sequence[int]) -> Tree:
    """The tree with each word at the place of its position."""

    def move(leaf: Leaf) -> Child:
        return Leaf(leaf.word, places[leaf.position])

    moved = tree.fold(move, lambda node, below: Tree(node.label, below, node.note))
    assert isinstance(moved, Tree)
    return moved


def lower_punctuation(tree: Tree, tags: Container[str] = PUNCTUATION) -> Tree:
    """The tree with each sign that hangs below the root moved to the lowest phrase around its neighbours.

    Neighbours are the nearest words that are not such signs; at the ends of the sentence a sign stays. No phrase
    gets a gap by this that it has not without the signs.

    >>> tree = Tree.parse("(TOP (S (A 0=a) (B (B 2=b) (C 4=c))) (, 1=,) (, 3=,))", positions=True)
    >>> print(lower_punctuation(tree))
    (TOP (S (A a) (, ,) (B (B b) (, ,) (C c))))
    """
    signs = {
        child.first: child for child in tree.children if isinstance(child, Tree) and _is_sign(child, tags)
    }
    phrases: dict[int, list[Tree]] = {}  # of each word, from the root down

    def visit(node: Tree, above: list[Tree]) -> list[tuple[Tree, list[Tree]]]:
        path = [*above, node]
        for child in node.children:
            if isinstance(child, Leaf):
                phrases[child.position] = above if node.is_preterminal else path
        return [(child, path) for child in node.children if isinstance(child, Tree)]

    todo: list[tuple[Tree, list[Tree]]] = [(tree, [])]
    while todo:
        todo += visit(*todo.pop())
    words = sorted(position for position in phrases if position not in signs)
    if not words:
        return tree
    given: dict[int, list[Child]] = {}  # to each phrase, the signs that it gets
    rest: list[Child] = []
    for position, sign in sorted(signs.items()):
        before = [word for word in words if word < position]
        if not before or before[-1] == words[-1]:
            rest.append(sign)
            continue
        after = words[len(before)]
        both = [a for a, b in zip(phrases[before[-1]], phrases[after]) if a is b]
        given.setdefault(id(both[-1]), []).append(sign)

    def placed(node: Tree, below: list[Child]) -> Child:
        return Tree(node.label, [*below, *given.get(id(node), [])], node.note)

    inner = [child for child in tree.children if not _is_sign(child, tags)]
    rebuilt: list[Child] = [
        child.fold(lambda leaf: leaf, placed) if isinstance(child, Tree) else child for child in inner
    ]
    return Tree(tree.label, [*rebuilt, *given.get(id(tree), []), *rest], tree.note)


def raise_punctuation(tree: Tree, tags: Container[str] = PUNCTUATION) -> Tree:
    """The tree with all signs below the root; phrases of nothing else vanish."""
    signs = [node for node in tree.preorder() if _is_sign(node, tags)]

    def kept(node: Tree, below: list[Child | None]) -> Child | None:
        if _is_sign(node, tags):
            return None
        children = [child for child in below if child is not None]
        return Tree(node.label, children, node.note) if children else None

    rest = tree.fold(lambda leaf: leaf, kept)
    return Tree(tree.label, [*(rest.children if isinstance(rest, Tree) else ()), *signs], tree.note)


def _is_sign(node: Child, tags: Container[str]) -> bool:
    return isinstance(node, Tree) and node.is_preterminal and node.label in tags
