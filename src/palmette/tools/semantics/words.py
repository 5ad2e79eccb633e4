"""Words of questions and of names: cut, folded, and compared.

Two words are alike in one of three ways: they are equal, they differ in an ending (city, cities; border,
bordering), or they begin alike (populated, population). Nothing here knows a language.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")

EXACT, ENDING, BEGINNING = "exact", "ending", "beginning"


@lru_cache(maxsize=100_000)
def folded(word: str) -> str:
    """Return a word in small letters without accents.

    >>> folded("Flüsse")
    'flusse'
    """
    plain = unicodedata.normalize("NFKD", word.casefold())
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def cut(text: str) -> list[str]:
    """Return the words of a text, folded; marks between words are left out.

    >>> cut("What is Georgia's capital?")
    ['what', 'is', 'georgia', 's', 'capital']
    """
    return [folded(word) for word in re.findall(r"\d+(?:[.,]\d+)*|[^\W_]+", text)]


def name_words(name: str) -> tuple[str, ...]:
    """Return the words of a name of a table or column.

    >>> name_words("highest_point")
    ('highest', 'point')
    """
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return tuple(cut(spaced.replace("_", " ")))


def number_of(word: str) -> float | None:
    """Return the number that a word of digits is, or None."""
    return float(word.replace(",", "")) if _NUMBER.fullmatch(word) else None


@lru_cache(maxsize=200_000)
def alike(one: str, other: str) -> str | None:
    """Return how two folded words are alike, or None.

    >>> alike("cities", "city"), alike("populous", "population"), alike("river", "road")
    ('ending', 'beginning', None)
    """
    if one == other:
        return EXACT
    short, long = sorted((_singular(one), _singular(other)), key=len)
    if short == long:
        return ENDING
    if len(short) >= 3 and long.startswith(short) and len(long) - len(short) <= 3:
        return ENDING
    common = 0
    while common < len(short) and short[common] == long[common]:
        common += 1
    return BEGINNING if common >= 5 and len(long) - common <= 5 else None


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
