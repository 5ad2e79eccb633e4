"""Features of whole trees, written out: what a reranker in primal form looks at.

Collins 2000; Charniak & Johnson 2005.

| group      | a feature is                                                                                     |
| ---------- | ------------------------------------------------------------------------------------------------ |
| `rules`    | a node with its children; with its parent; with its parent and the parent's children             |
| `bigrams`  | two or three neighbours among the children, also with the node's parent                          |
| `heads`    | a child with the head beside it: labels, tags, words                                             |
| `lexical`  | a rule with its head word or tag; a word with its tag and what is above it                       |
| `edges`    | a node with the words at its edges and beside them                                               |
| `heavy`    | a node with its length, and whether the sentence or a comma ends there                           |
| `parallel` | of coordinated phrases, how alike they are                                                       |
| `paths`    | two neighbouring words: the labels between them, also with the words (the smallest tree over both) |
| `branches` | the number of nodes along the right edge, and elsewhere                                          |

The candidates of a list share most of their nodes, so each distinct node of a list is looked at once. O(nodes).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.transforms.heads import ENGLISH, PUNCTUATION, HeadRules
from palmette.trees.tree import Leaf, Tree

GROUPS = ("rules", "bigrams", "heads", "lexical", "edges", "heavy", "parallel", "paths", "branches")
_CONJUNCTIONS = frozenset({"CC", "CONJP", "CONJ", "KON"})
_LONGEST = 50  # labels down an edge that are looked at: their number must not grow with the depth of a tree
_PAUSES = frozenset({",", ".", ":", ";", "?", "!", "--"})


class Node(NamedTuple):
    """A distinct node of a list: its number, label, span, children, head, and the labels along its edges."""

    id: int
    label: str
    start: int
    end: int
    below: tuple[Node, ...]
    word: str  # of a tag, its word; else the head word
    tag: str
    head: int  # which child
    left: str  # labels down the left edge
    right: str

    @property
    def is_tag(self) -> bool:
        return not self.below

    @property
    def rule(self) -> str:
        return f"{self.label}>{' '.join(child.label for child in self.below)}"


@dataclass(frozen=True)
class TreeTemplates:
    """Groups of features of trees.

    >>> sorted(TreeTemplates(("rules",)).names([Tree.parse("(S (NP (NN time)) (VP (VBZ flies)))")])[0])[:3]
    ['rule NP>NN', 'rule S>NP VP', 'rule S^NP>NN']
    """

    groups: tuple[str, ...] = GROUPS
    heads: HeadRules = ENGLISH

    def __post_init__(self) -> None:
        for group in self.groups:
            if group not in GROUPS:
                raise ValueError(f"There is no group {group!r} of features of trees: {', '.join(GROUPS)}.")

    def names(self, trees: Sequence[Tree]) -> list[list[str]]:
        """The features of every tree of one sentence, as often as they occur."""
        known, rows = self._numbered(trees)
        names = list(known)
        return [[names[k] for part in row for k in part] for row in rows]

    def counts(self, trees: Sequence[Tree]) -> tuple[list[str], NDArray[np.float32]]:
        """The features that some tree of a sentence has, and how often each tree has each: [trees, features]."""
        known, rows = self._numbered(trees)
        table = np.zeros((len(trees), len(known)), dtype=np.float32)
        for own, row in zip(table, rows):
            ids = np.fromiter(chain.from_iterable(row), dtype=np.int64)
            own += np.bincount(ids, minlength=len(known))
        return list(known), table

    def _numbered(self, trees: Sequence[Tree]) -> tuple[dict[str, int], list[list[tuple[int, ...]]]]:
        """The features in the order in which they are met, and for every tree their numbers, node by node."""
        nodes = _Nodes(self.heads)
        words = trees[0].words if trees else []
        for number, tree in enumerate(trees, 1):
            if tree.words != words:
                raise ValueError(
                    f"Candidate {number} has other words than the first. The candidates of a list must be trees "
                    "of one sentence."
                )
        own: dict[int, tuple[int, ...]] = {}
        placed: dict[tuple[int, int], tuple[int, ...]] = {}
        at_node = [_OWN[group] for group in self.groups if group in _OWN]
        at_parent = [_PLACED[group] for group in self.groups if group in _PLACED]
        known: dict[str, int] = {}

        def numbers(names: Iterator[str]) -> tuple[int, ...]:
            return tuple(known.setdefault(name, len(known)) for name in names)

        found = []
        for tree in trees:
            mine: list[tuple[int, ...]] = []
            for node, parent in nodes.of(tree):
                here = own.get(node.id)
                if here is None:
                    here = own[node.id] = numbers(chain.from_iterable(make(node, words) for make in at_node))
                mine.append(here)
                if parent is not None:
                    key = node.id, parent.id
                    here = placed.get(key)
                    if here is None:
                        made = (make(node, parent) for make in at_parent)
                        here = placed[key] = numbers(chain.from_iterable(made))
                    mine.append(here)
            found.append(mine)
        return known, found


class _Nodes:
    """The nodes of the trees of one list, equal ones being one."""

    def __init__(self, heads: HeadRules) -> None:
        self._heads = heads
        self._known: dict[tuple[object, ...], Node] = {}

    def of(self, tree: Tree) -> Iterator[tuple[Node, Node | None]]:
        """Every node with its parent."""
        pairs: list[tuple[Node, Node | None]] = []

        def node(item: Tree, below: list[Node | Leaf]) -> Node:
            made = self._node(item, below)
            pairs.extend((child, made) for child in made.below)
            return made

        root: Node | Leaf = tree.fold(lambda leaf: leaf, node)
        assert isinstance(root, Node)
        return iter([(root, None), *pairs])

    def _node(self, item: Tree, below: list[Node | Leaf]) -> Node:
        children = tuple(child for child in below if isinstance(child, Node))
        leaf = below[0] if isinstance(below[0], Leaf) else None
        key: tuple[object, ...] = (item.label, item.first, *(child.id for child in children))
        if leaf is not None:
            key = (item.label, item.first, leaf.word)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._made(item, children, leaf)
        return found

    def _made(self, item: Tree, children: tuple[Node, ...], leaf: Leaf | None) -> Node:
        number, label = len(self._known), item.label
        if not children:
            assert leaf is not None
            return Node(
                number, label, leaf.position, leaf.position + 1, (), leaf.word, label, 0, label, label
            )
        k = self._heads.head(label, [child.label for child in children])
        first, last = children[0], children[-1]
        left, right = _longer(label, first.left), _longer(label, last.right)
        return Node(
            number, label, first.start, last.end, children, children[k].word, children[k].tag, k, left, right
        )


def _longer(label: str, edge: str) -> str:
    """The labels down an edge with one more above them, and no more than `_LONGEST` of them."""
    if edge.count(" ") + 1 >= _LONGEST:
        edge = edge.rpartition(" ")[0]
    return f"{label} {edge}"


def _rules(node: Node, words: Sequence[str]) -> Iterator[str]:
    if node.below:
        yield f"rule {node.rule}"


def _placed_rules(node: Node, parent: Node) -> Iterator[str]:
    if node.below:
        yield f"rule {parent.label}^{node.rule}"
        yield f"rules {parent.rule} / {node.rule}"


def _labels(node: Node) -> list[str]:
    return ["<", *(child.label for child in node.below), ">"]


def _bigrams(node: Node, words: Sequence[str]) -> Iterator[str]:
    if len(node.below) > 1:
        labels = _labels(node)
        for i in range(len(labels) - 1):
            yield f"bigram {node.label}: {labels[i]} {labels[i + 1]}"
            if i:
                yield f"trigram {node.label}: {labels[i - 1]} {labels[i]} {labels[i + 1]}"


def _placed_bigrams(node: Node, parent: Node) -> Iterator[str]:
    if len(node.below) > 1:
        labels = _labels(node)
        for a, b in pairwise(labels):
            yield f"bigram {parent.label}^{node.label}: {a} {b}"


def _head_pairs(node: Node, words: Sequence[str]) -> Iterator[str]:
    for i, child in enumerate(node.below):
        if i == node.head or child.label in PUNCTUATION:
            continue
        head = node.below[node.head]
        side = "<" if i < node.head else ">"
        labels = f"{node.label} {head.label}{side}{child.label}"
        yield f"pair {labels} {head.tag} {child.tag}"
        yield f"pair {labels} {head.word} {child.tag}"
        yield f"pair {labels} {head.tag} {child.word}"
        yield f"pair {labels} {head.word} {child.word}"
        yield f"pair {head.word} {side} {child.word}"
        if child.label == "PP" and len(child.below) > 1:
            inner = child.below[-1]
            yield f"pp {node.label} {head.tag} {child.word} {inner.tag}"
            yield f"pp {head.word} {child.word} {inner.word}"


def _lexical(node: Node, words: Sequence[str]) -> Iterator[str]:
    if node.below:
        yield f"lexical {node.rule} {node.tag}"
        yield f"lexical {node.rule} {node.word}"
    else:
        yield f"word {node.word} {node.label}"


def _placed_words(node: Node, parent: Node) -> Iterator[str]:
    if node.is_tag:
        yield f"word {node.word} {node.label} {parent.label}"
    if parent.below[parent.head] is not node:
        yield f"projection {node.word} {node.label} {parent.label}"
        yield f"projection {node.tag} {node.label} {parent.label} {parent.tag}"


def _edges(node: Node, words: Sequence[str]) -> Iterator[str]:
    if node.below:
        before = words[node.start - 1] if node.start else "<"
        after = words[node.end] if node.end < len(words) else ">"
        first, last = words[node.start], words[node.end - 1]
        yield f"edge {node.label} {before} _"
        yield f"edge {node.label} _ {after}"
        yield f"edge {node.label} {before} {first}"
        yield f"edge {node.label} {last} {after}"
        yield f"edge {node.label} {first} {last}"
        yield f"edge {node.label} {_length(node)} {first}"


def _heavy(node: Node, words: Sequence[str]) -> Iterator[str]:
    if node.below:
        after = words[node.end] if node.end < len(words) else ">"
        pause = after if after in _PAUSES or after == ">" else "_"
        final = "end" if node.end >= len(words) - 1 else ""
        yield f"heavy {node.label} {_length(node)}"
        yield f"heavy {node.label} {_length(node)} {pause} {final}"


def _parallel(node: Node, words: Sequence[str]) -> Iterator[str]:
    for i in range(1, len(node.below) - 1):
        if node.below[i].label not in _CONJUNCTIONS:
            continue
        k = i - 1
        while k > 0 and node.below[k].label in PUNCTUATION:
            k -= 1
        one, two = node.below[k], node.below[i + 1]
        yield f"parallel {node.label} {_alike(one, two)}"
        yield f"parallel {one.label} {two.label} {_alike(one, two)}"
        longer = (two.end - two.start) - (one.end - one.start)
        yield f"parallel {node.label} longer {max(-5, min(5, longer))}"


def _alike(one: Node, two: Node) -> int:
    """0: other labels; 1: the same; 2: the same rules; 3: the same rules below as well."""
    if one.label != two.label:
        return 0
    if one.rule != two.rule:
        return 1
    return 3 if all(a.rule == b.rule for a, b in zip(one.below, two.below)) else 2


def _paths(node: Node, words: Sequence[str]) -> Iterator[str]:
    for one, two in pairwise(node.below):
        path = f"path {node.label} ({one.right}) ({two.left})"
        yield path
        yield f"{path} {words[two.start - 1]} _"
        yield f"{path} _ {words[two.start]}"


def _branches(node: Node, words: Sequence[str]) -> Iterator[str]:
    if node.below:
        yield "branch right" if node.end >= len(words) - 1 else "branch"


def _length(node: Node) -> str:
    n = node.end - node.start
    return str(n) if n <= 5 else "6-10" if n <= 10 else "11-20" if n <= 20 else "more"


_OWN: dict[str, Callable[[Node, Sequence[str]], Iterator[str]]] = {
    "rules": _rules,
    "bigrams": _bigrams,
    "heads": _head_pairs,
    "lexical": _lexical,
    "edges": _edges,
    "heavy": _heavy,
    "parallel": _parallel,
    "paths": _paths,
    "branches": _branches,
}
_PLACED: dict[str, Callable[[Node, Node], Iterator[str]]] = {
    "rules": _placed_rules,
    "bigrams": _placed_bigrams,
    "lexical": _placed_words,
}
