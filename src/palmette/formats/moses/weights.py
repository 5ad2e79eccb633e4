"""Weights of features as text: a group of features on each line, as in the weights of a Moses model.

    lm= 0.5
    tm= 0.2 0.2 0.1 0.3

A group of several values has the features `tm.0`, `tm.1`, … A name may also end with `:` or nothing, `lm 0.5`.
In a file with sections, such as moses.ini, only `[weight]` is read. Lines that begin with `#` are comments.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_lines, write_atomically
from palmette.formats.moses.nbest import feature_groups

_EXPECTED = "expected a name and its weights, as in 'lm= 0.5'"


def read_weights(source: Source) -> dict[str, float]:
    """Return the weights of a file by the names of the features; FormatError with the line of what is broken."""
    return parse_weights(read_lines(source), display_name(source))


def parse_weights(lines: Iterable[str], path: str | None = None) -> dict[str, float]:
    """Return the weights of some lines. path: for messages.

    >>> parse_weights(["lm= 0.5", "tm= 0.2 0.1"])
    {'lm': 0.5, 'tm.0': 0.2, 'tm.1': 0.1}
    """
    found: dict[str, float] = {}
    inside = True
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        head, sign, tail = words[0].partition("=")
        if sign and tail:  # lm=0.5
            words[:1] = [head, tail]
        if words[0].startswith("[") and words[-1].endswith("]"):
            inside = line.strip() == "[weight]"
            continue
        if not inside:
            continue
        name, values = words[0].removesuffix("=").removesuffix(":"), words[1:]
        plain = not sign and name == words[0]  # without a sign only numbers tell that these are weights
        if not name or not values or (plain and not all(map(_is_number, values))):
            raise FormatError(f"{_EXPECTED}; got {line.strip()[:40]!r}", path=path, line=number)
        names = [name] if len(values) == 1 else [f"{name}.{k}" for k in range(len(values))]
        for own, word in zip(names, values):
            if own in found:
                raise FormatError(f"the feature {own!r} has two weights", path=path, line=number)
            found[own] = _number(word, own, path, number)
    if not found:
        raise FormatError(f"{_EXPECTED}; there are no weights", path=path)
    return found


def ordered_weights(
    weights: Mapping[str, float], names: Sequence[str], path: str | None = None
) -> list[float]:
    """Return weights in the order of names; FormatError for a missing one, and for one without a feature."""
    for name in names:
        if name not in weights:
            raise FormatError(f"there is no weight for the feature {name!r}", path=path)
    for name in weights:
        if name not in names:
            raise FormatError(f"there is no feature {name!r}: the features are {' '.join(names)}", path=path)
    return [weights[name] for name in names]


def write_weights(names: Sequence[str], weights: Iterable[float], target: Source) -> None:
    """Write weights as `read_weights` reads them."""
    text = weights_text(names, weights)
    with write_atomically(target) as file:
        file.write(text.encode("utf-8"))


def weights_text(names: Sequence[str], weights: Iterable[float]) -> str:
    """Return weights as lines.

    >>> weights_text(["lm", "tm.0", "tm.1"], [0.5, 0.2, 0.1])
    'lm= 0.5\\ntm= 0.2 0.1\\n'
    """
    values = [f"{float(value)!r}" for value in weights]
    lines, k = [], 0
    for name, n in feature_groups(names):
        lines.append(f"{name}= {' '.join(values[k : k + n])}\n")
        k += n
    return "".join(lines)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _number(word: str, name: str, path: str | None, line: int) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise FormatError(f"expected a finite number for {name!r}; got {word[:40]!r}", path=path, line=line)
    return value
