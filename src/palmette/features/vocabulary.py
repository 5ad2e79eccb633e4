"""Strings and their ids, in order of first appearance."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError


class Vocabulary(Sequence[str]):
    """An ordered set of strings: string i has id i. It grows by `add` until it is frozen.

    >>> labels = Vocabulary(["NOUN", "VERB"])
    >>> labels.add("DET"), labels["VERB"], labels[0], labels.get("X")
    (2, 1, 'NOUN', -1)
    """

    def __init__(self, strings: Iterable[str] = (), *, frozen: bool = False) -> None:
        self._strings: list[str] = []
        self._ids: dict[str, int] = {}
        self.frozen = False
        for string in strings:
            if not isinstance(string, str):
                raise TypeError(f"A vocabulary holds strings. Got {string!r} instead.")
            if string in self._ids:
                raise ValueError(f"The string {string!r} is in the vocabulary twice.")
            self.add(string)
        self.frozen = frozen

    @classmethod
    def of_table(cls, table: Sequence[str], *, path: str | None = None) -> Vocabulary:
        """The frozen vocabulary of a table of strings of a model file; FormatError if one comes twice."""
        try:
            return cls(table, frozen=True)
        except ValueError as error:
            raise FormatError(f"damaged model: {error}", path=path) from error

    def add(self, string: str) -> int:
        """The id of a string, which it gets if it has none; KeyError if the vocabulary is frozen."""
        found = self._ids.get(string)
        if found is not None:
            return found
        if self.frozen:
            raise KeyError(f"{string!r} is not in the vocabulary, and it is frozen.")
        self._ids[string] = len(self._strings)
        self._strings.append(string)
        return len(self._strings) - 1

    def get(self, string: str, missing: int = -1) -> int:
        """The id of a string, or `missing`."""
        return self._ids.get(string, missing)

    def ids(self, strings: Iterable[str], missing: int = -1) -> NDArray[np.int32]:
        """The ids of strings, `missing` for those it lacks."""
        return np.fromiter((self._ids.get(string, missing) for string in strings), dtype=np.int32)

    def __len__(self) -> int:
        return len(self._strings)

    def __iter__(self) -> Iterator[str]:
        return iter(self._strings)

    def __contains__(self, string: object) -> bool:
        return string in self._ids

    def __getitem__(self, key):  # type: ignore[no-untyped-def]
        """The id of a string, the string of an id, or the strings of a slice."""
        if not isinstance(key, str):
            return self._strings[key]
        try:
            return self._ids[key]
        except KeyError:
            raise KeyError(f"{key!r} is not in the vocabulary of {len(self)} strings.") from None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._strings == other._strings

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self._strings[:5])) + (", …" if len(self) > 5 else "")
        return f"<Vocabulary of {len(self):,} strings: {shown}>"
