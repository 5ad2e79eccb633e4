"""LCFRS whose rules have one or two children, as the arrays that the native parser takes. CSC 448, §12.

A symbol is a label and a fan-out, written `VP/2` where it is above one; tags are right above words. The
yield function of a binary rule says how the segments of the parent are made: `01,0` is the first segment of
the left child with the first of the right one, a gap, and the second of the left child. The left child has
the first word.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.inference.lcfrs import LCFRS, LCFRSRule, Span

Ints = NDArray[np.int32]
Row = tuple[tuple[str, ...], float]  # a rule and its weight


@dataclass(frozen=True, eq=False)
class LcfrsTable:
    """Symbols and rules. weight: the probability of a rule given its parent. `names` have the fan-outs on them.

    tags: of each symbol, whether it is above words. Binary rule r is parent[r] → left[r] right[r] by
    yield_code[r].
    """

    names: tuple[str, ...]
    fan_out: Ints
    tags: NDArray[np.bool_]
    root: int
    parent: Ints
    left: Ints
    right: Ints
    yield_code: NDArray[np.uint64]
    weight: NDArray[np.float64]
    unary_parent: Ints
    unary_child: Ints
    unary_weight: NDArray[np.float64]

    @property
    def arguments(self) -> dict[str, Any]:
        """What the native classes take."""
        fields = ("fan_out", "root", "parent", "left", "right", "yield_code", "weight")
        return {
            name: getattr(self, name) for name in (*fields, "unary_parent", "unary_child", "unary_weight")
        }

    def rule_text(self, rule: int) -> str:
        """A binary rule in the notation of `inference/lcfrs.py`."""
        children = self.names[self.left[rule]], self.names[self.right[rule]]
        next_segment = [1, 1]
        parts: list[str] = []
        for component in yield_text(int(self.yield_code[rule])).split(","):
            symbols = []
            for digit in map(int, component):
                symbols.append(f"{children[digit]}_{next_segment[digit]}[{digit + 1}]")
                next_segment[digit] += 1
            parts.append(" ".join(symbols))
        return f"{float(self.weight[rule])!r}: {self.names[self.parent[rule]]} -> {', '.join(parts)}"

    def unary_text(self, rule: int) -> str:
        """A unary rule in the same notation."""
        parent, child = int(self.unary_parent[rule]), self.names[self.unary_child[rule]]
        parts = (f"{child}_{i + 1}[1]" for i in range(self.fan_out[parent]))
        return f"{float(self.unary_weight[rule])!r}: {self.names[parent]} -> {', '.join(parts)}"

    def text(self) -> str:
        """All rules but those of words; the root's come first, since the first rule names the start symbol."""
        lines = [(self.parent[r] != self.root, self.rule_text(r)) for r in range(len(self.parent))]
        lines += [
            (self.unary_parent[r] != self.root, self.unary_text(r)) for r in range(len(self.unary_parent))
        ]
        return "".join(line + "\n" for _, line in sorted(lines, key=lambda line: line[0]))


def yield_code(text: str) -> int:
    """The number of a yield function.

    >>> yield_text(yield_code("01,0"))
    '01,0'
    """
    code = 3
    for sign in text:
        code = code << 2 | "01,".index(sign)
    return code


def yield_text(code: int) -> str:
    """The yield function of a number."""
    signs = ""
    while code > 3:
        signs = "01,"[code & 3] + signs
        code >>= 2
    return signs


def yield_of(left: int, right: int) -> str:
    """The yield function of two sets of words, given as the bits of numbers.

    >>> yield_of(0b0001001, 0b0000110)
    '010'
    """
    signs = []
    both, before = left | right, ""
    position = (both & -both).bit_length() - 1
    for i in range(position, both.bit_length()):
        here = "0" if left >> i & 1 else "1" if right >> i & 1 else ","
        if here != before:
            signs.append(here)
        before = here
    return "".join(signs)


def table_of(
    rules: Mapping[tuple[str, ...], float], root: str, fan_out: Mapping[str, int], tags: Sequence[str]
) -> LcfrsTable:
    """A table from (parent, left, right, yield) or (parent, child) to weight, in that order."""
    names = tuple(fan_out)
    numbers = {name: i for i, name in enumerate(names)}
    binary: list[Row] = [row for row in rules.items() if len(row[0]) == 4]
    unary: list[Row] = [row for row in rules.items() if len(row[0]) == 2]

    def column(rows: list[Row], i: int) -> Ints:
        return np.array([numbers[rule[i]] for rule, _ in rows], np.int32)

    is_tag = frozenset(tags)
    return LcfrsTable(
        names,
        np.array([fan_out[name] for name in names], np.int32),
        np.array([name in is_tag for name in names], np.bool_),
        numbers[root],
        column(binary, 0),
        column(binary, 1),
        column(binary, 2),
        np.array([yield_code(rule[3]) for rule, _ in binary], np.uint64),
        np.array([weight for _, weight in binary], np.float64),
        column(unary, 0),
        column(unary, 1),
        np.array([weight for _, weight in unary], np.float64),
    )


def table_from_text(grammar: LCFRS) -> tuple[LcfrsTable, dict[str, dict[str, float]]]:
    """The table of a grammar in text, and the weight of each word by tag: word → {tag: weight}.

    Every rule must have one or two right-hand nonterminals, or one word and nothing else; segments stay in
    order, none is empty, and no two of one nonterminal are side by side. ValueError, with the line, for a
    rule that is otherwise.
    """
    rules: dict[tuple[str, ...], float] = {}
    words: dict[str, dict[str, float]] = {}
    for rule in grammar.rules:
        if not rule.right:
            (tag, word) = rule.left, _only_word(rule)
            words.setdefault(word, {})[tag] = words.get(word, {}).get(tag, 0.0) + rule.weight
            continue
        key = _key(rule)
        rules[key] = rules.get(key, 0.0) + rule.weight
    tags = sorted({tag for by_tag in words.values() for tag in by_tag})
    return table_of(rules, grammar.start, grammar.fan_out, tags), words


def _only_word(rule: LCFRSRule) -> str:
    if len(rule.components) != 1 or len(rule.components[0]) != 1:
        raise ValueError(
            f"line {rule.line}: a rule without nonterminals must have one word, and nothing else."
        )
    word = rule.components[0][0]
    assert isinstance(word, str)
    return word


def _key(rule: LCFRSRule) -> tuple[str, ...]:
    if len(rule.right) > 2:
        raise ValueError(
            f"line {rule.line}: {len(rule.right)} nonterminals on the right; binarize: two at most."
        )
    used = [symbol for component in rule.components for symbol in component]
    if not all(isinstance(symbol, Span) for symbol in used):
        raise ValueError(f"line {rule.line}: a word beside nonterminals; give it a tag of its own.")
    signs = ",".join("".join(str(s.nonterminal) for s in c if isinstance(s, Span)) for c in rule.components)
    for n in range(len(rule.right)):
        segments = [s.component for s in used if isinstance(s, Span) and s.nonterminal == n]
        if segments != sorted(segments):
            raise ValueError(f"line {rule.line}: the segments of {rule.right[n]} are not in order.")
    if any(not c for c in rule.components) or "00" in signs or "11" in signs:
        raise ValueError(f"line {rule.line}: an empty segment, or two of one nonterminal side by side.")
    if len(rule.right) == 1:
        return rule.left, rule.right[0]
    return rule.left, *rule.right, signs
