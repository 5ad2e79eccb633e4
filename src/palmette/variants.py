"""Which build of the native core this processor gets.

A wheel has the core several times: in the package for any x86-64-v2 processor, and in `variants/` for newer ones,
with wider vectors. The import of the package puts the folder of the best one in front of its path, so that
`palmette._native` is found there. The environment variable PALMETTE_CORE names another one, such as x86-64-v2. A
build for one machine has no `variants/`, and nothing is chosen.
"""

from __future__ import annotations

import os  # and not pathlib, which the import of the package would wait for

NAMES = {2: "x86-64-v2", 3: "x86-64-v3", 4: "x86-64-v4"}


def choose(folder: str, wanted: str | None = None) -> str | None:
    """Return the folder of the core to use, or None for the one in the package itself.

    folder: of the package. wanted: the name of a variant; None takes the best that this processor can run.
    """
    place = os.path.join(folder, "variants")
    built = os.listdir(place) if os.path.isdir(place) else []
    if wanted:
        return _wanted(wanted, place, built)
    if not built:
        return None
    from palmette._processor import level

    best = level()
    for number in sorted(NAMES, reverse=True):
        if number <= best and NAMES[number] in built:
            return os.path.join(place, NAMES[number])
    return None


def _wanted(wanted: str, place: str, built: list[str]) -> str | None:
    known = [NAMES[2], *sorted(built)] if built else []
    if wanted not in known:
        there = f"one of {', '.join(known)}" if known else "left unset: this build has one core"
        raise ImportError(f"PALMETTE_CORE is {wanted!r}. It must be {there}.")
    if wanted == NAMES[2]:
        return None
    from palmette._processor import level

    if NAMES.get(level(), "") < wanted:
        raise ImportError(f"PALMETTE_CORE is {wanted!r}, which this processor cannot run. Leave it unset.")
    return os.path.join(place, wanted)


def active() -> str:
    """Return the name of the core in use, such as x86-64-v3; "built here" if there is only one."""
    from palmette import _native

    folder = os.path.dirname(_native.__file__)
    if os.path.basename(os.path.dirname(folder)) == "variants":
        return os.path.basename(folder)
    return NAMES[2] if os.path.isdir(os.path.join(folder, "variants")) else "built here"
