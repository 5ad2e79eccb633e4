"""Facts as tab-separated lines: weight, name of the predicate, arguments.

    0.8	rule	S	NP	VP
    1	word	time	0

An argument that is a decimal integer is read as an integer. In quotes ('3') it is a symbol. Everything else is a
symbol as written. The name is empty for items written `[...]`. Empty lines and lines that begin with # are
skipped.
"""

from __future__ import annotations

import re

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text

_INTEGER = re.compile(r"-?[0-9]+")

# By name: the facts in their order, a repeated one with the sum of its weights.
Facts = dict[str, dict[tuple[int | str, ...], float]]


def read_facts(*sources: Source, log: bool = False) -> Facts:
    """The facts of some files. With log=True the weights are scores, and a repeated fact is an error."""
    facts: Facts = {}
    for source in sources:
        _read(source, facts, log)
    return facts


def _read(source: Source, facts: Facts, log: bool) -> None:
    path = display_name(source)
    found = False
    for number, content in enumerate(read_text(source).split("\n"), 1):
        line = content.rstrip("\r")
        if not line or line.startswith("#"):
            continue
        found = True
        fields = line.split("\t")
        if len(fields) < 2:
            hint = "; the fields must be separated by tabs, not spaces" if " " in line else ""
            raise FormatError(f"expected a weight, a name and arguments{hint}", path=path, line=number)
        try:
            weight = float(fields[0])
        except ValueError:
            raise FormatError(f"the weight {fields[0]!r} is not a number", path=path, line=number) from None
        if not weight < float("inf") or (weight < 0 and not log):
            hint = "; if the weights are logs, say so with --log" if weight < 0 else ""
            required = (
                "a score must be below infinity" if log else f"it must be finite and not negative{hint}"
            )
            message = f"the weight is {fields[0]}; {required}"
            raise FormatError(message, path=path, line=number)
        try:
            arguments = tuple(_value(field) for field in fields[2:])
        except ValueError as error:
            raise FormatError(str(error), path=path, line=number) from None
        rows = facts.setdefault(fields[1], {})
        if log and arguments in rows:
            raise FormatError("this fact is there twice; scores cannot be added up", path=path, line=number)
        rows[arguments] = rows.get(arguments, 0.0) + weight
    if not found:
        raise FormatError("no facts", path=path)


def _value(field: str) -> int | str:
    if _INTEGER.fullmatch(field):
        digits = field.lstrip("-0")
        if len(digits) > 10 or int(digits or "0") >= 2**30:
            shown = field if len(field) < 20 else f"{field[:9]}..."
            raise ValueError(f"the integer {shown} is too large: integers must be below 2^30")
        return int(field)
    if len(field) > 1 and field[0] == field[-1] == "'":
        return field[1:-1]
    return field
