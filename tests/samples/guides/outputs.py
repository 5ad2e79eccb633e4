"""Whether what is printed or drawn agrees with what a page has."""

from __future__ import annotations

import math
import re

_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def same_output(printed: str, written: str, share: float = 0.02) -> bool:
    """Whether two texts agree, numbers in them up to a share: the last digits depend on the processor."""
    ours, theirs = (_NUMBER.split(" ".join(text.split())) for text in (printed, written))
    numbers = zip(_NUMBER.findall(printed), _NUMBER.findall(written))
    return ours == theirs and all(
        math.isclose(float(a), float(b), rel_tol=share, abs_tol=0.011) for a, b in numbers
    )
