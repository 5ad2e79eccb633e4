"""Readers and writers of the field's file formats, and of Palmette's own model files."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from typing import Any

    from palmette.formats.conversion import Conversion, convert

__all__ = ["Conversion", "convert"]


def __getattr__(name: str) -> Any:
    """Import the conversions when one is asked for; most users of this package need a single format."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from palmette.formats import conversion

    return getattr(conversion, name)
