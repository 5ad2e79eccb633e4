"""The safetensors layout: named arrays in one file, read without copying.

    8 bytes       n, the length of the header, little-endian
    n bytes       a JSON object: name -> {"dtype", "shape", "data_offsets": [begin, end]},
                  and "__metadata__" -> an object of strings
    the rest      the arrays, little-endian, row by row, without gaps

`read_arrays` checks all of it before it makes an array, so what it returns lies inside the buffer.
It costs the time to parse the header; the arrays are views and cost nothing until they are touched.
`write_arrays` puts wide items first, so that every array is aligned to its items, and sorts by name:
the same content gives the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import numpy as np

from palmette.errors import FormatError
from palmette.formats.model.strict_json import Json, dump_json, parse_json

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]
Buffer: TypeAlias = Any  # bytes, a memory map, anything with the buffer protocol and slices

MAX_HEADER = 1 << 20  # bytes: ten thousand arrays; keeps what a hostile header can cost small
MAX_NAME = 200  # characters
MAX_DIMENSIONS = 8

_LENGTH = 8  # bytes before the header
_ALIGNMENT = 64  # of the first array: a cache line
_METADATA = "__metadata__"

# No booleans: a byte other than 0 or 1 would pass for one, so masks are kept as U8.
DTYPES = {
    name: np.dtype(code)
    for name, code in {
        "F64": "<f8", "F32": "<f4", "F16": "<f2",
        "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "<i1",
        "U64": "<u8", "U32": "<u4", "U16": "<u2", "U8": "<u1",
    }.items()
}  # fmt: skip
_NAME_OF = {dtype: name for name, dtype in DTYPES.items()}


def write_arrays(file: BinaryIO, arrays: Mapping[str, Array], metadata: Mapping[str, str]) -> None:
    """Write the arrays and the metadata; arrays go out one by one, without a second copy of the whole."""
    plain = {name: _storable(name, array) for name, array in arrays.items()}
    header: dict[str, Json] = {_METADATA: dict(metadata)}
    begin = 0
    order = sorted(plain, key=lambda name: (-plain[name].itemsize, name))
    for name in order:
        array = plain[name]
        end = begin + array.nbytes
        header[name] = {
            "dtype": _NAME_OF[array.dtype],
            "shape": list(array.shape),
            "data_offsets": [begin, end],
        }
        begin = end
    text = dump_json(header).encode()
    text += b" " * (-(_LENGTH + len(text)) % _ALIGNMENT)
    if len(text) > MAX_HEADER:
        raise ValueError(
            f"a header of {len(text):,} bytes, and at most {MAX_HEADER:,} can be read again: "
            "keep long lists in arrays or string tables"
        )
    file.write(len(text).to_bytes(_LENGTH, "little"))
    file.write(text)
    for name in order:
        file.write(plain[name].reshape(-1).view(np.uint8).data)


def read_arrays(buffer: Buffer, path: str) -> tuple[dict[str, Array], dict[str, str]]:
    """The arrays, as read-only views onto the buffer, and the metadata; FormatError if anything is amiss."""
    text = _header_text(buffer, path)
    try:
        header = parse_json(text.decode())
    except ValueError as error:
        raise FormatError(f"damaged model: its header cannot be read ({error})", path=path) from error
    if not isinstance(header, dict):
        raise FormatError("damaged model: its header is not a JSON object", path=path)
    metadata = header.pop(_METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise FormatError("damaged model: its metadata is not an object of strings", path=path)

    start = _LENGTH + len(text)
    entries = [_entry(name, value, start, path) for name, value in header.items()]
    _check_no_gaps(entries, len(buffer) - start, path)
    flat = np.frombuffer(buffer, np.uint8)
    flat.flags.writeable = False
    arrays = {
        entry.name: flat[start + entry.begin : start + entry.end].view(entry.dtype).reshape(entry.shape)
        for entry in entries
    }
    return arrays, metadata


class _Entry(NamedTuple):
    begin: int
    end: int
    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


def _storable(name: str, array: Array) -> Array:
    """The array as it lies in the file: row by row, little-endian."""
    if not _is_name(name):
        raise ValueError(f"{name!r} cannot name an array: use 1 to {MAX_NAME} printable characters")
    little = array.dtype.newbyteorder("<")
    if little not in _NAME_OF:
        raise ValueError(f"array {name!r} is of type {array.dtype}; a model holds {', '.join(DTYPES)}")
    if array.ndim > MAX_DIMENSIONS:
        raise ValueError(f"array {name!r} has {array.ndim} dimensions, and at most {MAX_DIMENSIONS} are kept")
    return np.ascontiguousarray(array, dtype=little).reshape(array.shape)


def _header_text(buffer: Buffer, path: str) -> bytes:
    size = len(buffer)
    start = bytes(buffer[: _LENGTH + 1])
    if not size:
        raise FormatError("an empty file, not a model", path=path)
    if start.startswith(b"\x1f\x8b"):
        raise FormatError("a gzip file; a model is read in place, so unpack it first (gunzip)", path=path)
    if size <= _LENGTH or start[_LENGTH:] != b"{":
        raise FormatError(f"not a model file: it begins with {start!r}", path=path)
    length = int.from_bytes(start[:_LENGTH], "little")
    if length > MAX_HEADER:
        raise FormatError(
            f"damaged model: a header of {length:,} bytes, and at most {MAX_HEADER:,} are allowed", path=path
        )
    if length > size - _LENGTH:
        raise FormatError(
            f"truncated model: a header of {length:,} bytes in a file of {size:,}; copy or train it again",
            path=path,
        )
    return bytes(buffer[_LENGTH : _LENGTH + length])


def _entry(name: str, value: Json, start: int, path: str) -> _Entry:
    """One array's line of the header, checked but for its neighbours."""
    if not _is_name(name):
        raise FormatError(f"damaged model: {name[:MAX_NAME]!r} cannot name an array", path=path)
    if not isinstance(value, dict) or value.keys() != {"dtype", "shape", "data_offsets"}:
        raise FormatError(f"damaged model: array {name!r} needs a dtype, a shape and data_offsets", path=path)
    shape, offsets = value["shape"], value["data_offsets"]
    dtype = DTYPES.get(value["dtype"]) if isinstance(value["dtype"], str) else None
    if dtype is None:
        raise FormatError(f"damaged model: array {name!r} is of an unknown type", path=path)
    if not _are_sizes(shape) or len(shape) > MAX_DIMENSIONS:
        raise FormatError(f"damaged model: array {name!r} has an impossible shape", path=path)
    if not _are_sizes(offsets) or len(offsets) != 2 or offsets[0] > offsets[1]:
        raise FormatError(f"damaged model: array {name!r} has impossible offsets", path=path)
    begin, end = offsets
    # An axis of length 0 must not hide an axis whose stride would overflow.
    if math.prod(max(n, 1) for n in shape) * dtype.itemsize >= 1 << 63:
        raise FormatError(f"damaged model: array {name!r} has an impossible shape", path=path)
    if math.prod(shape) * dtype.itemsize != end - begin:
        raise FormatError(
            f"damaged model: array {name!r} of shape {shape} does not fill its {end - begin:,} bytes",
            path=path,
        )
    if (start + begin) % dtype.itemsize:
        raise FormatError(f"damaged model: array {name!r} is not aligned", path=path)
    return _Entry(begin, end, name, dtype, tuple(shape))


def _check_no_gaps(entries: list[_Entry], size: int, path: str) -> None:
    """The arrays cover the data exactly: each begins where the one before it ends."""
    reached = 0
    for entry in sorted(entries, key=lambda entry: entry[:2]):
        if entry.begin != reached:
            fault = "overlaps another" if entry.begin < reached else "follows a gap"
            raise FormatError(f"damaged model: array {entry.name!r} {fault}", path=path)
        reached = entry.end
    if reached > size:
        raise FormatError(
            f"truncated model: its arrays need {reached:,} bytes and {size:,} are there; "
            "copy or train it again",
            path=path,
        )
    if reached < size:
        raise FormatError(f"damaged model: {size - reached:,} bytes follow the last array", path=path)


def _is_name(name: str) -> bool:
    return 0 < len(name) <= MAX_NAME and name.isprintable() and name != _METADATA


def _are_sizes(value: Json) -> bool:
    return isinstance(value, list) and all(type(n) is int and 0 <= n < 1 << 63 for n in value)
