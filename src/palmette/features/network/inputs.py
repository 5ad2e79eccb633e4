"""What a network sees of a token: ids of embeddings, by word type where the word alone decides them.

| input | of a token | ids |
| --- | --- | --- |
| `attribute` | an attribute of its word: `collapsed`, `end3`, `shape` | one of each word type |
| `letters` | its letters, between a sign for the begin and one for the end | several of each word type |
| `vectors` | its word in a file of vectors, as it is or in lower case | one of each word type, or none |
| `column` | a column of the file; of `feats` its pieces | one or several of each token |
| `templates` | the features of templates | several of each token |

Id 0 is for what was not in the training data, with an embedding of its own; templates and vectors leave it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.features.attributes import attributes_of
from palmette.features.feature_map import FeatureMap
from palmette.formats.corpus import Corpus

UNKNOWN, BEGIN, END = 0, 1, 2
_FIRST_LETTER = 3
_LONGEST = 40  # letters of a word that are looked at: half of them from its begin, half from its end
BY_TYPE = ("attribute", "letters", "vectors")
KINDS = (*BY_TYPE, "column", "templates")


class Ids(NamedTuple):
    """Ids by rows: those of row r are ids[rows[r] : rows[r + 1]]."""

    rows: NDArray[np.int64]
    ids: NDArray[np.int32]

    @classmethod
    def single(cls, ids: NDArray[np.int32]) -> Ids:
        """One id in every row."""
        return cls(np.arange(len(ids) + 1, dtype=np.int64), np.ascontiguousarray(ids, dtype=np.int32))

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> Ids:
        """Lists of ids."""
        ends = np.cumsum([0, *map(len, rows)], dtype=np.int64)
        return cls(ends, np.fromiter((i for row in rows for i in row), dtype=np.int32, count=int(ends[-1])))

    def select(self, rows: NDArray[np.int64]) -> Ids:
        """Some rows, in this order."""
        counts = np.diff(self.rows)[rows]
        ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        places = np.repeat(self.rows[:-1][rows] - ends[:-1], counts) + np.arange(ends[-1])
        return Ids(ends, self.ids[places])


@dataclass(frozen=True, eq=False)
class Encoded:
    """Sentences as a network sees them: the type of every word, and ids for each input, by type or by token."""

    offsets: NDArray[np.int64]
    types: NDArray[np.int32]
    n_types: int
    given: tuple[Ids, ...]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def n_tokens(self) -> int:
        """How many tokens there are."""
        return len(self.types)


@dataclass(frozen=True, eq=False)
class Input:
    """One input: its kind, the name of its attribute or column, and its strings.

    values: they have the ids from 1 on, letters from 3 on. features: of templates.
    """

    kind: str
    name: str = ""
    values: tuple[str, ...] = ()
    features: FeatureMap | None = None

    @property
    def by_type(self) -> bool:
        """Whether the word alone decides it."""
        return self.kind in BY_TYPE

    @property
    def n_entries(self) -> int:
        """How many embeddings it needs."""
        if self.features is not None:
            return max(self.features.n_attributes, 1)
        return len(self.values) + (_FIRST_LETTER if self.kind == "letters" else 1)

    @cached_property
    def index(self) -> dict[str, int]:
        """The ids of the strings."""
        first = _FIRST_LETTER if self.kind == "letters" else 1
        return {value: k for k, value in enumerate(self.values, first)}

    def of_types(self, words: list[str]) -> Ids:
        """The ids of word types."""
        known = self.index
        if self.kind == "attribute":
            values = attributes_of(words).values_of(self.name).values()
            ids = [known.get(value or "", UNKNOWN) for value in values]
            return Ids.single(np.array(ids, dtype=np.int32))
        if self.kind == "letters":
            return Ids.of(
                [[BEGIN, *(known.get(c, UNKNOWN) for c in letters_of(word)), END] for word in words]
            )
        found = [known.get(word, known.get(word.lower(), UNKNOWN)) for word in words]
        return Ids.of([[k] if k else [] for k in found])

    def of_tokens(self, corpus: Corpus) -> Ids:
        """The ids of tokens; ValueError if the corpus lacks the column."""
        if self.features is not None:
            instances = self.features.transform(corpus)
            return Ids(instances.rows, instances.attributes)
        if self.name not in corpus.names:
            raise ValueError(
                f"The network looks at the column {self.name!r}, and the columns here are "
                f"{', '.join(corpus.names)}."
            )
        column, known = corpus.column(self.name), self.index
        per_string = [
            [known.get(piece, UNKNOWN) for piece in pieces_of(self.name, s)] for s in column.strings
        ]
        return Ids.of(per_string).select(column.ids.astype(np.int64))


def letters_of(word: str) -> str:
    """The letters of a word that are looked at."""
    return word if len(word) <= _LONGEST else word[: _LONGEST // 2] + word[-_LONGEST // 2 :]


def pieces_of(column: str, value: str) -> list[str]:
    """What a value of a column is made of: morphology comes in pieces, all else is one."""
    return value.split("|") if column == "feats" else [value]


@dataclass(frozen=True, eq=False)
class NetworkInputs:
    """All inputs of a network, those by type first."""

    inputs: tuple[Input, ...]

    def __post_init__(self) -> None:
        kinds = [one.by_type for one in self.inputs]
        if (
            not kinds
            or sorted(kinds, reverse=True) != kinds
            or any(one.kind not in KINDS for one in self.inputs)
        ):
            raise ValueError("a network needs inputs of known kinds, those by word type first")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it looks at beside the words."""
        return tuple(one.name for one in self.inputs if one.kind == "column")

    def encode(self, corpus: Corpus) -> Encoded:
        """The ids of a corpus; ValueError where it lacks a column."""
        form = corpus.column("form" if "form" in corpus.names else 0)
        used, types = np.unique(form.ids, return_inverse=True)
        words = [form.strings[k] for k in used.tolist()]
        given = tuple(one.of_types(words) if one.by_type else one.of_tokens(corpus) for one in self.inputs)
        return Encoded(corpus.offsets, types.astype(np.int32).reshape(-1), len(words), given)

    def settings(self) -> list[dict[str, Any]]:
        """What a file keeps beside arrays, as JSON has it."""
        return [
            {"kind": one.kind, "name": one.name}
            | ({} if one.features is None else {"templates": one.features.templates.text})
            for one in self.inputs
        ]


def frequent(values: Sequence[str], ids: NDArray[np.int32], min_count: int) -> tuple[str, ...]:
    """Those strings that come often enough, the first to come first."""
    counts = np.bincount(ids, minlength=len(values))
    firsts = np.full(len(values), len(ids), dtype=np.int64)
    used, first = np.unique(ids, return_index=True)
    firsts[used] = first
    order = np.argsort(firsts, kind="stable")
    return tuple(values[k] for k in order.tolist() if counts[k] >= min_count and counts[k] > 0)


def attribute_input(name: str, corpus: Corpus, min_count: int = 1) -> Input:
    """An attribute of words with the values that it has in a corpus."""
    form = corpus.column("form" if "form" in corpus.names else 0)
    values = [value or "" for value in attributes_of(form.strings).values_of(name).values()]
    distinct = {value: k for k, value in enumerate(dict.fromkeys(values))}
    of_string = np.array([distinct[value] for value in values], dtype=np.int32)
    kept = frequent(list(distinct), of_string[form.ids], min_count)
    return Input("attribute", name, tuple(value for value in kept if value))


def letters_input(corpus: Corpus, min_count: int = 1) -> Input:
    """The letters of the words of a corpus; min_count: in how many different words a letter must be."""
    form = corpus.column("form" if "form" in corpus.names else 0)
    counts: dict[str, int] = {}
    for k in np.unique(form.ids).tolist():
        for letter in dict.fromkeys(letters_of(form.strings[k])):
            counts[letter] = counts.get(letter, 0) + 1
    return Input("letters", "", tuple(sorted(letter for letter, n in counts.items() if n >= min_count)))


def column_input(name: str, corpus: Corpus, min_count: int = 1) -> Input:
    """A column with the values that come often enough in a corpus; of morphology all pieces."""
    if name not in corpus.names:
        raise ValueError(f"There is no column {name!r}: there are {', '.join(corpus.names)}.")
    column = corpus.column(name)
    used = frequent(column.strings, column.ids, min_count)
    return Input("column", name, tuple(dict.fromkeys(piece for s in used for piece in pieces_of(name, s))))


def string_arrays(strings: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Strings as arrays: their bytes, and where each of them ends."""
    encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
    ends = np.cumsum([len(one) for one in encoded], dtype=np.int64)
    return {"utf8": np.frombuffer(b"".join(encoded), dtype=np.uint8), "ends": ends}


def strings_of(arrays: Mapping[str, NDArray[Any]], name: str) -> Iterator[str]:
    """The strings of two arrays of a file; ValueError if they are not such."""
    utf8, ends = arrays.get(f"{name}.utf8"), arrays.get(f"{name}.ends")
    if utf8 is None or ends is None or utf8.dtype != np.uint8 or ends.dtype != np.int64:
        raise ValueError(f"the strings {name!r} are missing")
    if utf8.ndim != 1 or ends.ndim != 1 or (len(ends) and (ends[0] < 0 or (np.diff(ends) < 0).any())):
        raise ValueError(f"the strings {name!r} have no ends")
    if (int(ends[-1]) if len(ends) else 0) != len(utf8):
        raise ValueError(f"the strings {name!r} end elsewhere")
    content, begin = utf8.tobytes(), 0
    for end in ends.tolist():
        yield content[begin:end].decode("utf-8", "surrogatepass")
        begin = end
