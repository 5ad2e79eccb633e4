"""EM for IBM Model 1 on a few sentence pairs: the counts and the table of the real learner (CSC 448, §14.1)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from palmette._native import Bitext
from palmette.learning.em import normalised
from palmette.tools.alignment.independent import IndependentDirection
from palmette.tools.alignment.model1 import independent_problem
from palmette.tools.alignment.table import LexicalTable
from palmette.trace.inputs import count_of, few, lines_of, number_of, words_of
from palmette.trace.registry import Field
from palmette.trace.steps import Change, Figure, Step, Trace, number

FIELDS = (
    Field(
        "input",
        "das Haus ||| the house\ndas Buch ||| the book\nein Buch ||| a book",
        "sentence pairs, one on each line: source ||| target",
        lines=True,
    ),
    Field("passes", "6", "passes of EM"),
    Field("p0", "0", "the probability that a target word comes from no source word, NULL"),
)
NULL = "NULL"
_NOWHERE = np.zeros((0, 2), np.int32), np.zeros(0, np.float32)  # Model 1 has no table of places
_MOST_PAIRS, _MOST_WORDS, _MOST_PASSES = 6, 8, 30


class Pairs:
    """Sentence pairs with their words as numbers."""

    def __init__(self, text: str) -> None:
        lines = lines_of(text, "input")
        if not 1 <= len(lines) <= _MOST_PAIRS:
            raise ValueError(f"expected from 1 to {_MOST_PAIRS} sentence pairs; there are {len(lines)}")
        self.pairs: list[tuple[list[str], list[str]]] = []
        for at, line in enumerate(lines, 1):
            source, bars, target = line.partition("|||")
            if not bars or not source.strip() or not target.strip():
                raise ValueError(f"input, line {at}: expected source ||| target, got {line[:40]!r}")
            self.pairs.append((words_of(source, _MOST_WORDS), words_of(target, _MOST_WORDS)))
        self.source = list(dict.fromkeys(w for one, _ in self.pairs for w in one))
        self.target = list(dict.fromkeys(w for _, one in self.pairs for w in one))
        few(self.source, "source words", 20)
        few(self.target, "target words", 20)

    def bitext(self) -> Bitext:
        """The pairs as the learner sees them."""
        arrays = []
        for side, words in ((0, self.source), (1, self.target)):
            rows = [[words.index(w) for w in pair[side]] for pair in self.pairs]
            offsets = np.cumsum([0, *map(len, rows)]).astype(np.int64)
            arrays.append((offsets, np.array([w for row in rows for w in row], dtype=np.int32)))
        return Bitext(*arrays[0], *arrays[1], len(self.source), len(self.target))


def model1(input: str, passes: str, p0: str) -> Trace:
    """Share every target word among the source words, count, and make the table of the counts."""
    data, n_passes = Pairs(input), count_of(passes, "passes", _MOST_PASSES)
    chance = number_of(p0, "p0", 0, 0.9)
    bitext = data.bitext()
    stage = independent_problem("model1", bitext, None, p0=chance)
    problem, groups = stage.problem, np.asarray(stage.problem.groups)
    words = _pair_words(bitext, data)
    columns = [NULL, *data.source] if chance else data.source
    weights = normalised(np.asarray(stage.begin), groups)
    start = "At the start all target words that a source word met are as probable as each other"
    steps = [Step(start, _table(words, weights, columns))]
    likelihoods = []
    for at in range(1, n_passes + 1):
        likelihood, counts = problem.expected_counts_at(weights)
        likelihoods.append(float(likelihood))
        steps += _shares(at, bitext, data, weights, chance)
        weights = normalised(counts, groups, weights)
        text = f"Pass {at}: the shares are counted, and the counts of a source word become its probabilities"
        formula = f"log P before this pass = {number(likelihood)}"
        steps.append(Step(text, _table(words, weights, columns), formula))
    final = {f"{e} {f}": w for (e, f), w in zip(words, weights.tolist()) if e in columns}
    figures = [
        Figure(
            f"pair{k}",
            "links",
            f"Pair {k + 1}: which word made which?",
            {"source": [NULL, *source] if chance else source, "target": target},
        )
        for k, (source, target) in enumerate(data.pairs)
    ]
    table = {"rows": data.target, "columns": columns}
    return Trace(
        "model1",
        "EM: IBM Model 1 learns to translate words",
        "P(a_{j} = i) = t(f_{j} | e_{i}) / Σ_{k} t(f_{j} | e_{k}),   t(f | e) = count(f, e) / Σ_{g} count(g, e)",
        [Figure("table", "table", "t: how probable a target word is for a source word", table), *figures],
        steps,
        {"table": final, "log_likelihoods": likelihoods},
        "The log-likelihood never falls.",
    )


def _pair_words(bitext: Bitext, data: Pairs) -> list[tuple[str, str]]:
    """The source word, or NULL, and the target word of every parameter."""
    sources = [NULL, *data.source]
    first = bitext.first_of.tolist()
    rows = [row for row, (a, b) in enumerate(pairwise(first)) for _ in range(a, b)]
    return [(sources[row], data.target[f]) for row, f in zip(rows, bitext.target_of.tolist())]


def _shares(
    at: int, bitext: Bitext, data: Pairs, weights: npt.NDArray[np.float64], chance: float
) -> Iterator[Step]:
    """How the target words of each pair are shared among the source words."""
    t = weights[: bitext.n_pairs].astype(np.float32)
    direction = IndependentDirection(
        "model1", LexicalTable.of(bitext, np.maximum(t, np.float32(1e-18))), chance, 0.0, *_NOWHERE
    )
    offsets, links = direction.posteriors(bitext)
    for k, (source, target) in enumerate(data.pairs):
        shares = links[offsets[k] : offsets[k + 1]].reshape(len(source), len(target))
        if chance:
            shares = np.concatenate([1 - shares.sum(axis=0, keepdims=True), shares])
        names = [NULL, *source] if chance else source
        changes = tuple(
            Change(f"pair{k}", (i, j), number(float(shares[i, j])), float(shares[i, j]))
            for i in range(len(names))
            for j in range(len(target))
        )
        reads = tuple(("table", (f, e)) for f in dict.fromkeys(target) for e in dict.fromkeys(names))
        terms = [number(float(t[n])) for n in bitext.links(k).reshape(len(source) + 1, -1)[1:, 0].tolist()]
        share = number(float(shares[-len(source), 0]))
        formula = f"P({target[0]} from {source[0]}) = {terms[0]} / ({' + '.join(terms)}) = {share}"
        text = f'Pass {at}: the words of "{" ".join(target)}" are shared among "{" ".join(source)}"'
        yield Step(text, changes, "" if chance else formula, reads)


def _table(
    words: list[tuple[str, str]], weights: npt.NDArray[np.float64], columns: list[str]
) -> tuple[Change, ...]:
    return tuple(
        Change("table", (f, e), number(w), w, "best" if w > 0.5 else "")
        for (e, f), w in zip(words, weights.tolist())
        if e in columns
    )
