"""Experiments against the same trainings by hand, and their statistics against SciPy's."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import ttest_rel

from palmette import CRF, Perceptron, Tagger
from palmette.formats.conllu import read_conllu
from palmette.tools import cross_validate, learning_curve, search
from palmette.tools.experiments.material import folds_of
from palmette.tools.experiments.search import Difference, grid, named
from palmette.tools.experiments.trials import Interrupted, Summary, run_trials

GARDEN = Path(__file__).parents[2] / "data" / "garden"


@pytest.fixture(scope="module")
def corpus() -> Any:
    return read_conllu(GARDEN / "train.conllu").select(range(60))


class Curve:
    """Material whose measure is known: the square root of the number of examples, times what is set."""

    measures = ("worth",)
    lower_is_better = False

    def __init__(self, n: int, *, has_dev: bool = False, stop_after: int = 10**9) -> None:
        self.n, self.has_dev, self.stop_after, self.seen = n, has_dev, stop_after, []

    def __len__(self) -> int:
        return self.n

    def trial(self, train: Sequence[int], test: Sequence[int] | None, settings: Any) -> dict[str, float]:
        if len(self.seen) == self.stop_after:
            raise KeyboardInterrupt
        self.seen.append((list(train), test))
        assert test is None or not set(train) & set(test)
        return {"worth": len(train) ** 0.5 * settings.get("factor", 1.0), "other": 1.0}


@pytest.mark.parametrize(("n", "folds"), [(10, 2), (11, 3), (7, 7)])
def test_folds_divide_the_examples(n: int, folds: int) -> None:
    cut = folds_of(n, folds, 3)
    assert sorted(i for part in cut for i in part) == list(range(n))
    assert max(map(len, cut)) - min(map(len, cut)) <= 1
    assert cut == folds_of(n, folds, 3) != folds_of(n, folds, 4)


def test_cross_validation_is_training_on_the_other_folds(corpus: Any) -> None:
    found = cross_validate(Tagger(column="upos"), corpus, folds=3, random_state=5)
    for trial, test in zip(found.trials, folds_of(len(corpus), 3, 5), strict=True):
        rest = [i for i in range(len(corpus)) if i not in test]
        by_hand = Tagger(column="upos").fit(corpus.select(rest)).score(corpus.select(test))
        assert trial.measures["score"] == by_hand
        assert (trial.size, trial.tested) == (len(rest), len(test))
    values = [trial.measures["score"] for trial in found.trials]
    assert found.summaries["score"] == Summary(np.mean(values), np.std(values, ddof=1))


def test_the_number_of_processes_changes_nothing(corpus: Any) -> None:
    asked = {"candidates": {"order": [0, 1]}, "folds": 2}
    one, two = (search(Tagger(column="upos"), corpus, **asked, n_jobs=n) for n in (1, 2))
    assert [t.measures for t in one.trials] == [t.measures for t in two.trials]
    assert one.best == two.best


def test_own_measures_by_name(corpus: Any) -> None:
    def both(tool: Any, X: Any, y: Any) -> dict[str, float]:
        scores = tool.evaluate(X)
        return {"unknown": scores.unknown_accuracy, "known": scores.known_accuracy}

    found = cross_validate(Tagger(column="upos"), corpus, folds=2, measure=both)
    assert found.measures == ("unknown", "known")
    assert set(found.rows()) == {"fold 1", "fold 2", "mean", "std"}


def test_larger_parts_hold_the_smaller_ones() -> None:
    examples = Curve(50)
    found = learning_curve(examples, sizes=[10, 0.5, 1.0], folds=2)
    assert list(found.sizes) == [10, 12, 25]
    for fold in range(2):
        small, middle, all_of_them = (set(train) for train, _ in examples.seen[3 * fold : 3 * fold + 3])
        assert small < middle < all_of_them
    assert [own["worth"].mean for own in found.sizes.values()] == pytest.approx([10**0.5, 12**0.5, 5])
    assert found.plot().svg().count("<circle") == 3 + 6


def test_a_dev_set_takes_the_place_of_folds() -> None:
    examples = Curve(20, has_dev=True)
    assert [trial.tested for trial in learning_curve(examples, sizes=[0.5, 1.0]).trials] == [0, 0]
    assert all(test is None for _, test in examples.seen)
    assert len(search(Curve(20, has_dev=True), candidates={"factor": [1]}, folds=4).trials) == 4


def test_the_best_candidate_comes_first() -> None:
    found = search(Curve(20), candidates={"factor": [1.0, 3.0, 2.0]}, folds=4)
    assert [settings["factor"] for settings, _ in found.ranking] == [3.0, 2.0, 1.0]
    assert found.difference({"factor": 1.0}).mean == pytest.approx(2 * 15**0.5)
    assert found.difference(found.best).mean == 0
    json.dumps(found.to_dict())
    assert found.plot().svg().count("<circle") == 3 + 12


def test_learners_are_parameters(corpus: Any) -> None:
    candidates = [{"learner": Perceptron(n_iter=2)}, {"learner": CRF(), "order": 0}]
    found = search(Tagger(column="upos"), corpus, candidates=candidates, folds=2)
    assert {named(settings) for settings, _ in found.ranking} == {named(one) for one in candidates}


def test_the_interval_of_a_difference() -> None:
    """Without shared examples it is the paired t-test; with them it is wider by Nadeau and Bengio's factor."""
    first, second = [0.9, 0.8, 0.85, 0.95], [0.7, 0.82, 0.8, 0.85]
    differences = [a - b for a, b in zip(first, second)]
    plain = ttest_rel(first, second)
    apart = Difference.of(differences, float("inf"), 10)
    low, high = plain.confidence_interval(0.95)
    assert (apart.low, apart.high, apart.p_value) == pytest.approx((low, high, plain.pvalue))
    shared = Difference.of(differences, 30, 10)
    assert shared.high is not None
    assert shared.high - shared.mean == pytest.approx(
        (high - apart.mean) * ((1 / 4 + 1 / 3) / (1 / 4)) ** 0.5
    )
    assert Difference.of([0.0, 0.0], 10, 10).p_value == 1
    assert Difference.of([0.1], 10, 10).low is None


def test_ctrl_c_keeps_what_is_done() -> None:
    with pytest.raises(Interrupted, match="interrupted after 3 of 5") as stopped:
        cross_validate(Curve(20, stop_after=3), folds=5)
    assert [trial.fold for trial in stopped.value.trials] == [1, 2, 3]


def test_some_of_the_combinations() -> None:
    choices = {"a": range(5), "b": range(5)}
    assert len(grid(choices)) == 25
    asked = [search(Curve(9), candidates=choices, at_most=4, folds=3, random_state=s) for s in (0, 0, 1)]
    assert asked[0].candidates == asked[1].candidates != asked[2].candidates
    assert len(asked[0].candidates) == 4


def test_callbacks_are_told_of_every_trial() -> None:
    seen: list[Any] = []
    found = cross_validate(Curve(20), folds=5, callback=seen.append)
    assert seen == found.trials
    assert run_trials(Curve(2), []) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cross_validate(Curve(3), folds=4), "at least as many examples as folds. Got 3 examples"),
        (lambda: cross_validate(Curve(3), folds=1), "at least 2 folds"),
        (lambda: learning_curve(Curve(9), sizes=[0], folds=3), "from 1 to 6"),
        (lambda: learning_curve(Curve(9), sizes=[7], folds=3), "Got 7"),
        (lambda: learning_curve(Curve(9), sizes=[1.5], folds=3), "Got 1.5"),
        (lambda: learning_curve(Curve(9), sizes=[], folds=3), "at least one size"),
        (lambda: learning_curve(Curve(0, has_dev=True)), "Got none"),
        (lambda: search(Curve(9), candidates=[]), "candidates to try"),
        (lambda: search(Curve(9), candidates={"factor": [1, 2]}, at_most=0), "at least 1 candidate"),
        (lambda: cross_validate(Tagger(), [["a"]], [["A"], ["B"]]), "an output for every example"),
    ],
)
def test_what_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def test_examples_are_needed() -> None:
    with pytest.raises(TypeError, match="examples to learn from"):
        cross_validate(Tagger())
