"""Attributes that come with their names: tokens as mappings or as lists of strings, as in sklearn-crfsuite.

    ["bias", "w=Time"]           bias and w=Time, 1 each
    {"w": "Time", "n": 2.5}      w:Time with 1, n with 2.5
    {"title": True}              title with 1; what is False or 0 is left out, since it adds nothing to a score
    {"w": {"prev": "the"}}       w:prev:the; lists and sets in the place of a value likewise, w:a and w:b

Every sentence is a list of such tokens. They are walked natively: a name costs its hash, the names of new
attributes are kept once, and no Python object is made or kept for a token.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from palmette._native import NameTable
from palmette.features.checks import check_bits, check_ids, check_min_count
from palmette.features.instances import Instances
from palmette.formats.model.strings import StringTable

Sentences = Iterable[Iterable[Any]]


class MappingMap:
    """The named attributes of training sentences, and their ids. Make one with `MappingMap.fit`.

    >>> mapping_map, instances = MappingMap.fit([[{"w": "Time", "n": 2.5}, {"w": "flies", "n": 1}]])
    >>> mapping_map.names(), instances.attributes.tolist(), instances.values.tolist()
    (['w:Time', 'n', 'w:flies'], [0, 1, 2, 1], [1.0, 2.5, 1.0, 1.0])
    """

    n_pair_attributes = 0

    def __init__(self, table: NameTable, hash_bits: int | None = None, *, all_ones: bool = False) -> None:
        """all_ones: no attribute that the map was fitted on has a value other than 1."""
        self.hash_bits, self.all_ones = hash_bits, all_ones
        self._table = table

    @classmethod
    def fit(
        cls, sentences: Sentences, *, min_count: int = 1, hash_bits: int | None = None
    ) -> tuple[MappingMap, Instances]:
        """The map of these sentences, and their instances; see `FeatureMap.fit` for the options."""
        check_min_count(min_count, hash_bits)
        if hash_bits is not None:
            check_bits(hash_bits)
        made = cls(NameTable(), hash_bits)
        instances = made._collected(sentences, hash_bits is None, min_count)
        made.all_ones = instances.values is None or bool((instances.values == 1).all())
        return made, instances

    @classmethod
    def fit_with_zeros(cls, sentences: Sentences) -> tuple[MappingMap, Instances, Instances]:
        """As `fit`, and apart from the instances those attributes of every token whose value is False or 0.

        They add nothing to a score, but CRFsuite counts them as seen together with the token's label.
        """
        made = cls(NameTable())
        (offsets, rows, attributes, values), (zero_rows, zeros) = made._table.collect_with_zeros(sentences)
        n = made.n_attributes
        instances = Instances(offsets, rows, attributes, values, n_attributes=n)
        return made, instances, Instances(offsets, zero_rows, zeros, n_attributes=n)

    @classmethod
    def of_names(cls, names: StringTable) -> MappingMap:
        """The map that gives these names the ids 0, 1 and so on; ValueError if one comes twice."""
        return cls(NameTable.of(names.utf8.tobytes(), np.ascontiguousarray(names.offsets, dtype=np.int64)))

    @property
    def n_attributes(self) -> int:
        """How many attributes there are."""
        return len(self._table) if self.hash_bits is None else 1 << self.hash_bits

    def transform(self, sentences: Sentences) -> Instances:
        """The tokens of sentences in the attributes of this map; others are left out."""
        return self._collected(sentences, False, 1)

    def names(self, ids: ArrayLike | None = None) -> list[str]:
        """The names of attributes: of all, or of those with the given ids."""
        return list(self.name_table(ids))

    def name_table(self, ids: ArrayLike | None = None) -> StringTable:
        """The names as a table of strings."""
        chosen = check_ids(ids, self.n_attributes)
        if self.hash_bits is not None:
            return StringTable.of(f"hash:{i}" for i in chosen.tolist())
        text, offsets = self._table.names()
        table = StringTable(np.frombuffer(text, np.uint8), offsets)
        if ids is None:
            return table
        lengths = np.diff(offsets)[chosen]
        bounds = np.concatenate([[0], np.cumsum(lengths)])
        at = np.arange(bounds[-1]) + np.repeat(offsets[chosen] - bounds[:-1], lengths)
        return StringTable(table.utf8[at], bounds)

    def select(self, ids: ArrayLike) -> MappingMap:
        """The map of some attributes, which get the ids 0, 1 and so on: what a pruned model keeps."""
        if self.hash_bits is not None:
            raise ValueError("A map by feature hashing has no attributes to choose from.")
        made = MappingMap.of_names(self.name_table(ids))
        made.all_ones = self.all_ones
        return made

    def _collected(self, sentences: Sentences, grows: bool, min_count: int) -> Instances:
        offsets, rows, attributes, values = self._table.collect(
            sentences, grows, self.hash_bits or 0, min_count
        )
        return Instances(offsets, rows, attributes, values, n_attributes=self.n_attributes)

    def __getstate__(self) -> dict[str, Any]:
        return {"hash_bits": self.hash_bits, "all_ones": self.all_ones, "names": self._table.names()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hash_bits, self.all_ones = state["hash_bits"], state["all_ones"]
        self._table = NameTable.of(*state["names"])

    def __repr__(self) -> str:
        return f"<MappingMap: {self.n_attributes:,} attributes>"
