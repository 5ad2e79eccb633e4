"""Maximum-entropy Markov models: local normalisation against enumeration, training against logistic regression."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import log_softmax

from palmette.features.word_classes import WordClasses
from palmette.formats.corpus import Corpus
from palmette.learning.loglinear import CRF
from palmette.tools.sequence.hmm import TaggedWords
from palmette.tools.sequence.memm import MEMM
from samples.random_problems import Chains, random_chains, random_weights

CASES = [
    {"order": 0},
    {"order": 1},
    {"order": 2},
    {"order": 3},
    {"order": 1, "n_labels": 9, "lengths": (3, 2, 1)},
    {"order": 1, "n_labels": 1},
    {"order": 2, "pairs": True, "valued": True},
]


def local_scores(chains: Chains, i: int, w: np.ndarray) -> np.ndarray:
    """log P(y | x) of all outputs, position by position."""

    def step(y: tuple[int, ...], t: int) -> np.ndarray:
        # the score of each label at t is that of the prefix with it, less that of the prefix without
        prefixes = [[*y[:t], label] for label in range(chains.n_labels)]
        cut = Chains(**{**vars(chains), "tokens": [chains.tokens[i][: t + 1]], "cache": {}})
        cut.pairs = None if chains.pairs is None else [chains.pairs[i][: t + 1]]
        return log_softmax([cut.features(0, tuple(prefix)) @ w for prefix in prefixes])

    return np.array([sum(step(y, t)[y[t]] for t in range(len(y))) for y in chains.outputs(i)])


@pytest.mark.parametrize("options", CASES, ids=str)
def test_local_chains_as_enumeration(options: dict[str, int]) -> None:
    chains = random_chains(3, **{"lengths": (3, 1, 0, 2), **options})  # type: ignore[arg-type]
    w = random_weights(chains, 4)
    problem = chains.problem(local=True)
    labels, scores = problem.decode(w, 1)
    probabilities, log_z = problem.probabilities(w, 1)
    rows, _, kbest = problem.kbest(w, 4, 1)
    np.testing.assert_allclose(log_z, 0.0, atol=1e-5)
    first = 0
    for i, sentence in enumerate(chains.tokens):
        want = local_scores(chains, i, w)
        ys = np.array(chains.outputs(i), dtype=int).reshape(len(want), len(sentence))
        assert np.exp(want).sum() == pytest.approx(1.0)
        assert scores[i] == pytest.approx(want.max(), abs=1e-5)
        np.testing.assert_allclose(kbest[rows[i] : rows[i + 1]], np.sort(want)[::-1][:4], atol=1e-5)
        n, L = len(sentence), chains.n_labels
        have = probabilities.reshape(-1, L)[first : first + n]
        marginals = [[np.exp(want)[ys[:, t] == y].sum() for y in range(L)] for t in range(n)]
        np.testing.assert_allclose(have, np.reshape(marginals, (n, L)), atol=1e-5)
        assert tuple(labels[first : first + n]) == tuple(ys[want.argmax()])
        first += n


def test_masks_hold_and_the_rest_sums_to_one() -> None:
    chains = random_chains(5, masks=True, lengths=(4,))
    chains.end = None
    probabilities, log_z = chains.problem(local=True).probabilities(random_weights(chains, 1), 1)
    assert log_z[0] == pytest.approx(0.0, abs=1e-5)
    assert probabilities.reshape(-1, 3)[0, 1] == 0.0


@pytest.mark.parametrize("options", CASES[1:], ids=str)
def test_the_history_problem_is_a_product_of_choices(options: dict[str, int]) -> None:
    chains = random_chains(6, **{"lengths": (3, 1, 2), **options})  # type: ignore[arg-type]
    w = random_weights(chains, 2)
    history = chains.problem().with_history()
    assert history.n_weights == chains.n_weights
    g = np.empty_like(w)
    loss = history.gradient(w, g, False, 1)
    want = 0.0
    for i in range(len(chains.tokens)):
        right = chains.outputs(i).index(tuple(chains.labels[i]))
        want -= local_scores(chains, i, w)[right]
    assert loss == pytest.approx(want, abs=1e-5)


def test_training_as_scipy() -> None:
    chains = random_chains(7, lengths=(3, 2, 3, 3))

    def objective(x: np.ndarray) -> float:
        right = [chains.outputs(i).index(tuple(y)) for i, y in enumerate(chains.labels)]
        return float(x @ x - sum(local_scores(chains, i, x)[y] for i, y in enumerate(right)))

    learned = MEMM(method="lbfgs", features="all", n_iter=100, l2=1.0).learn(chains.problem()).weights
    best = objective(learned.astype(float))
    rng = np.random.default_rng(0)
    for _ in range(20):  # a convex function: no neighbour is lower
        assert objective(learned + 0.05 * rng.normal(size=len(learned))) > best
    polished = minimize(objective, learned.astype(float), method="L-BFGS-B", options={"maxfun": 400})
    assert best == pytest.approx(polished.fun, rel=1e-4)


def test_unknown_labels_tell_nothing() -> None:
    chains = random_chains(8, lengths=(3,))
    chains.labels = [[0, -1, 2]]
    history = chains.problem().with_history()
    w = random_weights(chains, 1)
    loss = history.gradient(w, np.empty_like(w), False, 1)
    cut = random_chains(8, lengths=(3,))
    cut.tokens, cut.labels = [cut.tokens[0][:1]], [[0]]
    assert loss == pytest.approx(
        cut.problem().with_history().gradient(w, np.empty_like(w), False, 1), abs=1e-6
    )


def test_dev_sets_and_other_problems() -> None:
    chains = random_chains(9, lengths=(4, 3) * 5)
    learned = MEMM(n_iter=3).learn(chains.problem(), dev=chains.problem(local=True))
    assert "dev" in learned.history[-1].numbers
    words = np.zeros(1, dtype=np.int32)
    data = TaggedWords(*WordClasses.fit(Corpus.from_columns({"form": [["a"]]})), words, 1)
    with pytest.raises(ValueError, match=r"MEMM needs labels that see the labels before them \(history\)"):
        MEMM().learn(data)  # type: ignore[arg-type]


def test_a_crf_does_not_train_local_chains() -> None:
    problem = random_chains(1).problem(local=True)
    with pytest.raises(ValueError, match="trained on its label history, by MEMM"):
        CRF(method="lbfgs").learn(problem)
