"""Text as a corpus of characters, white space left out: what the chain over characters looks at.

| column | what it has for a character |
| --- | --- |
| `char`, `kind` | the character; its class (`scripts.class_of`) |
| `space` | `_` if white space follows, `-` if none |
| `size` | how many characters its chunk has, up to a limit |
| `run` | letters and digits between the sign before it and it, if it is a sign; `+` if its chunk had it before |
| `left`, `right` | its chunk up to it, and behind it; empty where that is long |
| `before`, `next`, `next2` | the chunk before its own, the two chunks behind, where white space follows |
| `profile` | what is known of the next chunk (`Lexicon.profile`), where white space follows |
| `ends`, `begins`, `spans` | length of the longest known token that ends here, begins behind, spans both |

A chunk is what white space divides. All of a chunk is computed once for each distinct chunk; the rest are array
operations. O(length of the text).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.features.instances import gather
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.tools.tokens.lexicon import Lexicon
from palmette.tools.tokens.scripts import class_of

Ids = NDArray[np.int32]
_REACH = 12  # the longest `left` and `right`
_LONG = 20  # the largest number in `size`
_LONGEST_WORD = 24  # a longer chunk is not a word that others see
_LONG_RUN = 4  # the largest number in `run`
_RUNS = ["", *(f"{k}{again}" for k in range(_LONG_RUN + 1) for again in ("", "+"))]
_MOST_CODES = 0x110000
_AROUND = {"before": -1, "next": 1, "next2": 2}  # chunks and their distance


class Characters(NamedTuple):
    """The characters of a text: `places[i]` is where character i is in it; `spaced[i]`: white space follows.

    The sentences of the corpus are the paragraphs of the text.
    """

    corpus: Corpus
    places: NDArray[np.int64]
    spaced: NDArray[np.bool_]

    @property
    def lasts(self) -> NDArray[np.int64]:
        """The last character of every paragraph."""
        return self.corpus.offsets[1:] - 1


def characters(text: str, lexicon: Lexicon, ends: Sequence[int] = ()) -> Characters:
    """Return the characters of a text; ends: where its paragraphs end, by default it is one.

    What a character sees never goes beyond its paragraph. Paragraphs of nothing but white space are left out.
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    seen = np.zeros(_MOST_CODES, dtype=bool)
    seen[codes] = True
    distinct = [chr(code) for code in np.flatnonzero(seen).tolist()]
    number = np.zeros(_MOST_CODES, dtype=np.int32)
    number[seen] = np.arange(len(distinct), dtype=np.int32)
    types = number[codes]
    space = np.array([character.isspace() for character in distinct], dtype=bool)[types]
    places = np.flatnonzero(~space)
    types = types[places]
    offsets = np.unique(
        np.append(np.searchsorted(places, np.asarray(ends, dtype=np.int64)), [0, len(places)])
    )
    spaced = np.append(space, True)[places + 1]
    last = np.zeros(len(places), dtype=bool)
    last[offsets[1:] - 1] = True
    kinds = Column.of([class_of(character) for character in distinct])
    columns = {
        "char": Column(types, distinct or [""]),
        "kind": Column(kinds.ids[types], kinds.strings or [""]),
        "space": Column((spaced | last).astype(np.int32), ["-", "_"]),
        **_Chunks.of(text.split()).columns(spaced, last, lexicon),
        **_known(codes[places], spaced, last, lexicon),
    }
    return Characters(Corpus(columns, offsets), places, spaced | last)


def joined(corpora: Sequence[Corpus]) -> Corpus:
    """Several corpora with the same columns as one."""
    columns = {}
    for name in corpora[0].names:
        index: dict[str, int] = {}
        ids = []
        for corpus in corpora:
            column = corpus.column(name)
            known = np.array([index.setdefault(string, len(index)) for string in column.strings])
            ids.append(known.astype(np.int32)[column.ids])
        columns[name] = Column(np.concatenate(ids), list(index))
    return Corpus(columns, np.cumsum([0, *(corpus.n_words for corpus in corpora)]))


@dataclass(frozen=True, eq=False)
class _Chunks:
    """Chunks in order, interned: chunk j is `strings[ids[j]]`."""

    ids: Ids
    strings: list[str]

    @classmethod
    def of(cls, chunks: Iterable[str]) -> _Chunks:
        column = Column.of(chunks)
        return cls(column.ids, column.strings)

    def columns(
        self, spaced: NDArray[np.bool_], last: NDArray[np.bool_], lexicon: Lexicon
    ) -> dict[str, Column]:
        """The columns that depend on chunks, for all characters; `last` ones end a paragraph."""
        lengths = np.array([len(chunk) for chunk in self.strings], dtype=np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        parts = _Parts(int(starts[-1]))
        for chunk, at in zip(self.strings, starts.tolist()):
            parts.add(chunk, at)
        _, rows = gather(starts, self.ids.astype(np.int64))
        sizes = np.repeat(np.minimum(lengths, _LONG)[self.ids], lengths[self.ids])
        names = ["", *self.strings]
        lower = Column.of([name.lower() if len(name) <= _LONGEST_WORD else "" for name in names])
        profiles = Column.of([lexicon.profile(name) for name in names])
        behind = np.flatnonzero(spaced)  # the last characters of chunks
        paragraph: NDArray[np.int64] = np.cumsum(last[behind]) - last[behind]

        def at_ends(of: Column, distance: int) -> Column:
            """What the chunk at a distance is, at the ends of chunks; "" beyond the paragraph."""
            n = len(self.ids)
            there = np.clip(np.arange(n) + distance, 0, max(n - 1, 0))
            same = (paragraph[there] == paragraph) & (there == np.arange(n) + distance)
            ids = np.zeros(len(spaced), dtype=np.int32)
            ids[behind] = of.ids[np.where(same, self.ids[there] + 1, 0)]
            return Column(ids, of.strings)

        return {
            "size": Column(sizes.astype(np.int32), [str(k) for k in range(_LONG + 1)]),
            "run": Column(parts.run[rows], _RUNS),
            "left": Column(parts.left[rows], list(parts.strings)),
            "right": Column(parts.right[rows], list(parts.strings)),
            **{name: at_ends(lower, distance) for name, distance in _AROUND.items()},
            "profile": at_ends(profiles, _AROUND["next"]),
        }


class _Parts:
    """The parts of distinct chunks to the left and to the right of their characters."""

    def __init__(self, size: int) -> None:
        self.left = np.zeros(size, dtype=np.int32)
        self.right = np.zeros(size, dtype=np.int32)
        self.run = np.zeros(size, dtype=np.int32)
        self.strings: dict[str, int] = {"": 0}

    def add(self, chunk: str, at: int) -> None:
        """Note the parts of a chunk, whose characters are at `at` and behind it."""
        strings, n = self.strings, len(chunk)
        chunk = chunk.lower() if len(chunk.lower()) == n else chunk
        reach = min(n, _REACH)
        self.left[at : at + reach] = [
            strings.setdefault(chunk[:k], len(strings)) for k in range(1, reach + 1)
        ]
        reach = min(n - 1, _REACH)
        if reach > 0:
            self.right[at + n - 1 - reach : at + n - 1] = [
                strings.setdefault(chunk[k:], len(strings)) for k in range(n - reach, n)
            ]
        if not chunk.isalnum():
            self.run[at : at + n] = _runs(chunk)


def _runs(chunk: str) -> list[int]:
    """For every sign of a chunk the place of its `run` in `_RUNS`; marks on letters do not count.

    >>> [_RUNS[k] for k in _runs("U.S.")], [_RUNS[k] for k in _runs("(etc.)")]
    (['', '1', '', '1+'], ['0', '', '', '', '3', '0'])
    """
    run, seen, found = 0, set(), []
    for character in chunk:
        if character.isalnum() or unicodedata.category(character)[0] == "M":
            run += character.isalnum()
            found.append(0)
        else:
            found.append(1 + 2 * min(run, _LONG_RUN) + (character in seen))
            seen.add(character)
            run = 0
    return found


def _known(
    codes: NDArray[np.uint32], spaced: NDArray[np.bool_], last: NDArray[np.bool_], lexicon: Lexicon
) -> dict[str, Column]:
    """What the lexicon knows around each character."""
    ends, begins, spans = lexicon.matches(codes, spaced, last)
    behind = np.append(begins[1:], np.zeros(min(len(codes), 1), dtype=np.int32))
    behind[last] = 0
    names = [str(k) for k in range(lexicon.longest + 1)]
    return {"ends": Column(ends, names), "begins": Column(behind, names), "spans": Column(spans, names)}
