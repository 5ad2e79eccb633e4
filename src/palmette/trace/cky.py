"""CKY: constituents from short to long, by the general engine (CSC 448, §10 and §11)."""

from __future__ import annotations

import math
import warnings
from typing import Any

from palmette.grammars.grammar import Grammar
from palmette.grammars.rule import Terminal
from palmette.inference.deduction import Deduction
from palmette.inference.facts import Item
from palmette.trace.derivations import Derived, Way, derived
from palmette.trace.inputs import few, lines_of, words_of
from palmette.trace.registry import Field
from palmette.trace.steps import Change, Figure, Step, Trace, number

RULES = Deduction("""
    [A, i, i+1] <- rule(A, w) * word(w, i)
    [A, i, k]   <- unary(A, B) * [B, i, k]
    [A, i, k]   <- rule(A, B, C) * [B, i, j] * [C, j, k]
""")
GRAMMAR = """0.9: S -> NP VP
0.1: S -> VP
0.3: NP -> D N
0.2: NP -> N N
0.1: NP -> NP PP
0.4: NP -> N
0.4: VP -> V PP
0.6: VP -> V NP
PP -> P NP
0.3: N -> 'time'
0.2: N -> 'flies'
0.5: N -> 'arrow'
0.2: V -> 'time'
0.4: V -> 'flies'
0.4: V -> 'like'
P -> 'like'
D -> 'an'"""
FIELDS = (
    Field("input", "time flies like an arrow", "the words"),
    Field(
        "grammar",
        GRAMMAR,
        "rules of one or two symbols, one on each line, words in quotes: 0.9: S -> NP VP",
        lines=True,
    ),
)
_MOST_STEPS = 600


def read_grammar(text: str) -> Grammar:
    """The grammar of a field; ValueError for rules that CKY cannot use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # weights need not be probabilities here
        grammar = Grammar("\n".join(lines_of(text, "grammar")), path="grammar", weighted=True)
    few(grammar.nonterminals, "symbols", 30)
    for rule in grammar.rules:
        words = sum(isinstance(symbol, Terminal) for symbol in rule.right)
        if len(rule.right) not in (1, 2) or (words and len(rule.right) != 1):
            raise ValueError(f"CKY needs rules of one or two symbols, or of one word; {rule} is another")
        if not 0 <= rule.weight <= 1:
            raise ValueError(f"the weight of a rule is a number from 0 to 1; that of {rule} is not")
    return grammar


def cky(input: str, grammar: str) -> Trace:
    """Fill the chart from short spans to long ones, and read off the best tree."""
    words, rules = words_of(input), read_grammar(grammar)
    for word in words:
        if word not in rules.terminals:
            known = ", ".join(sorted(rules.terminals))
            raise ValueError(f"no rule of the grammar has the word {word!r}; it knows {known}")
    facts: dict[str, Any] = {"rule": {}, "unary": {}, "word": [(w, i) for i, w in enumerate(words)]}
    for rule in rules.rules:
        one = rule.right[0]
        if isinstance(one, Terminal):
            facts["rule"][rule.left, one.word] = rule.weight
        else:
            kind = "unary" if len(rule.right) == 1 else "rule"
            facts[kind][(rule.left, *map(str, rule.right))] = rule.weight
    items = sorted(derived(RULES.run(facts, "[A, i, k]")), key=_shortest)
    if len(items) > _MOST_STEPS:
        raise ValueError(
            f"a trace has at most {_MOST_STEPS} steps; this one has {len(items)}: take fewer words or rules"
        )
    steps = [_step(one, words) for one in items]
    n, chart = len(words), {one.item: one for one in items}
    root = chart.get(Item("", (rules.start, 0, n)))
    result: dict[str, Any] = {"tree": None, "log_probability": None}
    note = f"The grammar has no tree with the root {rules.start} for these words."
    if root is not None and root.value > -math.inf:
        proof = RULES.run(facts, f"['{rules.start}', 0, {n}]").best()
        assert proof is not None
        result = {"tree": str(proof.tree()), "log_probability": proof.score}
        for part, _ in proof.preorder():
            if part.item.name == "":
                changes = (_change(chart[part.item], "best"),)
                steps.append(Step(f"{_name(part.item, words)} is in the best tree", changes))
        note = f"The best tree has the probability {number(math.exp(proof.score))}."
    return Trace(
        "cky",
        "CKY: the best tree of a grammar",
        "π(A, i, k) = max_{A → B C, j} P(A → B C) · π(B, i, j) · π(C, j, k)",
        [Figure("chart", "chart", "The chart: constituents by their words", {"words": words})],
        steps,
        result,
        note,
    )


def _shortest(one: Derived) -> tuple[int, int]:
    _, i, k = one.item.arguments
    return int(k) - int(i), int(i)


def _step(one: Derived, words: list[str]) -> Step:
    best = one.best
    reads = tuple(("chart", _place(item)) for way in one.ways for item in way.items)
    others = f", the best of {len(one.ways)} ways" if len(one.ways) > 1 else ""
    text = f"{_name(one.item, words)}: {one.item.arguments[0]} → {_right(best)}{others}"
    terms = [_product(way) for way in one.ways]
    chosen = terms[0] if len(terms) == 1 else f"max({', '.join(terms)})"
    label, i, k = one.item.arguments
    value = number(math.exp(one.value))
    equals = chosen if chosen == value else f"{chosen} = {value}"
    return Step(text, (_change(one),), f"π({label}, {i}, {k}) = {equals}", reads)


def _right(way: Way) -> str:
    if way.items:
        return " ".join(str(item.arguments[0]) for item in way.items)
    return next(f'"{fact.arguments[0]}"' for fact, _ in way.facts if fact.name == "word")


def _product(way: Way) -> str:
    rules = [number(math.exp(weight)) for fact, weight in way.facts if fact.name != "word"]
    return " · ".join([*rules, *(f"π({', '.join(map(str, item.arguments))})" for item in way.items)])


def _change(one: Derived, mark: str = "") -> Change:
    value = math.exp(one.value)
    return Change("chart", _place(one.item), number(value), min(1.0, value), mark)


def _place(item: Item) -> tuple[int, int, str]:
    label, i, k = item.arguments
    return int(i), int(k), str(label)


def _name(item: Item, words: list[str]) -> str:
    label, i, k = item.arguments
    return f'{label} over "{" ".join(words[int(i) : int(k)])}"'
