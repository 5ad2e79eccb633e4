"""Classes of characters: letters by script and case, digits, and each kind of punctuation."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

_UNSPACED = {"CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"}
_WIDE = {"IDEOGRAPHIC", "FULLWIDTH", "HALFWIDTH"}


@lru_cache(maxsize=1 << 16)
def script_of(character: str) -> str:
    """The first word of the character's name, which is its script for letters.

    >>> script_of("я"), script_of("か"), script_of("漢")
    ('CYRILLIC', 'HIRAGANA', 'CJK')
    """
    return unicodedata.name(character, "NONE").partition(" ")[0]


@lru_cache(maxsize=1 << 16)
def class_of(character: str) -> str:
    """The class of a character: script and case of letters, the category of others.

    >>> class_of("a"), class_of("Я"), class_of("4"), class_of(","), class_of("か")
    ('LATIN.l', 'CYRILLIC.u', 'Nd', 'Po', 'HIRAGANA')
    """
    category = unicodedata.category(character)
    if category[0] != "L":
        return category
    case = {"Ll": ".l", "Lu": ".u", "Lt": ".u"}.get(category, "")
    return script_of(character) + case


def is_unspaced(character: str) -> bool:
    """Whether the character belongs to a script that is written without spaces between words.

    >>> is_unspaced("漢"), is_unspaced("。"), is_unspaced("a"), is_unspaced("한")
    (True, True, False, False)
    """
    return script_of(character) in _UNSPACED or script_of(character) in _WIDE
