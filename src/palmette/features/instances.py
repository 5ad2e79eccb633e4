"""Sentences as rows of attribute ids: what every learner of sequences reads.

Row t belongs to token t and holds `attributes[rows[t]:rows[t + 1]]`, with the values beside them, or 1 each. The
tokens of sentence i are `offsets[i]` to `offsets[i + 1]`. Attributes that are conjoined with the previous label
are in rows of their own, `pair_rows`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Instances:
    """Attribute ids of tokens, in compressed rows. Checked when made: O(attributes), in NumPy.

    values: None means that every attribute has the value 1.
    pair_rows, pair_attributes, pair_values: the same for attributes conjoined with the previous label; None
    if there are none. They have ids of their own, from 0 to `n_pair_attributes`.

    >>> instances = Instances(
    ...     np.array([0, 2, 3]), np.array([0, 2, 3, 3]), np.array([0, 1, 0], dtype=np.int32), n_attributes=2
    ... )
    >>> len(instances), instances.n_tokens, instances.select([1]).rows.tolist()
    (2, 3, [0, 0])
    """

    offsets: NDArray[np.int64]
    rows: NDArray[np.int64]
    attributes: NDArray[np.int32]
    values: NDArray[np.float32] | None = None
    pair_rows: NDArray[np.int64] | None = None
    pair_attributes: NDArray[np.int32] | None = None
    pair_values: NDArray[np.float32] | None = None
    n_attributes: int = 0
    n_pair_attributes: int = 0

    def __post_init__(self) -> None:
        _check_boundaries("offsets", self.offsets, None)
        _check_rows("", self.rows, self.attributes, self.values, self.n_tokens, self.n_attributes)
        if self.pair_rows is None or self.pair_attributes is None:
            if self.pair_rows is not None or self.pair_attributes is not None or self.pair_values is not None:
                raise ValueError("'pair_rows' and 'pair_attributes' must come together.")
        else:
            n = self.n_pair_attributes
            _check_rows("pair_", self.pair_rows, self.pair_attributes, self.pair_values, self.n_tokens, n)

    @property
    def n_tokens(self) -> int:
        """How many tokens all sentences have."""
        return int(self.offsets[-1])

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        pairs = f", {self.n_pair_attributes:,} pair attributes" if self.pair_rows is not None else ""
        return (
            f"<Instances: {len(self):,} sentences, {self.n_tokens:,} tokens, "
            f"{self.n_attributes:,} attributes{pairs}>"
        )

    def select(self, sentences: Iterable[int] | NDArray[np.int64]) -> Instances:
        """The instances of these sentences, in this order; their numbers may repeat. Arrays are copied."""
        chosen = np.asarray(
            sentences if isinstance(sentences, np.ndarray) else list(sentences), dtype=np.int64
        ).ravel()
        if chosen.size and (chosen.min() < 0 or chosen.max() >= len(self)):
            raise IndexError(f"Sentences must lie between 0 and {len(self) - 1}. Got {chosen.tolist()[:10]}.")
        offsets, tokens = gather(self.offsets, chosen)
        rows, places = gather(self.rows, tokens)
        pair_rows = pair_attributes = pair_values = None
        if self.pair_rows is not None and self.pair_attributes is not None:
            pair_rows, pair_places = gather(self.pair_rows, tokens)
            pair_attributes = self.pair_attributes[pair_places]
            pair_values = None if self.pair_values is None else self.pair_values[pair_places]
        return Instances(
            offsets,
            rows,
            self.attributes[places],
            None if self.values is None else self.values[places],
            pair_rows,
            pair_attributes,
            pair_values,
            self.n_attributes,
            self.n_pair_attributes,
        )


def gather(
    boundaries: NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The boundaries of the chosen rows put together, and the old place of each of their items."""
    starts, lengths = boundaries[chosen], boundaries[chosen + 1] - boundaries[chosen]
    gathered = np.zeros(len(chosen) + 1, dtype=np.int64)
    np.cumsum(lengths, out=gathered[1:])
    return gathered, np.arange(gathered[-1]) + np.repeat(starts - gathered[:-1], lengths)


def _check_boundaries(name: str, array: NDArray[np.int64], last: int | None) -> None:
    _check_array(name, array, np.int64)
    if not array.size or array[0] != 0 or (array[1:] < array[:-1]).any():
        raise ValueError(f"The {name!r} must begin with 0 and never fall.")
    if last is not None and array[-1] != last:
        raise ValueError(f"The {name!r} must end with {last}, the number of attributes. Got {array[-1]}.")


def _check_rows(
    prefix: str,
    rows: NDArray[np.int64],
    attributes: NDArray[np.int32],
    values: NDArray[np.float32] | None,
    n_tokens: int,
    n_attributes: int,
) -> None:
    _check_array(prefix + "attributes", attributes, np.int32)
    _check_boundaries(prefix + "rows", rows, len(attributes))
    if len(rows) != n_tokens + 1:
        raise ValueError(f"There must be {n_tokens} {prefix}rows, one per token. Got {len(rows) - 1}.")
    if len(attributes) and not (attributes.min() >= 0 and attributes.max() < n_attributes):
        wrong = int(attributes.min() if attributes.min() < 0 else attributes.max())
        raise ValueError(f"The {prefix}attributes must lie between 0 and {n_attributes - 1}. Got {wrong}.")
    if values is None:
        return
    _check_array(prefix + "values", values, np.float32)
    if len(values) != len(attributes):
        raise ValueError(f"There must be {len(attributes)} {prefix}values. Got {len(values)}.")
    if not np.isfinite(values).all():
        place = int(np.flatnonzero(~np.isfinite(values))[0])
        token = int(np.searchsorted(rows, place, side="right")) - 1
        raise ValueError(
            f"Every value must be finite. Got {values[place]} at token {token}, attribute {attributes[place]}."
        )


def _check_array(name: str, array: object, dtype: type[np.generic]) -> None:
    if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
        kind = f"{array.ndim}-d {array.dtype}" if isinstance(array, np.ndarray) else type(array).__name__
        raise ValueError(f"The {name!r} must be a row of {np.dtype(dtype)}. Got {kind} instead.")
    if not array.flags.c_contiguous:
        raise ValueError(f"The {name!r} must be contiguous in memory: take np.ascontiguousarray of it.")
