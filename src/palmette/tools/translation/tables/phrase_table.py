"""Phrase tables: source phrases, their translations, and the scores of each pair, as arrays that map from a file.

Source phrases are paths in a trie with breadth-first numbers (native/tools/translation/phrase_table.hpp):

    source_strings, target_strings   the two vocabularies, sorted by their bytes
    child_begin  [nodes + 1]   the children of node v are child_begin[v] … child_begin[v + 1] − 1; 0 is the root
    child_word   [nodes]       the source word on the edge into a node; it rises among siblings
    pair_begin   [nodes + 1]   the pairs of the phrase that node v spells, best first (`assembling.default_score`)
    pair_target  [pairs]       the target phrase of a pair
    target_begin [targets + 1], target_words   the words of the distinct target phrases
    scores       [pairs, columns]              natural logarithms, named by `columns`
    reordering   [pairs, 0, 3 or 6]            the same of orientations, named by `reordering_columns`
    link_begin   [pairs + 1], links            links inside a pair: source word << 8 | target word
    counts       [pairs, 3] or [0, 3]          how often the target phrase, the source phrase and the pair occur

The same pairs give the same arrays, whatever their order. Small tables are checked as a whole when they are
loaded; in larger ones each item is checked when it is looked up, so that a file of any size is ready at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette._native import PhraseTable as NativeTable
from palmette._native import intern_words, phrase_nodes
from palmette.errors import FormatError
from palmette.formats.files import Source
from palmette.formats.model.safetensors import Array
from palmette.formats.model.strings import StringTable
from palmette.formats.pharaoh import Link

STANDARD = ("phi_source", "lex_source", "phi_target", "lex_target")
FROM = ("from_monotone", "from_swap", "from_discontinuous")
TO = ("to_monotone", "to_swap", "to_discontinuous")
ORIENTATIONS = (*FROM, *TO)
_DTYPES: Mapping[str, tuple[str, int]] = {
    "child_begin": ("<u4", 1),
    "child_word": ("<u4", 1),
    "pair_begin": ("<u4", 1),
    "pair_target": ("<u4", 1),
    "target_begin": ("<u4", 1),
    "target_words": ("<u4", 1),
    "scores": ("<f4", 2),
    "reordering": ("<f4", 2),
    "link_begin": ("<u4", 1),
    "links": ("<u2", 1),
    "counts": ("<u4", 2),
}
_CHECKED_WHOLE = 1 << 25  # bytes of arrays that are read from end to end when a table is made: some 5 ms

Phrase: TypeAlias = str | Sequence[str]  # words between white space, or a list of words
Ids = NDArray[np.uint32]


class TablePair(NamedTuple):
    """A phrase pair: words, scores by column and by orientation, links; counts of target, source and both."""

    source: tuple[str, ...]
    target: tuple[str, ...]
    scores: tuple[float, ...]
    reordering: tuple[float, ...] = ()
    links: tuple[Link, ...] = ()
    counts: tuple[int, int, int] | None = None


def _no_counts() -> Ids:
    return np.zeros((0, 3), np.uint32)


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Phrase pairs with scores; the module says what the arrays are. ValueError if they do not fit together.

    >>> table = PhraseTable.from_pairs([("das Haus", "the house", [-0.1, -0.2, -0.3, -0.4], [], [(0, 0), (1, 1)])])
    >>> len(table), [" ".join(pair.target) for pair in table.lookup("das Haus")]
    (1, ['the house'])
    """

    columns: tuple[str, ...]
    reordering_columns: tuple[str, ...]
    source_strings: StringTable
    target_strings: StringTable
    child_begin: Ids
    child_word: Ids
    pair_begin: Ids
    pair_target: Ids
    target_begin: Ids
    target_words: Ids
    scores: NDArray[np.float32]
    reordering: NDArray[np.float32]
    link_begin: Ids
    links: NDArray[np.uint16]
    counts: Ids = field(default_factory=_no_counts)

    def __post_init__(self) -> None:
        _check_names(self.columns, self.reordering_columns)
        self.native  # noqa: B018  # it checks the arrays

    @cached_property
    def native(self) -> NativeTable:
        """The native side of the table, over the same arrays."""
        for name, (dtype, dimensions) in _DTYPES.items():
            array = getattr(self, name)
            if array.dtype != np.dtype(dtype) or array.ndim != dimensions or not array.flags.c_contiguous:
                raise ValueError(f"the array {name!r} of the phrase table is of a wrong type or shape")
        if self.counts.shape[1] != 3 or len(self.counts) not in (0, len(self.pair_target)):
            raise ValueError("the counts of the phrase table are not three for each pair")
        widths = self.scores.shape[1], self.reordering.shape[1]
        if widths != (len(self.columns), len(self.reordering_columns)):
            raise ValueError("the phrase table lacks a name for a column of scores")
        given: dict[str, Any] = {name: getattr(self, name) for name in _DTYPES if name != "counts"}
        whole = sum(array.nbytes for array in given.values()) <= _CHECKED_WHOLE
        for side, strings in (("source", self.source_strings), ("target", self.target_strings)):
            given[f"{side}_utf8"] = np.ascontiguousarray(strings.utf8)
            given[f"{side}_offsets"] = np.ascontiguousarray(strings.offsets)
        return NativeTable(**given, whole=whole)

    def __eq__(self, other: object) -> bool:
        """Whether both have the same pairs with the same scores, links and counts, under the same names."""
        if not isinstance(other, PhraseTable):
            return NotImplemented
        names = self.columns, self.reordering_columns
        return (
            names == (other.columns, other.reordering_columns)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in _DTYPES)
            and all(list(own) == list(others) for own, others in zip(self._words, other._words))
        )

    def __hash__(self) -> int:
        return hash((self.columns, self.reordering_columns, len(self.pair_target), len(self.target_words)))

    @property
    def _words(self) -> tuple[StringTable, StringTable]:
        return self.source_strings, self.target_strings

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "native"}

    # Making

    @classmethod
    def from_pairs(
        cls,
        pairs: Iterable[Sequence[Any]],
        *,
        columns: Sequence[str] = STANDARD,
        reordering_columns: Sequence[str] | None = None,
    ) -> PhraseTable:
        """Make a table of pairs (source, target, scores, reordering, links, counts).

        source, target: words between white space, or lists of words. scores, reordering: logarithms, one for each
        column. links: (source word, target word), counted from 0. The last three may be left out.
        ValueError if a pair occurs twice, has no words, or has a score that is not finite.
        """
        from palmette.tools.translation.tables.assembling import RawPairs

        rows = [_row(number, pair) for number, pair in enumerate(pairs, 1)]
        width = len(rows[0].reordering) if rows else 0
        if reordering_columns is None:
            reordering_columns = {0: (), 3: FROM}.get(width, ORIENTATIONS)
        names, orientations = tuple(columns), tuple(reordering_columns)
        for number, row in enumerate(rows, 1):
            for what, values, wanted in (
                ("scores", row.scores, names),
                ("orientations", row.reordering, orientations),
            ):
                if len(values) != len(wanted):
                    raise ValueError(
                        f"Phrase pair {number} must have {len(wanted)} {what}. Got {len(values)}."
                    )
        counted = [row.counts for row in rows if row.counts is not None]
        if counted and len(counted) != len(rows):
            raise ValueError("Either all phrase pairs have counts, or none.")
        link_begin = np.zeros(len(rows) + 1, np.uint32)
        link_begin[1:] = np.cumsum([len(row.links) for row in rows], dtype=np.int64)
        _check_names(names, orientations)
        phrases: list[list[Sequence[str]]] = [[row.source for row in rows], [row.target for row in rows]]
        (source, source_words, source_at), (target, target_words, target_at) = map(intern_words, phrases)
        return RawPairs(
            phrase_nodes(source_at, source, target_at, target),
            source_words,
            target_words,
            names,
            orientations,
            np.array([row.scores for row in rows], np.float32).reshape(len(rows), len(names)),
            np.array([row.reordering for row in rows], np.float32).reshape(len(rows), len(orientations)),
            link_begin,
            np.array([i << 8 | j for row in rows for i, j in row.links], np.uint16),
            np.array(counted, np.uint32).reshape(-1, 3),
        ).table()

    def arrays(self) -> dict[str, Array]:
        """Return the arrays by name, for a model file; `strings` and `names` are the rest of a table."""
        return {name: getattr(self, name) for name in _DTYPES}

    def strings(self) -> dict[str, StringTable]:
        """Return the vocabularies by name, for a model file."""
        return {"source_strings": self.source_strings, "target_strings": self.target_strings}

    @classmethod
    def from_arrays(
        cls,
        arrays: Mapping[str, Array],
        strings: Mapping[str, Sequence[str]],
        *,
        columns: Sequence[str],
        reordering_columns: Sequence[str] = (),
        path: str | None = None,
    ) -> PhraseTable:
        """Return the table that `arrays` and `strings` describe; FormatError if they are damaged."""
        found: dict[str, Any] = {}
        for name in _DTYPES:
            array = arrays.get(name)
            if array is None and name != "counts":
                raise FormatError(f"damaged model: the phrase table has no array {name!r}", path=path)
            found[name] = _no_counts() if array is None else array
        for name in ("source_strings", "target_strings"):
            table = strings.get(name)
            if table is None:
                raise FormatError(f"damaged model: the phrase table has no strings {name!r}", path=path)
            found[name] = table if isinstance(table, StringTable) else StringTable.of(table)
        try:
            return cls(tuple(columns), tuple(reordering_columns), **found)
        except (ValueError, TypeError) as error:
            raise FormatError(f"damaged model: {error}", path=path) from None

    @classmethod
    def read(
        cls, path: Source, reordering: Source | None = None, *, columns: Sequence[str] | None = None
    ) -> PhraseTable:
        """Read a phrase table in the format of Moses, and its reordering table; see `table_files.read_table`."""
        from palmette.tools.translation.tables.files import read_table

        return read_table(path, reordering, columns=columns)

    def write(self, path: Source, reordering: Source | None = None) -> None:
        """Write the table in the format of Moses, and its orientations to another file if asked."""
        from palmette.tools.translation.tables.files import write_table

        write_table(self, path, reordering)

    # Looking up

    def __len__(self) -> int:
        return len(self.pair_target)

    def __repr__(self) -> str:
        return f"<PhraseTable of {len(self):,} phrase pairs>"

    def lookup(self, phrase: Phrase, k: int | None = None) -> list[TablePair]:
        """Return the pairs of a source phrase, or the first k of them, best first; none for the empty phrase."""
        words = tuple(phrase.split()) if isinstance(phrase, str) else tuple(phrase)
        if not words:
            return []
        begin, end = self.native.find(list(words))
        return [self.pair(p, words) for p in range(begin, end if k is None else min(end, begin + k))]

    def pair(self, number: int, source: tuple[str, ...]) -> TablePair:
        """Return a pair by its number; source: the words of its source phrase."""
        target = tuple(self.target_strings[word] for word in self.native.target(number))
        return TablePair(
            source,
            target,
            tuple(self.scores[number].tolist()),
            tuple(self.reordering[number].tolist()),
            tuple((int(i), int(j)) for i, j in self.native.links(number, len(source))),
            (int(self.counts[number, 0]), int(self.counts[number, 1]), int(self.counts[number, 2]))
            if len(self.counts)
            else None,
        )

    def __iter__(self) -> Iterator[TablePair]:
        """Yield all pairs in the order of the trie."""
        words = list(self.source_strings)
        paths: list[tuple[str, ...]] = [()]
        begins, pairs = self.child_begin.tolist(), self.pair_begin.tolist()
        labels = self.child_word.tolist()
        for node, (begin, end) in enumerate(pairwise(begins)):
            source = paths[node]
            paths[node] = ()
            paths.extend((*source, words[labels[child]]) for child in range(begin, end))
            yield from (self.pair(p, source) for p in range(pairs[node], pairs[node + 1]))

    def without_counts(self) -> PhraseTable:
        """Return the table without its counts, which a decoder does not need."""
        return replace(self, counts=_no_counts())


def _row(number: int, pair: Sequence[Any]) -> TablePair:
    if isinstance(pair, str) or not 3 <= len(pair) <= 6:
        raise ValueError(f"Phrase pair {number} must be (source, target, scores, reordering, links, counts).")
    source, target, scores, *more = pair
    sides = [tuple(side.split()) if isinstance(side, str) else tuple(side) for side in (source, target)]
    links = tuple(more[1]) if len(more) > 1 else ()
    for i, j in links:
        if not (0 <= i < len(sides[0]) and 0 <= j < len(sides[1])):
            raise ValueError(f"Phrase pair {number} has a link {i}-{j} outside its phrases.")
    if not all(0 < len(side) <= 255 for side in sides):
        raise ValueError(f"Phrase pair {number} must have 1 to 255 words on each side.")
    counts = tuple(more[2]) if len(more) > 2 and more[2] is not None else None
    if counts is not None and len(counts) != 3:
        raise ValueError(f"Phrase pair {number} must have three counts: target, source, both.")
    reordering = tuple(more[0]) if more else ()
    return TablePair(sides[0], sides[1], tuple(scores), reordering, links, counts)


def _check_names(columns: tuple[str, ...], reordering_columns: tuple[str, ...]) -> None:
    names = (*columns, *reordering_columns)
    if not columns or not all(isinstance(name, str) and name.isidentifier() for name in names):
        raise ValueError(f"The columns of a phrase table are names such as phi_target. Got {list(names)}.")
    if len(set(names)) != len(names):
        raise ValueError(f"The columns of a phrase table have different names. Got {list(names)}.")
    if reordering_columns not in ((), FROM, TO, ORIENTATIONS):
        raise ValueError(f"The columns of orientations are {', '.join(ORIENTATIONS)}, or three of them.")
