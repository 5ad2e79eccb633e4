"""Word alignments as text: one sentence pair on a line, links as `i-j` from 0 on.

`ipj` is a possible link, `i-j` a sure one. A probability may follow a link: `0-1:0.932`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text

Link = tuple[int, int]
_LINK = re.compile(r"(\d{1,6})([-p])(\d{1,6})(?::[0-9.eE+-]+)?")


@dataclass(frozen=True)
class GoldAlignment:
    """The right links of a sentence pair, source and target words from 0 on; `possible` has the sure ones too."""

    sure: frozenset[Link]
    possible: frozenset[Link]


def parse_pharaoh(text: str, *, path: str | None = None) -> Iterator[GoldAlignment]:
    """Yield the alignments of a text, line by line; FormatError with the line for what is not a link.

    >>> next(parse_pharaoh("0-0 1p2")).possible == {(0, 0), (1, 2)}
    True
    """
    for number, line in enumerate(text.splitlines(), 1):
        sure: set[Link] = set()
        possible: set[Link] = set()
        for word in line.split():
            found = _LINK.fullmatch(word)
            if found is None:
                raise FormatError(f"{word!r} is not a link: write 0-1, or 0p1", path=path, line=number)
            link = int(found[1]), int(found[3])
            possible.add(link)
            if found[2] == "-":
                sure.add(link)
        yield GoldAlignment(frozenset(sure), frozenset(possible))


def read_pharaoh(source: Source) -> list[GoldAlignment]:
    """The alignments of a file."""
    return list(parse_pharaoh(read_text(source), path=display_name(source)))


def format_pharaoh(links: Iterable[Link], probabilities: Iterable[float] | None = None) -> str:
    """One line, without its end.

    >>> format_pharaoh([(0, 0), (1, 2)], [1.0, 0.25])
    '0-0:1.0000 1-2:0.2500'
    """
    if probabilities is None:
        return " ".join(f"{i}-{j}" for i, j in links)
    return " ".join(f"{i}-{j}:{p:.4f}" for (i, j), p in zip(links, probabilities, strict=True))
