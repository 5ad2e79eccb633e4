"""CSC 448, §4.1: local and global normalisation, number by number.

100 × "a b" as A1 B, 10 × "a c" as A2 C, 1 × "a c" as A1 C: what is the label of "a" before "c"?
"""

import numpy as np
import pytest

from palmette._native import ChainProblem
from palmette.features.word_classes import WordClasses
from palmette.formats.corpus import Corpus
from palmette.learning.loglinear import CRF
from palmette.tools.sequence.hmm import HMM, TaggedWords
from palmette.tools.sequence.memm import MEMM

A1, A2, B, C = range(4)
SENTENCES = [["a", "b"], ["a", "c"], ["a", "c"]]
LABELS = np.array([A1, B, A2, C, A1, C], dtype=np.int32)
COUNTS = np.array([100, 10, 1], dtype=np.float32)
WORDS = {"a": 0, "b": 1, "c": 2}


def chain(
    sentences: list[list[str]], labels: np.ndarray, counts: np.ndarray, local: bool = False
) -> ChainProblem:
    words = np.array([WORDS[word] for sentence in sentences for word in sentence], dtype=np.int32)
    offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    rows = np.arange(len(words) + 1)
    return ChainProblem(
        offsets,
        rows,
        words,
        None,
        None,
        None,
        None,
        labels,
        None,
        counts,
        3,
        0,
        4,
        1,
        None,
        None,
        None,
        local,
    )


def probabilities(w: np.ndarray, local: bool) -> dict[tuple[int, ...], float]:
    """P(y | a c) of all y, best first."""
    problem = chain([["a", "c"]], np.array([-1, -1], dtype=np.int32), np.ones(1, dtype=np.float32), local)
    _, log_z = problem.probabilities(w, 1)
    _, labels, scores = problem.kbest(w, 16, 1)
    return {
        tuple(y): float(np.exp(score - log_z[0])) for y, score in zip(labels.reshape(-1, 2).tolist(), scores)
    }


def test_a_locally_normalised_model_has_the_bias() -> None:
    learner = MEMM(method="lbfgs", features="all", l2=1e-5, n_iter=500, tol=1e-7)
    w = learner.learn(chain(SENTENCES, LABELS, COUNTS)).weights
    p = probabilities(w, local=True)
    assert p[A1, C] == pytest.approx(101 / 111, abs=1e-3)
    assert p[A2, C] == pytest.approx(10 / 111, abs=1e-3)
    assert next(iter(p)) == (A1, C)


def test_a_globally_normalised_model_has_not() -> None:
    learner = CRF(method="lbfgs", features="all", l2=1e-5, n_iter=500, tol=1e-7)
    w = learner.learn(chain(SENTENCES, LABELS, COUNTS)).weights
    p = probabilities(w, local=False)
    assert p[A1, C] == pytest.approx(1 / 11, abs=1e-3)
    assert p[A2, C] == pytest.approx(10 / 11, abs=1e-3)
    assert next(iter(p)) == (A2, C)


def test_an_hmm_has_not_either() -> None:
    words, instances = WordClasses.fit(Corpus.from_columns({"form": SENTENCES}))
    hmm = HMM(smoothing="add", alpha=1e-9, backing=1e-9)
    w = hmm.weights(TaggedWords(words, instances, LABELS, 4, 1, COUNTS))
    x = words.transform(Corpus.from_columns({"form": [["a", "c"]]}))
    test = TaggedWords(words, x, np.array([A2, C], dtype=np.int32), 4, 1).chain()
    _, labels, scores = test.kbest(w, 2, 1)
    assert labels.tolist() == [A2, C, A1, C]
    # One part in 224 of every label's words is left for unknown ones.
    assert np.exp(scores[0]) == pytest.approx(10 / 111, rel=0.02)
    assert np.exp(scores[1]) == pytest.approx(1 / 111, rel=0.02)
    assert np.exp(scores[0] - scores[1]) == pytest.approx(10, rel=1e-4)
