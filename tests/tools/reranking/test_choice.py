"""Settings by cross-validation: the best over all folds, and a gain that does not count the luck of choosing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from palmette.cli import main
from palmette.evaluation.candidates import compare_choices
from palmette.features.sequence_templates import SequenceTemplates
from palmette.formats.nbest import write_nbest
from palmette.learning.loglinear import CRF
from palmette.learning.mira import MIRA
from palmette.learning.perceptron import Perceptron
from palmette.tools.reranking.choice import (
    Setting,
    choose_setting,
    cut_lists,
    nested_lists,
    settings_for,
)
from palmette.tools.reranking.reranker import Reranker
from palmette.tools.sequence.tagger import Tagger
from samples.ranking_lists import random_lists, tree_lists

pytestmark = pytest.mark.native

TEMPLATES = SequenceTemplates()
SETTINGS = [
    Setting("one pass", {"learner": Perceptron(n_iter=1, average=False), "features": TEMPLATES}),
    Setting("crf", {"learner": CRF(l2=0.1, n_iter=5), "features": TEMPLATES}),
    Setting("mira", {"learner": MIRA(n_iter=4), "features": TEMPLATES}),
]


def test_the_best_setting_and_the_gain_of_choosing() -> None:
    folds = cut_lists(random_lists(45, 3), 3)
    choice = choose_setting(SETTINGS, folds, "labels", max_size=100)
    # by hand: the counts of gold, guessed and right of the choices of every setting in every fold
    counts: list[list[Any]] = []
    for setting in SETTINGS:
        counts.append([])
        for rest, own in folds:
            chosen = Reranker(**setting.parameters, measure="labels").fit(rest).choose(own)
            counts[-1].append(compare_choices(own, chosen, n_resamples=1).per_list[:, 3:6].sum(axis=0))

    def f1(rows: list[Any]) -> float:
        gold, guessed, right = sum(rows)
        return float(2 * right / (gold + guessed))

    by_setting = [f1(rows) for rows in counts]
    assert list(choice.f1.values()) == pytest.approx(by_setting)
    assert choice.setting == SETTINGS[by_setting.index(max(by_setting))]
    told = []
    for k in range(3):
        others = [f1(rows[:k] + rows[k + 1 :]) for rows in counts]
        told.append(counts[others.index(max(others))][k])
    assert choice.scores.f1 == pytest.approx(f1(told))
    assert choice.scores.lists == 45
    assert choice.scores.significance is not None


def test_no_list_of_the_rest_comes_from_a_model_that_saw_the_fold() -> None:
    seen: list[set[str]] = []

    class Spy(Tagger):
        def fit(self, X: Any, y: Any = None, **more: Any) -> Any:
            seen.append({str(word) for sentence in X for word in sentence["form"]})
            return super().fit(X, y, **more)

    from palmette.formats.corpus import Corpus

    words = [[f"w{i}", f"v{i}"] for i in range(12)]
    corpus = Corpus.from_columns({"form": words, "label": [["A", "B"], ["B", "A"]] * 6})
    folds = nested_lists(lambda: Spy(Perceptron(n_iter=1), column="label"), corpus, 3, 2)
    assert len(seen) == 3 * 4
    for number, (rest, own) in enumerate(folds):
        held_out = {word for given in own for word, _ in given.outputs[0]}
        assert len(own) == 4
        assert len(rest) == 8
        for words_seen in seen[4 * number : 4 * number + 4]:
            assert not held_out & words_seen
        learnt = {word for given in rest for word, _ in given.outputs[0]}
        assert not held_out & learnt


@pytest.mark.parametrize(
    ("measure", "lists"), [("brackets", tree_lists() * 4), ("labels", random_lists(8, 1))]
)
def test_every_setting_trains(measure: str, lists: list[Any]) -> None:
    settings = settings_for(measure)
    assert len({setting.name for setting in settings}) == len(settings)
    for setting in settings:
        assert setting.reranker(measure=measure).fit(lists).choose(lists)


@pytest.fixture(name="lists")
def _lists(tmp_path: Path) -> Path:
    path = tmp_path / "lists.nbest"
    write_nbest(random_lists(45, 3), path)
    return path


def test_one_command(lists: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model = tmp_path / "m.palm"
    command = ["train", "rerank", "--train", str(lists), "-o", str(model)]
    assert main(command) == 0
    told = capsys.readouterr().err
    assert "chosen: " in told
    assert "p = " in told
    choice = Reranker.load(model).training_["choice"]
    assert main(["inspect", str(model)]) == 0
    assert choice["setting"] in capsys.readouterr().out
    assert {"setting", "tried", "f1", "baseline_f1", "oracle_f1", "gain", "p_value"} <= set(choice)
    for options in (["--no-choose"], ["--learner", "mira"], ["--beta", "1"]):
        assert main([*command, *options]) == 0
        assert "chosen" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--learner", "mira"], "remove --learner and --set"),
        (["--set", "n_iter=2"], "remove --learner and --set"),
        (["--features", "all"], "remove --features"),
        (["--stream"], "--stream"),
    ],
)
def test_what_cannot_be_chosen(
    lists: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], message: str
) -> None:
    model = tmp_path / "m.palm"
    assert main(["train", "rerank", "--train", str(lists), "--choose", "-o", str(model), *options]) != 0
    assert message in capsys.readouterr().err
    assert not model.exists()


def test_too_few_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    few, model = tmp_path / "few.nbest", tmp_path / "m.palm"
    write_nbest(tree_lists(), few)
    assert main(["train", "rerank", "--train", str(few), "--choose", "-o", str(model)]) != 0
    assert "at least 30 lists" in capsys.readouterr().err
    assert main(["train", "rerank", "--train", str(few), "-o", str(model)]) == 0
    assert "chosen" not in capsys.readouterr().err
