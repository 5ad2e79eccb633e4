"""Derivations of a grammar: the rules in leftmost order, from which words, tree and weight follow.

A leftmost derivation always rewrites the first nonterminal, so its rules are those of the tree in preorder.
Unlike a tree it can derive the empty string. Nothing here is recursive; everything is linear in the number of
rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from palmette.grammars.estimation import productions
from palmette.grammars.grammar import Grammar
from palmette.grammars.rule import Rule, Terminal
from palmette.trees.tree import Child, Leaf, Tree


@dataclass(frozen=True, repr=False)
class LeftmostDerivation:
    """A derivation from the start symbol: the numbers of its rules in leftmost order.

    >>> grammar = Grammar("S -> 'a' S 'b' [0.4] | ε [0.6]")
    >>> derivation = LeftmostDerivation(grammar, (0, 0, 1))
    >>> derivation.words, round(derivation.probability, 3), str(derivation.tree())
    (['a', 'a', 'b', 'b'], 0.096, '(S a (S a b) b)')
    """

    grammar: Grammar
    numbers: tuple[int, ...]

    @classmethod
    def of_tree(cls, grammar: Grammar, tree: Tree) -> LeftmostDerivation:
        """The derivation that a tree shows; ValueError with the rule that the grammar does not have."""
        numbers = {rule[:2]: n for n, rule in enumerate(grammar.rules)}
        if tree.label != grammar.start:
            raise ValueError(f"The root of the tree is {tree.label}, the start symbol {grammar.start}.")
        found = []
        for production in productions(tree):
            if production not in numbers:
                raise ValueError(f"The grammar has no rule {Rule(*production).arrow()}.")
            found.append(numbers[production])
        return cls(grammar, tuple(found))

    def _repr_svg_(self) -> str | None:
        return self.tree()._repr_svg_() if self.words else None

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in leftmost order."""
        return tuple(self.grammar.rules[n] for n in self.numbers)

    @cached_property
    def score(self) -> float:
        """The log of the weight: the sum of the logs of the rules' weights."""
        return float(self.grammar.log_weights[list(self.numbers)].sum())

    @property
    def probability(self) -> float:
        """The weight: the product of the rules' weights."""
        return float(self.grammar.weights[list(self.numbers)].prod())

    @cached_property
    def words(self) -> list[str]:
        """The string that is derived."""
        return [event.word for event in self._events() if isinstance(event, Leaf)]

    def tree(self) -> Tree:
        """The tree; nodes that derive no words are left out. ValueError if no word is derived at all."""
        open_nodes: list[tuple[str, list[Child]]] = [("", [])]
        for event in self._events():
            if isinstance(event, Leaf):
                open_nodes[-1][1].append(event)
            elif event is not None:
                open_nodes.append((event.left, []))
            else:
                label, children = open_nodes.pop()
                if children:
                    open_nodes[-1][1].append(Tree(label, children))
        if not open_nodes[0][1]:
            raise ValueError("This derivation is of the empty string, which has no tree.")
        whole = open_nodes[0][1][0]
        assert isinstance(whole, Tree)
        return whole

    def _events(self) -> Iterator[Rule | Leaf | None]:
        """A rule where its node begins, None where it ends, a leaf where a word is."""
        following: Iterable[int] = iter(self.numbers)
        todo: list[str | Terminal | None] = [self.grammar.start]
        position = 0
        while todo:
            symbol = todo.pop()
            if symbol is None:
                yield None
            elif isinstance(symbol, Terminal):
                yield Leaf(symbol.word, position)
                position += 1
            else:
                number = next(iter(following), None)
                rule = None if number is None else self.grammar.rules[number]
                if rule is None or rule.left != symbol:
                    found = "there is none" if rule is None else f"it is {rule.arrow()}"
                    raise ValueError(
                        f"The next rule of a leftmost derivation must rewrite {symbol}; {found}."
                    )
                yield rule
                todo.append(None)
                todo.extend(reversed(rule.right))
        if next(iter(following), None) is not None:
            raise ValueError("This derivation has more rules than it has nonterminals to rewrite.")

    def __len__(self) -> int:
        return len(self.numbers)

    def __repr__(self) -> str:
        shown = " ".join(self.words) or "ε"
        return f"<LeftmostDerivation of {shown!r}: {len(self)} rules, score {self.score:.6g}>"

    def __str__(self) -> str:
        return "\n".join(str(rule) for rule in self.rules)
