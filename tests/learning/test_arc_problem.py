"""Dependency trees as a learning problem: what only they have. `test_problems.py` has the rest."""

from itertools import product

import numpy as np
import pytest

from palmette.features.token_views import TokenViews
from palmette.formats.corpus import Corpus
from samples.problem_cases import CASES, ArcCase
from samples.random_trees import Trees, head_choices, random_trees

pytestmark = pytest.mark.native

ARCS = [name for name in CASES if name.startswith("arcs") and "cross" not in name]


@pytest.fixture(params=ARCS, scope="module")
def trees(request: pytest.FixtureRequest) -> Trees:
    case = CASES[request.param]()
    assert isinstance(case, ArcCase)
    return case.trees


@pytest.fixture(scope="module")
def w(trees: Trees) -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.normal(size=trees.problem().n_weights).astype(np.float32) * np.float32(0.5)


def test_the_best_tree(trees: Trees, w: np.ndarray) -> None:
    heads, labels, scores = trees.problem().decode(w, 0, 1)
    for i, (begin, end) in enumerate(zip(trees.views.offsets, trees.views.offsets[1:])):
        totals = trees.table(i) @ w
        found = trees.trees[i].index((tuple(heads[begin:end].tolist()), tuple(labels[begin:end].tolist())))
        assert totals[found] == pytest.approx(totals.max(), abs=1e-4)
        assert np.isfinite(scores[i])


def test_probabilities_of_arcs_and_minimum_risk(trees: Trees, w: np.ndarray) -> None:
    problem = trees.problem()
    arcs, labels, _ = problem.probabilities(w, True, 1)
    labelled = labels.reshape(len(arcs), trees.n_labels)
    heads, _, _ = problem.decode(w, 1, 1)
    at, token = 0, 0
    for i, candidates in enumerate(trees.candidates):
        weights = np.exp(trees.table(i) @ w)
        weights /= weights.sum()
        expected = np.zeros(len(weights))
        for m, allowed in enumerate(candidates):
            for h in sorted(allowed):
                with_arc = np.array([tree[m] == h for tree, _ in trees.trees[i]])
                assert arcs[at] == pytest.approx(weights[with_arc].sum(), abs=1e-4)
                for label in range(trees.n_labels):
                    there = with_arc & np.array([ys[m] == label for _, ys in trees.trees[i]])
                    assert labelled[at, label] == pytest.approx(weights[there].sum(), abs=1e-4)
                expected += with_arc * arcs[at]
                at += 1
        chosen = tuple(heads[token : token + len(candidates)].tolist())
        values = {tree: value for (tree, _), value in zip(trees.trees[i], expected)}
        assert values[chosen] == pytest.approx(max(values.values()), abs=1e-4)
        token += len(candidates)


def test_known_heads_stay(trees: Trees, w: np.ndarray) -> None:
    problem = trees.problem()
    n = len(trees.gold[0][0])
    tree = trees.trees[0][-1][0]
    wanted = np.full(trees.views.n_tokens, -1, dtype=np.int32)
    wanted[0], wanted[n - 1] = tree[0], -2 - next(h for h in range(n + 1) if h != tree[n - 1])
    heads, labels, _ = problem.constrained(w, wanted, 1)
    totals = trees.table(0) @ w
    good = [h[0] == tree[0] and h[n - 1] != -2 - wanted[n - 1] for h, _ in trees.trees[0]]
    found = trees.trees[0].index((tuple(heads[:n].tolist()), tuple(labels[:n].tolist())))
    assert good[found]
    assert totals[found] == pytest.approx(totals[good].max(), abs=1e-4)


def test_non_projective_search_never_loses() -> None:
    for seed in range(30):
        kept = random_trees(seed, (4, 3), projective=False)
        flat = Trees(kept.views, kept.candidates, kept.gold, kept.n_labels, {"projective": True})
        w = np.random.default_rng(seed).normal(size=kept.problem().n_weights).astype(np.float32)
        high, low = kept.problem().decode(w, 0, 1), flat.problem().decode(w, 0, 1)
        assert (high[2] >= low[2] - 1e-4).all()
        begin = 0
        for i, n in enumerate((4, 3)):
            one = tuple(high[0][begin : begin + n].tolist()), tuple(high[1][begin : begin + n].tolist())
            two = tuple(low[0][begin : begin + n].tolist()), tuple(low[1][begin : begin + n].tolist())
            gain = kept.features(i, one, two) @ w
            assert gain == pytest.approx(high[2][i] - low[2][i], abs=1e-3)
            begin += n


def test_long_sentences_sum_in_logs() -> None:
    n = 300
    views = TokenViews.of(Corpus.from_columns({"form": [[f"w{k % 7}" for k in range(n)]]}))
    candidates = [[{h for h in (m - 1, m + 1) if 0 <= h <= n} for m in range(1, n + 1)]]
    gold = [(tuple(range(n)), (0,) * n)]
    long = Trees(views, candidates, gold, 1, {})
    w = np.random.default_rng(0).normal(size=long.problem().n_weights).astype(np.float32) * 30
    arcs, _, log_z = long.problem().probabilities(w, False, 1)
    assert np.isfinite(log_z).all()
    assert np.isfinite(arcs).all()
    assert arcs.sum() == pytest.approx(n, rel=1e-3)


def test_candidates_of_words_that_choose_on_their_own() -> None:
    trees = random_trees(3, (3, 4), unknown=0.3)
    problem = head_choices(trees)
    w = np.random.default_rng(0).normal(size=problem.n_weights).astype(np.float32) * np.float32(0.3)
    rows, heads = problem.candidates(w, 1e-9, 100, None, 1)
    assert np.diff(rows).tolist() == [3] * 3 + [4] * 4
    rows, heads = problem.candidates(w, 1.0, 100, None, 1)
    assert np.diff(rows).tolist() == [1] * 7
    assert all(h != m for m, h in zip([1, 2, 3, 1, 2, 3, 4], heads))


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_best_lists_of_heads_chosen_alone(n: int) -> None:
    trees = random_trees(n, (n,))
    problem = head_choices(trees)
    rng = np.random.default_rng(n)
    w = rng.normal(size=problem.n_weights).astype(np.float32) * np.float32(0.3)
    flat, scores = problem.kbest(w, 0, 10**6, 0.0)
    choices = [tuple(y) for y in flat.reshape(-1, n).tolist()]
    every = set(product(*[[h for h in range(n + 1) if h != m] for m in range(1, n + 1)]))
    assert len(choices) == len(every)  # all there are, each once, best first
    assert set(choices) == every
    assert (np.diff(scores) <= 1e-9).all()
    # They add up: log Z of all is that of the sums word by word, and changing one word changes its share alone.
    gold = trees.gold[0][0]
    score = dict(zip(choices, scores))
    loss = problem.gradient(w, np.zeros_like(w), False, 1)
    assert loss == pytest.approx(np.logaddexp.reduce(scores) - score[gold], abs=1e-4)
    best = choices[0]
    for y in choices:
        alone = [score[(*best[:m], y[m], *best[m + 1 :])] - scores[0] for m in range(n)]
        assert score[y] == pytest.approx(scores[0] + sum(alone), abs=1e-5)
    for k in (0, 1, 4, 30):
        few, high = problem.kbest(w, 0, k, 0.0)
        np.testing.assert_array_equal(high, scores[:k])
        assert [tuple(y) for y in few.reshape(-1, n).tolist()] == choices[:k]
    flat, costly = problem.kbest(w, 0, 50, 2.0)
    want = sorted((score[y] + 2 * sum(a != b for a, b in zip(y, gold)) for y in choices), reverse=True)
    np.testing.assert_allclose(costly, want[:50], atol=1e-5)


def test_features_are_those_of_the_problem_asked() -> None:
    """Sentences are kept for the thread; problems that take turns, or come and go, must not mix them up."""
    one, two = (head_choices(random_trees(seed, (n,))) for seed, n in ((1, 4), (2, 4)))
    w = np.random.default_rng(0).normal(size=one.n_weights).astype(np.float32)
    want = [p.kbest(w, 0, 3, 0.0)[1].tolist() for p in (one, two)]
    assert want[0] != want[1]
    for _ in range(3):
        assert [p.kbest(w, 0, 3, 0.0)[1].tolist() for p in (one, two)] == want
        again = [head_choices(random_trees(seed, (4,))).kbest(w, 0, 3, 0.0)[1].tolist() for seed in (1, 2)]
        assert again == want
