"""Right answers as files write them, and whether a set of values is one.

An answer is a list of Prolog terms, [stateid(texas), cityid(austin, tx)], or values with | between them. Terms
may name entities in their own way. Their arguments are looked up among the names of the database, and which
types a name such as `placeid` covers is learned from all answers of the training set.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from palmette.errors import FormatError
from palmette.tools.semantics.schema import NUMBER, as_text
from palmette.tools.semantics.terms import Compound, Term, TermReader
from palmette.tools.semantics.world import Entity, Ids, World

Functors = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Gold:
    """A right answer: for each of its values the ids that it may be, or a number that the world may not have."""

    options: tuple[frozenset[int] | float, ...]

    def matches(self, world: World, answer: Ids) -> bool:
        """Whether the values are those of the right answer, each once."""
        if len(answer) != len(self.options):
            return False
        left = set(answer)
        for option in self.options:
            if isinstance(option, float):
                fits = {v for v in left if _close(world.values[v], option)}
            else:
                fits = left & option
            if not fits:
                return False
            left.remove(min(fits))
        return True


def _close(value: object, number: float) -> bool:
    return isinstance(value, float) and math.isclose(value, number, rel_tol=1e-6, abs_tol=1e-9)


def parse_answer(text: str, path: str | None = None, line: int | None = None) -> list[Term]:
    """Return the terms of an answer.

    >>> parse_answer("[stateid(texas),3.5]")
    [Compound(name='stateid', arguments=('texas',)), 3.5]
    >>> parse_answer("New Mexico|Ohio")
    ['New Mexico', 'Ohio']
    """
    stripped = text.strip().removesuffix(".").strip()
    if not stripped.startswith("["):
        return [_plain(part.strip()) for part in stripped.split("|") if part.strip()]
    try:
        reader = TermReader(stripped, path, line or 1)
        found = reader.term()
        if not reader.at_end:
            raise reader.error("expected the end of the answer")
    except FormatError as error:
        raise FormatError(f"not an answer: {error.message}", path=path, line=line) from None
    return found if isinstance(found, list) else [found]


def _plain(text: str) -> Term:
    try:
        number = float(text.replace(",", ""))
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def resolve(world: World, terms: Iterable[Term], functors: Functors | None = None) -> Gold:
    """Return a right answer as values of the world."""
    options: list[frozenset[int] | float] = []
    seen = set()
    for term in terms:
        option: frozenset[int] | float = term if isinstance(term, float) else _entities(world, term, functors)
        if option not in seen:
            options.append(option)
            seen.add(option)
    return Gold(tuple(options))


def _entities(world: World, term: Term, functors: Functors | None) -> frozenset[int]:
    if isinstance(term, list):
        return frozenset()
    arguments = (
        [as_text(a) for a in term.arguments if isinstance(a, str | float)]
        if isinstance(term, Compound)
        else [as_text(term)]
    )
    if not arguments:
        return frozenset()
    types = functors.get(term.name) if functors is not None and isinstance(term, Compound) else None
    found = set()
    for type, ids in world.names.get(arguments[0], {}).items():
        if types is not None and type not in types:
            continue
        for i in ids:
            if all(_names_part(world, world.values[i], argument) for argument in arguments[1:]):
                found.add(i)
    return frozenset(found)


def _names_part(world: World, value: object, text: str) -> bool:
    """Whether a further argument names a part of the key, in full or by an alias."""
    if not isinstance(value, Entity) or text == "_":
        return text == "_"
    if text in value.key:
        return True
    same = {i for ids in world.names.get(text, {}).values() for i in ids}
    return any(isinstance(e := world.values[i], Entity) and e.key[-1] in value.key[:-1] for i in same)


def learn_functors(world: World, answers: Iterable[Iterable[Term]]) -> dict[str, tuple[str, ...]]:
    """Return the types that the names of terms cover: the fewest that contain all their arguments."""
    seen: dict[str, list[set[str]]] = {}
    for terms in answers:
        for term in terms:
            if isinstance(term, Compound):
                ids = _entities(world, term, None)
                seen.setdefault(term.name, []).append(
                    {world.types[i] for i in ids if world.types[i] != NUMBER}
                )
    learned = {}
    for name, sets in seen.items():
        chosen: list[str] = []
        left = [types for types in sets if types]
        while left:
            counts = Counter(type for types in left for type in types)
            best = max(sorted(counts), key=lambda type: counts[type])
            if counts[best] < 0.02 * len(sets) and chosen:
                break
            chosen.append(best)
            left = [types for types in left if best not in types]
        learned[name] = tuple(chosen)
    return learned
