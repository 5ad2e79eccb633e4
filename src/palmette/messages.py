"""What the library says while it works: through the logger `palmette`, and never on a standard stream.

    logging.basicConfig(level=logging.INFO)     # shows it all
    logging.getLogger("palmette").setLevel(logging.WARNING)

INFO has a line for every pass of a training; WARNING has what was left out or done in another way than asked. The
logger has a handler that does nothing, so nothing is shown until a program asks for it.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

LOGGER = logging.getLogger("palmette")
LOGGER.addHandler(logging.NullHandler())


def logged(callback: Callable[[Any], None] | None, what: str) -> Callable[[Any], None] | None:
    """Return the callback of a training that also logs every pass; `what` is trained, a noun for the line.

    Without anybody to read the lines it is the callback itself.
    """
    if not LOGGER.isEnabledFor(logging.INFO):
        return callback

    def tell(report: Any) -> None:
        LOGGER.info("%s, %s", what, report.summary)
        if callback is not None:
            callback(report)

    return tell


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun; plural: if it is not the noun with an s.

    >>> counted(1, "sentence pair"), counted(2000, "sentence pair"), counted(0, "entry", "entries")
    ('1 sentence pair', '2,000 sentence pairs', '0 entries')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def numbers_line(number: int, seconds: float, numbers: Iterable[tuple[str, float]]) -> str:
    """Return a pass in words.

    >>> numbers_line(3, 1.25, [("loss", 12.5), ("dev", 0.75)])
    'pass 3: loss 12.5, dev 0.75 (1.2 s)'
    """
    told = ", ".join(f"{name} {value:.6g}" for name, value in numbers)
    return f"pass {number}{': ' if told else ''}{told} ({seconds:.1f} s)"


def warn(*texts: str) -> None:
    """Log what was left out or done in another way than asked, a line for each text."""
    for text in texts:
        LOGGER.warning("%s", text)


def warn_counted(texts: Iterable[str], total: int, noun: str) -> None:
    """Log each different text once, with how many of the `total` sentences (or what the noun says) it is about."""
    for text, n in Counter(text for text in texts if text).items():
        LOGGER.warning("%d of %d %s: %s", n, total, noun, text)
