"""Dependency graphs with one head per word, and the formal conditions on them.

V = {0, 1, …, n}: 0 is the artificial root, the words count from 1. heads[m − 1] = h is the arc h → m; a word whose
head is -1, or not a node of the sentence, has no head. i →* j, "i dominates j", if arcs lead from i to j, or
i = j; the *projection* of i is all that i dominates. The predicates are those of McDonald and Nivre 2007 ("Formal
Conditions on Dependency Graphs") and of Kuhlmann & Nivre 2006; each has an answer for any heads, cycles among
them, in O(n log n), well-nestedness in O(n log² n). Many sentences at once: `palmette.trees.shapes`.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from palmette.trees.shapes import TreeShapes, projectivise, tree_shapes

if TYPE_CHECKING:
    from palmette.formats.sentence import Sentence


class Arc(NamedTuple):
    """From a head to a word."""

    head: int
    word: int
    label: str | None = None

    @property
    def ends(self) -> tuple[int, int]:
        """The left and the right one of the two."""
        return (self.head, self.word) if self.head < self.word else (self.word, self.head)


@dataclass(frozen=True)
class DependencyTree:
    """The head of every word, and what else is known of them: labels of the arcs, forms and tags of the words.

    >>> tree = DependencyTree([2, 0, 4, 2], ["nsubj", "root", "det", "obj"], "Birds eat the worms".split())
    >>> tree.is_tree, tree.is_projective, tree.children(2), tree.subtree(4)
    (True, True, (1, 4), (3, 4))
    """

    heads: tuple[int, ...]
    labels: tuple[str, ...] | None = None
    forms: tuple[str, ...] | None = None
    tags: tuple[str, ...] | None = None

    def __init__(
        self,
        heads: Iterable[int],
        labels: Sequence[str] | None = None,
        forms: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
    ) -> None:
        numbers = tuple(operator.index(head) for head in heads)
        object.__setattr__(self, "heads", numbers)
        for name, values in (("labels", labels), ("forms", forms), ("tags", tags)):
            if isinstance(values, str):
                raise TypeError(f"The {name} must be a list of strings. Got the string {values!r}.")
            if values is not None and len(values) != len(numbers):
                raise ValueError(f"There are {len(values)} {name} for {len(numbers)} heads.")
            object.__setattr__(self, name, None if values is None else tuple(values))

    @classmethod
    def of(cls, sentence: Sentence) -> DependencyTree:
        """The graph of a sentence of a corpus with heads."""
        names = sentence.corpus.names

        def column(*choices: str) -> list[str] | None:
            return next((sentence[name] for name in choices if name in names), None)

        tags = next((c for c in (column("upos"), column("xpos")) if c and set(c) != {"_"}), None)
        return cls(sentence.heads.tolist(), column("deprel"), column("form"), tags)

    def __len__(self) -> int:
        return len(self.heads)

    def __repr__(self) -> str:
        given = [list(self.heads), *(v and list(v) for v in (self.labels, self.forms, self.tags))]
        while given[-1] is None:
            given.pop()
        return f"DependencyTree({', '.join(map(repr, given))})"

    def __str__(self) -> str:
        from palmette.drawing.arcs import draw_arcs

        return draw_arcs(self)

    def _repr_svg_(self) -> str | None:
        from palmette.drawing.arcs import draw_arcs_svg
        from palmette.drawing.canvas import drawn_or_nothing

        return drawn_or_nothing(lambda: draw_arcs_svg(self))

    # The formal conditions.

    @cached_property
    def _shape(self) -> TreeShapes:
        return tree_shapes(self.heads, [0, len(self)])

    @property
    def is_single_headed(self) -> bool:
        """Every word has one head: if i → j then not i' → j, and only the root has none.

        There is no place for two in an array, so this fails where a word has none.
        """
        return bool(self._shape.is_single_headed[0])

    @property
    def is_single_rooted(self) -> bool:
        """Exactly one word hangs from the artificial root."""
        return bool(self._shape.is_single_rooted[0])

    @property
    def is_acyclic(self) -> bool:
        """If i → j, then not j →* i."""
        return bool(self._shape.is_acyclic[0])

    @property
    def is_connected(self) -> bool:
        """Between any two nodes, the root among them, there is a path of arcs in either direction.

        n arcs connect n + 1 nodes only as a tree: so it holds if every word has a head and none is in a cycle.
        """
        return bool(self._shape.is_connected[0])

    @property
    def is_tree(self) -> bool:
        """Connected, and every word has one head. The artificial root may have several children."""
        return self.is_connected

    @property
    def is_projective(self) -> bool:
        """If i → j, then i →* k for every word k between i and j."""
        return bool(self._shape.is_projective[0])

    @property
    def gap_degree(self) -> int:
        """The most gaps that a projection has; 0 if a tree is projective."""
        return int(self._shape.gap_degree[0])

    @property
    def is_well_nested(self) -> bool:
        """No two disjoint projections interleave: not a < b < c < d with a, c in one and b, d in the other."""
        return bool(self._shape.is_well_nested[0])

    def problem(self, single_root: bool = True) -> str | None:
        """Return in words why it is not a tree (with one root, unless any number will do), or None. O(n)."""
        n = len(self)
        for word, head in enumerate(self.heads, 1):
            if not 0 <= head <= n:
                what = "has no head" if head == -1 else f"has the head {head} in a sentence of {n} words"
                return f"word {word} {what}"
        if not self.is_acyclic:
            words = self._cycle()
            if len(words) == 1:
                return f"word {words[0]} is its own head"
            return f"words {', '.join(map(str, words))} are heads of each other in a cycle"
        if single_root and n and not self.is_single_rooted:
            shown = [str(word) for word in self.children(0)]
            few = ", ".join(shown[:3]) + (", …" if len(shown) > 3 else "")
            return f"{len(shown)} words hang from the root ({few}) where one should"
        return None

    def check(self, single_root: bool = True) -> DependencyTree:
        """Return itself; ValueError if it is not a tree."""
        problem = self.problem(single_root)
        if problem is not None:
            raise ValueError(f"The heads are not a tree: {problem}.")
        return self

    def _cycle(self) -> list[int]:
        walk = [0] * (len(self) + 1)
        for start in range(1, len(self) + 1):
            word = start
            while 1 <= word <= len(self) and not walk[word]:
                walk[word] = start
                word = self.heads[word - 1]
            if 1 <= word <= len(self) and walk[word] == start:
                cycle = [word]
                while self.heads[cycle[-1] - 1] != word:
                    cycle.append(self.heads[cycle[-1] - 1])
                return sorted(cycle)
        return []

    # Parts.

    @property
    def arcs(self) -> list[Arc]:
        """One for every word that has a head, in the order of the words."""
        labels = self.labels or (None,) * len(self)
        words = enumerate(zip(self.heads, labels), 1)
        return [Arc(head, word, label) for word, (head, label) in words if 0 <= head <= len(self)]

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        children: list[list[int]] = [[] for _ in range(len(self) + 1)]
        for arc in self.arcs:
            children[arc.head].append(arc.word)
        return tuple(map(tuple, children))

    def children(self, node: int) -> tuple[int, ...]:
        """The words that hang from a node (0 is the root), in their order."""
        return self._children[self._checked(node)]

    def subtree(self, node: int) -> tuple[int, ...]:
        """The projection of a node: all that it dominates, itself included, in order."""
        seen = {self._checked(node)}
        todo = [node]
        while todo:
            below = [child for child in self._children[todo.pop()] if child not in seen]
            seen.update(below)
            todo += below
        return tuple(sorted(seen))

    def projection(self, node: int) -> tuple[tuple[int, int], ...]:
        """The projection as blocks without gaps: the first and the last of each.

        >>> DependencyTree([0, 4, 1, 1]).projection(4)
        ((2, 2), (4, 4))
        """
        blocks: list[tuple[int, int]] = []
        for word in self.subtree(node):
            if blocks and blocks[-1][1] == word - 1:
                blocks[-1] = (blocks[-1][0], word)
            else:
                blocks.append((word, word))
        return tuple(blocks)

    @property
    def depth(self) -> int:
        """The arcs on the longest path from the root; ValueError if it is not a tree."""
        self.check(single_root=False)
        return int(self._shape.depth[0])

    def nonprojective_arcs(self) -> list[Arc]:
        """The arcs whose head does not dominate all words between."""
        return [arc for arc in self.arcs if self._shape.crossed[arc.word - 1]]

    def crossings(self) -> list[tuple[Arc, Arc]]:
        """The pairs of arcs that cross: each has one end strictly inside the other. O(n log n + pairs).

        A sweep over the ends keeps the open arcs by where they opened: what opened after an arc and is open when
        that closes crosses it.
        """
        closing: list[list[Arc]] = [[] for _ in range(len(self) + 1)]
        opening: list[list[Arc]] = [[] for _ in range(len(self) + 1)]
        for arc in self.arcs:
            left, right = arc.ends
            if left < right:
                opening[left].append(arc)
                closing[right].append(arc)
        found: list[tuple[Arc, Arc]] = []
        open_arcs: list[Arc] = []
        for node in range(len(self) + 1):
            for _ in closing[node]:
                place = len(open_arcs) - 1
                while open_arcs[place].ends[1] != node:
                    place -= 1
                found += [(open_arcs[place], later) for later in open_arcs[place + 1 :]]
                del open_arcs[place]
            open_arcs += sorted(opening[node], key=lambda arc: -arc.ends[1])
        return found

    def projectivised(self) -> tuple[DependencyTree, int]:
        """A projective tree by lifting, the shortest arc first (Nivre & Nilsson 2005), and the number of lifts.

        >>> DependencyTree([3, 4, 0, 3]).projectivised()
        (DependencyTree([3, 3, 0, 3]), 1)
        """
        self.check(single_root=False)
        heads, lifts = projectivise(self.heads, [0, len(self)])
        return DependencyTree(heads.tolist(), self.labels, self.forms, self.tags), int(lifts.sum())

    def _checked(self, node: int) -> int:
        if not 0 <= node <= len(self):
            raise IndexError(f"There is no node {node} in a sentence of {len(self)} words.")
        return node
