"""What drawings are made of: cells of a terminal with lines and text in them, and texts for a page."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from html import escape

UP, DOWN, LEFT, RIGHT = 1, 2, 4, 8
BOX = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"  # by the sum of the directions in which a line leaves the cell
ASCII = " |||-+++-+++-+++"


MAX_CELLS = 2_000_000  # rows times columns of the largest drawing that is made without asking for more

# Widths of characters in a sans serif font, in parts of its size; a little more than most fonts have.
_NARROW, _THIN, _BROAD, _CAPITAL, _PLAIN = 0.33, 0.42, 0.98, 0.74, 0.62


class TooLargeError(ValueError):
    """A drawing would be larger than was asked for."""


def check_area(rows: int, columns: int, most: int) -> None:
    """Raise TooLargeError if a drawing of this size has more than `most` cells."""
    if rows * columns > most:
        raise TooLargeError(
            f"the drawing has at least {rows:,} rows of {columns:,} columns, and at most {most:,} characters are "
            "drawn: raise max_cells (--max-cells)"
        )


def drawn_or_told(draw: Callable[[], str]) -> str:
    """A drawing; or, among other drawings, why there is none."""
    try:
        return draw()
    except TooLargeError as error:
        return f"({error})"


def drawn_or_nothing(draw: Callable[[], str]) -> str | None:
    """A drawing for a notebook, which shows the text of an object that has none."""
    try:
        return draw()
    except TooLargeError:
        return None


class Canvas:
    """Rows of cells, each with a piece of text or the directions in which lines leave it."""

    def __init__(self, height: int) -> None:
        self.height = height
        self._texts: list[dict[int, str]] = [{} for _ in range(height)]
        self._lines: list[dict[int, tuple[int, int]]] = [{} for _ in range(height)]  # directions and owner

    def line(self, row: int, x: int, owner: int, directions: int) -> None:
        """Adds the directions in which lines of an owner leave a cell."""
        before, whose = self._lines[row].get(x, (0, owner))
        if whose != owner and before:
            # Lines that cross do not meet: the upright one is in front.
            self._lines[row][x] = (UP | DOWN, owner)
        else:
            self._lines[row][x] = (before | directions, owner)

    def bar(self, row: int, low: int, high: int, owner: int) -> None:
        """A line from column to column."""
        for x in range(low, high + 1):
            self.line(row, x, owner, (LEFT if x > low else 0) + (RIGHT if x < high else 0))

    def write(self, row: int, left: int, text: str) -> None:
        """Writes a text over whatever lines there are."""
        x = last = left
        for character in text:
            width = _character_width(character)
            if width == 0 and x > left:
                self._texts[row][last] += character
                continue
            last = x
            self._texts[row][x] = character
            if width == 2:
                self._texts[row][x + 1] = ""
            x += max(width, 1)

    def is_upright(self, row: int, x: int) -> bool:
        """Whether a line goes up or down from a cell."""
        return bool(self._lines[row].get(x, (0, 0))[0] & (UP | DOWN))

    def text(self, symbols: str) -> str:
        """The rows, their lines drawn with these symbols."""
        return "\n".join(self._row_text(row, symbols) for row in range(self.height))

    def _row_text(self, row: int, symbols: str) -> str:
        texts, lines = self._texts[row], self._lines[row]

        def cells() -> Iterator[str]:
            for x in range(max([*texts, *lines], default=-1) + 1):
                yield texts[x] if x in texts else symbols[lines[x][0]] if x in lines else " "

        return "".join(cells()).rstrip(" ")


def text_width(text: str) -> int:
    """The columns that a text takes in a terminal: two for wide East Asian characters, none for marks."""
    return len(text) if text.isascii() else sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def is_right_to_left(words: Iterable[str]) -> bool:
    """Whether most words are written from right to left, as in Hebrew and Arabic.

    >>> is_right_to_left("הכלב ישן .".split()), is_right_to_left(["Hund", "כלב"])
    (True, False)
    """
    all_words = list(words)
    there = sum(any(unicodedata.bidirectional(c) in ("R", "AL") for c in word) for word in all_words)
    return 2 * there > len(all_words)


def escaped(text: str) -> str:
    """A text for SVG; what XML does not allow becomes a replacement character."""
    return escape("".join(c if c.isprintable() else " " if c == "\xa0" else "�" for c in text))


def svg_width(text: str, size: float, bold: bool = False) -> int:
    """About the pixels that a text takes on a page, in a sans serif font of a size."""
    width = sum(map(_part_of_size, text)) * size * (1.1 if bold else 1.0)
    return int(width) + 1


def _part_of_size(character: str) -> float:
    if character in "ijlI'|.,:;!`":
        return _NARROW
    if character in 'frt()[]{}/\\-*" ':
        return _THIN
    if character in "mwMW%@&—…":
        return _BROAD
    if not character.isascii():
        return _character_width(character) * (1.0 if _character_width(character) == 2 else 0.68)
    return _CAPITAL if character.isupper() else _PLAIN


def svg_head(width: float, height: float, title: str) -> str:
    """How an image begins: its size, its font, and its content in words."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" font-family="Helvetica, Arial, sans-serif" font-size="14" '
        f'text-anchor="middle" fill="currentColor"><title>{escaped(title)}</title>'
    )
