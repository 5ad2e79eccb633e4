"""Labels of some sentences and EM on all: against the labels alone, closed forms, and what is chosen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from palmette import EM, HMM, VB, Tagger, TagInducer
from palmette.features.word_classes import WordClasses
from palmette.formats.corpus import Corpus
from palmette.learning.em import normalised
from palmette.tools.sequence.hidden_markov import HiddenChain
from palmette.tools.sequence.hmm_parameters import parameters_of
from palmette.tools.sequence.partly_labelled import PartlyLabelled, labelled_sentences

pytestmark = pytest.mark.native

NAMES = ["D", "N", "V"]


def sample(n: int, seed: int, vocabulary: int = 30) -> tuple[list[list[str]], list[list[str]]]:
    """Sentences of a known HMM: D and N and V mostly in turn, each with words of its own and some shared."""
    rng = np.random.default_rng(seed)
    follows = np.array([[0.05, 0.85, 0.1], [0.15, 0.15, 0.7], [0.7, 0.2, 0.1]])
    words: list[list[str]] = []
    labels: list[list[str]] = []
    for _ in range(n):
        y, sentence, told = int(rng.integers(3)), [], []
        for _ in range(int(rng.integers(3, 9))):
            word = int(vocabulary * rng.random() ** 2)
            sentence.append(f"w{word}" if rng.random() < 0.3 else f"{'dnv'[y]}{word}")
            told.append(NAMES[y])
            y = int(rng.choice(3, p=follows[y]))
        words.append(sentence)
        labels.append(told)
    return words, labels


def test_passes_and_weight_are_chosen_on_the_dev_set() -> None:
    text, gold = sample(300, 0)
    few, dev = 15, sample(100, 1)
    known = [labels if i < few else [None] * len(labels) for i, labels in enumerate(gold)]
    alone = Tagger(HMM(), order=1).fit(text[:few], gold[:few]).score(*dev)
    inducer = TagInducer().fit(text, known, dev=dev)
    assert inducer.training_["labels_alone"] == pytest.approx(alone)
    assert inducer.training_["dev_score"] >= alone
    assert inducer.score(*dev) == pytest.approx(inducer.training_["dev_score"])
    assert inducer.score(*dev) > alone  # here the text helps
    assert inducer.training_["label_weight"] in (1, 10, 30, 100)


def test_without_a_dev_set_the_labelled_sentences_choose() -> None:
    text, gold = sample(200, 2)
    some = TagInducer().fit(text[20:], labelled=(text[:20], gold[:20]))
    assert some.training_["labelled_sentences"] == 20
    assert some.training_["dev_score"] >= some.training_["labels_alone"]
    assert sorted(some.classes_) == NAMES
    given = TagInducer(EM(n_iter=4), label_weight=5.0).fit(text[20:], labelled=(text[:3], gold[:3]))
    assert given.training_["passes"] == 4  # three labelled sentences are too few to choose by
    assert given.training_["label_weight"] == 5


def test_no_pass_is_made_that_does_not_help() -> None:
    text, gold = [["the", "dog", "runs"], ["a", "cat", "sits"]] * 6, [["D", "N", "V"]] * 12
    wrong = [sentence[::-1] for sentence in text] * 10
    inducer = TagInducer(VB(prior=1.0)).fit(wrong, labelled=(text, gold), dev=(text, gold))
    assert inducer.training_["passes"] == 0
    assert inducer.history_ == ()
    assert inducer.predict(text) == gold


@pytest.mark.parametrize("order", [1, 2])
def test_labels_of_everything_are_the_counted_model(order: int) -> None:
    text, gold = sample(50, 5)
    corpus = Corpus.from_columns({"form": text})
    words, instances = WordClasses.fit(corpus)
    ids = np.array([NAMES.index(label) for labels in gold for label in labels], dtype=np.int32)
    problem = HiddenChain(words, instances, 3, order, ids)
    few = labelled_sentences(ids, instances.offsets)
    partly = PartlyLabelled(problem, corpus, NAMES, few)
    run = partly._run(EM(n_iter=1), np.zeros(len(problem.groups)), 7.0, None)
    start = normalised(parameters_of(partly.counted, problem), problem.groups)
    used = np.bincount(problem.groups, run.counts)[problem.groups] > 0
    assert run.weights[used] == pytest.approx(start[used], rel=1e-4)
    assert run.counts[: len(words.words) * 3].sum() == pytest.approx(7 * len(ids), rel=1e-4)


def test_a_weight_is_a_number_of_copies() -> None:
    text, _ = sample(6, 6)
    twice = [text[0], *text]
    (words, instances), (_, more) = (WordClasses.fit(Corpus.from_columns({"form": t})) for t in (text, twice))
    weights = np.ones(6, dtype=np.float32)
    weights[0] = 2
    one = HiddenChain(words, instances, 3)
    start = np.log(normalised(one.random_start(0, 1.0), one.groups))
    weighted = replace(one, weights=weights).expected_counts(start)
    copied = HiddenChain(words, more, 3).expected_counts(start)
    assert weighted[0] == pytest.approx(copied[0])
    assert weighted[1] == pytest.approx(copied[1], rel=1e-4, abs=1e-5)


def test_the_best_pass_is_kept() -> None:
    text, _ = sample(20, 7)
    words, instances = WordClasses.fit(Corpus.from_columns({"form": text}))
    problem = HiddenChain(words, instances, 3)
    scores = iter([0.2, 0.5, 0.5, 0.1, 0.1, 0.9])
    run = EM(n_iter=6, tolerance=None).learn(
        problem,
        problem.random_start(0, 0.1),
        dev=lambda estimate: next(scores),
        patience=3,
    )
    assert (run.passes, len(run.history)) == (2, 5)
    assert [report.best for report in run.history] == [True, True, False, False, False]
    two = EM(n_iter=2, tolerance=None).learn(problem, problem.random_start(0, 0.1))
    assert (run.weights == two.weights).all()


def test_states_get_labels_afterwards(tmp_path: Path) -> None:
    text, gold = sample(300, 8)
    inducer = TagInducer(VB(prior=1.0, n_iter=40), n_states=9).fit(text)
    before = inducer.evaluate(text, gold)
    inducer.label_states(text[:60], gold[:60])
    after = inducer.evaluate(text, gold)
    assert set(inducer.classes_) <= set(NAMES)
    assert len(inducer.model_.structure.labels) == 9
    assert before.accuracy is None
    assert after.accuracy == pytest.approx(before.many_to_one, abs=0.1)
    assert [sum(row.values()) for row in inducer.marginals(text[:1])[0]] == pytest.approx(
        [1.0] * len(text[0])
    )
    inducer.save(tmp_path / "labelled.palm")
    again = TagInducer.load(tmp_path / "labelled.palm")
    assert again.predict(text[:20]) == inducer.predict(text[:20])
    assert again.kbest(text[:1], 2)[0][0].output == inducer.kbest(text[:1], 2)[0][0].output
    known = again.predict(text[:1], known=[["N", *[None] * (len(text[0]) - 1)]])
    assert known[0][0] == "N" or "N" not in again.classes_
    assert inducer.label_states(text, gold).classes_  # they may be labelled again


def test_bad_input() -> None:
    text, gold = sample(12, 9)
    with pytest.raises(ValueError, match="there is none with all labels"):
        TagInducer().fit(text, dev=(text, gold))
    with pytest.raises(ValueError, match="leave it out with a given start"):
        TagInducer().fit(text, start=Tagger(HMM(), order=1).fit(text, gold), dev=(text, gold))
    with pytest.raises(ValueError, match="leave out 'restarts'"):
        TagInducer(restarts=2).fit(text, gold)
    with pytest.raises(ValueError, match="label_weight"):
        TagInducer(label_weight=-1).fit(text, gold)
    with pytest.raises(ValueError, match="dev set has no labels"):
        TagInducer().fit(text, gold, dev=(text, [[None] * len(labels) for labels in gold]))
    with pytest.raises(ValueError, match="states have no labels"):
        TagInducer(n_states=3).fit(text).label_states(text, [[None] * len(labels) for labels in gold])
