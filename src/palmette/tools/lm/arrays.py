"""The arrays of a language model, as they are in a model file and as native code takes them.

words                   table of strings; the first three are <unk>, <s> and </s>
unigrams                log10 of the probability and of the backoff of every word
records.N, codes.N      n-grams of N words as records of bits; quantized values (native/tools/lm/trie.hpp)
starts.N.low|high|samples   where the n-grams that begin with one of N words begin (native/base/packed_bits.hpp)
hash                    all n-grams of two words or more in a table, for speed (native/tools/lm/table.hpp)
counts.N.words|starts|counts   how often each n-gram occurs in the text, if that is kept
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from palmette._native import NgramCounts, NgramModel, NgramPlain
from palmette.errors import FormatError
from palmette.formats.model import ModelFile
from palmette.formats.model.safetensors import Array
from palmette.formats.model.strict_json import Json
from palmette.formats.model.strings import StringTable

KIND = "language model"
_EMPTY: dict[str, Array] = {}


@dataclass(frozen=True, eq=False)
class ModelArrays:
    """What a model is made of: its words, its arrays, the number of n-grams of each order."""

    words: StringTable
    arrays: Mapping[str, Array]
    sizes: tuple[int, ...]
    quantize: int
    seed: int
    extra: dict[str, Json] = field(default_factory=dict)

    @property
    def layout(self) -> str:
        """ "hashed" if there is a table, "trie" otherwise."""
        return "hashed" if "hash" in self.arrays else "trie"

    @classmethod
    def of(
        cls,
        plain: NgramPlain,
        layout: str = "hashed",
        quantize: int = 0,
        counts: Mapping[str, Array] = _EMPTY,
        n_jobs: int = 1,
        extra: dict[str, Json] | None = None,
    ) -> ModelArrays:
        """Pack a model."""
        check_layout(layout, quantize)
        arrays: dict[str, Array] = dict(counts)
        if quantize:
            # The table must hold what the trie holds, so the trie comes first and the model is what it says.
            packed = _packed(plain, quantize, n_jobs)
            native = native_model(ModelArrays(_words(plain), packed, tuple(plain.sizes), quantize, 0))
            plain = native.unpack()
            arrays |= packed
        else:
            arrays |= _packed(plain, quantize, n_jobs)
        seed = 0
        if layout == "hashed" and len(plain.sizes) > 1:
            arrays["hash"], seed = plain.table(n_jobs)
        return cls(_words(plain), arrays, tuple(plain.sizes), quantize, seed, extra or {})

    def to_model(self, fingerprint: str = "") -> ModelFile:
        """The content of a model file."""
        options: dict[str, Json] = {
            **self.extra,
            "order": len(self.sizes),
            "sizes": list(self.sizes),
            "layout": self.layout,
            "quantize": self.quantize,
            "seed": f"{self.seed:016x}",
        }
        return ModelFile(KIND, options, self.arrays, {"words": self.words}, fingerprint)

    @classmethod
    def from_model(cls, model: ModelFile) -> ModelArrays:
        """From a model file; FormatError if it is not one of a language model."""
        if model.kind != KIND:
            raise FormatError(f"holds a {model.kind}, not a {KIND}", path=model.path)
        options = dict(model.options)
        sizes = options.pop("sizes", None)
        if not isinstance(sizes, list) or not all(type(n) is int and 0 <= n < 1 << 32 for n in sizes):
            raise model.damaged("its numbers of n-grams are not a list")
        quantize = options.pop("quantize", 0)
        seed = options.pop("seed", "0")
        if type(quantize) is not int or not isinstance(seed, str):
            raise model.damaged("its options are of wrong types")
        try:
            number = int(seed, 16)
        except ValueError:
            number = -1
        if not 0 <= number < 1 << 64:
            raise model.damaged("its seed is not a number of 64 bits")
        words = model.table("words")
        table = words if isinstance(words, StringTable) else StringTable.of(words)
        for name in ("order", "layout"):
            options.pop(name, None)
        return cls(
            table, model.arrays, tuple(n for n in sizes if type(n) is int), quantize, number, extra=options
        )


def check_layout(layout: str, quantize: int) -> None:
    """ValueError unless there is such a layout."""
    if layout not in ("hashed", "trie"):
        raise ValueError(f"layout must be 'hashed' or 'trie', not {layout!r}")
    if quantize and not 2 <= quantize <= 16:
        raise ValueError(f"quantize must be 0, or a number of bits from 2 to 16, not {quantize}")


def native_model(model: ModelArrays, path: str | None = None) -> NgramModel:
    """The native side of a model, over the same arrays; FormatError if they do not fit together."""
    order = len(model.sizes)
    levels = []
    for n, size in enumerate(model.sizes, 1):
        last = n == order
        levels.append(
            (
                size,
                _array(model, f"records.{n}", "u1", path) if n > 1 else _none("u1"),
                _none("u1") if last else _array(model, f"starts.{n}.low", "u1", path),
                _none("u8") if last else _array(model, f"starts.{n}.high", "u8", path),
                _none("u4") if last else _array(model, f"starts.{n}.samples", "u4", path),
                _array(model, f"codes.{n}", "f4", path) if n > 1 and model.quantize else _none("f4"),
            )
        )
    table = _array(model, "hash", "u8", path, dimensions=2) if "hash" in model.arrays else None
    unigrams = _array(model, "unigrams", "f4", path)
    utf8, offsets = np.ascontiguousarray(model.words.utf8), np.ascontiguousarray(model.words.offsets, "<i8")
    try:
        return NgramModel(utf8, offsets, unigrams, levels, model.quantize, table, model.seed)
    except ValueError as error:
        raise FormatError(f"damaged model: {error}", path=path) from None


def count_arrays(counts: NgramCounts) -> dict[str, Array]:
    """Counts as arrays of a model file."""
    levels = counts.arrays()
    arrays: dict[str, Array] = {}
    for n, (words, starts, numbers) in enumerate(levels, 1):
        for name, array in (("words", words), ("starts", starts), ("counts", numbers)):
            arrays[f"counts.{n}.{name}"] = array
    return arrays


def kept_counts(model: ModelArrays, path: str | None = None) -> NgramCounts | None:
    """The counts in a model, or None if they are not kept."""
    if "counts.1.counts" not in model.arrays:
        return None
    levels: list[Any] = []
    while f"counts.{len(levels) + 1}.counts" in model.arrays:
        n = len(levels) + 1
        levels.append(
            tuple(_array(model, f"counts.{n}.{name}", "u4", path) for name in ("words", "starts", "counts"))
        )
    try:
        return NgramCounts.from_arrays(model.words.utf8, model.words.offsets, levels)
    except ValueError as error:
        raise FormatError(f"damaged model: {error}", path=path) from None


def _packed(plain: NgramPlain, quantize: int, n_jobs: int) -> dict[str, Array]:
    arrays: dict[str, Array] = {"unigrams": plain.unigrams()}
    order = len(plain.sizes)
    for n, (records, low, high, samples, codes) in enumerate(plain.pack(quantize, n_jobs), 1):
        if n > 1:
            arrays[f"records.{n}"] = records
            if quantize:
                arrays[f"codes.{n}"] = codes
        if n < order:
            arrays |= {f"starts.{n}.low": low, f"starts.{n}.high": high, f"starts.{n}.samples": samples}
    return arrays


def _words(plain: NgramPlain) -> StringTable:
    utf8, offsets = plain.words()
    return StringTable(utf8, offsets)


def _none(dtype: str) -> Array:
    return np.zeros(0, dtype)


def _array(model: ModelArrays, name: str, dtype: str, path: str | None, dimensions: int = 1) -> Array:
    array = model.arrays.get(name)
    if array is None:
        raise FormatError(f"damaged model: it has no array {name!r}", path=path)
    if array.dtype != np.dtype(dtype) or array.ndim != dimensions:
        raise FormatError(f"damaged model: array {name!r} is of a wrong type or shape", path=path)
    return array
