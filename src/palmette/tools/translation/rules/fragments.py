"""Fragments of trees, and their keys in a rule table: sequences of decisions about nodes.

A fragment in brackets is `(VP (AUX does) (RB not) [VB,1])`: an inner node has a label and children, and a leaf is
a word or a variable. Its key has one decision for each node below which nothing is decided yet, leftmost first:
`None` leaves the node as a variable, and a production such as `VP -> AUX RB VB` or `AUX -> "does"` expands it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from palmette.tools.translation.rules.symbols import Nonterminal, Symbol, escaped, symbols_of

Decision: TypeAlias = str | None  # a production, or None: the node is a variable
_TOKEN = re.compile(r"[()]|[^\s()]+")


@dataclass(frozen=True)
class Fragment:
    """A node of a fragment: its label, and its children, which are nodes, words or variables."""

    label: str
    children: tuple[Fragment | Symbol, ...]

    def __str__(self) -> str:
        return f"({self.label} {' '.join(map(_shown, self.children))})"

    @classmethod
    def parse(cls, text: str) -> Fragment:
        """Read a fragment in brackets; ValueError if it is not one.

        >>> str(Fragment.parse("(VP (AUX does) (RB not) [VB,1])"))
        '(VP (AUX does) (RB not) [VB,1])'
        """
        stack: list[tuple[str | None, list[Fragment | Symbol]]] = [(None, [])]
        tokens = _TOKEN.findall(text)
        for before, token in zip(["", *tokens], tokens):
            if token == "(":
                stack.append((None, []))
            elif token == ")":
                label, children = stack.pop()
                if not stack or label is None or not children:
                    raise ValueError(f"{text!r} must be a tree in brackets such as '(VP (RB not) [VB,1])'.")
                stack[-1][1].append(cls(label, tuple(children)))
            elif before == "(":
                stack[-1] = token, stack[-1][1]
            else:
                stack[-1][1].extend(symbols_of(token))
        found = stack[0][1]
        if len(stack) > 1 or len(found) != 1 or not isinstance(found[0], Fragment):
            raise ValueError(f"{text!r} must be a tree in brackets such as '(VP (RB not) [VB,1])'.")
        return found[0]

    def leaves(self) -> Iterator[Symbol]:
        """Yield the words and variables from left to right."""
        for child in self.children:
            if isinstance(child, Fragment):
                yield from child.leaves()
            else:
                yield child

    def decisions(self) -> Iterator[Decision]:
        """Yield the key of the fragment."""
        yield production(self.label, [c if isinstance(c, str) else (c.label,) for c in self.children])
        for child in self.children:
            if isinstance(child, Fragment):
                yield from child.decisions()
            elif isinstance(child, Nonterminal):
                yield None


def production(label: str, children: Sequence[str | tuple[str]]) -> str:
    """Return a production as text. children: a word, or a label in a tuple.

    >>> production("VP", ["not", ("VB",)])
    'VP -> "not" VB'
    """
    return " ".join([label, "->", *(f'"{c}"' if isinstance(c, str) else c[0] for c in children)])


def production_parts(text: str) -> tuple[str, list[str | tuple[str]]]:
    """Return the label and the children of a production; ValueError if the text is not one."""
    label, arrow, rest = text.partition(" -> ")
    children = rest.split(" ")
    if not arrow or not label or not all(children):
        raise ValueError(f"{text!r} must be a production such as 'VP -> AUX VB'.")
    return label, [c[1:-1] if len(c) > 2 and c[0] == c[-1] == '"' else (c,) for c in children]


def fragment_of(decisions: Sequence[Decision]) -> Fragment:
    """Return the fragment of a key; ValueError if it does not decide about each node exactly once.

    >>> str(fragment_of(["VP -> RB VB", 'RB -> "not"', None]))
    '(VP (RB not) [VB,1])'
    """
    left = iter(decisions)
    variables = 0

    def built(label: str | None) -> Fragment | Nonterminal:
        nonlocal variables
        try:
            decision = next(left)
        except StopIteration:
            raise ValueError("a fragment lacks a decision about a node") from None
        if decision is None:
            if label is None:
                raise ValueError("a fragment is only a variable")
            variables += 1
            return Nonterminal(label, variables - 1)
        own, children = production_parts(decision)
        if label not in (None, own):
            raise ValueError(f"a node {label} of a fragment cannot be expanded by {decision!r}")
        return Fragment(own, tuple(c if isinstance(c, str) else built(c[0]) for c in children))

    found = built(None)
    if next(left, "") != "" or isinstance(found, Nonterminal):
        raise ValueError("a fragment has decisions about nodes that it does not have")
    return found


def _shown(child: Fragment | Symbol) -> str:
    return escaped(child, parentheses=True) if isinstance(child, str) else str(child)
