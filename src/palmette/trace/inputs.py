"""What people type for a trace, as data: words, lines of names and numbers, within limits."""

from __future__ import annotations

import math
from collections.abc import Sequence

MOST_WORDS = 12
MOST_LABELS = 12
MOST_LINES = 200
MOST_CHARACTERS = 5_000


def words_of(text: str, most: int = MOST_WORDS) -> list[str]:
    """The words of a sentence; ValueError if there are none, or too many to look at."""
    words = text.split()
    if not words:
        raise ValueError("expected a sentence of at least one word")
    if len(words) > most:
        raise ValueError(f"a trace shows at most {most} words; this sentence has {len(words)}")
    return words


def lines_of(text: str, name: str) -> list[str]:
    """The lines of a field, which `;` also separates; without empty ones and those that begin with #."""
    lines = [line.strip() for line in text.replace(";", "\n").split("\n")]
    found = [line for line in lines if line and not line.startswith("#")]
    if len(found) > MOST_LINES:
        raise ValueError(f"{name}: a trace reads at most {MOST_LINES} lines; there are {len(found)}")
    return found


def number_of(text: str, where: str, low: float = -math.inf, high: float = math.inf) -> float:
    """A finite number within bounds."""
    try:
        found = float(text.replace("−", "-"))
    except ValueError:
        raise ValueError(f"{where}: expected a number, got {text[:40]!r}") from None
    if not math.isfinite(found) or not low <= found <= high:
        bounds = f" from {low:g}" * (low > -math.inf) + f" to {high:g}" * (high < math.inf)
        raise ValueError(f"{where}: expected a number{bounds}, got {text[:40]!r}")
    return found


def count_of(text: str, where: str, high: int, low: int = 1) -> int:
    """A whole number within bounds."""
    found = number_of(text, where, low, high)
    if found != int(found):
        raise ValueError(f"{where}: expected a whole number from {low} to {high}, got {text[:40]!r}")
    return int(found)


def few(names: Sequence[str], what: str, most: int = MOST_LABELS) -> None:
    """ValueError if there are too many of something."""
    if len(names) > most:
        raise ValueError(f"a trace shows at most {most} {what}; there are {len(names)}")
