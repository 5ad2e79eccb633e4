"""Rule tables from and to text, in the formats of Moses and of Joshua and cdec.

Moses, with probabilities, links of words and of nonterminals, and counts of target side, source side and rule:

    ne [X][VB] pas [X] ||| not [X][VB] [VP] ||| 0.9 0.8 0.7 0.6 ||| 0-0 1-1 2-0 ||| 3 2 2 ||| ||| {{Tree …}}

Joshua and cdec, with named features, whose values are natural logarithms:

    [VP] ||| ne [VB,1] pas ||| not [VB,1] ||| phi_source=-0.1 … ||| 0-0 2-0

A table over trees is written in the second form, with the fragment in place of the source side. Names ending in
.gz are gzipped. Every line is checked; what is wrong is said with its number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_lines, write_atomically
from palmette.formats.pharaoh import Link
from palmette.messages import counted
from palmette.parameters import require_choice
from palmette.tools.translation.rules.fragments import Fragment
from palmette.tools.translation.rules.moses_fragments import moses_fragment, read_moses_fragment
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.rules.symbols import (
    Nonterminal,
    Rule,
    Symbol,
    escaped,
    nonterminals,
    side_text,
    symbols_of,
    word_of,
)
from palmette.tools.translation.tables.phrase_table import STANDARD

FORMATS = ("moses", "joshua")
_ANY = "X"  # the label that Moses gives to the side without trees
_PAIR = re.compile(r"\[([^\s\[\]]+)\]\[([^\s\[\]]+)\]")
_LEFT = re.compile(r"\[([^\s\[\],]+)\]")
_BARE = re.compile(r"(?<= )\[([1-9][0-9]*)\](?= )")
_LINK = re.compile(r"([0-9]{1,3})-([0-9]{1,3})")
_LOG_ZERO = -100.0  # as Moses reads a probability of 0
_REMEMBERED = 1 << 16  # sides and links of other lines, which often come again
_TREE = re.compile(r"\{\{Tree (.*?)\}\}")


def write_rules(table: RuleTable, path: Source, format: str = "moses") -> None:
    """Write a table; the file appears only when it is whole."""
    require_choice("format", format, FORMATS)
    if table.kind == "trees" and format == "moses":
        raise ValueError(
            "The format of Moses has no fragments of source trees: write this table as 'joshua'."
        )
    with write_atomically(path) as file:
        for rule in table:
            line = _moses_line(rule) if format == "moses" else _joshua_line(rule, table.columns, table.kind)
            file.write(line.encode())


def read_rules(path: Source, *, columns: Sequence[str] | None = None) -> RuleTable:
    """Read a table in either format, which the first line shows; FormatError with the line that is wrong.

    columns: the names of scores without names; the standard ones and then column_5, column_6, … if not given.
    """
    lines = read_lines(path)
    first, second, *_ = [*(lines[0] if lines else "").split("|||"), ""]
    joshua = _LEFT.fullmatch(first.strip()) is not None
    trees = joshua and second.strip().startswith("(")
    if not joshua and all(_is_phrase(field) for field in (first, second)):
        raise FormatError(
            "expected rules with a label such as [X] at the end of each side, got phrase pairs: they are for the "
            "method 'phrase'",
            path=display_name(path),
            line=1,
        )
    rows: list[Rule] = []
    names: tuple[str, ...] | None = None
    for number, line in enumerate(lines, 1):
        try:
            if joshua:
                rule, found = _read_joshua(line, trees)
            else:
                rule, found = _read_moses(line), ()
            found = found or _names(len(rule.scores), columns)
            if names is None:
                names = found
            if found != names:
                raise ValueError(f"expected the scores {' '.join(names)}, got {' '.join(found)}")
        except ValueError as error:
            raise FormatError(str(error), path=display_name(path), line=number) from None
        rows.append(rule)
    try:
        return RuleTable.from_rules(
            rows, columns=names or columns or STANDARD, kind="trees" if trees else "strings"
        )
    except ValueError as error:
        match = re.match(r"[Rr]ule ([0-9]+) (.*)", str(error), re.DOTALL)
        if match is None:
            raise FormatError(str(error), path=display_name(path)) from None
        raise FormatError(f"the rule {match[2]}", path=display_name(path), line=int(match[1])) from None


def _is_phrase(side: str) -> bool:
    words = side.split()
    return bool(words) and "[" not in "".join(words)


def _names(width: int, columns: Sequence[str] | None) -> tuple[str, ...]:
    if columns is not None:
        if len(columns) != width:
            raise ValueError(f"expected {counted(len(columns), 'score')}, got {width}")
        return tuple(columns)
    standard = STANDARD if width >= len(STANDARD) else ()
    return (*standard, *(f"column_{k}" for k in range(len(standard) + 1, width + 1)))


# Moses


def _moses_line(rule: Rule) -> str:
    at = {one.index: k for k, one in enumerate(rule.target) if isinstance(one, Nonterminal)}
    own = [(k, at[one.index]) for k, one in enumerate(rule.source) if isinstance(one, Nonterminal)]
    links = " ".join(f"{i}-{j}" for i, j in sorted({*rule.links, *own}))
    try:
        scores = " ".join(repr(math.exp(score)) for score in rule.scores)
    except OverflowError:
        raise ValueError(f"The rule {rule} has a score whose exponential is not a number.") from None
    counts = " ".join(f"{count:.9g}" for count in rule.counts or ())
    tree = f" ||| ||| {{{{Tree {moses_fragment(rule.fragment)}}}}}" if rule.fragment else ""
    source = " ".join([*map(_moses_symbol, rule.source), f"[{_ANY}]"])
    target = " ".join([*map(_moses_symbol, rule.target), f"[{rule.left}]"])
    return f"{source} ||| {target} ||| {scores} ||| {links} ||| {counts}{tree}\n"


def _moses_symbol(symbol: Symbol) -> str:
    return f"[{_ANY}][{symbol.label}]" if isinstance(symbol, Nonterminal) else escaped(symbol)


def _read_moses(line: str) -> Rule:
    fields = [field.strip() for field in line.split("|||")]
    if len(fields) < 3:
        raise ValueError("expected source side ||| target side ||| scores")
    (source, above, *places), (target, left, *others) = _moses_side(fields[0]), _moses_side(fields[1])
    places += others
    links = _links(fields[3]) if len(fields) > 3 else ()
    at = {i: j for i, j in links if isinstance(_get(source, i), tuple) and isinstance(_get(target, j), tuple)}
    if not at and len(places[0]) == len(places[1]) == 1:
        at = {places[0][0]: places[1][0]}
    if sorted(at) != places[0] or sorted(at.values()) != places[1]:
        raise ValueError("expected a link for each nonterminal, such as 1-1")
    e: list[Symbol] = [one if isinstance(one, str) else "" for one in source]
    f: list[Symbol] = [one if isinstance(one, str) else "" for one in target]
    for index, k in enumerate(places[0]):
        here, there = source[k], target[at[k]]
        assert isinstance(here, tuple)
        assert isinstance(there, tuple)
        if here != there:
            raise ValueError(f"expected the same labels of both sides, got {_pair(here)} and {_pair(there)}")
        e[k] = f[at[k]] = Nonterminal(_label(*here), index)
    words = tuple((i, j) for i, j in links if i not in at)
    counts = [_number(one) for one in fields[4].split()] if len(fields) > 4 else []
    tree = _TREE.search(line)
    numbers = [one.index for one in nonterminals(f)]
    return Rule(
        _label(above, left),
        tuple(e),
        tuple(f),
        tuple(_log(one) for one in fields[2].split()),
        words,
        read_moses_fragment(tree[1], numbers) if tree else None,
        (counts[0], counts[1], counts[2]) if len(counts) == 3 else None,
    )


@lru_cache(_REMEMBERED)
def _moses_side(text: str) -> tuple[tuple[str | tuple[str, str], ...], str, list[int]]:
    """The words and pairs of labels of a side, the label above it, and where it has nonterminals."""
    tokens = text.split()
    left = _LEFT.fullmatch(tokens[-1]) if tokens else None
    if left is None:
        raise ValueError(f"expected a label such as [X] at the end of each side, got {text!r}")
    found: list[str | tuple[str, str]] = []
    for token in tokens[:-1]:
        pair = _PAIR.fullmatch(token)
        found.append((pair[1], pair[2]) if pair else word_of(token))
    return tuple(found), left[1], [k for k, one in enumerate(found) if isinstance(one, tuple)]


def _label(source: str, target: str) -> str:
    """The one label of a nonterminal: that of the side with trees."""
    if source != target and _ANY not in (source, target):
        raise ValueError(
            f"expected labels on one side only, and {_ANY} on the other, got {_pair((source, target))}"
        )
    return target if source == _ANY else source


def _pair(labels: tuple[str, str]) -> str:
    return f"[{labels[0]}][{labels[1]}]"


def _get(side: Sequence[str | tuple[str, str]], k: int) -> str | tuple[str, str]:
    if k >= len(side):
        raise ValueError(f"expected links inside the rule, got one of symbol {k}")
    return side[k]


# Joshua and cdec


def _joshua_line(rule: Rule, columns: Sequence[str], kind: str) -> str:
    source = rule.fragment if kind == "trees" else side_text(rule.source)
    scores = " ".join(f"{name}={score:.9g}" for name, score in zip(columns, rule.scores))
    links = " ".join(f"{i}-{j}" for i, j in rule.links)
    return f"[{rule.left}] ||| {source} ||| {side_text(rule.target)} ||| {scores} ||| {links}\n"


def _read_joshua(line: str, trees: bool) -> tuple[Rule, tuple[str, ...]]:
    fields = [field.strip() for field in line.split("|||")]
    left = _LEFT.fullmatch(fields[0])
    if left is None or len(fields) < 4:
        raise ValueError("expected [label] ||| source side ||| target side ||| scores")
    names, scores = [], []
    for item in fields[3].split():
        name, equals, value = item.rpartition("=")
        if equals:
            names.append(name)
        scores.append(_number(value))
    if names and len(names) != len(scores):
        raise ValueError(f"expected a name for each score, got {fields[3]!r}")
    source = tuple(Fragment.parse(fields[1]).leaves()) if trees else symbols_of(fields[1])
    # cdec may leave the labels of the target side out, and number nonterminals in any order.
    target = symbols_of(_BARE.sub(r" [?,\1] ", f" {fields[2]} "))
    found = {one.index: Nonterminal(one.label, k) for k, one in enumerate(nonterminals(source))}
    for one in nonterminals(target):
        if one.index not in found or one.label not in ("?", found[one.index].label):
            raise ValueError(
                f"expected the same nonterminals on both sides, got {fields[1]!r} and {fields[2]!r}"
            )
    sides = [
        tuple(one if isinstance(one, str) else found[one.index] for one in side) for side in (source, target)
    ]
    links = _links(fields[4]) if len(fields) > 4 else ()
    rule = Rule(left[1], sides[0], sides[1], tuple(scores), links, fields[1] if trees else None)
    return rule, tuple(names)


@lru_cache(_REMEMBERED)
def _links(text: str) -> tuple[Link, ...]:
    found = []
    for item in text.split():
        match = _LINK.fullmatch(item)
        if match is None:
            raise ValueError(f"expected links such as 0-0, got {item!r}")
        found.append((int(match[1]), int(match[2])))
    return tuple(found)


def _number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"expected a number, got {text!r}") from None
    if not math.isfinite(value):
        raise ValueError(f"expected a finite number, got {text!r}")
    return value


def _log(text: str) -> float:
    value = _number(text)
    if value < 0:
        raise ValueError(f"expected a probability, got {text!r}")
    return math.log(value) if value else _LOG_ZERO


def rule_lines(table: RuleTable, rules: Sequence[Rule]) -> Iterator[str]:
    """Yield rules as text, one a line, for people."""
    for rule in rules:
        yield _joshua_line(rule, table.columns, table.kind).rstrip("\n")
