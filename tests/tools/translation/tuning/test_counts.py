"""Counts and scores of BLEU, chrF and TER against sacrebleu, on real and on random translations."""

from __future__ import annotations

import numpy as np
import pytest
from sacrebleu.metrics import BLEU, CHRF, TER

from palmette.formats.files import read_lines
from palmette.formats.moses.nbest import read_moses_nbest
from palmette.tools.translation.tuning.metric import TuningMetric
from palmette.tools.translation.tuning.references import References
from samples.corpora import real_file

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def real() -> tuple[list[list[str]], list[str]]:
    """Ten translations of each of a hundred sentences, by Moses, and one reference for each."""
    folder = real_file("nbest_mt_moses")
    nbest = read_moses_nbest(folder / "nbest.txt.gz")
    texts = [nbest.texts[a : a + 10] for a in nbest.lists[:-1]]
    return texts, read_lines(folder / "reference.txt")[: len(texts)]


@pytest.mark.parametrize("tokenize", ["none", "13a"])
@pytest.mark.parametrize("lowercase", [False, True])
def test_real_outputs_as_sacrebleu(real, tokenize: str, lowercase: bool) -> None:
    texts, right = real
    metric = TuningMetric(tokenize=tokenize, lowercase=lowercase)
    counts = References(right, metric).count(texts, n_jobs=2)
    peer = BLEU(tokenize=tokenize, lowercase=lowercase, force=True)
    for place in (0, 7):
        guess = [own[place] for own in texts]
        want = peer.corpus_score(guess, [right]).score / 100
        assert metric.scores(counts[place::10].sum(axis=0, keepdims=True))[0] == pytest.approx(want, abs=1e-9)
    single = BLEU(tokenize=tokenize, lowercase=lowercase, force=True, effective_order=True)
    have = metric.sentence_scores(counts, smoothing="exp")
    flat = [(text, reference) for own, reference in zip(texts, right) for text in own]
    want = [single.sentence_score(text, [reference]).score / 100 for text, reference in flat]
    np.testing.assert_allclose(have, want, atol=1e-9)


def sentences(rng: np.random.Generator, n: int) -> list[str]:
    return [" ".join(rng.choice(list("abc"), size=rng.integers(0, 9))) for _ in range(n)]


@pytest.mark.parametrize("smoothing", ["none", "floor", "add-k", "exp"])
@pytest.mark.parametrize("seed", range(5))
def test_random_sentences_with_several_references(smoothing: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    right = [sentences(rng, 12) for _ in range(3)]
    texts = [sentences(rng, 3) for _ in range(12)]
    metric = TuningMetric(smoothing=smoothing)
    counts = References(right, metric).count(texts)
    peer = BLEU(tokenize="none", smooth_method=smoothing, force=True)
    want = [
        peer._extract_corpus_statistics([text], [[one[i]] for one in right])[0]
        for i, own in enumerate(texts)
        for text in own
    ]
    np.testing.assert_array_equal(counts, want)
    total = counts.sum(axis=0, keepdims=True)
    guess = [text for own in texts for text in own]
    streams = [[one[i] for i in range(12) for _ in range(3)] for one in right]
    assert metric.scores(total)[0] == pytest.approx(peer.corpus_score(guess, streams).score / 100, abs=1e-9)
    single = BLEU(tokenize="none", smooth_method=smoothing, force=True, effective_order=True)
    have = metric.sentence_scores(counts, smoothing)
    want = [
        single.sentence_score(text, [one[i] for one in right]).score / 100
        for i, own in enumerate(texts)
        for text in own
    ]
    np.testing.assert_allclose(have, want, atol=1e-9)


def moved(rng: np.random.Generator, text: str) -> str:
    """The text with a run of words elsewhere, and perhaps another word."""
    words = text.split()
    if len(words) > 2:
        a, b = sorted(rng.choice(len(words), size=2, replace=False))
        run = words[a:b]
        del words[a:b]
        at = rng.integers(0, len(words) + 1)
        words[at:at] = run
        if rng.random() < 0.5:
            words[rng.integers(0, len(words))] = "ä"
    return " ".join(words)


@pytest.mark.parametrize(("name", "peer"), [("chrf", CHRF()), ("ter", TER())])
@pytest.mark.parametrize("seed", range(4))
def test_counts_of_other_metrics_as_sacrebleu(name: str, peer, seed: int) -> None:
    rng = np.random.default_rng(seed)
    letters = list("abcdefgh"[: 2 + 2 * seed])
    right = [[" ".join(rng.choice(letters, size=rng.integers(0, 16))) for _ in range(6)] for _ in range(2)]
    texts = [[moved(rng, right[0][i]), moved(rng, right[1][i]), *sentences(rng, 2)] for i in range(6)]
    metric = TuningMetric(name)
    counts = References(right, metric).count(texts, n_jobs=1 + seed % 2)
    want = [
        peer._extract_corpus_statistics([text], [[one[i]] for one in right])[0]
        for i, own in enumerate(texts)
        for text in own
    ]
    np.testing.assert_array_equal(counts, np.array(want, dtype=np.float32))
    total = peer.corpus_score([own[1] for own in texts], right).score / 100
    have = metric.scores(counts[1::4].sum(axis=0, keepdims=True))[0]
    assert have == pytest.approx(1 - total if name == "ter" else total, abs=1e-6)


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", ["chrf", "ter"])
def test_other_metrics_on_real_outputs_as_sacrebleu(real, name: str, lowercase: bool) -> None:
    texts, right = [own[:1] for own in real[0][:25]], real[1][:25]
    metric = TuningMetric(name, lowercase=lowercase)
    counts = References(right, metric).count(texts)
    peer = CHRF(lowercase=lowercase) if name == "chrf" else TER(case_sensitive=not lowercase)
    want = peer._extract_corpus_statistics([own[0] for own in texts], [right])
    np.testing.assert_array_equal(counts, np.array(want, dtype=np.float32))


def test_numbers_of_words_count_as_words_do() -> None:
    rng = np.random.default_rng(0)
    right, texts = sentences(rng, 6), [sentences(rng, 3) for _ in range(6)]
    references = References(right, vocabulary=["b", "a"])  # the references have another word
    lists, words, ids = references.encoded(texts)
    assert set(ids.tolist()) == {0, 1, 2}
    for n_jobs in (1, 2, 5):
        np.testing.assert_array_equal(
            references.count_words(lists, words, ids, n_jobs), references.count(texts, n_jobs)
        )


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="translations of 1 sentences, but references of 2"):
        References(["a", "b"]).count([["a"]])
    with pytest.raises(ValueError, match="2 translations, but 1 references in list 2"):
        References([["a", "b"], ["a"]])
    with pytest.raises(ValueError, match="There are no references"):
        References([])
    with pytest.raises(ValueError, match="'metric' parameter must be one of"):
        TuningMetric("meteor")
    with pytest.raises(ValueError, match="rows of 10 numbers"):
        TuningMetric().scores([[1, 2]])
    with pytest.raises(ValueError, match="for BLEU"):
        References(["a"], TuningMetric("ter")).count_words([0, 1], [0, 1], [0])
