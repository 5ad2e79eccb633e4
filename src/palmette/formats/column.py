"""One column of a corpus, interned: every distinct string once, and an id per word."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """The value of row r is `strings[ids[r]]`.

    A reader numbers the strings in the order of their first appearance. A corpus that was cut out of another
    shares its strings, so a column may have strings that no row uses.

    >>> tags = Column.of(["DET", "NOUN", "DET"])
    >>> tags.ids.tolist(), tags.strings
    ([0, 1, 0], ['DET', 'NOUN'])
    """

    ids: NDArray[np.int32]
    strings: list[str]

    @classmethod
    def of(cls, values: Iterable[str]) -> Column:
        """Interns values, one per row."""
        rows = list(values)
        index: defaultdict[str, int] = defaultdict()
        index.default_factory = index.__len__  # a new value gets the next id, in one look
        ids = np.fromiter(map(index.__getitem__, rows), dtype=np.int32, count=len(rows))
        for value in index:
            if not isinstance(value, str):
                raise TypeError(f"The values of a column must be strings. Got {value!r} instead.")
        return cls(ids, list(index))

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, row: int) -> str:
        return self.strings[int(self.ids[row])]

    def values(self) -> list[str]:
        """The string of every row."""
        return list(map(self.strings.__getitem__, self.ids.tolist()))

    def ids_in(self, index: Mapping[str, int], missing: int = -1) -> NDArray[np.int32]:
        """The rows' ids in another vocabulary, `missing` where it lacks the string.

        The index is asked once per distinct string, not per row.

        >>> Column.of(["a", "b", "a"]).ids_in({"a": 7}).tolist()
        [7, -1, 7]
        """
        translated = np.array([index.get(string, missing) for string in self.strings], dtype=np.int32)
        return translated[self.ids] if len(self.ids) else self.ids
