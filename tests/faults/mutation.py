"""Damaged copies of valid input: bytes and lines that are changed, and model files whose parts are changed."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Sequence
from typing import Any

# What readers stumble over: limits of numbers, odd characters, what separates things.
ODD = (
    *(
        sign.encode("utf-8", "surrogatepass")
        for sign in "\0\t\n _#|()[]{}\\\"'/%-:;,.<>=@*+\u00a0\u2028\ufeff\ud800ä🌴"
    ),
    *(b"", b"\r\n", b"\n\n", b"|||", b"1-2", b"1.1", b"\xff", b"nan", b"-inf", b"1e400"),
    *(b"0", b"-1", b"1", b"2147483647", b"2147483648", b"-2147483649", b"9223372036854775808"),
)
MOST_BYTES = 20_000


def mutated(rng: random.Random, data: bytes, others: Sequence[bytes] = ()) -> bytes:
    """Return a copy with one to six changes; pieces of `others` may be put in."""
    text = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 6))):
        rng.choice(_CHANGES)(rng, text, others)
    return bytes(text[:MOST_BYTES])


def _place(rng: random.Random, text: bytearray) -> int:
    return rng.randrange(len(text) + 1)


def _flip(rng: random.Random, text: bytearray, others: Sequence[bytes]) -> None:
    if text:
        text[rng.randrange(len(text))] ^= 1 << rng.randrange(8)


def _insert(rng: random.Random, text: bytearray, others: Sequence[bytes]) -> None:
    at = _place(rng, text)
    text[at:at] = rng.choice(ODD) * rng.choice((1, 1, 1, 2, 300))


def _field(rng: random.Random, text: bytearray, others: Sequence[bytes]) -> None:
    """Put something else in the place of what is between two separators."""
    begin, end = _piece(rng, text, b"\t\n |()=:")
    text[begin:end] = rng.choice(ODD)


def _remove(rng: random.Random, text: bytearray, others: Sequence[bytes]) -> None:
    begin = _place(rng, text)
    del text[begin : begin + rng.choice((1, 1, 2, 8, 64))]


def _line(rng: random.Random, text: bytearray, others: Sequence[bytes]) -> None:
    """Repeat a line, remove it, or put it elsewhere."""
    begin, end = _piece(rng, text, b"\n")
    line = bytes(text[begin : end + 1])
    kind = rng.randrange(3)
    if kind:
        del text[begin : end + 1]
    if kind != 1:
        at = _place(rng, text)
        text[at:at] = line


def _splice(rng: random.Random, text: bytearray, others: Sequence[bytes]) -> None:
    """Go on with another input from somewhere."""
    if others:
        other = rng.choice(others)
        text[_place(rng, text) :] = other[rng.randrange(len(other) + 1) :]


def _cut(rng: random.Random, text: bytearray, others: Sequence[bytes]) -> None:
    del text[_place(rng, text) :]


def _piece(rng: random.Random, text: bytearray, separators: bytes) -> tuple[int, int]:
    """Return begin and end of what stands around a random place between separators."""
    at = _place(rng, text)
    begin = max(text.rfind(bytes([sign]), 0, at) for sign in separators) + 1
    ends = [text.find(bytes([sign]), at) for sign in separators]
    return begin, min((end for end in ends if end >= 0), default=len(text))


_CHANGES = (_flip, _insert, _field, _remove, _line, _splice, _cut)


def mutated_model(rng: random.Random, data: bytes) -> bytes:
    """Return a model file with changes in its numbers, options, strings or header, which still looks like one.

    The layout is that of safetensors: the length of a JSON header in eight bytes, the header, the arrays.
    """
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    body = bytearray(data[8 + size :])
    for _ in range(rng.choice((1, 1, 2, 4))):
        rng.choice((_numbers, _numbers, _numbers, _options, _header))(rng, header, body)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    if rng.random() < 0.05:
        return mutated(rng, len(text).to_bytes(8, "little") + text) + bytes(body)
    return len(text).to_bytes(8, "little") + text + bytes(body)


_INTEGERS = (0, 1, -1, 2, 255, -128, 2**31 - 1, -(2**31), 2**62)
_REALS = (0.0, -0.0, 1.0, -1.0, 1e30, 1e300, -1e300, float("inf"), float("-inf"), float("nan"))


def _numbers(rng: random.Random, header: dict[str, object], body: bytearray) -> None:
    """Change some numbers of an array."""
    arrays = [value for name, value in header.items() if name != "__metadata__" and isinstance(value, dict)]
    if not arrays:
        return
    array = rng.choice(arrays)
    width = {"F64": 8, "I64": 8, "U64": 8, "F32": 4, "I32": 4, "U32": 4, "I16": 2, "U16": 2}.get(
        str(array["dtype"]), 1
    )
    try:
        begin, end = array["data_offsets"]
        count = (end - begin) // width
    except (KeyError, TypeError, ValueError):
        return
    for _ in range(rng.choice((1, 1, 3, 20))):
        if count <= 0:
            return
        at = begin + width * rng.randrange(count)
        if at < 0 or at + width > len(body):
            return
        body[at : at + width] = _number(rng, str(array["dtype"]), width, bytes(body[at : at + width]))


def _number(rng: random.Random, dtype: str, width: int, old: bytes) -> bytes:
    if dtype.startswith("F") and width >= 4:
        value = rng.choice(_REALS)
        if width == 4 and abs(value) > 3e38 and value - value == 0:
            value = 3e38
        return struct.pack("<d" if width == 8 else "<f", value)
    if rng.random() < 0.5:
        return ((int.from_bytes(old, "little") + rng.choice((-1, 1, 7))) % (1 << 8 * width)).to_bytes(
            width, "little"
        )
    return (rng.choice(_INTEGERS) % (1 << 8 * width)).to_bytes(width, "little")


def _options(rng: random.Random, header: dict[str, object], body: bytearray) -> None:
    """Change something in the options, at any depth."""
    metadata = header.get("__metadata__")
    if not isinstance(metadata, dict) or "options" not in metadata:
        return
    try:
        options = json.loads(metadata["options"])
    except (TypeError, ValueError):
        return
    if not isinstance(options, dict):
        return
    inside: list[Any] = [options]
    for one in inside:
        inside += [x for x in (one.values() if isinstance(one, dict) else one) if isinstance(x, dict | list)]
    one = rng.choice([x for x in inside if x] or [{}])
    if not one:
        return
    key = rng.choice(list(one)) if isinstance(one, dict) else rng.randrange(len(one))
    if rng.random() < 0.2:
        del one[key]
    else:
        one[key] = rng.choice(
            (None, True, False, 0, -1, 2**40, 0.5, 1e308, "", "x", "\0", [], {}, [1], ["a", "b"], {"a": 1})
        )
    metadata["options"] = json.dumps(options)


def _header(rng: random.Random, header: dict[str, object], body: bytearray) -> None:
    """Change what is said of an array, swap two of them, or change the metadata."""
    names = [name for name in header if name != "__metadata__"]
    metadata = header.get("__metadata__")
    kind = rng.randrange(6)
    if kind == 0 and len(names) > 1:
        one, other = rng.sample(names, 2)
        header[one], header[other] = header[other], header[one]
    elif kind == 1 and names:
        del header[rng.choice(names)]
    elif kind == 2 and names:
        array = header[rng.choice(names)]
        if isinstance(array, dict):
            array["dtype"] = rng.choice(("F32", "F64", "I8", "U8", "I32", "I64", "BOOL", "F16", "X"))
    elif kind == 3 and names:
        array = header[rng.choice(names)]
        if isinstance(array, dict) and isinstance(array.get("shape"), list):
            shape = array["shape"]
            array["shape"] = rng.choice(
                (shape[::-1], [*shape, 1], shape[:1], [], [0], [2**40], [-1], [1, *shape])
            )
    elif kind == 4 and names:
        header[rng.choice(["a", "weights", *names])] = header[rng.choice(names)]
    elif isinstance(metadata, dict) and metadata:
        metadata[rng.choice(list(metadata))] = rng.choice(("", "1", "[]", "{}", "null", "tagger", "x" * 300))
