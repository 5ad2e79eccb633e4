"""Derivations of a synchronous grammar: a pair of trees with the same nodes, and a pair of strings.

The rules are in leftmost order of the source side: those of the source tree in preorder. Nothing here is
recursive; everything is linear in the number of rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from palmette.drawing.canvas import MAX_CELLS
from palmette.drawing.pairs import draw_pair, draw_pair_svg
from palmette.grammars.rule import Terminal
from palmette.grammars.synchronous.grammar import SynchronousGrammar
from palmette.grammars.synchronous.rule import SynchronousRule
from palmette.trees.tree import Child, Leaf, Tree


@dataclass(frozen=True, repr=False)
class SynchronousDerivation:
    """A derivation from the start symbol: the numbers of its rules in leftmost order of the source side.

    >>> grammar = SynchronousGrammar("S -> a S1 b , b S1 a\\nS -> c , d")
    >>> derivation = SynchronousDerivation(grammar, (0, 1))
    >>> derivation.source_words, derivation.target_words
    (['a', 'c', 'b'], ['b', 'd', 'a'])
    """

    grammar: SynchronousGrammar
    numbers: tuple[int, ...]

    @property
    def rules(self) -> tuple[SynchronousRule, ...]:
        """The rules, in leftmost order of the source side."""
        return tuple(self.grammar.rules[n] for n in self.numbers)

    @cached_property
    def score(self) -> float:
        """The log of the weight: the sum of the logs of the rules' weights."""
        return float(self.grammar.skeleton.log_weights[list(self.numbers)].sum())

    @property
    def probability(self) -> float:
        """The weight: the product of the rules' weights."""
        return float(self.grammar.weights[list(self.numbers)].prod())

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The nodes below each node, in source order; node k uses the k-th rule, and node 0 is the root."""
        below: list[list[int]] = [[] for _ in self.numbers]
        waiting: list[tuple[str, int]] = [(self.grammar.start, -1)]
        for node, rule in enumerate(self.rules):
            name, parent = waiting.pop() if waiting else (None, -1)
            if rule.left != name:
                raise ValueError(f"The next rule of a derivation must rewrite {name}; it is {rule.arrow()}.")
            if parent >= 0:
                below[parent].append(node)
            waiting.extend((symbol, node) for symbol in reversed(rule.nonterminals))
        if waiting:
            raise ValueError(f"The derivation ends before {waiting[-1][0]} is rewritten.")
        return tuple(map(tuple, below))

    @cached_property
    def source_words(self) -> list[str]:
        """The string of the source language."""
        return [event.word for event, _ in self._events(True) if isinstance(event, Leaf)]

    @cached_property
    def target_words(self) -> list[str]:
        """The string of the target language."""
        return [event.word for event, _ in self._events(False) if isinstance(event, Leaf)]

    def trees(self) -> tuple[Tree, Tree]:
        """The trees of both sides; nodes without words are left out. ValueError if a side has no word at all."""
        return self.side_tree(True), self.side_tree(False)

    def side_tree(self, source: bool) -> Tree:
        """The tree of the source or of the target."""
        opened: list[list[Child]] = [[]]
        for event, node in self._events(source):
            if isinstance(event, Leaf):
                opened[-1].append(event)
            elif event:
                opened.append([])
            elif children := opened.pop():
                opened[-1].append(Tree(self.rules[node].left, children, note=node))
        if not opened[0]:
            raise ValueError("One side of this derivation is the empty string, which has no tree.")
        whole = opened[0][0]
        assert isinstance(whole, Tree)
        return whole

    def links(self) -> list[tuple[int, int]]:
        """The nodes of both trees that are one node of the derivation, by their places in preorder."""
        places = [{node.note: place for place, node in enumerate(tree.preorder())} for tree in self.trees()]
        return [(place, places[1][node]) for node, place in places[0].items() if node in places[1]]

    def draw(self, *, ascii: bool = False, width: int | None = None, max_cells: int = MAX_CELLS) -> str:
        """Both trees side by side; nodes that belong together have the same number."""
        return draw_pair(*self.trees(), self.links(), ascii=ascii, width=width, max_cells=max_cells)

    def svg(self, *, max_cells: int = MAX_CELLS) -> str:
        """Both trees side by side as an SVG image, with lines between nodes that belong together."""
        return draw_pair_svg(*self.trees(), self.links(), max_cells=max_cells)

    def _repr_svg_(self) -> str | None:
        return self.svg() if self.source_words and self.target_words else None

    def _events(self, source: bool) -> Iterator[tuple[Leaf | bool, int]]:
        """With the node of each: True where a node begins, False where it ends, a leaf where a word is."""
        rules, children = self.rules, self.children
        todo: list[tuple[Terminal | int | None, int]] = [(0, 0)]
        position = 0
        while todo:
            item, node = todo.pop()
            if item is None:
                yield False, node
            elif isinstance(item, Terminal):
                yield Leaf(item.word, position), node
                position += 1
            else:
                yield True, item
                rule, below = rules[item], children[item]
                todo.append((None, item))
                if source:
                    following = iter(below)
                    right = [s if isinstance(s, Terminal) else next(following) for s in rule.source]
                else:
                    right = [s if isinstance(s, Terminal) else below[s] for s in rule.target]
                todo.extend((symbol, item) for symbol in reversed(right))

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        source, target = (" ".join(words) or "ε" for words in (self.source_words, self.target_words))
        return f"<SynchronousDerivation of {source!r}, {target!r}: {len(self)} rules, score {self.score:.6g}>"

    def __str__(self) -> str:
        return "\n".join(str(rule) for rule in self.rules)
