"""Viterbi and forward-backward over a hidden Markov model: two semirings over one forest (CSC 448, §2 and §4)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from palmette.inference.deduction import Deduction
from palmette.inference.facts import Item
from palmette.inference.forest import Forest
from palmette.inference.semiring import LOG
from palmette.trace.derivations import Derived, derived
from palmette.trace.inputs import few, lines_of, number_of, words_of
from palmette.trace.registry import Field
from palmette.trace.steps import Change, Figure, Step, Trace, number

RULES = Deduction("""
    [y, 1]   <- start(y) * emit(y, w) * ?word(w, 1)
    [y, i+1] <- [x, i] * next(x, y) * emit(y, w) * ?word(w, i+1)
    goal [y, n] <- ?length(n)
""")
MODEL = """start N 0.5
start V 0.1
start D 0.3
start P 0.1
next N N 0.2
next N V 0.5
next N P 0.3
next V N 0.2
next V D 0.5
next V P 0.3
next D N 1
next P N 0.3
next P D 0.7
emit N time 0.3
emit N flies 0.2
emit N arrow 0.5
emit V time 0.1
emit V flies 0.5
emit V like 0.4
emit D an 1
emit P like 1"""
FIELDS = (
    Field("input", "time flies like an arrow", "the words"),
    Field(
        "model",
        MODEL,
        "probabilities, one on each line: start LABEL P, next LABEL LABEL P, emit LABEL WORD P",
        lines=True,
    ),
)
_ARITY = {"start": 1, "next": 2, "emit": 2}


@dataclass(frozen=True)
class HiddenMarkov:
    """Words and the facts of a model, by kind; labels in the order in which the model names them."""

    words: list[str]
    facts: dict[str, dict[tuple[str, ...], float]]
    labels: list[str]

    def run(self, goal: str | None = None) -> Forest:
        """Return the forest; with a goal that is any item, it has those that lead nowhere too."""
        facts: dict[str, Any] = {
            **self.facts,
            "word": [(w, i) for i, w in enumerate(self.words, 1)],
            "length": [len(self.words)],
        }
        return RULES.run(facts, goal)


def read(input: str, model: str) -> HiddenMarkov:
    """Read words and a model; ValueError if a line is not understood or a word is unknown."""
    words, facts = words_of(input), {kind: dict[tuple[str, ...], float]() for kind in _ARITY}
    for at, line in enumerate(lines_of(model, "model"), 1):
        kind, *names = line.split()
        if kind not in _ARITY or len(names) != _ARITY[kind] + 1:
            raise ValueError(
                f"model, line {at}: expected start LABEL P, next LABEL LABEL P or emit LABEL WORD P, "
                f"got {line[:40]!r}"
            )
        weight = number_of(names.pop(), f"model, line {at}", 0, 1)
        if tuple(names) in facts[kind]:
            raise ValueError(f"model, line {at}: {kind} {' '.join(names)} is there already")
        facts[kind][tuple(names)] = weight
    named = [[names[0] for names in facts["start"]], [n for names in facts["next"] for n in names]]
    labels = list(dict.fromkeys([*named[0], *named[1], *(names[0] for names in facts["emit"])]))
    few(labels, "labels")
    known = sorted({names[1] for names in facts["emit"]})
    for word in words:
        if word not in known:
            raise ValueError(
                f"the model has no emit line for {word!r}; it knows {', '.join(known) or 'no word'}"
            )
    return HiddenMarkov(words, facts, labels)


def viterbi(input: str, model: str) -> Trace:
    """Fill the table of best prefixes, and follow it back."""
    hmm = read(input, model)
    columns, table = _columns(hmm), {}
    steps: list[Step] = []
    for one in _in_order(derived(hmm.run("[y, i]")), hmm):
        label, i = _place(one.item)
        table[label, i] = one
        best = one.best
        terms = [_product(way.items, way.facts, "δ") for way in one.ways]
        reads = tuple(("table", _cell(item, columns)) for way in one.ways for item in way.items)
        changes = (Change("table", (label, columns[i - 1]), _weight(one.value), math.exp(one.value)),)
        text = f'The start: "{hmm.words[0]}" as {label}' if i == 1 else f'"{hmm.words[i - 1]}" as {label}'
        if best.items:
            text += f", best after {best.items[0].arguments[0]}"
        chosen = terms[0] if len(terms) == 1 else f"max({', '.join(terms)})"
        steps.append(Step(text, changes, f"δ_{{{i}}}({label}) = {chosen} = {_weight(one.value)}", reads))
    n = len(hmm.words)
    last = [table[label, n] for label in hmm.labels if (label, n) in table]
    if not last or max(one.value for one in last) == -math.inf:
        raise ValueError("no sequence of labels has a probability above 0 under this model")
    one = max(last, key=lambda found: found.value)
    score, path = one.value, []
    ends = tuple(("table", _cell(found.item, columns)) for found in last)
    while True:
        label, i = _place(one.item)
        path.append(label)
        mark = Change("table", (label, columns[i - 1]), _weight(one.value), math.exp(one.value), "best")
        if i == n:
            steps.append(
                Step(f"The best end is {label}", (mark,), f"max_{{y}} δ_{{{n}}}(y) = {_weight(score)}", ends)
            )
        else:
            steps.append(Step(f'Back: "{hmm.words[i - 1]}" was {label}', (mark,)))
        if not one.best.items:
            break
        one = table[_place(one.best.items[0])]
    return Trace(
        "viterbi",
        "Viterbi: the best labels of a hidden Markov model",
        "δ_{i}(y) = max_{x} δ_{i−1}(x) · P(y | x) · P(w_{i} | y)",
        [Figure("table", "table", "δ: the best prefix that ends so", _table(hmm, columns))],
        steps,
        {"labels": path[::-1], "log_probability": score},
        "A value is the probability of the best labels up to a word. What is read is framed.",
    )


def forward_backward(input: str, model: str) -> Trace:
    """Fill the tables of forward and backward sums; their product is the probability of every label."""
    hmm = read(input, model)
    columns = _columns(hmm)
    steps: list[Step] = []
    for one in _in_order(derived(hmm.run("[y, i]"), LOG), hmm):
        label, i = _place(one.item)
        terms = " + ".join(_product(way.items, way.facts, "α") for way in one.ways)
        reads = tuple(("forward", _cell(item, columns)) for way in one.ways for item in way.items)
        change = Change("forward", (label, columns[i - 1]), _weight(one.value), math.exp(one.value))
        formula = f"α_{{{i}}}({label}) = {terms} = {_weight(one.value)}"
        steps.append(Step(f'Forward: "{hmm.words[i - 1]}" as {label}', (change,), formula, reads))
    forest = hmm.run()
    if forest.graph.root < 0 or forest.log_z() == -math.inf:
        raise ValueError("no sequence of labels has a probability above 0 under this model")
    log_z, outside = forest.log_z(), forest.graph.outside(forest.scores, LOG)
    items = _in_order(derived(forest, LOG), hmm)
    beta = {_place(one.item): float(outside[one.node]) for one in items}
    uses: dict[tuple[str, int], list[tuple[str, str, float]]] = {}
    for one in items:
        for way in one.ways:
            for item in way.items:
                facts = " · ".join(_weight(weight) for _, weight in way.facts)
                uses.setdefault(_place(item), []).append((_place(one.item)[0], facts, 0.0))
    for one in reversed(items):
        label, i = _place(one.item)
        terms = " + ".join(
            f"{facts} · β_{{{i + 1}}}({after})" for after, facts, _ in uses.get((label, i), [])
        )
        reads = tuple(("backward", (after, columns[i])) for after, _, _ in uses.get((label, i), []))
        value = beta[label, i]
        change = Change("backward", (label, columns[i - 1]), _weight(value), math.exp(value))
        formula = f"β_{{{i}}}({label}) = {f'{terms} = ' if terms else ''}{_weight(value)}"
        steps.append(
            Step(f'Backward: what follows "{hmm.words[i - 1]}" as {label}', (change,), formula, reads)
        )
    marginals = np.zeros((len(hmm.words), len(hmm.labels)))
    for one in items:
        label, i = _place(one.item)
        p = math.exp(one.value + beta[label, i] - log_z)
        marginals[i - 1, hmm.labels.index(label)] = p
        place = (label, columns[i - 1])
        formula = (
            f"P({label}) = {_weight(one.value)} · {_weight(beta[label, i])} / {_weight(log_z)} = {number(p)}"
        )
        change = Change("marginals", place, number(p), p, "best" if p > 0.5 else "")
        reads = (("forward", place), ("backward", place))
        steps.append(Step(f'How probable is "{hmm.words[i - 1]}" as {label}?', (change,), formula, reads))
    data = _table(hmm, columns)
    return Trace(
        "forward-backward",
        "Forward-backward: how probable every label is",
        "α_{i}(y) = Σ_{x} α_{i−1}(x) · P(y | x) · P(w_{i} | y),   "
        "β_{i}(y) = Σ_{z} P(z | y) · P(w_{i+1} | z) · β_{i+1}(z),   P(y_{i} = y | w) = α_{i}(y) · β_{i}(y) / Z",
        [
            Figure("forward", "table", "α: all prefixes that end so", data),
            Figure("backward", "table", "β: all that can follow", data),
            Figure("marginals", "table", "α · β / Z: the probability of a label", data),
        ],
        steps,
        {"labels": hmm.labels, "marginals": marginals.tolist(), "log_probability": log_z},
        f"Z, the probability of the words, is {_weight(log_z)}: the sum of α in the last column.",
    )


def _in_order(items: Iterable[Derived], hmm: HiddenMarkov) -> list[Derived]:
    """Items from left to right, and in the order of labels."""
    return sorted(
        items, key=lambda one: (one.item.arguments[1], hmm.labels.index(str(one.item.arguments[0])))
    )


def _columns(hmm: HiddenMarkov) -> list[str]:
    """The words, with their numbers where one comes twice."""
    twice = {word for word in hmm.words if hmm.words.count(word) > 1}
    return [f"{word} ({i})" if word in twice else word for i, word in enumerate(hmm.words, 1)]


def _table(hmm: HiddenMarkov, columns: list[str]) -> dict[str, object]:
    return {"rows": hmm.labels, "columns": columns}


def _place(item: Item) -> tuple[str, int]:
    return str(item.arguments[0]), int(item.arguments[1])


def _cell(item: Item, columns: list[str]) -> tuple[str, str]:
    label, i = _place(item)
    return label, columns[i - 1]


def _product(items: tuple[Item, ...], facts: tuple[tuple[Item, float], ...], letter: str) -> str:
    before = [f"{letter}_{{{item.arguments[1]}}}({item.arguments[0]})" for item in items]
    return " · ".join([*before, *(_weight(weight) for _, weight in facts)])


def _weight(score: float) -> str:
    return number(math.exp(score))
