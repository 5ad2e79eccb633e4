"""Taggers without labels: what is known is heeded, starts compete, files come back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from palmette import EM, VB, Tagger, TagInducer
from palmette.tools.sequence.hmm import HMM

pytestmark = pytest.mark.native

TEXT = [["the", "dog", "runs"], ["a", "cat", "runs"], ["the", "cat", "sits"], ["a", "dog", "sits"]] * 5
GOLD = [["D", "N", "V"]] * len(TEXT)


def test_states_stand_for_labels() -> None:
    inducer = TagInducer(EM(n_iter=60), n_states=3, restarts=4).fit(TEXT)
    scores = inducer.evaluate(TEXT, GOLD)
    assert scores.many_to_one == scores.one_to_one == inducer.score(TEXT, GOLD) == 1
    assert sorted(scores.labels_of_states) == ["S1", "S2", "S3"]
    assert len(inducer.runs_) == 4


def test_starts_in_threads_are_the_same() -> None:
    one, two = (TagInducer(VB(n_iter=5), n_states=4, restarts=3, n_jobs=jobs).fit(TEXT) for jobs in (1, 2))
    assert (one.model_.weights == two.model_.weights).all()
    assert [len(run.history) for run in two.runs_] == [5, 5, 5]


@pytest.mark.parametrize("order", [1, 2])
def test_a_dictionary_names_the_states(order: int) -> None:
    dictionary = {
        "the": ["D"],
        "a": ["D"],
        "dog": ["N", "V"],
        "cat": ["N"],
        "runs": ["V", "N"],
        "sits": ["V"],
    }
    inducer = TagInducer(EM(n_iter=30), order=order).fit(TEXT, dictionary=dictionary)
    assert sorted(inducer.classes_) == ["D", "N", "V"]
    assert inducer.predict([["the", "dog", "runs"]]) == [["D", "N", "V"]]


def test_labels_of_some_tokens_name_the_states() -> None:
    some = [labels if i == 0 else [None] * 3 for i, labels in enumerate(GOLD)]
    inducer = TagInducer(EM(n_iter=60, prior=0.01), noise=0.1).fit(TEXT, some)
    assert inducer.predict(TEXT) == GOLD


def test_a_known_label_overrules_the_dictionary() -> None:
    inducer = TagInducer(EM(n_iter=3), n_states=3)
    inducer.fit([["x", "y"]], [["A", None]], dictionary={"x": ["B"], "y": ["B"]})
    assert inducer.predict([["x", "y"]]) == [["A", "B"]]


@pytest.mark.parametrize("order", [1, 2])
def test_a_start_is_where_it_begins(order: int) -> None:
    first = Tagger(HMM(), order=order).fit(TEXT[:4], GOLD[:4])
    started = TagInducer(EM(n_iter=10), order=order).fit(TEXT, start=first)
    assert started.predict(TEXT) == GOLD
    rise = np.diff([report.numbers["objective"] for report in started.history_])
    assert rise.min() > -1e-3


def test_a_file_comes_back(tmp_path: Path) -> None:
    inducer = TagInducer(n_states=3).fit(TEXT)
    inducer.save(tmp_path / "states.palm")
    again = TagInducer.load(tmp_path / "states.palm")
    sentences = [["the", "dogs", "run"], ["unknown"], []]
    assert again.predict(sentences) == inducer.predict(sentences)
    assert again.training_["learner"] == "VB"


def test_an_unknown_word_is_judged_by_its_suffix() -> None:
    text = [[f"x{i}ly", f"x{i}ing"] for i in range(30)]
    inducer = TagInducer(EM(n_iter=50), n_states=2, restarts=3).fit(text)
    known, new = inducer.predict([["x3ly", "x4ing"], ["newly", "newing"]])
    assert known == new


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="give it words"):
        TagInducer().fit([[{"w": 1.0}]])
    with pytest.raises(ValueError, match="not one word"):
        TagInducer().fit([])
    with pytest.raises(ValueError, match="one for every label"):
        TagInducer(n_states=2).fit(TEXT, GOLD)
    with pytest.raises(ValueError, match="take one of the learners vb, em"):
        TagInducer(HMM()).fit(TEXT)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="no label for 'the'"):
        TagInducer().fit(TEXT, dictionary={"the": []})
    with pytest.raises(ValueError, match="'restarts' parameter must be an int"):
        TagInducer(restarts=0).fit(TEXT)
    with pytest.raises(ValueError, match="learner HMM of the order 1"):
        TagInducer().fit(TEXT, start=Tagger().fit(TEXT, GOLD))
    with pytest.raises(ValueError, match="is one start"):
        TagInducer(restarts=2).fit(TEXT, start=Tagger(HMM(), order=1).fit(TEXT, GOLD))
