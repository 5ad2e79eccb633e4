"""The options of a conversion, and which of them apply from one format to another."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

from palmette.formats.registry import Format


class Nulls(StrEnum):
    """Ways to mark empty elements, see `palmette.formats.conversion.cleaning`."""

    penn = "penn"
    icepahc = "icepahc"


@dataclass(frozen=True)
class Options:
    """What `palmette.formats.convert` says of them; each is None or False where it is not given."""

    columns: Sequence[str] | None = None
    separator: str | None = None
    no_comments: bool = False
    no_empty: bool = False
    nulls: str | None = None
    no_functions: bool = False
    outer: bool = False

    def check(self, source: Format, target: Format) -> None:
        """Raises ValueError for an option that makes no sense, or does not apply from source to target."""
        for field in fields(self):
            purpose, applies = _APPLIES[field.name]
            if getattr(self, field.name) not in (None, False) and not applies(source, target):
                name = field.name.replace("_", "-")
                raise ValueError(f"{name} is for {purpose}, and this converts {source.name} to {target.name}")
        if self.nulls is not None and self.nulls not in list(Nulls):
            raise ValueError(f"nulls must be one of {', '.join(Nulls)}; got {self.nulls!r}")
        if self.nulls is not None and not self.no_empty:
            raise ValueError("nulls says which elements are empty, and needs no-empty, which removes them")
        if self.separator not in (None, "\t", " "):
            raise ValueError(f"the separator must be a tab or a space; got {self.separator!r}")
        if self.columns is not None:
            _check_columns(self.columns)


# What an option is for, and whether it applies from one format to another.
_APPLIES: Mapping[str, tuple[str, Callable[[Format, Format], bool]]] = {
    "columns": (
        "a column file, read or written",
        lambda source, target: "columns" in (source.name, target.name),
    ),
    "separator": ("a column file that is written", lambda source, target: target.name == "columns"),
    "no_comments": ("tokens that are read", lambda source, target: source.holds == "tokens"),
    "no_empty": ("trees that are read", lambda source, target: source.holds == "trees"),
    "nulls": ("trees that are read", lambda source, target: source.holds == "trees"),
    "no_functions": ("trees that are written", lambda source, target: target.holds == "trees"),
    "outer": ("brackets that are written", lambda source, target: target.name == "brackets"),
}


def _check_columns(names: Sequence[str]) -> None:
    if isinstance(names, str) or not names or not all(names):
        raise ValueError(f"columns must be a list of names, none of them empty; got {names!r}")
    for i, name in enumerate(names):
        if name != "_" and name in names[:i]:
            raise ValueError(f"columns has {name!r} twice")
