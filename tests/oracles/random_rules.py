"""Random rules of synchronous grammars, over strings and over trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from palmette.tools.translation.rules.fragments import Fragment
from palmette.tools.translation.rules.symbols import Nonterminal, Rule, Symbol, side_text


def random_rules(seed: int, n: int = 200) -> list[Rule]:
    """Distinct rules over short strings, some with the same scores."""
    rng = np.random.default_rng(seed)
    found: dict[tuple[Any, ...], Rule] = {}
    while len(found) < n:
        source: list[Symbol] = [f"ä{k}" for k in rng.integers(0, 5, rng.integers(1, 5))]
        target: list[Symbol] = [f"b{k}" for k in rng.integers(0, 5, rng.integers(1, 5))]
        rank = int(rng.integers(0, 3))
        labels = [str(label) for label in rng.choice(["X", "NP"], rank)]
        places = np.sort(rng.integers(0, len(source) + 1, rank))
        for t in reversed(range(rank)):
            source.insert(int(places[t]), Nonterminal(labels[t], t))
        for t in rng.permutation(rank).tolist():
            target.insert(int(rng.integers(0, len(target) + 1)), Nonterminal(labels[t], t))
        scores = tuple(np.float32(-rng.integers(1, 4, 4) / 4).tolist())
        left = str(rng.choice(["X", "S"]))
        links = ((int(rng.integers(0, len(source))), int(rng.integers(0, len(target)))),)
        fragment = f"({left} {side_text(target)})" if rng.integers(0, 2) else None
        rule = Rule(left, tuple(source), tuple(target), scores, links, fragment, (3.0, 2.5, 1.25))
        found.setdefault(rule[:3], rule)
    return list(found.values())


def random_tree_rules(seed: int, n: int = 60) -> list[Rule]:
    rng = np.random.default_rng(seed)
    found: dict[tuple[Any, ...], Rule] = {}

    def grown(depth: int, variables: list[str]) -> str:
        label = str(rng.choice(["NP", "VP", "S"]))
        children = []
        for _ in range(int(rng.integers(1, 4))):
            kind = int(rng.integers(0, 3)) if depth < 2 else int(rng.integers(0, 2))
            if kind == 0:
                children.append(str(rng.choice(["a", "b", "c)", "[X,1", "|"])).replace(")", "&#41;"))
            elif kind == 1:
                variables.append(str(rng.choice(["NP", "VP"])))
                children.append(f"[{variables[-1]},{len(variables)}]")
            else:
                children.append(grown(depth + 1, variables))
        return f"({label} {' '.join(children)})"

    while len(found) < n:
        variables: list[str] = []
        text = grown(0, variables)
        target: list[Symbol] = [
            Nonterminal(variables[t], t) for t in rng.permutation(len(variables)).tolist()
        ]
        target.insert(0, str(rng.choice(["x", "y"])))
        fragment = Fragment.parse(text)
        key = (str(fragment), tuple(target))
        scores = tuple(np.float32(-rng.integers(1, 4, 4) / 4).tolist())
        found[key] = Rule(fragment.label, tuple(fragment.leaves()), tuple(target), scores, (), str(fragment))
    return list(found.values())


def by_text(rules: Any) -> list[tuple[Any, ...]]:
    return sorted(rules, key=lambda rule: (str(rule), rule.fragment or ""))
