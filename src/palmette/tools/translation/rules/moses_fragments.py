"""Fragments of trees as Moses writes them: `[VP [RB not] [VB]]`, where a node without children is a variable."""

from __future__ import annotations

import re
from collections.abc import Sequence

from palmette.tools.translation.rules.fragments import Fragment
from palmette.tools.translation.rules.symbols import Nonterminal, Symbol, escaped, word_of

_TOKEN = re.compile(r"[\[\]]|[^\s\[\]]+")


def moses_fragment(text: str) -> str:
    """Return a fragment in the form of Moses.

    >>> moses_fragment("(VP (RB not) [VB,1])")
    '[VP [RB not] [VB]]'
    """

    def shown(item: Fragment | Symbol) -> str:
        if isinstance(item, Fragment):
            return f"[{item.label} {' '.join(map(shown, item.children))}]"
        return f"[{item.label}]" if isinstance(item, Nonterminal) else escaped(item)

    return shown(Fragment.parse(text))


def read_moses_fragment(text: str, numbers: Sequence[int]) -> str:
    """Return the fragment in our brackets. numbers: of its variables, from left to right.

    >>> read_moses_fragment("[VP [RB not] [VB]]", [0])
    '(VP (RB not) [VB,1])'
    """
    left = iter(numbers)
    stack: list[tuple[str, list[Fragment | Symbol]]] = [("", [])]
    before = ""
    for token in _TOKEN.findall(text):
        if token == "[":
            stack.append(("", []))
        elif token == "]":
            label, children = stack.pop()
            number = None if children else next(left, None)
            if not stack or not label or (number is None and not children):
                raise ValueError(f"expected a tree such as [VP [RB not] [VB]], got {text!r}")
            stack[-1][1].append(
                Fragment(label, tuple(children)) if number is None else Nonterminal(label, number)
            )
        elif before == "[":
            stack[-1] = token, stack[-1][1]
        else:
            stack[-1][1].append(word_of(token))
        before = token
    if len(stack) != 1 or len(stack[0][1]) != 1 or not isinstance(stack[0][1][0], Fragment):
        raise ValueError(f"expected a tree such as [VP [RB not] [VB]], got {text!r}")
    return str(stack[0][1][0])
