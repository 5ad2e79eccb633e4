"""Which candidates of a list may be chosen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from palmette.formats.candidates import Candidates
from palmette.formats.given import listed_rows

Known = Iterable[
    Iterable[int] | int | None
]  # for every list the places of its candidates, one of them, or None


def allowed_places(lists: Sequence[Candidates], known: Known | None, first: int = 1) -> list[list[int]]:
    """Return the places, from 0, that may be chosen in every list; ValueError, with its number, for bad ones."""
    if known is None:
        return [list(range(len(given))) for given in lists]
    rows = listed_rows(known, "The known candidates")
    if len(rows) != len(lists):
        raise ValueError(f"There are {len(lists)} lists and known candidates for {len(rows)}.")
    found = []
    for number, (given, row) in enumerate(zip(lists, rows), first):
        n = len(given)
        if row is None:
            found.append(list(range(n)))
            continue
        places = sorted({row} if isinstance(row, int) else set(row))
        if not all(isinstance(place, int) and 0 <= place < n for place in places):
            raise ValueError(f"List {number} has {n} candidates, counted from 0. Got {row!r:.60}.")
        if not places and n:
            raise ValueError(f"List {number}: not one candidate may be chosen.")
        found.append(places)
    return found


def chosen_from(given: Candidates, places: Sequence[int]) -> Candidates:
    """Return the list with the candidates of these places alone."""
    if len(places) == len(given):
        return given
    own = list(places)
    counts = None if given.counts is None else given.counts[own]
    return Candidates([given.outputs[i] for i in own], given.log_probabilities[own], given.gold, counts)
