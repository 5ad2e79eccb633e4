"""Tables of rules of a synchronous grammar with their scores, as arrays that map from a file.

Source sides are paths in a trie with breadth-first numbers (native/tools/translation/rules/rule_table.hpp):

    source_strings, target_strings   the two vocabularies, sorted by their bytes; labels: of nonterminals
    child_begin  [nodes + 1]   the children of node v are child_begin[v] … child_begin[v + 1] − 1; 0 is the root
    child_symbol [nodes]       the symbol on the edge into a node; it rises among siblings
    rule_begin   [nodes + 1]   the rules of the source side that node v spells, best first (`default_score`)
    rule_left    [rules]       the label of the left side
    rule_target  [rules]       the target side
    target_begin [targets + 1], target_items   a word, or −1 − t for the t-th nonterminal of the source side
    scores       [rules, columns]              natural logarithms, named by `columns`
    link_begin   [rules + 1], links            source position << 8 | target position of aligned words
    counts       [rules, 3] or [0, 3]          how often the target side, the source side and the rule occur
    rule_fragment [rules] or [0]               the tree fragment of a rule, among the strings `fragments`

In kind "strings", a symbol is a source word, or `len(source_strings)` + a for label a. In kind "trees", source
sides are fragments of trees: symbol 0 makes the leftmost open node a variable, and 1 + p expands it by
`productions[p]` (`fragments.py`). Small tables are checked as a whole when they are loaded; in larger ones each
item is checked when it is looked up, so that a file of any size is ready at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette._native import RuleTable as NativeTable
from palmette.errors import FormatError
from palmette.formats.files import Source
from palmette.formats.model.safetensors import Array
from palmette.formats.model.strings import StringTable
from palmette.tools.translation.rules.fragments import Decision, Fragment, fragment_of
from palmette.tools.translation.rules.symbols import Nonterminal, Rule, Side, Symbol, symbols_of
from palmette.tools.translation.tables.phrase_table import STANDARD

KINDS = ("strings", "trees")
_DTYPES: Mapping[str, tuple[str, int]] = {
    "child_begin": ("<u4", 1),
    "child_symbol": ("<u4", 1),
    "rule_begin": ("<u4", 1),
    "rule_left": ("<u2", 1),
    "rule_target": ("<u4", 1),
    "target_begin": ("<u4", 1),
    "target_items": ("<i4", 1),
    "scores": ("<f4", 2),
    "link_begin": ("<u4", 1),
    "links": ("<u2", 1),
    "counts": ("<f4", 2),
    "rule_fragment": ("<u4", 1),
}
_OPTIONAL = ("counts", "rule_fragment")
_STRINGS = ("source_strings", "target_strings", "labels", "productions", "fragments")
_CHECKED_WHOLE = 1 << 25  # bytes of arrays that are read from end to end when a table is made: some 10 ms

Ids = NDArray[np.uint32]


def _no_counts() -> NDArray[np.float32]:
    return np.zeros((0, 3), np.float32)


def _no_fragments() -> Ids:
    return np.zeros(0, np.uint32)


class _Words(NamedTuple):
    """The strings of a table, as tables or as lists."""

    source: Sequence[str]
    target: Sequence[str]
    labels: Sequence[str]
    productions: Sequence[str]


@dataclass(frozen=True, eq=False)
class RuleTable:
    """Rules with scores; the module says what the arrays are. ValueError if they do not fit together.

    >>> rule = "X", "ne [X,1] pas", "not [X,1]", [-0.1, -0.2, -0.3, -0.4], [(0, 0), (2, 0)]
    >>> table = RuleTable.from_rules([rule])
    >>> [str(rule) for rule in table.rules("ne [X,1] pas")]
    ['[X] ||| ne [X,1] pas ||| not [X,1]']
    """

    columns: tuple[str, ...]
    kind: str
    source_strings: StringTable
    target_strings: StringTable
    labels: StringTable
    productions: StringTable
    fragments: StringTable
    child_begin: Ids
    child_symbol: Ids
    rule_begin: Ids
    rule_left: NDArray[np.uint16]
    rule_target: Ids
    target_begin: Ids
    target_items: NDArray[np.int32]
    scores: NDArray[np.float32]
    link_begin: Ids
    links: NDArray[np.uint16]
    counts: NDArray[np.float32] = field(default_factory=_no_counts)
    rule_fragment: Ids = field(default_factory=_no_fragments)

    def __post_init__(self) -> None:
        check_columns(self.columns)
        if self.kind not in KINDS:
            raise ValueError(f"the kind of a rule table is 'strings' or 'trees', not {self.kind!r}")
        self.native  # noqa: B018  # it checks the arrays

    @cached_property
    def native(self) -> NativeTable:
        """The native side of the table, over the same arrays."""
        for name, (dtype, dimensions) in _DTYPES.items():
            array = getattr(self, name)
            if array.dtype != np.dtype(dtype) or array.ndim != dimensions or not array.flags.c_contiguous:
                raise ValueError(f"the array {name!r} of the rule table is of a wrong type or shape")
        if self.counts.shape[1] != 3 or len(self.counts) not in (0, len(self)):
            raise ValueError("the counts of the rule table are not three for each rule")
        if len(self.rule_fragment) not in (0, len(self)):
            raise ValueError("the rule table lacks a fragment for a rule")
        if self.scores.shape[1] != len(self.columns):
            raise ValueError("the rule table lacks a name for a column of scores")
        given: dict[str, Any] = {name: getattr(self, name) for name in _DTYPES if name not in _OPTIONAL}
        whole = sum(array.nbytes for array in given.values()) <= _CHECKED_WHOLE
        for name in _STRINGS[:4]:
            strings = getattr(self, name)
            short = name.removesuffix("_strings")
            given[f"{short}_utf8"] = np.ascontiguousarray(strings.utf8)
            given[f"{short}_offsets"] = np.ascontiguousarray(strings.offsets)
        return NativeTable(**given, trees=self.kind == "trees", whole=whole)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "native"}

    # Making

    @classmethod
    def from_rules(
        cls,
        rules: Iterable[Sequence[Any]],
        *,
        columns: Sequence[str] = STANDARD,
        kind: str = "strings",
    ) -> RuleTable:
        """Make a table of rules (left, source, target, scores, links, fragment, counts), which may be `Rule`s.

        source, target: symbols, or text such as `ne [X,1] pas`. The last three may be left out. In kind "trees",
        `fragment` is the piece of the source tree, and source its leaves, or None. ValueError if a rule occurs
        twice, its nonterminals do not correspond, or a score is not finite.
        """
        from palmette.tools.translation.rules.assembling import table_of

        return table_of(rules, tuple(columns), kind)

    def arrays(self) -> dict[str, Array]:
        """Return the arrays by name, for a model file; `strings`, `columns` and `kind` are the rest of a table."""
        return {name: getattr(self, name) for name in _DTYPES}

    def strings(self) -> dict[str, StringTable]:
        """Return the vocabularies by name, for a model file."""
        return {name: getattr(self, name) for name in _STRINGS}

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, Array],
        strings: Mapping[str, Sequence[str]],
        *,
        columns: Sequence[str],
        kind: str = "strings",
        path: str | None = None,
    ) -> RuleTable:
        """Return the table that `arrays` and `strings` describe; FormatError if they are damaged."""
        found: dict[str, Any] = {}
        for name in _DTYPES:
            array = arrays.get(name)
            if array is None and name not in _OPTIONAL:
                raise FormatError(f"damaged model: the rule table has no array {name!r}", path=path)
            missing = _no_counts() if name == "counts" else _no_fragments()
            found[name] = missing if array is None else array
        for name in _STRINGS:
            table = strings.get(name)
            if table is None:
                raise FormatError(f"damaged model: the rule table has no strings {name!r}", path=path)
            found[name] = table if isinstance(table, StringTable) else StringTable.of(table)
        try:
            return cls(tuple(columns), kind, **found)
        except (ValueError, TypeError) as error:
            raise FormatError(f"damaged model: {error}", path=path) from None

    @classmethod
    def read(cls, path: Source, *, columns: Sequence[str] | None = None) -> RuleTable:
        """Read a table in the format of Moses, or of Joshua and cdec; see `files.read_rules`."""
        from palmette.tools.translation.rules.files import read_rules

        return read_rules(path, columns=columns)

    def write(self, path: Source, format: str = "moses") -> None:
        """Write the table in the format "moses" or "joshua"; see `files.write_rules`."""
        from palmette.tools.translation.rules.files import write_rules

        write_rules(self, path, format)

    def filtered(self, sentences: Iterable[Any]) -> RuleTable:
        """Return the rules that may be used on some sentences or trees; see `filtering.filtered`."""
        from palmette.tools.translation.rules.filtering import filtered

        return filtered(self, sentences)

    # Looking up

    def __len__(self) -> int:
        return len(self.rule_target)

    def __repr__(self) -> str:
        return f"<RuleTable of {len(self):,} rules over {self.kind}>"

    def rules(self, source: Side, k: int | None = None) -> list[Rule]:
        """Return the rules of a source side, or the first k of them, best first.

        source: symbols, or text such as `ne [X,1] pas`; of kind "trees" a fragment such as `(VP (RB not) [VB,1])`.
        """
        path = self._path(source)
        if not path:
            return []
        begin, end = self.native.find(path)
        words = _Words(self.source_strings, self.target_strings, self.labels, self.productions)
        return list(self._rules(path, begin, end if k is None else min(end, begin + k), words))

    def __iter__(self) -> Iterator[Rule]:
        """Yield all rules in the order of the trie."""
        self.native.check()
        paths: list[tuple[int, ...]] = [()]
        begins, rules = self.child_begin.tolist(), self.rule_begin.tolist()
        symbols = self.child_symbol.tolist()
        words = _Words(*(list(getattr(self, name)) for name in _STRINGS[:4]))  # all are needed: decoded once
        for node, (begin, end) in enumerate(pairwise(begins)):
            path = paths[node]
            paths[node] = ()
            paths.extend((*path, symbols[child]) for child in range(begin, end))
            if rules[node] < rules[node + 1]:
                yield from self._rules(path, rules[node], rules[node + 1], words)

    def _side(self, path: Sequence[int], words: _Words) -> tuple[tuple[Symbol, ...], str | None]:
        """Return the source side that symbols spell; and the fragment, if the table is over trees."""
        if self.kind == "trees":
            fragment = fragment_of([words.productions[p - 1] if p else None for p in path])
            return tuple(fragment.leaves()), str(fragment)
        found: list[Symbol] = []
        n = len(words.source)
        index = 0
        for symbol in path:
            if symbol < n:
                found.append(words.source[symbol])
            else:
                found.append(Nonterminal(words.labels[symbol - n], index))
                index += 1
        return tuple(found), None

    def _path(self, source: Side) -> list[int]:
        """The symbols of a source side, or none if it has one that the table does not have."""
        native, unknown = self.native, 2**32 - 1
        if self.kind == "trees":
            text = source if isinstance(source, str) else " ".join(map(str, source))
            decisions: list[Decision] = list(Fragment.parse(text).decisions())
            path = [0 if d is None else 1 + native.production_number(d) for d in decisions]
        else:
            words = len(self.source_strings)
            path = [
                native.source_number(one) if isinstance(one, str) else words + native.label_number(one.label)
                for one in symbols_of(source)
            ]
        return path if path and max(path) < unknown else []

    def _rules(self, path: Sequence[int], begin: int, end: int, words: _Words) -> Iterator[Rule]:
        source, fragment = self._side(path, words)
        variables = [one for one in source if isinstance(one, Nonterminal)]
        native = self.native
        scores, all_counts = self.scores[begin:end].tolist(), self.counts[begin:end].tolist()
        for rule in range(begin, end):
            target: tuple[Symbol, ...] = tuple(
                [
                    words.target[item] if item >= 0 else variables[-1 - item]
                    for item in native.target(rule, len(variables))
                ]
            )
            counts = all_counts[rule - begin] if all_counts else None
            yield Rule(
                words.labels[native.left(rule)],
                source,
                target,
                tuple(scores[rule - begin]),
                tuple(native.links(rule, len(source), len(target))),
                self._fragment(rule) if fragment is None else fragment,
                None if counts is None else (counts[0], counts[1], counts[2]),
            )

    def _fragment(self, rule: int) -> str | None:
        if not len(self.rule_fragment):
            return None
        number = int(self.rule_fragment[rule])
        if number >= len(self.fragments):
            raise ValueError("the rule table is damaged: the fragment of a rule cannot be right")
        return self.fragments[number] or None


def check_columns(columns: Sequence[str]) -> None:
    """Raise ValueError unless columns are different names."""
    if not columns or not all(isinstance(name, str) and name.isidentifier() for name in columns):
        raise ValueError(f"The columns of a rule table are names such as phi_target. Got {list(columns)}.")
    if len(set(columns)) != len(columns):
        raise ValueError(f"The columns of a rule table have different names. Got {list(columns)}.")
