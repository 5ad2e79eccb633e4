"""Automata by name, and the text that a user writes for one: `@at-most(2) & @no-repeat`, or an expression.

| text                     | accepts                                                                        |
|--------------------------|--------------------------------------------------------------------------------|
| `@at-most(K)`            | at most K spans; `@at-most(K, TYPE)` of a type, or tokens with a label         |
| `@count(K)`              | everything; the state counts spans (of a TYPE) up to K, for features           |
| `@no-repeat`             | no two spans of a type one after another; no other label but O twice in a row |
| `@brackets(D, OPEN, CLOSE)` | labels OPEN and CLOSE that balance, at most D deep                          |
| `@scheme(IOB2)`          | what a scheme of spans allows: IOB1, IOB2, IOBES, BILOU                         |
| an expression            | what `label_expression` matches                                                |

`A & B` is the product of two automata. Spans are read from labels as the CoNLL evaluation reads them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np

from palmette.errors import UsageError
from palmette.structures.automaton import NOWHERE, Automaton, Table, refuse_many
from palmette.structures.label_expression import compile_expression
from palmette.structures.schemes import SCHEMES, scheme_name, transitions
from palmette.structures.span_marginals import Boundaries

Given = str | Automaton | Mapping[str, Mapping[str, str]]
_START = -1  # the label before the first
_NAMED = re.compile(r"@([A-Za-z0-9-]+)\s*(?:\((.*)\))?\s*$", re.DOTALL)


def automaton_for(given: Given, labels: Sequence[str]) -> Automaton:
    """Return an automaton over these labels: of a text as above, a table, or an automaton over some of them."""
    if isinstance(given, str):
        parts = [_of_text(part.strip(), labels) for part in _split(given, "&")]
        product = parts[0]
        for part in parts[1:]:
            product = product & part
        return product
    if isinstance(given, Automaton):
        return given.over(labels)
    table: Table = given
    return Automaton.of_table(table).over(labels)


def at_most(labels: Sequence[str], k: int, kind: str | None = None) -> Automaton:
    """Return the automaton of at most k spans, of a type if one is given; or of k tokens with a label."""
    adds = _additions(labels, kind)

    def following(state: Hashable, x: int, y: int) -> Hashable | None:
        now = int(str(state)) + adds(x, y)
        return now if now <= k else None

    return _grown(labels, 0, following).minimised()


def count_up_to(labels: Sequence[str], k: int, kind: str | None = None) -> Automaton:
    """Return an automaton that accepts everything and whose state is the number of spans so far, at most k."""
    adds = _additions(labels, kind)
    counted = _grown(labels, 0, lambda state, x, y: min(int(str(state)) + adds(x, y), k))
    return counted.minimised([int(name.partition("/")[0]) for name in counted.names])


def no_repeat(labels: Sequence[str]) -> Automaton:
    """Return the automaton in which no two spans of a type follow each other, and no other label but O itself."""
    boundaries = Boundaries(tuple(labels))
    types: list[str | None] = [
        next((t for t, row in zip(boundaries.types, boundaries.inside) if row[y]), None)
        for y in range(len(labels))
    ]

    def following(last: Hashable, x: int, y: int) -> Hashable | None:
        if types[y] is None:
            twice = x == y and labels[y] != "O"
            return None if twice else last
        if x != _START and boundaries.goes_on[x, y]:
            return last
        return None if last == types[y] else types[y]

    return _grown(labels, "", following).minimised()


def brackets(labels: Sequence[str], depth: int, opening: str = "(", closing: str = ")") -> Automaton:
    """Return the automaton of labels in which two balance, at most so deep."""
    for label in (opening, closing):
        if label not in labels:
            raise ValueError(f"@brackets: {label!r} is not a label.")

    def following(deep: Hashable, x: int, y: int) -> Hashable | None:
        now = int(str(deep)) + (labels[y] == opening) - (labels[y] == closing)
        return now if 0 <= now <= depth else None

    return _grown(labels, 0, following, lambda deep, x: deep == 0).minimised()


def scheme_automaton(labels: Sequence[str], scheme: str) -> Automaton:
    """Return the automaton of what a scheme of spans allows."""
    first, pairs, last = transitions(list(labels), scheme)

    def following(state: Hashable, x: int, y: int) -> Hashable | None:
        return 0 if (first[y] if x == _START else pairs[x, y]) else None

    return _grown(labels, 0, following, lambda state, x: x == _START or bool(last[x])).minimised()


def _grown(
    labels: Sequence[str],
    start: Hashable,
    following: Callable[[Hashable, int, int], Hashable | None],
    accepts: Callable[[Hashable, int], bool] = lambda state, x: True,
) -> Automaton:
    """The automaton over (state, last label): following(state, last label, label) is the next state, or None."""
    number: dict[tuple[Hashable, int], int] = {(start, _START): 0}
    waiting = [(start, _START)]
    entries = []
    for state, x in waiting:
        row = []
        for y in range(len(labels)):
            after = following(state, x, y)
            if after is not None and (after, y) not in number:
                number[after, y] = len(number)
                refuse_many(len(number))
                waiting.append((after, y))
            row.append(NOWHERE if after is None else number[after, y])
        entries.append(row)
    names = tuple(f"{state}/{'' if x == _START else labels[x]}" for state, x in waiting)
    accepting = np.array([accepts(*key) for key in waiting])
    return Automaton(tuple(labels), np.array(entries, dtype=np.int32), accepting, names).trimmed()


def _additions(labels: Sequence[str], kind: str | None) -> Callable[[int, int], int]:
    """1 where a span (of a type) begins at label y after x, or where y is the label itself."""
    boundaries = Boundaries(tuple(labels))
    if kind is not None and kind not in boundaries.types:
        if kind not in labels:
            raise ValueError(f"{kind!r} is neither a type of span nor a label.")
        return lambda x, y: int(labels[y] == kind)
    if kind is None and not boundaries.types:
        raise ValueError("These labels have no spans to count; name a label.")
    chosen = slice(None) if kind is None else [boundaries.types.index(kind)]
    inside = np.atleast_1d(boundaries.inside[chosen].any(axis=0))
    return lambda x, y: int(inside[y] and (x == _START or boundaries.begins[x, y]))


def _of_text(text: str, labels: Sequence[str]) -> Automaton:
    if not text.startswith("@"):
        return compile_expression(text, labels)
    found = _NAMED.match(text)
    name = found.group(1).lower() if found else ""
    arguments = [part.strip().strip("\"'") for part in _split((found and found.group(2)) or "", ",")]
    arguments = [argument for argument in arguments if argument]
    try:
        if name in ("at-most", "count") and 1 <= len(arguments) <= 2:
            make = at_most if name == "at-most" else count_up_to
            return make(labels, _number(arguments[0]), *arguments[1:])
        if name == "no-repeat" and not arguments:
            return no_repeat(labels)
        if name == "brackets" and len(arguments) in (1, 3):
            return brackets(labels, _number(arguments[0]), *arguments[1:])
        if name == "scheme" and len(arguments) == 1 and scheme_name(arguments[0]) in SCHEMES:
            return scheme_automaton(labels, scheme_name(arguments[0]))
    except ValueError as error:
        raise UsageError(f"In the automaton {text!r}: {error}") from None
    raise UsageError(
        f"{text!r} is not an automaton: expected @at-most(K), @at-most(K, TYPE), @count(K), @count(K, TYPE), "
        "@no-repeat, @brackets(D, OPEN, CLOSE), @scheme(NAME), or an expression over labels."
    )


def _number(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) <= 1000:
        raise ValueError(f"expected a whole number from 0 to 1000, got {text!r}.")
    return int(text)


def _split(text: str, separator: str) -> list[str]:
    """Cut at a separator outside of quotes."""
    parts, quote = [""], ""
    for letter in text:
        if letter == separator and not quote:
            parts.append("")
            continue
        if letter in "\"'":
            quote = "" if quote == letter else quote or letter
        parts[-1] += letter
    return parts
