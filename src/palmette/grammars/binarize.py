"""Rules of at most two symbols: A → X₁ X₂ X₃ becomes A → X₁ ⟨@X₂ X₃⟩ and ⟨@X₂ X₃⟩ → X₂ X₃, the latter of weight 1.

A made symbol is named after what it derives, so rules that end alike share it. Words in rules of several symbols
get made nonterminals too, ⟨@'a'⟩ → a. Every tree has one counterpart of the same weight. O(size of the grammar).
"""

from __future__ import annotations

from palmette.grammars.conversion import Builder, Conversion, new_name
from palmette.grammars.grammar import Grammar
from palmette.grammars.limits import check_right
from palmette.grammars.rule import Symbol, Terminal, symbol_text
from palmette.transforms.binarization import MADE


def binarized(grammar: Grammar) -> Conversion:
    """The grammar with rules A → B C, A → B, A → a and A → ε alone.

    >>> print(binarized(Grammar("S -> 'a' S 'b' [0.4] | ε [0.6]")).grammar, end="")
    0.4: S -> @'a' <@S 'b'>
    1.0: @'a' -> 'a'
    1.0: <@S 'b'> -> S @'b'
    1.0: @'b' -> 'b'
    0.6: S -> ε
    """
    builder = Builder(grammar, grammar.start)
    taken = frozenset(grammar.nonterminals)
    names: dict[tuple[Symbol, ...], str] = {}

    def made(symbols: tuple[Symbol, ...]) -> str:
        """The nonterminal that derives these symbols."""
        if len(symbols) == 1 and isinstance(symbols[0], str):
            return symbols[0]
        name = names.get(symbols)
        if name is None:
            name = names[symbols] = new_name(MADE + " ".join(map(symbol_text, symbols)), taken)
        return name

    for number, rule in enumerate(grammar.rules):
        left, right, total = rule
        check_right(len(right))
        before: tuple[int, ...] = (number,)
        while True:
            if len(right) < 2:
                builder.add(left, right, total, total, before)
                break
            first, rest = right[:1], right[1:]
            builder.add(left, (made(first), made(rest)), total, total, before)
            if isinstance(first[0], Terminal) and (made(first), first) not in builder.totals:
                builder.add(made(first), first, 1.0, 1.0, ())
            if len(rest) == 1 and isinstance(rest[0], str):
                break
            left, right, total, before = made(rest), rest, 1.0, ()
            if (left, rest if len(rest) == 1 else (made(rest[:1]), made(rest[1:]))) in builder.totals:
                break  # another rule ends alike
    return builder.conversion()
