"""The structured perceptron on a few tagged sentences, one native update at a time (Collins 2002)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from palmette._native import PerceptronMemory
from palmette.features.instances import Instances
from palmette.learning.learner import Shuffled
from palmette.tools.sequence.model import SequenceStructure, stride
from palmette.trace.inputs import MOST_WORDS, count_of, few, lines_of
from palmette.trace.registry import Field
from palmette.trace.steps import Change, Figure, Step, Trace, number

FIELDS = (
    Field(
        "input",
        "the/D dog/N walks/V\nthe/D walks/N end/V\ndogs/N walk/V the/D dog/N",
        "tagged sentences, one on each line: word/LABEL word/LABEL",
        lines=True,
    ),
    Field("passes", "5", "the most passes over the sentences"),
    Field("seed", "0", "the seed of the random orders"),
)
_MOST_SENTENCES, _MOST_PASSES, _MOST_FEATURES = 8, 20, 60


class Sentences:
    """Tagged sentences as a problem: a weight for each word with a label, and for each pair of labels."""

    def __init__(self, text: str) -> None:
        lines = lines_of(text, "input")
        if not 1 <= len(lines) <= _MOST_SENTENCES:
            raise ValueError(f"expected from 1 to {_MOST_SENTENCES} sentences; there are {len(lines)}")
        self.words: list[list[str]] = []
        self.gold: list[list[str]] = []
        for at, line in enumerate(lines, 1):
            pairs = [token.rpartition("/") for token in line.split()]
            if any(not word or not label for word, _, label in pairs):
                raise ValueError(f"input, line {at}: expected word/LABEL, got {line[:40]!r}")
            if len(pairs) > MOST_WORDS:
                raise ValueError(f"a trace shows at most {MOST_WORDS} words; sentence {at} has {len(pairs)}")
            self.words.append([word for word, _, _ in pairs])
            self.gold.append([label for _, _, label in pairs])
        self.labels = list(dict.fromkeys(label for row in self.gold for label in row))
        self.vocabulary = list(dict.fromkeys(word for row in self.words for word in row))
        few(self.labels, "labels", 8)
        few(self.vocabulary, "words with weights", _MOST_FEATURES)
        ids = [self.vocabulary.index(word) for row in self.words for word in row]
        offsets = np.cumsum([0, *map(len, self.words)]).astype(np.int64)
        instances = Instances(
            offsets,
            np.arange(len(ids) + 1, dtype=np.int64),
            np.array(ids, dtype=np.int32),
            n_attributes=len(self.vocabulary),
        )
        labels = np.array([self.labels.index(y) for row in self.gold for y in row], dtype=np.int32)
        self.problem = SequenceStructure(tuple(self.labels)).problem(instances, labels)
        self._offsets = offsets

    def guess(self, w: npt.NDArray[np.float32], i: int) -> list[str]:
        """The best labels of sentence i."""
        found = self.problem.decode(w, 1)[0]
        return [self.labels[y] for y in found[self._offsets[i] : self._offsets[i + 1]].tolist()]

    @property
    def features(self) -> list[str]:
        """The names of the rows of weights."""
        return [f'"{word}"' for word in self.vocabulary] + [f"after {label}" for label in self.labels]

    def changed(
        self, before: npt.NDArray[np.float32], after: npt.NDArray[np.float32]
    ) -> Iterator[tuple[str, str, float]]:
        """The weights that an update changed: feature, label, and the new value."""
        width = stride(len(self.labels))
        for place in np.flatnonzero(before != after).tolist():
            yield self.features[place // width], self.labels[place % width], float(after[place])


def perceptron(input: str, passes: str, seed: str) -> Trace:
    """Go through the sentences; where the best labels are wrong, move the weights."""
    data = Sentences(input)
    limit, state = count_of(passes, "passes", _MOST_PASSES), count_of(seed, "seed", 10**6, 0)
    problem = data.problem
    w = np.zeros(problem.n_weights, dtype=np.float32)
    memory, shuffled = PerceptronMemory(problem.n_weights, False), Shuffled(len(problem), state)
    longest = max(map(len, data.words))
    positions = [str(i) for i in range(1, longest + 1)]
    steps: list[Step] = []
    done = 0
    for done in range(1, limit + 1):
        mistakes = 0
        for i in (int(i) for order in shuffled.slices() for i in order):
            guess, gold, before = data.guess(w, i), data.gold[i], w.copy()
            wrong, _ = problem.perceptron_epoch(w, memory, np.array([i], dtype=np.int64))
            mistakes += wrong
            shown = _sentence(data.words[i], gold, guess, longest)
            changes = [
                Change(
                    "weights",
                    (feature, label),
                    f"{value:+g}".replace("-", "−"),
                    None,
                    "right" if value > 0 else "wrong",
                )
                if value
                else Change("weights", (feature, label), "0")
                for feature, label, value in data.changed(before, w)
            ]
            n_wrong = sum(a != b for a, b in zip(gold, guess))
            told = f"{n_wrong} wrong, so the weights move" if wrong else "all right, nothing changes"
            text = f'Pass {done}: "{" ".join(data.words[i])}", {told}'
            formula = "w ← w + Φ(x, y) − Φ(x, ŷ)" if wrong else ""
            steps.append(Step(text, (*shown, *changes), formula))
        steps.append(Step(f"Pass {done} ends with {mistakes} mistake{'' if mistakes == 1 else 's'}"))
        if not mistakes:
            break
    mean = memory.mean(w)
    width = stride(len(data.labels))
    averages = [
        Change(
            "average", (data.features[place // width], data.labels[place % width]), number(float(mean[place]))
        )
        for place in np.flatnonzero(mean).tolist()
    ]
    steps.append(Step("The mean of the weights after every sentence is what is kept", tuple(averages)))
    table = {"rows": data.features, "columns": data.labels}
    return Trace(
        "perceptron",
        "The structured perceptron learns a tagger",
        "ŷ = argmax_{y} w · Φ(x, y);   if ŷ ≠ y:   w ← w + Φ(x, y) − Φ(x, ŷ)",
        [
            Figure(
                "sentence",
                "table",
                "The sentence",
                {"rows": ["word", "right", "guess"], "columns": positions},
            ),
            Figure("weights", "table", "w: of words and of labels after labels", table),
            Figure("average", "table", "The mean of all w", table),
        ],
        steps,
        {"weights": mean.tolist(), "passes": done, "labels": data.labels},
    )


def _sentence(words: list[str], gold: list[str], guess: list[str], longest: int) -> list[Change]:
    """Show a sentence with its right labels and those found."""
    found = []
    for i in range(longest):
        here, place = i < len(words), str(i + 1)
        mark = "" if not here else "right" if gold[i] == guess[i] else "wrong"
        rows = (("word", words, ""), ("right", gold, ""), ("guess", guess, mark))
        for row, values, own in rows:
            found.append(Change("sentence", (row, place), values[i] if here else None, None, own))
    return found
