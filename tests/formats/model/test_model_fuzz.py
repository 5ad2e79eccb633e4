"""Damaged model files, by the thousand: each loads to something self-consistent or is refused."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable

import numpy as np
import pytest

from palmette.errors import FormatError
from palmette.formats.model import ModelFile
from palmette.formats.model.safetensors import DTYPES

HUGE = [2**31 - 1, 2**31, 2**32, 2**53, 2**61, 2**62, 2**63 - 1, 2**63, 2**64, 10**30, -1, 0, 1, 1e999, 0.5]
ODD = [None, True, "", "F32", [], {}, [[]], "\ud800", "\x00", "__metadata__", *HUGE]


def seed_file() -> bytes:
    model = ModelFile(
        "tagger",
        {"learner": "crf", "l2": 0.5},
        {
            "weights": np.arange(12, dtype=np.float32).reshape(3, 4),
            "ids": np.arange(4, dtype=np.int64),
            "bytes": np.arange(3, dtype=np.uint8),
            "none": np.zeros((0, 3), np.int16),
        },
        {"labels": ["NOUN", "", "ἄλφα"], "words": ["a", "🌿"]},
        "0" * 64,
    )
    file = io.BytesIO()
    model.write(file)
    return file.getvalue()


SEED = seed_file()
HEADER = 8 + int.from_bytes(SEED[:8], "little")


def flip_bits(random: random.Random) -> bytes:
    data = bytearray(SEED)
    end = random.choice([8, HEADER, len(SEED)])
    for _ in range(random.choice([1, 1, 2, 8, 64])):
        data[random.randrange(end)] ^= 1 << random.randrange(8)
    return bytes(data)


def truncate(random: random.Random) -> bytes:
    return SEED[: random.randrange(len(SEED))]


def insert(random: random.Random) -> bytes:
    at = random.randrange(len(SEED) + 1)
    return SEED[:at] + random.randbytes(random.choice([1, 2, 8, 64])) + SEED[at:]


def delete(random: random.Random) -> bytes:
    at = random.randrange(len(SEED))
    return SEED[:at] + SEED[at + random.choice([1, 2, 8, 64]) :]


def set_length(random: random.Random) -> bytes:
    length = random.choice([random.randrange(2 * len(SEED)), random.getrandbits(64), HEADER, 2**64 - 1])
    return length.to_bytes(8, "little") + SEED[8:]


def replace_number(random: random.Random) -> bytes:
    """Another number where the header's text has one."""
    text = SEED[8:HEADER].decode()
    digits = [i for i, character in enumerate(text) if character.isdigit()]
    at = random.choice(digits)
    return with_header(text[:at] + str(random.choice(HUGE)) + text[at + 1 :])


def edit_header(random: random.Random) -> bytes:
    """Well-formed JSON that says something else."""
    header = json.loads(SEED[8:HEADER])
    names = [name for name in header if name != "__metadata__"]
    for _ in range(random.choice([1, 1, 2, 3])):
        name, other = random.sample(names, 2)
        entry = header.get(name, {})
        match random.randrange(9):
            case 0:
                header[name], header[other] = header.get(other), header.get(name)
            case 1:
                header[name] = random.choice(ODD)
            case 2 if isinstance(entry, dict):
                header[name] = entry | {random.choice(["dtype", "shape", "data_offsets"]): random.choice(ODD)}
            case 3 if isinstance(entry, dict):
                header[name] = entry | {"shape": random.choices(HUGE, k=random.randrange(5))}
            case 4 if isinstance(entry, dict):
                header[name] = entry | {"data_offsets": random.choices([*HUGE, 0, 48, 96], k=2)}
            case 5 if isinstance(entry, dict):
                header[name] = entry | {"dtype": random.choice(list(DTYPES))}
            case 6:
                header.pop(name, None)
            case 7:
                key = random.choice(list(header["__metadata__"]))
                odd = random.choice(ODD)
                header["__metadata__"][key] = random.choice([odd, json.dumps(odd), json.dumps([odd])])
            case 8 if isinstance(entry, dict) and isinstance(header.get(other), dict):
                mine, theirs = entry.get("data_offsets"), header[other].get("data_offsets")
                header[name], header[other] = (
                    entry | {"data_offsets": theirs},
                    header[other] | {"data_offsets": mine},
                )
    return with_header(json.dumps(header))


def edit_data(random: random.Random) -> bytes:
    """Eight bytes of the arrays, offsets of strings among them, become another number."""
    data = bytearray(SEED)
    at = random.randrange(HEADER, len(SEED) - 8)
    data[at : at + 8] = random.choice([random.getrandbits(64), 2**63, 2**64 - 1, 0, 5]).to_bytes(8, "little")
    return bytes(data)


def with_header(text: str) -> bytes:
    header = text.encode("utf-8", "surrogatepass")
    header += b" " * (-(8 + len(header)) % 8)
    return len(header).to_bytes(8, "little") + header + SEED[HEADER:]


@pytest.mark.parametrize(
    "mutate",
    [flip_bits, truncate, insert, delete, set_length, replace_number, edit_header, edit_data],
    ids=lambda mutate: mutate.__name__,
)
def test_damage(mutate: Callable[[random.Random], bytes]) -> None:
    source = random.Random(mutate.__name__)
    for _ in range(2_500):
        data = mutate(source)
        refusal = check_loaded(data)
        assert "\n" not in refusal
        assert len(refusal) < 500


def check_loaded(data: bytes) -> str:
    """Why the data are refused; if they are not, nothing, and what they hold is checked."""
    try:
        model = ModelFile.from_buffer(data, path="x.palm")
    except FormatError as error:
        return str(error)
    check_consistent(model, len(data))
    return ""


def check_consistent(model: ModelFile, size: int) -> None:
    """Everything can be touched, nothing is larger than the file, and the model can be saved again."""
    assert sum(array.nbytes for array in model.arrays.values()) <= size
    for array in model.arrays.values():
        assert len(array.tobytes()) == array.nbytes
    for table in model.strings.values():
        assert list(table) == [table[i] for i in range(len(table))]
    file = io.BytesIO()
    model.write(file)
    again = ModelFile.from_buffer(file.getvalue())
    assert again.options == model.options
    assert again.arrays.keys() == model.arrays.keys()
    for name, array in model.arrays.items():
        assert again.arrays[name].shape == array.shape
        assert again.arrays[name].tobytes() == array.tobytes()
