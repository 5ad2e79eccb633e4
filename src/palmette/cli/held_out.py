"""Which files of a training can be divided into examples, and how a model is measured on those held out.

A tool says so in a line of its commands: `HELD_OUT = HeldOut(("las", "uas"))`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from palmette.formats.batches import Unit, units
from palmette.formats.guess import guess_format

Cut = Callable[[bytes], list[bytes]]
_EXPORT_BEGIN = re.compile(rb"^(?=#BOS )", re.MULTILINE)


@dataclass(frozen=True)
class HeldOut:
    """The files of a tool's examples.

    measures: names in the report of `evaluate`, the one that decides first. files: by option of `train`, the
    argument of `evaluate` that takes such a file; None if there is none. cut: divides the content of one into
    examples. dev: as `files`, of the options for dev sets. reference: the argument of `evaluate` for a file that
    only measuring needs. same: further options of `train` that `evaluate` has too.
    """

    measures: tuple[str, ...]
    files: Mapping[str, str | None] = field(default_factory=lambda: {"train": "source"})
    cut: Cut = field(default_factory=lambda: sentences)
    dev: Mapping[str, str] = field(default_factory=lambda: {"dev": "source"})
    reference: str | None = None
    same: tuple[str, ...] = ("format",)
    lower_is_better: bool = False


def sentences(data: bytes) -> list[bytes]:
    """Blocks of lines with an empty line after each; trees one by one.

    >>> sentences(b"a\\nb\\n\\n\\nc\\n")
    [b'a\\nb\\n\\n', b'c\\n\\n']
    """
    found = guess_format(data)
    if found is not None and found.holds == "trees":
        if found.name == "export":
            return [piece for piece in _EXPORT_BEGIN.split(data) if piece.startswith(b"#BOS ")]
        return [piece.strip() + b"\n" for piece in units(data, Unit.tree) if piece.strip()]
    blocks = (piece.replace(b"\r\n", b"\n").strip(b"\n") for piece in units(data, Unit.sentence))
    return [block + b"\n\n" for block in blocks if block.strip()]


def filled_lines(data: bytes) -> list[bytes]:
    """Every line that is not empty."""
    return [line + b"\n" for line in data.replace(b"\r\n", b"\n").split(b"\n") if line.strip()]


def all_lines(data: bytes) -> list[bytes]:
    """Every line: an empty one is the side of a pair."""
    return [line + b"\n" for line in data.removesuffix(b"\n").split(b"\n")] if data else []


def documents(data: bytes) -> list[bytes]:
    """Lines of the same document together: (label,) name, number, sentence between tabs; of other files, lines."""
    found: list[bytes] = []
    last = None
    for line in filled_lines(data):
        columns = line.split(b"\t")
        name = columns[:-2] if len(columns) > 2 else None
        if name is not None and name == last:
            found[-1] += line
        else:
            found.append(line)
        last = name
    return found


def parallel(cut: Cut, contents: Mapping[str, Sequence[bytes]]) -> dict[str, list[bytes]]:
    """The examples of files, by option; several files of an option follow each other.

    ValueError if two options do not have the same number of examples.
    """
    found = {name: [piece for data in given for piece in cut(data)] for name, given in contents.items()}
    numbers = {name: len(pieces) for name, pieces in found.items()}
    if len(set(numbers.values())) > 1:
        told = ", ".join(f"{number:,} in --{name.replace('_', '-')}" for name, number in numbers.items())
        raise ValueError(f"expected as many examples in each file; got {told}")
    return found
