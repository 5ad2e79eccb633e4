"""Where things are: the entities that contain others, as a database implies them.

An entity lies in what its columns refer to, if many entities refer to each (a city to its state, not a state to
its capital), and in what contains that. Everything lies in the only entity of a table that has one row and refers
to nothing (the country).
"""

from __future__ import annotations

from palmette.tools.semantics.schema import NUMBER
from palmette.tools.semantics.world import Ids, Predicate, World

PLACE, WHERE = "place", "where"


def add_places(world: World) -> None:
    """Add a predicate for each type whose entities lie in others: city.where(city, place)."""
    found = {type: _containers(world, type) for type in sorted(set(world.types) - {NUMBER})}
    whole = {
        type: next(iter(world.predicates[type].columns[0]))
        for type in sorted(world.tables)
        if len(world.predicates[type].rows) == 1
        and not any(type in p.types and NUMBER not in p.types for p in world.binary())
    }
    for type, direct in found.items():
        rows = set()
        for x, type_of in enumerate(world.types):
            if type_of != type:
                continue
            inside = _closure(x, found, world)
            inside |= {entity for other, entity in whole.items() if other != type}
            rows |= {(x, y) for y in inside}
        if rows and (direct or whole):
            world.add(Predicate(f"{type}.{WHERE}", [type, PLACE], rows, (), WHERE))


def _containers(world: World, type: str) -> dict[int, set[int]]:
    """Return what the entities of a type refer to directly."""
    found: dict[int, set[int]] = {}
    for predicate in world.binary():
        for side in (0, 1):
            other = predicate.types[1 - side]
            if predicate.types[side] != type or other == type or other not in world.tables:
                continue
            index: dict[int, Ids] = predicate.index[side]
            one_each = all(len(ys) == 1 for ys in index.values())
            several = len(index) > len(predicate.columns[1 - side])
            if (one_each and several and side == 0) or (type not in world.tables and side == 1):
                for x, ys in index.items():
                    found.setdefault(x, set()).update(ys)
    return found


def _closure(x: int, found: dict[str, dict[int, set[int]]], world: World) -> set[int]:
    seen: set[int] = set()
    waiting = [x]
    while waiting:
        for y in found.get(world.types[waiting[-1]], {}).get(waiting.pop(), ()):
            if y not in seen and y != x:
                seen.add(y)
                waiting.append(y)
    return seen
