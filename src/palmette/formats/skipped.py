"""What a strict reader stumbles over and a lenient one leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from palmette.errors import FormatError


class Skipped(NamedTuple):
    """A sentence or tree that was left out: the line of what is wrong with it, and what that is."""

    line: int
    message: str


def strict_or_lenient(
    problems: Iterable[tuple[int, str]],
    n_problems: int,
    n_read: int,
    *,
    lenient: bool,
    path: str | None,
    noun: str,
    nothing: str,
) -> list[Skipped]:
    """The problems of a lenient reading; FormatError with the first of them for a strict one.

    A reading without one `noun` is an error in both; `nothing` is what is wrong if there is no problem.
    """
    skipped = [Skipped(line, message) for line, message in problems]
    if skipped and not lenient:
        raise FormatError(skipped[0].message, path=path, line=skipped[0].line)
    if n_read == 0:
        if not skipped:
            raise FormatError(nothing, path=path)
        line, message = skipped[0]
        raise FormatError(
            f"no {noun} left, {n_problems} skipped, the first here: {message}", path=path, line=line
        )
    return skipped
