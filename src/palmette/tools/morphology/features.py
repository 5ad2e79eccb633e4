"""Morphological features as CoNLL-U writes them: `Case=Nom|Number=Sing`, and "_" for none."""

from __future__ import annotations

NOTHING = "_"


def attributes(feats: str) -> dict[str, str]:
    """The attributes of a string of features; one without a value has the value "".

    >>> attributes("Case=Nom|Foreign"), attributes("_")
    ({'Case': 'Nom', 'Foreign': ''}, {})
    """
    if feats in (NOTHING, ""):
        return {}
    pairs = (one.partition("=") for one in feats.split("|") if one)
    return {name: value for name, _, value in pairs}


def normalized(feats: str) -> str:
    """The features in the order of CoNLL-U, by name without case.

    >>> normalized("Number=Sing|Case=Nom"), normalized("")
    ('Case=Nom|Number=Sing', '_')
    """
    return "|".join(sorted({one for one in feats.split("|") if one}, key=str.lower)) or NOTHING
