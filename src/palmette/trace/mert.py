"""MERT: along a line of weights every candidate is a line, and the best one is their upper envelope (Och 2003)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from palmette.messages import counted
from palmette.tools.translation.tuning.curve import Curve, metric_curve
from palmette.tools.translation.tuning.lists import NBestLists
from palmette.tools.translation.tuning.metric import KINDS, TuningMetric
from palmette.tools.translation.tuning.references import References
from palmette.trace.inputs import lines_of, number_of
from palmette.trace.registry import Field
from palmette.trace.steps import Change, Figure, Step, Trace, number

FIELDS = (
    Field(
        "input",
        "1 ||| small is house ||| 2 -1.5\n1 ||| the house is small ||| 1 0.5\n1 ||| the home is little ||| -3 2\n"
        "2 ||| the book ||| 1.5 -1\n2 ||| a book ||| 0 0.5\n2 ||| one book here ||| -3.5 2",
        "candidates, one on each line: sentence ||| text ||| feature feature",
        lines=True,
    ),
    Field(
        "references",
        "the house is small\na book",
        "the right translations, a sentence on each line",
        lines=True,
    ),
    Field("weights", "1 0", "w, where the search begins"),
    Field("direction", "0 1", "d, along which it goes"),
    Field("metric", "ter", "what is maximised; ter is 1 − TER", choices=("ter", "bleu", "chrf")),
)
_NAMES = {"ter": "1 − TER", "bleu": "BLEU", "chrf": "chrF"}
_MOST_SENTENCES, _MOST_CANDIDATES, _MOST_FEATURES = 4, 10, 8


@dataclass(frozen=True)
class Candidates:
    """Texts and features of the candidates of each sentence."""

    texts: list[list[str]]
    features: list[list[list[float]]]

    @classmethod
    def read(cls, text: str) -> Candidates:
        """Read candidates; ValueError for a line that is not one."""
        texts: dict[str, list[str]] = {}
        features: dict[str, list[list[float]]] = {}
        width = 0
        for at, line in enumerate(lines_of(text, "input"), 1):
            parts = [part.strip() for part in line.split("|||")]
            if len(parts) != 3 or not all(parts):
                raise ValueError(
                    f"input, line {at}: expected sentence ||| text ||| features, got {line[:40]!r}"
                )
            row = [number_of(value, f"input, line {at}", -1e6, 1e6) for value in parts[2].split()]
            width = width or len(row)
            if len(row) != width or width > _MOST_FEATURES:
                raise ValueError(
                    f"input, line {at}: expected as many features as before, at most {_MOST_FEATURES}; "
                    f"got {len(row)}"
                )
            texts.setdefault(parts[0], []).append(parts[1])
            features.setdefault(parts[0], []).append(row)
        if not 1 <= len(texts) <= _MOST_SENTENCES:
            raise ValueError(
                f"expected candidates of 1 to {_MOST_SENTENCES} sentences; there are {len(texts)}"
            )
        if max(map(len, texts.values())) > _MOST_CANDIDATES:
            raise ValueError(f"a trace shows at most {_MOST_CANDIDATES} candidates of a sentence")
        return cls(list(texts.values()), list(features.values()))


def envelope(features: list[list[float]], w: list[float], d: list[float]) -> list[tuple[float, int]]:
    """Where each candidate begins to be the best, from the left, by the native line search.

    A metric that counts k of n errors for candidate k tells which one is the best.
    """
    n = len(features)
    counts = [[[k, n] for k in range(n)]]
    lists = NBestLists.of([features], counts, metric=TuningMetric("ter"))
    curve = metric_curve(lists, lists.names, w, d)
    return [(float(x), round((1 - float(s)) * n)) for x, s in zip(curve.begins, curve.scores)]


def mert(input: str, references: str, weights: str, direction: str, metric: str) -> Trace:
    """Find the envelope of each sentence, and the metric between all corners."""
    data, right = Candidates.read(input), lines_of(references, "references")
    if len(right) != len(data.texts):
        raise ValueError(
            f"there are candidates of {len(data.texts)} sentences, but {counted(len(right), 'reference')}"
        )
    if metric not in KINDS:
        raise ValueError(f"metric: expected one of {', '.join(KINDS)}, got {metric[:40]!r}")
    n = len(data.features[0][0])
    w, d = (_vector(text, name, n) for text, name in ((weights, "weights"), (direction, "direction")))
    if not any(d):
        raise ValueError("direction: expected a number other than 0")
    name = _NAMES[metric]
    lists = NBestLists.from_texts(data.texts, data.features, References(right, TuningMetric(metric)))
    envelopes = [envelope(rows, w, d) for rows in data.features]
    corners = sorted({x for one in envelopes for x, _ in one if np.isfinite(x)})
    low, high = _range(corners)
    curve = metric_curve(lists, lists.names, w, d)
    steps: list[Step] = []
    for s, (rows, found) in enumerate(zip(data.features, envelopes)):
        lines = [(float(np.dot(w, row)), float(np.dot(d, row))) for row in rows]
        for k, (y, slope) in enumerate(lines):
            points = ((low, y + slope * low), (high, y + slope * high))
            change = Change(f"lines{s}", ("candidate", k), data.texts[s][k], None, "", "", points)
            formula = f"y = {number(y)} {'−' if slope < 0 else '+'} {number(abs(slope))} x"
            steps.append(Step(f'Sentence {s + 1}: "{data.texts[s][k]}" is a line', (change,), formula))
        for at, (x, k) in enumerate(found):
            left = max(x, low)
            end = min(found[at + 1][0], high) if at + 1 < len(found) else high
            y, slope = lines[k]
            points = ((left, y + slope * left), (end, y + slope * end))
            change = Change(f"lines{s}", ("envelope", at), data.texts[s][k], None, "best", "", points)
            text = f'Sentence {s + 1}: "{data.texts[s][k]}" is the best from x = {number(x)} on'
            reads = ((f"lines{s}", ("candidate", k)),)
            steps.append(
                Step(text, (change,), "" if x == -np.inf else f"the lines cross at x = {number(x)}", reads)
            )
    steps += _metric_steps(curve, envelopes, low, high, name)
    best = int(np.argmax(curve.scores))
    x = _inside(curve, best)
    found_w = [a + x * b for a, b in zip(w, d)]
    mark = Change("metric", ("best", 0), "best", None, "best", "", ((x, 0.0), (x, float(curve.scores[best]))))
    told = f"The best interval has {name} = {number(float(curve.scores[best]))}: take its middle, x = {number(x)}"
    steps.append(Step(told, (mark,), f"w + x d = ({', '.join(map(number, found_w))})"))
    figures = [
        Figure(f"lines{s}", "plot", f"Sentence {s + 1}: scores of candidates", {"x": [low, high], "y": None})
        for s in range(len(data.texts))
    ]
    return Trace(
        "mert",
        "MERT: the upper envelope of a line search",
        "score(x) = (w + x d) · f = w · f + x (d · f);   the metric changes only where an envelope has a corner",
        [*figures, Figure("metric", "plot", f"{name} of all sentences", {"x": [low, high], "y": [0.0, 1.0]})],
        steps,
        {"x": x, "score": float(curve.scores[best]), "weights": found_w, "corners": corners},
    )


def _metric_steps(
    curve: Curve, envelopes: list[list[tuple[float, int]]], low: float, high: float, name: str
) -> list[Step]:
    steps, ends = [], [*curve.begins[1:].tolist(), np.inf]
    for k, (x, end, score) in enumerate(zip(curve.begins.tolist(), ends, curve.scores.tolist())):
        points = ((max(x, low), score), (min(end, high), score))
        reads = tuple(
            (f"lines{s}", ("envelope", at))
            for s, one in enumerate(envelopes)
            for at, (corner, _) in enumerate(one)
            if corner == x
        )
        text = f"From x = {number(x)} to {number(end)} {name} is {number(score)}"
        steps.append(
            Step(text, (Change("metric", ("metric", k), number(score), None, "", "", points),), "", reads)
        )
    return steps


def _vector(text: str, name: str, n: int) -> list[float]:
    found = [number_of(value, name, -1e6, 1e6) for value in text.split()]
    if len(found) != n:
        raise ValueError(f"{name}: expected {n} numbers, one for each feature; got {len(found)}")
    return found


def _range(corners: list[float]) -> tuple[float, float]:
    if not corners:
        return -1.0, 1.0
    room = max((corners[-1] - corners[0]) * 0.4, 1.0)
    return corners[0] - room, corners[-1] + room


def _inside(curve: Curve, k: int) -> float:
    """The middle of an interval; one beyond its corner if it has no end."""
    begin = float(curve.begins[k])
    end = float(curve.begins[k + 1]) if k + 1 < len(curve.begins) else np.inf
    if begin == -np.inf:
        return 0.0 if end > 0 else end - 1
    return begin + 1 if end == np.inf else (begin + end) / 2
