"""Estimates against the definitions written out, and what must hold of every model."""

import itertools
import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oracles.ngrams import SlowModel
from palmette import LanguageModel
from palmette.tools.lm.estimation import SMOOTHINGS
from samples.lm_text import trained

pytestmark = pytest.mark.native


@pytest.mark.parametrize("order", [1, 2, 3, 4])
@pytest.mark.parametrize(
    "smoothing",
    ["modified-kneser-ney", "kneser-ney", "absolute-discounting", "katz-absolute", "maximum-likelihood"],
)
def test_as_defined(lines: list[str], order: int, smoothing: str) -> None:
    discount = 0.5 if smoothing in ("kneser-ney", "absolute-discounting", "katz-absolute") else None
    slow = SlowModel(lines, order, smoothing, discount)
    model = trained(lines, order=order, smoothing=smoothing, discount=discount)
    for history in ["", "a", "a b", "c a b", "g g g", "zzz", "b zzz a"]:
        have = dict(zip(model.words, model.distribution(history).tolist()))
        told = ("<s>", *(word if word in slow.vocabulary else "<unk>" for word in history.split()))
        for word in slow.vocabulary:
            assert have[word] == pytest.approx(slow.p(word, told), rel=1e-5, abs=1e-7), (history, word)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text("abcd ", max_size=14), min_size=1, max_size=25).filter(
        lambda found: any(s.strip() for s in found)
    ),
    st.integers(1, 5),
    st.sampled_from(SMOOTHINGS),
    st.sampled_from([(0,), (0, 0, 1), (0, 1)]),
)
def test_sums_to_one(lines: list[str], order: int, smoothing: str, prune: tuple[int, ...]) -> None:
    model = trained(lines, order=order, smoothing=smoothing, prune=prune)
    for history in itertools.chain(lines[:4], ["", "a", "b a", "q", "a q b"]):
        for bos in (True, False):
            assert model.distribution(history, bos=bos).sum(dtype=float) == pytest.approx(1, abs=2e-5)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("layout", ["hashed", "trie"])
def test_all_queries_agree(lines: list[str], smoothing: str, layout: str) -> None:
    model = trained(lines, order=4, smoothing=smoothing, layout=layout)
    text = [*lines[:20], "a zzz b", "", "g g g g g g"]
    totals, words = model.score_batch(text), model.word_scores(text)
    for i, line in enumerate(text):
        state, total = model.begin(), 0.0
        for k, word in enumerate([*line.split(), "</s>"]):
            probability = model.distribution(state)[model.words.index(word) if word in model else 0]
            step = model.advance(state, word)
            if math.isinf(step.log_prob):
                assert probability == 0
            else:
                assert np.log10(probability) == pytest.approx(step.log_prob, abs=1e-4)
            assert words.sentence(i)[k] == pytest.approx(step.log_prob, abs=1e-5)
            state, total = step.state, total + step.log_prob
        assert totals[i] == pytest.approx(total, abs=1e-4)
        assert model.score(line) == totals[i]
        assert model.score(line.split()) == totals[i]


def test_threads_change_nothing(lines: list[str]) -> None:
    text = lines * 3 + ["the end of all things", "x y z " * 5000]
    one, more = trained(text, order=4), trained(text, order=4, n_jobs=3)
    for name, array in one.to_model().arrays.items():
        assert (array == more.to_model().arrays[name]).all(), name
    assert (one.score_batch(text, n_jobs=1) == one.score_batch(text, n_jobs=2)).all()


def test_pruned_counts_are_gone(lines: list[str]) -> None:
    whole, pruned = trained(lines, order=3), trained(lines, order=3, prune=(0, 0, 1))
    assert whole.sizes[:2] == pruned.sizes[:2]
    assert whole.sizes[2] > pruned.sizes[2]


def test_kneser_ney_knows_no_unknown_words(lines: list[str]) -> None:
    assert trained(lines, order=2, smoothing="kneser-ney").score("zzz") == -math.inf
    assert trained(lines, order=2).score("zzz") > -10


def test_katz_discounts_by_good_turing() -> None:
    # n_r unigrams occur r times, r = 1 … 8.
    counts = {1: 40, 2: 20, 3: 12, 4: 8, 5: 6, 6: 5, 7: 4, 8: 3}
    text = [f"w{r}x{i}" for r, n in counts.items() for i in range(n) for _ in range(r)]
    text = [" ".join(text)]
    model = trained(text, order=1, smoothing="katz", vocabulary=None)
    n = {**counts, 1: counts[1] + 1}  # </s> occurs once
    a = 8 * n[8] / n[1]
    total = sum(r * k for r, k in n.items())
    for r in range(1, 8):
        d = ((r + 1) * n[r + 1] / n[r] / r - a) / (1 - a)
        have = 10 ** model.score(f"w{r}x0", bos=False, eos=False)
        assert have == pytest.approx(d * r / total, rel=1e-5)
    assert 10 ** model.score("w8x0", bos=False, eos=False) == pytest.approx(8 / total, rel=1e-5)


def test_dirichlet_is_a_unigram_prior(lines: list[str]) -> None:
    model = trained(lines, order=2, smoothing="dirichlet", concentration=3.0)
    slow = SlowModel(lines, 2, "maximum-likelihood")
    words = sum(slow.counts[1].values())
    after_a = {gram[1]: c for gram, c in slow.raw[2].items() if gram[0] == "a"}
    for word in "abc":
        unigram = (slow.counts[1][word,] + 3 / len(slow.vocabulary)) / (words + 3)
        want = (after_a[word] + 3 * unigram) / (sum(after_a.values()) + 3)
        have = model.distribution("a", bos=False)[model.words.index(word)]
        assert have == pytest.approx(want, rel=1e-5)


def test_vocabulary(lines: list[str]) -> None:
    some = trained(lines, order=2, vocabulary=["a", "b", "never"])
    assert set(some.words) == {"<unk>", "<s>", "</s>", "a", "b", "never"}
    assert "never" in some
    assert "c" not in some
    assert some.distribution("c a").sum(dtype=float) == pytest.approx(1, abs=1e-5)
    few = trained(lines, order=2, max_words=3)
    assert set(few.words[3:]) == {"a", "b", "c"}
    assert "rare" not in trained([*lines, "rare"], order=2, min_count=2)


def test_counts_that_give_no_discounts() -> None:
    text = [" ".join(f"w{i}x{j}" for j in range(5)) for i in range(100)]
    with pytest.warns(UserWarning, match="too few or too odd to estimate discounts: using 0.5, 1 and 1.5"):
        model = LanguageModel.fit(text, order=3)
    assert model.distribution(text[0]).sum(dtype=float) == pytest.approx(1, abs=1e-5)


def test_adding_text(lines: list[str]) -> None:
    more = ["a b new words", "new a", *lines[:5]]
    both = trained(lines + more, order=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        added = trained(lines, order=3, keep_counts=True).add(more)
        again = added.add(["x"])
    assert added.sizes == both.sizes
    assert added.score_batch(lines + more) == pytest.approx(both.score_batch(lines + more), abs=1e-5)
    assert again.facts["training"] == {
        "sentences": 68,
        "words": sum(map(len, map(str.split, lines + more))) + 1,
    }
    with pytest.raises(ValueError, match="keep_counts"):
        both.add(more)
