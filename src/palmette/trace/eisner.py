"""Eisner's parser: half-trees from short to long, by the general engine (Eisner 1996)."""

from __future__ import annotations

from typing import Any

import numpy as np

from palmette.inference.deduction import Deduction
from palmette.inference.facts import Columns, Item
from palmette.trace.arc_table import read_arcs
from palmette.trace.derivations import Derived, derived
from palmette.trace.registry import Field
from palmette.trace.steps import Change, Figure, Step, Trace, number

# One word below the root: a half-tree of the root takes its arc before anything else.
RULES = Deduction("""
    right[i, i]     <- ?word(i)
    left[i, i]      <- ?word(i) * 0 < i
    arc_right[i, k] <- arc(i, k) * right[i, j] * left[j+1, k] * 0 < i
    arc_right[0, k] <- arc(0, k) * right[0, 0] * left[1, k]
    arc_left[i, k]  <- arc(k, i) * right[i, j] * left[j+1, k] * 0 < i
    right[i, k]     <- arc_right[i, j] * right[j, k]
    left[i, k]      <- left[i, j] * arc_left[j, k]
""")
FIELDS = (
    Field("input", "John saw Mary", "the words"),
    Field(
        "scores",
        "root saw 10\nroot John 9\nroot Mary 9\nsaw John 30\nsaw Mary 30\nJohn saw 20\nJohn Mary 3\n"
        "Mary saw 0\nMary John 11",
        "scores of arcs, one on each line: HEAD DEPENDENT SCORE; words or their numbers; others have 0",
        lines=True,
    ),
)
MOST_WORDS = 8
_KINDS = {
    "right": "{0} with all its words to the right, up to {1}",
    "left": "{1} with all its words to the left, down to {0}",
    "arc_right": "an arc from {0} to {1}",
    "arc_left": "an arc from {1} to {0}",
}
_SHORT = {"right": "▷", "left": "◁", "arc_right": "→", "arc_left": "←"}
_ORDER = list(_KINDS)[2:] + list(_KINDS)[:2]


def eisner(input: str, scores: str) -> Trace:
    """Fill the chart of half-trees, and read off the best tree."""
    words, table = read_arcs(input, scores, MOST_WORDS)
    n = len(words) - 1
    heads, dependents = np.nonzero(~np.eye(n + 1, dtype=bool) & (np.arange(n + 1) > 0))
    facts: Any = {
        "arc": Columns(heads, dependents, weights=table[heads, dependents]),
        "word": list(range(n + 1)),
    }
    goals = RULES.run(facts, f"right[0, {n}]", log=True)
    best = goals.best()
    assert best is not None
    # Everything that can be made, also what no whole tree uses: the union of the forests of all four kinds.
    found: dict[Item, Derived] = {}
    for kind in _KINDS:
        for one in derived(RULES.run(facts, f"{kind}[i, k]", log=True)):
            found.setdefault(one.item, one)
    items = sorted(found.values(), key=_shortest)
    steps = [_step(one, words) for one in items if one.item.arguments[0] != one.item.arguments[1]]
    result = np.zeros(n, dtype=int)
    for part, _ in best.preorder():
        i, k = (int(x) for x in part.item.arguments)
        if i == k:
            continue
        changes = [_change(found[part.item], "best")]
        if part.item.name.startswith("arc"):
            head, dependent = (i, k) if part.item.name == "arc_right" else (k, i)
            result[dependent - 1] = head
            changes.append(Change("arcs", (head, dependent), number(table[head, dependent]), 1.0, "best"))
        steps.append(Step(f"In the best tree: {_name(part.item, words)}", tuple(changes)))
    return Trace(
        "eisner",
        "Eisner: the best projective dependency tree",
        "→(i, k) = s(i, k) + max_{j} ▷(i, j) + ◁(j+1, k),   ▷(i, k) = max_{j} →(i, j) + ▷(j, k)",
        [
            Figure(
                "chart", "chart", "Half-trees (▷ ◁) and half-trees with a new arc (→ ←)", {"words": words}
            ),
            Figure("arcs", "arcs", "The best tree", {"words": words}),
        ],
        steps,
        {"heads": result.tolist(), "score": best.score},
        f"The best tree has the score {number(best.score)}.",
    )


def _shortest(one: Derived) -> tuple[int, int, int]:
    i, k = (int(x) for x in one.item.arguments)
    return k - i, i, _ORDER.index(one.item.name)


def _step(one: Derived, words: list[str]) -> Step:
    reads = tuple(("chart", _place(item)) for item in one.best.items if len(set(item.arguments)) == 2)
    more = f", the best of {len(one.ways)} ways" if len(one.ways) > 1 else ""
    parts = [number(weight) for fact, weight in one.best.facts if fact.name == "arc"]
    parts += [_symbol(item) for item in one.best.items]
    formula = f"{_symbol(one.item)} = {' + '.join(parts)} = {number(one.value)}"
    return Step(f"{_name(one.item, words)}{more}", (_change(one),), formula, reads)


def _symbol(item: Item) -> str:
    return f"{_SHORT[item.name]}({item.arguments[0]}, {item.arguments[1]})"


def _name(item: Item, words: list[str]) -> str:
    return _KINDS[item.name].format(*(words[int(i)] for i in item.arguments))


def _place(item: Item) -> tuple[int, int, str]:
    i, k = (int(x) for x in item.arguments)
    return i, k + 1, _SHORT[item.name]  # the words from i to k are in a chart the cell from i to k + 1


def _change(one: Derived, mark: str = "") -> Change:
    return Change("chart", _place(one.item), number(one.value), None, mark)
