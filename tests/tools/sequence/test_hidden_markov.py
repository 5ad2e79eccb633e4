"""Expected counts of hidden Markov models against enumeration; EM and VB never fall."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from palmette.features.word_classes import WordClasses
from palmette.formats.corpus import Corpus
from palmette.learning.em import EM, VB, digamma, log_gamma, normalised
from palmette.tools.sequence.hidden_markov import HiddenChain, Tables, allowed_states

pytestmark = pytest.mark.native

TEXT = [["a", "b", "a", "c"], ["c"], ["b", "c"], ["a", "a", "b", "b", "c"]]


def hidden(order: int, n_states: int = 3, text: list[list[str]] = TEXT, **known: object) -> HiddenChain:
    words, instances = WordClasses.fit(Corpus.from_columns({"form": text}))
    return HiddenChain(words, instances, n_states, order, **known)  # type: ignore[arg-type]


def enumerated(problem: HiddenChain, theta: Tables) -> tuple[float, Tables]:
    """The log-likelihood and the counts, path by path."""
    K, index = problem.n_states, {word: i for i, word in enumerate(problem.words.words)}
    counts = Tables(*(np.zeros_like(table) for table in theta))
    total, at = 0.0, 0
    for sentence in TEXT:
        symbols = [index[word] for word in sentence]
        mass, here = 0.0, Tables(*(np.zeros_like(table) for table in theta))
        for path in product(range(K), repeat=len(sentence)):
            if problem.labels is not None:
                known = problem.labels[at : at + len(path)]
                if any(k >= 0 and k != y for k, y in zip(known, path)):
                    continue
            if problem.allowed is not None and not all(
                problem.allowed[at + t, y] for t, y in enumerate(path)
            ):
                continue
            uses: list[tuple[int, tuple[int, ...]]] = [(1, (path[0],)), (2, (1, path[-1]))]
            for t, y in enumerate(path):
                uses.append((0, (symbols[t], y)))
                if t:
                    uses.append((2, (0, path[t - 1])))
                if t == 1 or (t > 1 and problem.order == 1):
                    uses.append((3, (path[t - 1], y)))
                elif t > 1:
                    uses.append((4, (path[t - 2] * K + path[t - 1], y)))
            p = float(np.prod([theta[table][place] for table, place in uses]))
            mass += p
            for table, place in uses:
                here[table][place] += p
        total += np.log(mass)
        for to, of in zip(counts, here):
            to += of / mass
        at += len(sentence)
    return total, counts


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("what", ["nothing", "labels", "dictionary"])
def test_counts_are_those_of_all_paths(order: int, what: str) -> None:
    n = sum(map(len, TEXT))
    labels = np.full(n, -1, dtype=np.int32)
    labels[[1, 5, 9]] = [2, 0, 1]
    allowed = np.random.default_rng(5).random((n, 3)) < 0.7
    allowed[:, 1] = True
    known: dict[str, object] = {
        "nothing": {},
        "labels": {"labels": labels},
        "dictionary": {"allowed": allowed},
    }
    problem = hidden(order, **known[what])  # type: ignore[arg-type]
    theta = normalised(np.random.default_rng(order).random(len(problem.groups)), problem.groups)
    likelihood, counts = problem.expected_counts(np.log(theta))
    expected, tables = enumerated(problem, problem.tables(theta))
    assert likelihood == pytest.approx(expected, abs=1e-4)
    np.testing.assert_allclose(counts, tables.flat, atol=1e-5)


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("learner", [EM(n_iter=40, tolerance=0), VB(n_iter=40, tolerance=0, prior=0.3)])
def test_the_objective_never_falls(order: int, learner: EM) -> None:
    rng = np.random.default_rng(1)
    text = [[str(w) for w in rng.integers(0, 12, rng.integers(1, 9))] for _ in range(60)]
    problem = hidden(order, 4, text)
    found = learner.learn(
        problem, problem.random_start(7, 1.0), priors=problem.priors(learner.prior, learner.prior)
    )
    rise = np.diff([report.numbers["objective"] for report in found.history])
    assert len(rise) >= 20  # where nothing rises any more, it stops
    assert rise.min() > -1e-3  # of about -400; sums are floats
    assert rise.max() > 0.1


def test_the_states_of_a_sharp_model_are_found() -> None:
    text = [["the", "dog", "runs"], ["a", "cat", "runs"], ["the", "cat", "sits"], ["a", "dog", "sits"]] * 10
    problem = hidden(1, 3, text)
    runs = [EM(n_iter=60).learn(problem, problem.random_start(seed, 1.0)) for seed in range(4)]
    best = max(runs, key=lambda run: run.history[-1].numbers["objective"])
    emitted = problem.tables(best.weights).emissions
    state = {word: int(emitted[i].argmax()) for i, word in enumerate(problem.words.words)}
    assert state["the"] == state["a"]
    assert state["dog"] == state["cat"]
    assert state["runs"] == state["sits"]
    # Two words a state, and everything else is certain: log 1/8 a sentence.
    assert best.history[-1].numbers["log_likelihood"] == pytest.approx(40 * np.log(1 / 8), abs=0.1)


def test_a_dictionary_says_what_stands_where() -> None:
    problem = hidden(1)
    allowed = allowed_states({"a": [0], "b": [1, 2]}, problem.words, problem.instances, 3)
    assert allowed[0].tolist() == [True, False, False]
    assert allowed[1].tolist() == [False, True, True]
    assert allowed[3].tolist() == [True, True, True]


def test_threads_change_nothing() -> None:
    one, two = hidden(1), hidden(1, n_jobs=2)
    start = one.random_start(0, 1.0)
    a, b = (EM(n_iter=5).learn(problem, start) for problem in (one, two))
    assert (a.weights == b.weights).all()


def test_functions_of_gamma() -> None:
    from scipy import special

    x = np.concatenate([np.geomspace(1e-6, 1e6, 200), [0.5, 1, 2, 7.9, 8.1]])
    np.testing.assert_allclose(digamma(x), special.digamma(x), rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(log_gamma(x), special.gammaln(x), rtol=1e-12, atol=1e-12)


def test_bad_models() -> None:
    with pytest.raises(ValueError, match="order 1 or 2"):
        hidden(3)
    with pytest.raises(ValueError, match="1 to 1,000 states"):
        hidden(1, 0)
    with pytest.raises(ValueError, match="not one word"):
        hidden(1, 2, [[]])
