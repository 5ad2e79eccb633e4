"""Templates by strings, token by token: slow, and short enough to be seen right."""

from __future__ import annotations

import re


def kind(c: str) -> str:
    return "X" if c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c


ATTRIBUTES = {
    "lower": str.lower,
    "prefix2": lambda w: w[:2] if len(w) > 2 else None,
    "suffix3": lambda w: w[-3:] if len(w) > 3 else None,
    "shape": lambda w: "".join(map(kind, w)),
    "digit": lambda w: "1" if any(c.isdigit() for c in w) else None,
    "capital": lambda w: "1" if any(c.isupper() for c in w) else None,
}


def value(sentence: dict[str, list[str]], name: str, at: int) -> str | None:
    """What a source has at a place of a sentence, inside it or outside."""
    words = sentence["form"]
    if at < 0:
        return f"_B{at}"
    if at >= len(words):
        return f"_B+{at - len(words) + 1}"
    if name == "w":
        return words[at]
    if name in ATTRIBUTES:
        return ATTRIBUTES[name](words[at])
    column, _, attribute = name.partition(".")
    found = sentence[column][at]
    return ATTRIBUTES[attribute](found) if attribute else found


def attribute_names(sentence: dict[str, list[str]], templates: list[str]) -> list[list[str]]:
    """The names of the attributes of every token, in the order of the templates."""
    rows = []
    for i in range(len(sentence["form"])):
        row = []
        for template in templates:
            if template == "bias":
                row.append("bias")
                continue
            places = re.findall(r"([^|\[]+)\[(-?\d+)\]", template)
            values = [value(sentence, name, i + int(offset)) for name, offset in places]
            if None not in values:
                row.append(f"{template}={'|'.join(v for v in values if v is not None)}")
        rows.append(row)
    return rows
