"""What words may mean: a set of values as a DCS tree, or an operation that waits for one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from palmette.tools.semantics.dcs import DCSTree, constant
from palmette.tools.semantics.schema import NUMBER
from palmette.tools.semantics.world import Predicate, World

SET = "set"


@dataclass(frozen=True)
class Meaning:
    """A meaning of some words.

    kind: SET, or an operation ("argmax", "most", "count", "sum", "no", "greater", …). name: in features and
    explanations. tree, type, column: of a set, its tree, the type of its values, and the component of the root
    that they are. open: a component of the root that nothing is joined to yet, and its type.
    """

    kind: str
    name: str
    tree: DCSTree | None = None
    type: str = ""
    column: int = 1
    open: tuple[int, str] | None = None
    label: str = ""


def of_predicate(predicate: Predicate) -> Meaning:
    """Return the meaning of a noun: "city" is a set of cities, "capital" the cities that are capitals of a
    state."""
    tree = DCSTree(predicate.name)
    if predicate.arity == 1:
        return Meaning(SET, predicate.name, tree, predicate.types[0], 1, None, predicate.label)
    return Meaning(
        SET,
        predicate.name,
        replace(tree, column=2),
        predicate.types[1],
        2,
        (1, predicate.types[0]),
        predicate.label,
    )


def of_entities(text: str, type: str, ids: frozenset[int]) -> Meaning:
    """Return the meaning of a name: all values of a type that are called so."""
    return Meaning(SET, f"{type}:", constant(text, type, ids), type, 1, None, f"{type}:")


def of_number(world: World, value: float) -> Meaning:
    """Return the meaning of a number."""
    return Meaning(
        SET,
        "number:",
        constant(f"{value:.12g}", "", frozenset({world.number(value)})),
        NUMBER,
        label="number:",
    )


def of_operation(kind: str) -> Meaning:
    """Return an operation."""
    return Meaning(kind, kind, label=kind)
