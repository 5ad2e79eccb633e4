"""Classes for words that were never seen, or too rarely: what a word looks like, as one symbol.

The classes are those that parsers of English have used since the nineties: capitals and where they are, digits,
hyphens, and the last letters of lower-case words. They serve any script with capitals, and do no harm elsewhere.
"""

from __future__ import annotations

from collections.abc import Container

_ENDINGS = ("ed", "ing", "ion", "er", "est", "ly", "ity", "y", "al")  # the first that fits


def unknown_class(word: str, position: int, known: Container[str] = frozenset()) -> str:
    """The class of a word at a position of the sentence (0 begins it); known: the words of the training data.

    >>> unknown_class("Cheerily", 0, {"cheerily"}), unknown_class("2-for-1s", 3)
    ('UNK-INITC-KNOWNLC-ly', 'UNK-LC-NUM-DASH-s')
    """
    name = ["UNK"]
    capitals = sum(map(str.isupper, word))
    has_lower = any(map(str.islower, word))
    has_digit = any(map(str.isdigit, word))
    lower = word.lower()
    if word[:1].isupper():
        if position == 0 and capitals == 1:
            name.append("INITC")
            if lower in known:
                name.append("KNOWNLC")
        else:
            name.append("CAPS")
    elif not has_lower and capitals:
        name.append("CAPS")
    elif has_lower:
        name.append("LC")
    if has_digit:
        name.append("NUM")
    if "-" in word:
        name.append("DASH")
    if lower.endswith("s") and len(lower) >= 3:
        if lower[-2] not in "siu":
            name.append("s")
    elif len(lower) >= 5 and "-" not in word and not (has_digit and capitals):
        ending = next((end for end in _ENDINGS if lower.endswith(end)), None)
        if ending:
            name.append(ending)
    return "-".join(name)
