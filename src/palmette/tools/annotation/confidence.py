"""How sure a model is of an example: the probabilities of its decisions, and how much the answers would change it.

A decision is a label, a head, a lemma, a class or a link. The *confidence* of an example is the mean probability
of what the model decides. The *change* is the length that the step of a log-linear model towards the right answers
is expected to have (Settles and Craven 2008): a decision with probabilities p has the gradient e_y - p where y is
right, so it adds

    Σ_y p(y) · ‖e_y - p‖ = Σ_y p(y) · √(1 - 2 p(y) + Σ_z p(z)²)

Where only the probability of what was decided is at hand, all other outcomes count as one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.formats.corpus import Corpus

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Sureness:
    """How sure a model is of one example. probabilities: of every decision; change: the expected step."""

    probabilities: Reals
    change: float

    @property
    def confidence(self) -> float:
        """The mean probability of the decisions; 1 where nothing is decided."""
        return float(self.probabilities.mean()) if len(self.probabilities) else 1.0


def expected_changes(rows: ArrayLike) -> Reals:
    """Return for every row of probabilities the expected length of the gradient.

    >>> expected_changes([[0.5, 0.5], [1.0, 0.0]]).round(4).tolist()
    [0.7071, 0.0]
    """
    p = np.asarray(rows, dtype=np.float64)
    lengths = 1 - 2 * p + (p * p).sum(axis=1, keepdims=True)
    return np.asarray((p * np.sqrt(np.maximum(lengths, 0))).sum(axis=1))


def of_two(p: ArrayLike) -> Reals:
    """Return the same where p is the probability of what was decided, and all else is one outcome."""
    chosen = np.asarray(p, dtype=np.float64)
    return np.asarray(2 * math.sqrt(2) * chosen * (1 - chosen))


def sureness(tool: Any, X: Any) -> list[Sureness]:
    """Return how sure a trained tool is of every example, in the form in which its `predict` takes them.

    TypeError for a tool without probabilities of its decisions; ValueError for a model that has none.
    """
    measure = _MEASURES.get(getattr(tool, "kind", ""))
    if measure is None:
        raise TypeError(
            f"{type(tool).__name__} has no probabilities of what it decides; expected "
            f"a {', a '.join(list(_MEASURES)[:-1])} or a {list(_MEASURES)[-1]}."
        )
    return measure(tool, X)


def measurable() -> list[str]:
    """Return the kinds of models that `sureness` takes."""
    return list(_MEASURES)


def _by_sentence(corpus: Corpus, chosen: ArrayLike, changes: ArrayLike) -> list[Sureness]:
    p, steps = np.asarray(chosen, dtype=np.float64), np.asarray(changes, dtype=np.float64)
    bounds = corpus.offsets.tolist()
    return [Sureness(p[a:b], float(steps[a:b].sum())) for a, b in pairwise(bounds)]


def _of_labels(tool: Any, corpus: Corpus) -> list[Sureness]:
    if not corpus.n_words:
        return _by_sentence(corpus, [], [])
    labels = tool.predict_column(corpus)
    rows = np.concatenate(tool.predict_proba(corpus))
    return _by_sentence(corpus, tool.confidence(corpus, labels), expected_changes(rows))


def _of_columns(tool: Any, corpus: Corpus) -> list[Sureness]:
    return _of_layers(corpus, tool.confidence(tool.annotate(corpus)) if corpus.n_words else {})


def _of_lemmas(tool: Any, corpus: Corpus) -> list[Sureness]:
    found = tool.confidence(tool.annotate(corpus)) if corpus.n_words else []
    return _of_layers(corpus, {"lemma": np.asarray(found)})


def _of_arcs(tool: Any, corpus: Corpus) -> list[Sureness]:
    parsed = tool.parse(corpus)
    likely = [np.zeros(0, np.float32), *tool.arc_probabilities(parsed, parsed)]
    return _of_layers(corpus, {"head": np.concatenate(likely)})


def _of_pipeline(tool: Any, corpus: Corpus) -> list[Sureness]:
    layers = tool.model_.probabilities(tool.annotate(corpus))
    if not layers and corpus.n_words:
        raise ValueError("This pipeline has no step with probabilities.")
    return _of_layers(corpus, layers)


def _of_layers(corpus: Corpus, layers: Mapping[str, ArrayLike]) -> list[Sureness]:
    """The least probability of the layers of every word, as `Token.confidence` has it; changes add up."""
    rows = np.array([np.asarray(p, dtype=np.float64) for p in layers.values()]).reshape(-1, corpus.n_words)
    return _by_sentence(corpus, rows.min(axis=0, initial=1.0), of_two(rows).sum(axis=0))


def _of_trees(tool: Any, sentences: Sequence[Sequence[str]]) -> list[Sureness]:
    """One decision for every word: the probability of a tree is its product."""
    found = []
    for words, parse in zip(sentences, tool.parse(sentences), strict=True):
        if parse is None:
            found.append(Sureness(np.zeros(0), 0.0))
            continue
        if parse.log_probability is None:
            raise ValueError(
                f"The method {tool.method!r} gives trees no probabilities: train the parser with another."
            )
        p = np.full(len(words), math.exp(parse.log_probability / len(words)))
        found.append(Sureness(p, float(of_two(p).sum())))
    return found


def _of_classes(tool: Any, items: Iterable[Any]) -> list[Sureness]:
    return [_of_row(row) for row in _class_rows(tool, list(items))]


def _class_rows(tool: Any, items: Sequence[Any]) -> Reals:
    """Probabilities, or the softmax of the scores of a model that has only margins."""
    if tool.probabilities_from is not None:
        return np.asarray(tool.predict_proba(items), dtype=np.float64)
    scores = np.asarray(tool.decision_function(items), dtype=np.float64)
    if scores.ndim == 1:
        scores = np.stack([-scores, scores], axis=1)
    exps = np.exp(scores - scores.max(axis=1, keepdims=True, initial=-np.inf))
    return np.asarray(exps / exps.sum(axis=1, keepdims=True))


def _of_row(row: Reals) -> Sureness:
    best = row.max(initial=0.0)
    return Sureness(np.array([best]), float(expected_changes(row[None])[0]))


def _of_links(tool: Any, pairs: Any) -> list[Sureness]:
    """A target word decides for a source word, or for none."""
    found = []
    for p, q in tool.posteriors(pairs):
        links = (np.asarray(p, dtype=np.float64) + q).T / 2
        rows = np.concatenate([links, np.maximum(1 - links.sum(axis=1, keepdims=True), 0)], axis=1)
        rows /= rows.sum(axis=1, keepdims=True)
        found.append(Sureness(rows.max(axis=1), float(expected_changes(rows).sum())))
    return found


def _of_answers(tool: Any, questions: Iterable[str]) -> list[Sureness]:
    """A question without an answer has probability 0."""
    found = []
    for (best,) in tool.kbest(questions, 1):
        p = np.zeros(1) if best.log_probability is None else np.exp([best.log_probability])
        found.append(Sureness(p, float(of_two(p).sum())))
    return found


_MEASURES: Mapping[str, Callable[[Any, Any], list[Sureness]]] = {
    "tagger": _of_labels,
    "span tagger": _of_labels,
    "induced tagger": _of_labels,
    "morphology": _of_columns,
    "lemmatizer": _of_lemmas,
    "dependency parser": _of_arcs,
    "text pipeline": _of_pipeline,
    "constituency parser": _of_trees,
    "classifier": _of_classes,
    "sentiment model": _of_classes,
    "word aligner": _of_links,
    "semantic parser": _of_answers,
}
