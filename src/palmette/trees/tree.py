"""Constituency trees, continuous and discontinuous.

A tree is a label over children; a child is a tree or a leaf; a leaf is a word and its position in the
sentence. The words below a node need not be side by side, so a discontinuous tree
needs no class of its own: `(S (VP 0=What 2=done) (VP2 1=is))` is a tree in which the yield of VP has a gap.

Trees cannot be changed once they are made. So they may be shared between treebanks, compared, put into sets
and used as keys; a change is a new tree, made with `fold`. Nothing here is recursive: a tree may be as deep
as memory allows. Each method is linear in the number of nodes below, unless it says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, SupportsIndex, TypeAlias, TypeVar

from palmette import _native

V = TypeVar("V")
Child: TypeAlias = "Tree | Leaf"
Segment: TypeAlias = tuple[int, int]  # positions from start to end - 1


@dataclass(frozen=True, slots=True)
class Leaf:
    """A word and its position in the sentence, counted from 0."""

    word: str
    position: int


class Span(NamedTuple):
    """A label and the positions that it covers: maximal runs (start, end), `end` not included, in order."""

    label: str
    segments: tuple[Segment, ...]


class Tree:
    """A node with everything below it; immutable and hashable.

    `children` are in the order of their first words, `first` is the position of the first word below, and
    `note` is whatever a format knows besides (see `palmette.formats.export`); it takes no part in equality.

    >>> tree = Tree.parse("(S (NP (NN time)) (VP (VBZ flies)))")
    >>> tree.words, tree.tags
    (['time', 'flies'], ['NN', 'VBZ'])
    >>> tree.spans()[:2]
    [Span(label='S', segments=((0, 2),)), Span(label='NP', segments=((0, 1),))]
    """

    __slots__ = ("children", "first", "label", "note")

    label: str
    children: tuple[Child, ...]
    first: int
    note: object

    def __init__(self, label: str, children: Sequence[Child], note: object = None) -> None:
        if not children:
            raise ValueError(f"Tree {label!r} needs at least one child; got none.")
        for child in children:
            if not isinstance(child, Tree | Leaf):
                raise TypeError(
                    f"Children of Tree {label!r} must be Tree or Leaf; got {type(child).__name__}. "
                    "Make a leaf with Leaf(word, position), or a whole tree with Tree.parse."
                )
        ordered = tuple(sorted(children, key=first_position))
        set_slot = object.__setattr__
        set_slot(self, "label", label)
        set_slot(self, "children", ordered)
        set_slot(self, "first", first_position(ordered[0]))
        set_slot(self, "note", note)

    @classmethod
    def parse(cls, text: str, *, positions: bool = False) -> Tree:
        """The one tree in a bracketed text; with `positions`, leaves are written `position=word`.

        >>> Tree.parse("(S (VP 0=What 2=done) (VBZ 1=is))", positions=True).is_discontinuous
        True
        """
        from palmette.formats.brackets import parse_brackets
        from palmette.formats.discbracket import parse_discbrackets

        trees = parse_discbrackets(text) if positions else parse_brackets(text)
        if len(trees) != 1:
            raise ValueError(f"Tree.parse takes a text with one tree; got {len(trees)}. Use parse_brackets.")
        return trees[0]

    # What is below.

    def __iter__(self) -> Iterator[Child]:
        return iter(self.children)

    def __len__(self) -> int:
        return len(self.children)

    def __getitem__(self, index: SupportsIndex) -> Child:
        return self.children[index]

    @property
    def is_preterminal(self) -> bool:
        """Whether the only child is a word; the label is then its tag. O(1)."""
        return len(self.children) == 1 and isinstance(self.children[0], Leaf)

    def preorder(self) -> Iterator[Tree]:
        """The nodes, each before its children."""
        todo: list[Child] = [self]
        while todo:
            node = todo.pop()
            if isinstance(node, Tree):
                yield node
                todo.extend(reversed(node.children))

    def postorder(self) -> Iterator[Tree]:
        """The nodes, each after its children."""
        return (node for node in reversed(self._backwards()) if isinstance(node, Tree))

    @property
    def leaves(self) -> list[Leaf]:
        """The leaves in the order of the sentence. O(n log n) where the tree is discontinuous."""
        found = [node for node in reversed(self._backwards()) if isinstance(node, Leaf)]
        found.sort(key=_position)
        return found

    @property
    def words(self) -> list[str]:
        """The words in the order of the sentence."""
        return [leaf.word for leaf in self.leaves]

    @property
    def tags(self) -> list[str]:
        """The label right above each word, in the order of the sentence."""
        found = [
            (child.position, node.label)
            for node in self.preorder()
            for child in node.children
            if isinstance(child, Leaf)
        ]
        return [label for _, label in sorted(found)]

    # Which words are below.

    @property
    def positions(self) -> tuple[int, ...]:
        """The positions of the words below, in order."""
        return tuple(leaf.position for leaf in self.leaves)

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The positions of the words below as maximal runs (start, end), `end` not included."""
        return _segments(self._covers()[-1][1])

    @property
    def fan_out(self) -> int:
        """The number of segments: 1 where the words below are side by side."""
        return _fan_out(self._covers()[-1][1])

    @property
    def is_discontinuous(self) -> bool:
        """Whether the words below this node, or below any node in it, leave a gap."""
        # Children are in the order of their first words, so without gaps a walk meets the words one by one.
        met = [item.position for item in reversed(self._backwards()) if isinstance(item, Leaf)]
        return met != list(range(self.first, self.first + len(met)))

    def spans(self, *, preterminals: bool = False) -> list[Span]:
        """Every node as its label and its segments, in preorder; tags only if `preterminals`.

        O(nodes · words / 64) where the tree is deep, since the yields are bit sets.
        """
        segments = {id(node): _segments(cover) for node, cover in self._covers()}
        return [
            Span(node.label, segments[id(node)])
            for node in self.preorder()
            if preterminals or not node.is_preterminal
        ]

    def _covers(self) -> list[tuple[Tree, int]]:
        """The nodes in postorder, each with its positions as the bits of a number."""
        covers: list[tuple[Tree, int]] = []

        def cover_node(node: Tree, below: list[int]) -> int:
            cover = 0
            for bits in below:
                cover |= bits
            covers.append((node, cover))
            return cover

        self.fold(lambda leaf: 1 << leaf.position, cover_node)
        return covers

    # Making something of it.

    def fold(self, leaf: Callable[[Leaf], V], node: Callable[[Tree, list[V]], V]) -> V:
        """The value of the tree, computed from the leaves up without recursion.

        `leaf` gives the value of a leaf, `node` that of a node from itself and the values of its children.

        >>> tree = Tree.parse("(S (NP (NN time)) (VP (VBZ flies)))")
        >>> tree.fold(lambda leaf: 0, lambda _, below: 1 + max(below))
        3
        """
        values: list[V] = []
        for item in reversed(self._backwards()):
            if isinstance(item, Leaf):
                values.append(leaf(item))
            else:
                k = len(item.children)
                below = values[-k:]
                del values[-k:]
                values.append(node(item, below))
        return values[0]

    def upwards(self) -> list[Child]:
        """The nodes and leaves, each node after its children: the order in which `fold` goes."""
        return self._backwards()[::-1]

    def _backwards(self) -> list[Child]:
        """The nodes and leaves, each before its children, and those last to first: postorder reversed."""
        found: list[Child] = []
        todo: list[Child] = [self]
        while todo:
            item = todo.pop()
            found.append(item)
            if isinstance(item, Tree):
                todo.extend(item.children)
        return found

    def __str__(self) -> str:
        """Brackets on one line; the leaves carry their positions if the tree is discontinuous."""
        from palmette.formats.brackets import bracket_text
        from palmette.formats.discbracket import discbracket_text

        return discbracket_text(self) if self.is_discontinuous else bracket_text(self)

    def __repr__(self) -> str:
        positions = ", positions=True" if self.is_discontinuous else ""
        return f"Tree.parse({str(self)!r}{positions})"

    def _repr_svg_(self) -> str | None:
        from palmette.drawing.canvas import drawn_or_nothing
        from palmette.drawing.trees import draw_svg

        return drawn_or_nothing(lambda: draw_svg(self))

    # Equal, hashable, immutable.

    def _postfix(self) -> list[str | int]:
        """In postorder: word and position of a leaf, label and minus the number of children of a node."""
        flat: list[str | int] = []
        for item in reversed(self._backwards()):
            if isinstance(item, Leaf):
                flat += (item.word, item.position)
            else:
                flat += (item.label, -len(item.children))
        return flat

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        if self is other:
            return True
        if self.label != other.label or self.first != other.first or len(self) != len(other):
            return False
        return self._postfix() == other._postfix()

    def __hash__(self) -> int:
        return hash(tuple(self._postfix()))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"Trees cannot be changed: make a new Tree instead of setting {name!r}.")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"Trees cannot be changed: {name!r} cannot be deleted.")

    def __copy__(self) -> Tree:
        return self

    def __deepcopy__(self, memo: object) -> Tree:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_postfix, (self._postfix(), [node.note for node in self.postorder()])


def _from_postfix(flat: list[Any], notes: list[object]) -> Tree:
    """The tree of a postfix sequence: what pickle calls, so that deep trees can be sent elsewhere."""
    stack: list[Any] = []
    unused = iter(notes)
    for symbol, number in zip(flat[::2], flat[1::2]):
        if number >= 0:
            stack.append(Leaf(symbol, number))
        else:
            children = stack[number:]
            del stack[number:]
            stack.append(Tree(symbol, children, next(unused)))
    tree: Tree = stack[0]
    return tree


def unchecked_tree(label: str, children: tuple[Child, ...], note: object = None) -> Tree:
    """A tree of children that are known to be trees or leaves, at least one, in the order of their first words.

    Transforms that keep the order make many nodes, and checking them again costs more than making them.
    """
    tree: Tree = _native.build_tree(Tree, label, children, note)
    return tree


def unchecked_leaf(word: str, position: int) -> Leaf:
    """The same as `Leaf(word, position)`, in a quarter of the time."""
    leaf: Leaf = _native.build_leaf(Leaf, word, position)
    return leaf


def first_position(child: Child) -> int:
    """The position of a leaf, or of the first word below a node."""
    return child.first if isinstance(child, Tree) else child.position


def _position(leaf: Leaf) -> int:
    return leaf.position


def _fan_out(cover: int) -> int:
    return (cover & ~(cover << 1)).bit_count()  # a segment starts where a bit has no neighbour below


def _segments(cover: int) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    position = 0
    while cover:
        gap = (cover & -cover).bit_length() - 1
        cover >>= gap
        length = (~cover & (cover + 1)).bit_length() - 1
        segments.append((position + gap, position + gap + length))
        cover >>= length
        position += gap + length
    return tuple(segments)
