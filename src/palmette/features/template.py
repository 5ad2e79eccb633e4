"""One template: where it looks, and how its attributes are written."""

from __future__ import annotations

from dataclasses import dataclass

from palmette import _native

MAX_OFFSET = 100


@dataclass(frozen=True, slots=True)
class Source:
    """What a template looks at: an attribute of a column.

    column: its name, or its number as CRF++ counts; None for the words themselves.
    attribute: a name of `attributes`, of a resource or of a user's function; None for the string as it is.
    """

    column: str | int | None = None
    attribute: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """A source at a distance from the token: -1 is the token before."""

    source: Source
    offset: int


@dataclass(frozen=True, slots=True)
class Template:
    """Its attributes are written literals[0] value literals[1] value … literals[-1], a value for every place.

    with_label: the attribute is conjoined with the label of the previous token.
    """

    text: str
    places: tuple[Place, ...]
    literals: tuple[str, ...]
    with_label: bool = False

    @property
    def seed(self) -> int:
        """The hash of what is written around the values. Templates that write the same share their attributes."""
        return _native.hash_text("\0".join(self.literals))
