"""Predicates that a database does not list but implies: thresholds on numbers, and ratios of two columns.

    city.population > 150000        what "major" may mean
    state.population / state.area   what "density" means

Users define them in a file of triggers; training finds them for words that the database alone does not explain.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from palmette.tools.semantics.schema import NUMBER
from palmette.tools.semantics.world import Predicate, World

_THRESHOLD = re.compile(r"(\S+)\s*([<>])\s*(\?|[-+]?[\d.,]+(?:[eE][-+]?\d+)?)")
_RATIO = re.compile(r"(\S+)\s*/\s*(\S+)")
_MANTISSAS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7.5)  # of round numbers


def attributes(world: World, type: str | None = None) -> Iterator[Predicate]:
    """The binary predicates that give entities a number, of one type or of all."""
    for predicate in list(world.binary()):
        if (
            predicate.types[1] == NUMBER
            and predicate.types[0] != NUMBER
            and type in (None, predicate.types[0])
        ):
            yield predicate


def has_years(world: World, attribute: Predicate) -> bool:
    """Whether the numbers of an attribute may be years: whole, of four digits, up to 2100."""
    numbers = [float(v) for v in (world.values[y] for y in attribute.columns[1]) if isinstance(v, float)]
    return bool(numbers) and all(1000 <= number <= 2100 and number == int(number) for number in numbers)


ANY = "?"  # a bound that is still to be found


def threshold(world: World, name: str, sign: str, bound: float) -> Predicate:
    """Return the unary predicate of entities whose number is above (>) or below (<) a bound."""
    known = f"{name} {sign} {ANY if math.isinf(bound) else format(bound, '.12g')}"
    if known in world.implied:
        return world.implied[known]
    attribute = _attribute(world, name)
    rows = []
    for x, y in attribute.rows:
        number = world.values[y]
        if isinstance(number, float) and (number > bound if sign == ">" else number < bound):
            rows.append((x,))
    return world.implied.setdefault(known, Predicate(known, [attribute.types[0]], rows))


def ratio(world: World, above: str, below: str) -> Predicate:
    """Return the predicate that divides one number of an entity by another; where that is 0, there is none."""
    known = f"{above} / {below}"
    if known in world.implied:
        return world.implied[known]
    one, other = _attribute(world, above), _attribute(world, below)
    if one.types[0] != other.types[0]:
        raise ValueError(f"{above} and {below} are not numbers of the same type.")
    divisors = other.index[0]
    rows = []
    for x, y in sorted(one.rows):
        for z in sorted(divisors.get(x, ())):
            top, bottom = world.values[y], world.values[z]
            if isinstance(top, float) and isinstance(bottom, float) and bottom:
                rows.append((x, world.number(top / bottom)))
    made = Predicate(known, [one.types[0], NUMBER], rows, label=f"{one.label}/{other.label}")
    return world.implied.setdefault(known, made)


def derived(world: World, name: str) -> Predicate:
    """Return a predicate by its name, which may be a threshold or a ratio; ValueError if there is none."""
    known = world.find(name)
    if known is not None:
        return known
    found = _THRESHOLD.fullmatch(name)
    if found is not None:
        bound = -math.inf if found[3] == ANY else float(found[3].replace(",", ""))
        return threshold(world, found[1], found[2], bound)
    found = _RATIO.fullmatch(name)
    if found is not None:
        return ratio(world, found[1], found[2])
    raise ValueError(f"there is no predicate {name!r}: there are {', '.join(world.predicates)}")


def ratios(world: World) -> list[str]:
    """Return the names of all ratios of two columns of one type."""
    found = list(attributes(world))
    return [
        f"{one.name} / {other.name}"
        for one in found
        for other in found
        if one is not other
        and one.name.split(".")[0] == other.name.split(".")[0]
        and one.types == other.types
    ]


def round_bounds(world: World, attribute: Predicate) -> list[float]:
    """Return the round numbers between the values of an attribute."""
    numbers = sorted(
        float(v) for v in (world.values[y] for y in attribute.columns[1]) if isinstance(v, float)
    )
    if len(numbers) < 5:
        return []
    low, high = numbers[0], numbers[-1]
    found = []
    for exponent in range(
        math.floor(math.log10(max(abs(low), 1e-3))), math.floor(math.log10(max(high, 1e-3))) + 1
    ):
        found += [m * 10.0**exponent for m in _MANTISSAS if low < m * 10.0**exponent < high]
    return found


def _attribute(world: World, name: str) -> Predicate:
    found = world.predicates.get(name)
    if found is None or found.arity != 2 or found.types[1] != NUMBER:
        names = ", ".join(p.name for p in attributes(world))
        raise ValueError(f"{name!r} is not a number of an entity: there are {names}")
    return found
