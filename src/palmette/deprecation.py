"""Names and options that still work and will go: one sentence says what to use instead, and when they go."""

from __future__ import annotations

import warnings
from collections.abc import Callable


def deprecated(old: str, new: str, goes: str, tell: Callable[[str], None] | None = None) -> None:
    """Say that `old` is deprecated: by a DeprecationWarning at the caller's caller, or with `tell` to a user.

    goes: the version that no longer has it, at least one minor version after the first with this sentence

    >>> deprecated("--keep-heads", "--keep head", "0.4", tell=print)
    --keep-heads is deprecated and goes in version 0.4: use --keep head
    """
    sentence = f"{old} is deprecated and goes in version {goes}: use {new}"
    if tell is None:
        warnings.warn(sentence, DeprecationWarning, stacklevel=3)
    else:
        tell(sentence)
