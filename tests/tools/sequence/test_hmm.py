"""Hidden Markov models: distributions, closed forms, enumeration, and accuracy on real text."""

import math
from itertools import pairwise, product

import numpy as np
import pytest

from palmette.features.word_classes import WordClasses
from palmette.formats.columns import read_columns
from palmette.formats.corpus import Corpus
from palmette.tools.sequence.hmm import HMM, TaggedWords
from palmette.tools.sequence.label_ngrams import deleted_interpolation, ngram_counts, ngram_probabilities
from samples.corpora import real_file

TEXT = [
    ("the dog barks", "D N V"),
    ("The old dogs bark", "D A N V"),
    ("a dog sees the cats", "D N V D N"),
    ("Dogs bark 12 times", "N V C N"),
    ("Mary sees Paris", "P V P"),
]


def corpus_of(sentences: list[str]) -> Corpus:
    return Corpus.from_columns({"form": [sentence.split() for sentence in sentences]})


def tagged(order: int, text: list[tuple[str, str]] = TEXT) -> tuple[TaggedWords, dict[str, int]]:
    words, instances = WordClasses.fit(corpus_of([sentence for sentence, _ in text]))
    names: dict[str, int] = {}
    labels = [names.setdefault(tag, len(names)) for _, tags in text for tag in tags.split()]
    return TaggedWords(words, instances, np.array(labels, dtype=np.int32), len(names), order), names


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("smoothing", ["interpolation", "add"])
@pytest.mark.parametrize("unknown", ["suffix", "one"])
def test_probabilities_sum_to_one(order: int, smoothing: str, unknown: str) -> None:
    data, _ = tagged(order)
    L, S = data.n_labels, data.stride
    w = HMM(smoothing=smoothing, unknown=unknown).weights(data)
    assert w.dtype == np.float32
    assert np.isfinite(w).all()
    rows = w.reshape(-1, S)
    assert not rows[:, L:].any()
    p = np.exp(rows[:, :L].astype(float))
    bos = data.words.bos
    np.testing.assert_allclose(p[:bos].sum(axis=0), 1.0, atol=1e-5)  # words and classes, given a label
    assert p[bos].sum() == pytest.approx(1.0, abs=1e-5)
    end = p[bos + 1]
    at = data.words.n_attributes
    bigrams = p[at : at + L]
    np.testing.assert_allclose(bigrams.sum(axis=1) + end, 1.0, atol=1e-5)  # go on, or end
    total = bigrams
    for h in range(2, order + 1):
        at += L ** (h - 1)
        total = np.tile(total, (L, 1)) * p[at : at + L**h]
        np.testing.assert_allclose(total.sum(axis=1) + np.tile(end, L ** (h - 1)), 1.0, atol=1e-5)


def test_at_order_0_a_token_is_a_draw_of_a_label_and_its_word() -> None:
    data, _ = tagged(0)
    p = np.exp(HMM().weights(data).reshape(-1, data.stride)[:, : data.n_labels].astype(float))
    assert p[: data.words.bos].sum() == pytest.approx(1.0, abs=1e-5)
    assert (p[data.words.bos :] == 1).all()  # nothing else is scored


def test_probabilities_of_all_outputs_of_a_length_sum_to_those_of_going_on() -> None:
    # Σ over tag sequences and words of length n, for n = 1, 2, 3 …, is a distribution over lengths: at most one
    data, _ = tagged(2)
    L, S = data.n_labels, data.stride
    p = np.exp(HMM().weights(data).reshape(-1, S)[:, :L].astype(float))
    bos, at = data.words.bos, data.words.n_attributes
    begin, end, bigrams = p[bos], p[bos + 1], p[at : at + L]
    trigrams = np.tile(bigrams, (L, 1)) * p[at + L :]
    state = begin[:, None] * bigrams
    total = float(begin @ end)
    for _ in range(2000):
        total += float(state.sum(axis=0) @ end)
        state = np.einsum("ab,abc->bc", state, trigrams.reshape(L, L, L))
    assert total == pytest.approx(1.0, abs=1e-4)


def test_decoding_as_enumeration_of_the_joint_probability() -> None:
    data, _ = tagged(1)
    L, S = data.n_labels, data.stride
    w = HMM().weights(data)
    logs = w.reshape(-1, S)[:, :L]
    bos, at = data.words.bos, data.words.n_attributes
    test = data.words.transform(corpus_of(["the dog sees Paris"]))
    symbols = test.attributes[test.rows[:-1]]

    def score(y: tuple[int, ...]) -> float:
        total = logs[bos, y[0]] + logs[bos + 1, y[-1]]
        total += sum(logs[symbol, label] for symbol, label in zip(symbols, y))
        return float(total + sum(logs[at + a, b] for a, b in pairwise(y)))

    every = {y: score(y) for y in product(range(L), repeat=4)}
    unlabelled = np.zeros(4, dtype=np.int32)
    chain = TaggedWords(data.words, test, unlabelled, L, 1).chain()
    labels, scores = chain.decode(w, 1)
    assert scores[0] == pytest.approx(max(every.values()), abs=1e-4)
    assert every[tuple(labels.tolist())] == pytest.approx(scores[0], abs=1e-4)


def test_counts_without_smoothing_are_relative_frequencies() -> None:
    data, names = tagged(1)
    hmm = HMM(smoothing="add", alpha=1e-9, backing=1e-9)
    rows = hmm.weights(data).reshape(-1, data.stride)
    bos, at = data.words.bos, data.words.n_attributes
    assert math.exp(rows[bos, names["D"]]) == pytest.approx(3 / 5)
    # of six N four are followed by V, and two end a sentence
    assert math.exp(rows[at + names["N"], names["V"]]) == pytest.approx(4 / 6, rel=1e-5)
    assert math.exp(rows[bos + 1, names["N"]]) == pytest.approx(2 / 6, rel=1e-5)


def test_label_ngrams_by_hand() -> None:
    labels = np.array([0, 1, 0, 1, 1, 0], dtype=np.int32)
    offsets, ones = np.array([0, 4, 6]), np.ones(6)
    assert ngram_counts(labels, offsets, ones, 2, 0).tolist() == [[3, 3]]
    assert ngram_counts(labels, offsets, ones, 2, 1).tolist() == [[0, 2], [2, 0]]
    assert ngram_counts(labels, offsets, ones, 2, 2).tolist() == [[0, 0], [1, 0], [0, 1], [0, 0]]
    (added,) = ngram_probabilities(labels, offsets, ones, 2, 1, 0.5, "add")
    np.testing.assert_allclose(added, [[0.5 / 3, 2.5 / 3], [2.5 / 3, 0.5 / 3]])


def test_deleted_interpolation_by_hand() -> None:
    # bigrams ab twice, ba once: left out, ab has 1/1 against 1/2; ba has no second, so the unigram wins with 1/2
    unigrams, bigrams = np.array([[2.0, 2.0]]), np.array([[0.0, 2.0], [1.0, 0.0]])
    shares = deleted_interpolation([unigrams, bigrams])
    votes = np.array([1.0, 2.0]) + 0.5
    np.testing.assert_allclose(shares, votes / votes.sum())


def test_example_weights_are_repetitions() -> None:
    twice, _ = tagged(2, [TEXT[0], TEXT[0], TEXT[1]])
    weighted, _ = tagged(2, [TEXT[0], TEXT[1]])
    weighted.weights = np.array([2.0, 1.0], dtype=np.float32)
    np.testing.assert_allclose(HMM().weights(weighted), HMM().weights(twice), atol=1e-5)


def test_learn_as_all_learners_do() -> None:
    data, _ = tagged(2)
    learned = HMM().learn(data, dev=data)
    assert len(learned.history) == 1
    assert learned.history[0].numbers["dev"] == 0.0
    chain, w = data.chain(), learned.weights
    _, log_z = chain.probabilities(w, 1)
    gold = log_z.sum() - chain.gradient(w, np.empty_like(w), False, 1)
    assert learned.history[0].numbers["loss"] == pytest.approx(-gold, rel=1e-5)
    with pytest.raises(TypeError, match=r"HMM needs words with labels to be counted \(counts\)"):
        HMM().learn(data.chain())


def test_bad_input() -> None:
    data, _ = tagged(1)
    with pytest.raises(ValueError, match="order 0, 1, 2 or 3"):
        TaggedWords(data.words, data.instances, data.labels, data.n_labels, 4)
    with pytest.raises(ValueError, match="every token must have one label"):
        TaggedWords(data.words, data.instances, data.labels - 1, data.n_labels)
    with pytest.raises(ValueError, match="one per token"):
        TaggedWords(data.words, data.instances, data.labels[:3], data.n_labels)
    with pytest.raises(ValueError, match="'alpha' parameter"):
        HMM(alpha=0)


def test_one_label_and_empty_sentences() -> None:
    corpus = Corpus.from_columns({"form": [["a", "b"], [], ["a"]]})
    words, instances = WordClasses.fit(corpus)
    data = TaggedWords(words, instances, np.zeros(3, dtype=np.int32), 1)
    assert np.isfinite(HMM().weights(data)).all()


@pytest.mark.parametrize(("order", "least"), [(1, 94.5), (2, 95.3)])
def test_accuracy_on_the_penn_treebank(order: int, least: float) -> None:
    train = read_columns(real_file("pos_en_ptb/train.tsv"))
    test = read_columns(real_file("pos_en_ptb/test.tsv"))
    tags = train.columns[train.names[1]]
    index = {tag: i for i, tag in enumerate(tags.strings)}
    words, instances = WordClasses.fit(train)
    w = HMM().weights(TaggedWords(words, instances, tags.ids, len(index), order))
    gold = test.columns[test.names[1]].ids_in(index)
    data = TaggedWords(words, words.transform(test), np.maximum(gold, 0), len(index), order)
    guess, _ = data.chain().decode(w, 1)
    assert 100 * float((guess == gold).mean()) >= least
