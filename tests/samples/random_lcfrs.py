"""Random LCFRS that the native parser takes: binary, ordered, nothing empty or glued; and trees with gaps."""

from __future__ import annotations

import itertools
import random

from palmette.trees.tree import Child, Leaf, Tree


def random_yield(rng: random.Random, left: int, right: int) -> str:
    """A yield function of such children: gaps where two segments of one child meet, and some others."""
    middle = list("0" * (left - 1) + "1" * right)
    rng.shuffle(middle)
    digits = ["0", *middle]
    text = digits[0]
    for before, here in itertools.pairwise(digits):
        gap = before == here or rng.random() < 0.3
        text += "," * gap + here
    return text


def random_lcfrs(rng: random.Random, *, words: str = "abc", rules: int = 14, widest: int = 3) -> str:
    """The text of a grammar; S is the start symbol, of fan-out one, T0 and T1 are tags."""
    fan_out = {"S": 1, "A": 1, "B": 2, "C": 3, "T0": 1, "T1": 1}
    fan_out = {name: f for name, f in fan_out.items() if f <= widest}
    lines = {"S": [(1.0, "T0_1[1] T1_1[2]")]}
    names = list(fan_out)
    while sum(map(len, lines.values())) < rules:
        left, right = rng.choice(names[1:]), rng.choice(names[1:])
        text = random_yield(rng, fan_out[left], fan_out[right])
        parents = [name for name, f in fan_out.items() if f == text.count(",") + 1 and name[0] != "T"]
        if parents:
            parent, right_side = rng.choice(parents), spelled(text, left, right)
            if all(right_side != other for _, other in lines.get(parent, [])):
                lines.setdefault(parent, []).append((rng.random(), right_side))
    for name in ("A", "B", "C"):
        if name in fan_out and name not in lines:
            sides = {"A": "T0_1[1] T1_1[2]", "B": "T0_1[1], T1_1[2]", "C": "A_1[1], B_1[2], B_2[2]"}
            lines[name] = [(0.5, sides[name])]
    lines["A"].append((0.3, "T0_1[1]"))
    lines["S"].append((0.2, "A_1[1]"))
    for tag in ("T0", "T1"):
        lines[tag] = [(rng.random(), word) for word in words]
    return "\n".join(f"{w!r}: {parent} -> {right}" for parent, rows in lines.items() for w, right in rows)


def spelled(text: str, left: str, right: str) -> str:
    """The right-hand side of a rule in the notation of text grammars."""
    seen = [0, 0]
    parts = []
    for component in text.split(","):
        symbols = []
        for digit in map(int, component):
            seen[digit] += 1
            symbols.append(f"{(left, right)[digit]}_{seen[digit]}[{digit + 1}]")
        parts.append(" ".join(symbols))
    return ", ".join(parts)


def random_discontinuous(rng: random.Random, n: int) -> Tree:
    """A tree over n words whose phrases take any words."""
    nodes: list[Child] = [Tree(rng.choice("nvd"), [Leaf(rng.choice("abc"), i)]) for i in range(n)]
    while len(nodes) > 1:
        chosen = rng.sample(range(len(nodes)), min(len(nodes), rng.randint(2, 4)))
        made = Tree(rng.choice(["NP", "VP", "S"]), [nodes[i] for i in chosen])
        nodes = [node for i, node in enumerate(nodes) if i not in chosen] + [made]
    return Tree("TOP", nodes)
