"""Words as 32-bit hashes: enough to tell known words from unknown ones, in four bytes each.

The hash is the upper half of the key of the attribute `w[0]=word`, so it is the same on every machine. A word that
is not among n known ones passes for known with probability n/2³².
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from palmette.features.feature_map import FeatureMap
from palmette.features.templates import Templates
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus


def word_hashes(words: Sequence[str]) -> NDArray[np.uint32]:
    """The hash of every word; the words must differ from each other."""
    ids = np.arange(len(words), dtype=np.int32)
    types = Corpus({"form": Column(ids, list(words))}, [0, len(words)])
    found, _ = FeatureMap.fit(Templates("w[0]"), types)
    keys = found.keys()
    if len(keys) != len(words):
        raise ValueError("The words must differ from each other.")
    return (keys >> np.uint64(32)).astype(np.uint32)


def used_words(column: Column) -> list[str]:
    """The strings of a column that some row uses."""
    used = np.zeros(len(column.strings), dtype=bool)
    used[column.ids] = True
    return [string for string, here in zip(column.strings, used.tolist()) if here]


class KnownWords:
    """A set of words, as their sorted hashes; it can only be asked whether it has words.

    >>> known = KnownWords.of(["the", "fly"])
    >>> known.has(["a", "fly"]).tolist()
    [False, True]
    """

    def __init__(self, hashes: NDArray[np.uint32]) -> None:
        self._hashes = hashes

    @cached_property
    def hashes(self) -> NDArray[np.uint32]:
        """The hashes in order, each once."""
        return np.unique(self._hashes)

    @classmethod
    def of(cls, words: Sequence[str]) -> KnownWords:
        """The set of some different words."""
        return cls(word_hashes(words))

    def has(self, words: Sequence[str]) -> NDArray[np.bool_]:
        """Return which of different words are in the set."""
        return np.isin(word_hashes(words), self.hashes)

    def among(self, words: Sequence[str]) -> set[str]:
        """Those of some different words that are in the set."""
        return {word for word, known in zip(words, self.has(words).tolist()) if known}

    def __len__(self) -> int:
        return len(self.hashes)
