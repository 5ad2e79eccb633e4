"""From rules in any order to a `RuleTable`, and from a table to a part of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette._native import PairNodes, build_phrase_table, phrase_nodes
from palmette.formats.model.strings import StringTable
from palmette.parameters import require_choice
from palmette.tools.translation.rules.fragments import Fragment, production_parts
from palmette.tools.translation.rules.rule_table import KINDS, RuleTable, check_columns
from palmette.tools.translation.rules.symbols import Rule, Symbol, nonterminals, side_text, symbols_of
from palmette.tools.translation.tables.assembling import default_score, moved_rows, sorted_words, used_words

Floats = NDArray[np.float32]
Ids = NDArray[np.uint32]
MOST = 63  # nonterminals of a rule


@dataclass(frozen=True, eq=False)
class RawRules:
    """Rules in any order, as nodes of two tries.

    Source symbols are numbers of `source_words` and then of `labels`; of kind "trees", 0 and then 1 + numbers of
    `productions`. Target items are numbers of `target_words` and then of nonterminals. What is known of each rule
    is as in the table.
    """

    columns: tuple[str, ...]
    kind: str
    nodes: PairNodes
    source_words: Sequence[str]
    target_words: Sequence[str]
    labels: Sequence[str]
    productions: Sequence[str]
    fragments: Sequence[str]
    rule_left: NDArray[np.uint16]
    scores: Floats
    link_begin: Ids
    links: NDArray[np.uint16]
    counts: Floats
    rule_fragment: Ids

    def table(self) -> RuleTable:
        """Return the table of these rules; ValueError if a rule occurs twice, is empty, or has no finite score."""
        finite = np.isfinite(self.scores).all(axis=1)
        if not finite.all():
            raise ValueError(f"Rule {int(np.argmin(finite)) + 1} has a score that is not a finite number.")
        source, source_rank = sorted_words(self.source_words)
        target, target_rank = sorted_words(self.target_words)
        productions, production_rank = sorted_words(self.productions)
        labels, label_rank = sorted_words(self.labels)
        if self.kind == "trees":
            symbol_rank = np.concatenate([np.zeros(1, np.uint32), production_rank + np.uint32(1)])
        else:
            symbol_rank = np.concatenate([source_rank, label_rank + np.uint32(len(source))])
        item_rank = np.concatenate([target_rank, np.arange(len(target), len(target) + MOST, dtype=np.uint32)])
        left = label_rank[self.rule_left].astype(np.uint16)
        score = default_score(self.columns, self.scores)
        shape = build_phrase_table(self.nodes, symbol_rank, item_rank, score, left)
        strings = _Strings(source, target, labels, productions, list(self.fragments))
        items = shape[5].astype(np.int64)
        items[items >= len(target)] = -1 - (items[items >= len(target)] - len(target))
        return _finished(shape, items, strings, left, self)


class _Strings(NamedTuple):
    """The strings of a table, in its order."""

    source: list[str]
    target: list[str]
    labels: list[str]
    productions: list[str]
    fragments: list[str]


def select(table: RuleTable, kept: NDArray[np.bool_]) -> RuleTable:
    """Return the table with some of its rules, in the same order."""
    if kept.all():
        return table
    shape = table.native.select(np.ascontiguousarray(kept).view(np.uint8))
    strings = _Strings(
        list(table.source_strings),
        list(table.target_strings),
        list(table.labels),
        list(table.productions),
        list(table.fragments),
    )
    return _finished(shape, shape[5].view(np.int32).astype(np.int64), strings, table.rule_left, table)


class _Numbers(dict[str, int]):
    """Strings and their numbers, in the order in which they come."""

    def __missing__(self, string: str) -> int:
        return self.setdefault(string, len(self))


def table_of(rules: Iterable[Sequence[Any]], columns: tuple[str, ...], kind: str) -> RuleTable:
    """Return the table of rules; see `RuleTable.from_rules`."""
    check_columns(columns)
    require_choice("kind", kind, KINDS)
    rows = [_row(number, rule, kind) for number, rule in enumerate(rules, 1)]
    for number, row in enumerate(rows, 1):
        if len(row.scores) != len(columns):
            raise ValueError(f"Rule {number} must have {len(columns)} scores. Got {len(row.scores)}.")
    counted = [row.counts for row in rows if row.counts is not None]
    if counted and len(counted) != len(rows):
        raise ValueError("Either all rules have counts, or none.")
    source_words, target_words, labels, productions = _Numbers(), _Numbers(), _Numbers(), _Numbers()
    for row in rows:
        labels[row.left]
        for side, words in ((row.source, source_words), (row.target, target_words)):
            for symbol in side:
                words[symbol] if isinstance(symbol, str) else labels[symbol.label]
    source: list[list[int]] = []
    for row in rows:
        if kind == "trees":
            decisions = Fragment.parse(row.fragment or "").decisions()
            source.append([0 if d is None else 1 + productions[d] for d in decisions])
        else:
            n = len(source_words)
            source.append(
                [source_words[s] if isinstance(s, str) else n + labels[s.label] for s in row.source]
            )
    n = len(target_words)
    target = [[target_words[s] if isinstance(s, str) else n + s.index for s in row.target] for row in rows]
    fragments = _Numbers()
    shown = [fragments[row.fragment or ""] for row in rows] if kind == "strings" else []
    if not any(fragments):
        fragments, shown = _Numbers(), []
    if len(labels) > 1 << 16:
        raise ValueError(f"A rule table has at most 65,536 labels. Got {len(labels):,}.")
    return RawRules(
        columns,
        kind,
        phrase_nodes(*_flat(source), *_flat(target)),
        list(source_words),
        list(target_words),
        list(labels),
        list(productions),
        list(fragments),
        np.array([labels[row.left] for row in rows], np.uint16),
        np.array([row.scores for row in rows], np.float32).reshape(len(rows), len(columns)),
        np.cumsum([0, *(len(row.links) for row in rows)]).astype(np.uint32),
        np.array([i << 8 | j for row in rows for i, j in row.links], np.uint16),
        np.array(counted, np.float32).reshape(-1, 3),
        np.array(shown, np.uint32),
    ).table()


def _row(number: int, rule: Sequence[Any], kind: str) -> Rule:
    if isinstance(rule, str) or not 4 <= len(rule) <= 7:
        raise ValueError(f"Rule {number} must be (left, source, target, scores, links, fragment, counts).")
    left, source, target, scores, *more = rule
    defaults: list[Any] = [(), None, None]
    links, fragment, counts = [*more, *defaults[len(more) :]]
    if not isinstance(left, str) or not left or set(left) & set(" \t\n[],()"):
        raise ValueError(f"Rule {number} must have a label on its left side. Got {left!r}.")
    if kind == "trees":
        if not fragment:
            raise ValueError(f"Rule {number} must have a fragment of a source tree.")
        tree = Fragment.parse(str(fragment))
        if tree.label != left:
            raise ValueError(f"Rule {number} has the left side {left!r}, but the fragment {fragment!r}.")
        source = tuple(tree.leaves())
    sides = symbols_of(source), symbols_of(target)
    _check_sides(number, *sides)
    for i, j in links:
        if not (0 <= i < len(sides[0]) and 0 <= j < len(sides[1])):
            raise ValueError(f"Rule {number} has a link {i}-{j} outside its sides.")
    if counts is not None and len(counts) != 3:
        raise ValueError(f"Rule {number} must have three counts: target, source, both.")
    shown = None if fragment is None else str(fragment)
    return Rule(left, *sides, tuple(scores), tuple(links), shown, counts if counts is None else tuple(counts))


def _check_sides(number: int, source: tuple[Symbol, ...], target: tuple[Symbol, ...]) -> None:
    if not all(0 < len(side) <= 255 for side in (source, target)):
        raise ValueError(f"Rule {number} must have 1 to 255 symbols on each side.")
    ours = nonterminals(source)
    if [one.index for one in ours] != list(range(len(ours))):
        shown = side_text(source)
        raise ValueError(
            f"Rule {number} must number the nonterminals of its source side 1, 2, …. Got {shown!r}."
        )
    if len(ours) > MOST:
        raise ValueError(f"Rule {number} must have at most {MOST} nonterminals. Got {len(ours)}.")
    if sorted(nonterminals(target), key=lambda one: one.index) != ours:
        raise ValueError(
            f"Rule {number} must have the same nonterminals on both sides. "
            f"Got {side_text(source)!r} and {side_text(target)!r}."
        )


def _flat(rows: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return offsets, np.array([symbol for row in rows for symbol in row], np.int32)


def _finished(
    shape: tuple[Ids, ...],
    items: NDArray[np.int64],
    strings: _Strings,
    left: NDArray[np.uint16],
    given: RawRules | RuleTable,
) -> RuleTable:
    """Return the table of some arrays, with the strings that occur in it and the given rows of the rules."""
    child_begin, child_symbol, rule_begin, rule_target, target_begin, _, rows = shape
    symbols = child_symbol[1:]
    rule_left = left[rows]
    words = items >= 0
    target_strings, target_number = used_words(strings.target, items[words].astype(np.uint32))
    items[words] = target_number[items[words]]
    if given.kind == "trees":
        productions, production_number = used_words(strings.productions, symbols[symbols > 0] - np.uint32(1))
        parts = [production_parts(text) for text in productions]
        kept = {child for _, children in parts for child in children if isinstance(child, str)}
        source_strings = StringTable.of(word for word in strings.source if word in kept)
        labels, label_number = used_words(strings.labels, rule_left.astype(np.uint32))
        symbols[symbols > 0] = production_number[symbols[symbols > 0] - np.uint32(1)] + np.uint32(1)
    else:
        productions = StringTable.of([])
        n = len(strings.source)
        source_strings, source_number = used_words(strings.source, symbols[symbols < n])
        here = np.concatenate([symbols[symbols >= n] - np.uint32(n), rule_left.astype(np.uint32)])
        labels, label_number = used_words(strings.labels, here)
        symbol_number = np.concatenate([source_number, label_number + np.uint32(len(source_strings))])
        child_symbol[1:] = symbol_number[symbols]
    order, link_begin = moved_rows(given.link_begin, rows)
    fragments, rule_fragment = StringTable.of([]), np.zeros(0, np.uint32)
    if len(given.rule_fragment):
        fragments, fragment_number = used_words(strings.fragments, given.rule_fragment[rows])
        rule_fragment = fragment_number[given.rule_fragment[rows]]
    return RuleTable(
        given.columns,
        given.kind,
        source_strings,
        target_strings,
        labels,
        productions,
        fragments,
        child_begin,
        child_symbol,
        rule_begin,
        label_number[rule_left].astype(np.uint16),
        rule_target,
        target_begin,
        items.astype(np.int32),
        np.ascontiguousarray(given.scores[rows]),
        link_begin,
        given.links[order],
        np.ascontiguousarray(given.counts[rows]) if len(given.counts) else np.zeros((0, 3), np.float32),
        rule_fragment,
    )
