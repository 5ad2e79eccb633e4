"""Trainings of networks that are stopped after any pass and go on: the model has the same bytes."""

from __future__ import annotations

import io
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from neural.test_neural_parsers import neural as for_trees
from neural.test_neural_parsers import toy as trees
from neural.test_neural_taggers import neural, toy
from palmette import DependencyParser, Tagger
from palmette.cli.training.checkpoints import _picklable, _Reader
from palmette.course import Course, follow
from palmette.tools.sequence.history_tagger import HistoryTagger

pytest.importorskip("torch")
FEEDFORWARD = {"network": "feedforward", "layers": 2, "size": 8, "width": 6, "batch": 4, "n_iter": 4}
HISTORY = {"size": 6, "words": 6, "letters": 4, "batch_size": 4, "n_iter": 4, "teacher_passes": 2}
Train = Callable[[], Any]


def tagger(**options: Any) -> Tagger:
    return Tagger(scorer=neural(n_iter=4, dropout=0.3, word_dropout=0.25, feature_dropout=0.2, **options))


CASES: dict[str, Train] = {
    "tagger": lambda: tagger().fit(*toy()),
    "tagger with a dev set": lambda: tagger(schedule="plateau", patience=3).fit(*toy(), dev=toy(6, seed=4)),
    "tagger with a noted option": lambda: tagger(patience=2).fit(*toy()),
    "feed-forward": lambda: Tagger(scorer=neural_feedforward(), templates="w[-1..1]").fit(*toy()),
    "parser": lambda: DependencyParser(scorer=for_trees(n_iter=4, dropout=0.3)).fit(
        *trees(), dev=trees(4, seed=6)
    ),
    "history": lambda: HistoryTagger(HISTORY).fit(*toy(), dev=toy(6, seed=4)),
    "history with a beam": lambda: HistoryTagger({**HISTORY, "training": "beam"}).fit(*toy()),
}


def neural_feedforward() -> Any:
    from palmette import Neural

    return Neural(**FEEDFORWARD)  # type: ignore[arg-type]


class Written:
    """What a training writes down after each of its passes, in the form of a checkpoint."""

    def __init__(self) -> None:
        self.all: list[bytes] = []

    def keep(self, course: Course) -> None:
        self.all.append(pickle.dumps([_picklable(course.finished), _picklable(course.running)]))

    def read(self, number: int) -> Course:
        finished, running = _Reader(io.BytesIO(self.all[number])).load()
        assert finished or running
        return Course(finished, running)


def content(made: Any, path: Path) -> tuple[bytes, Any]:
    made.save(path)
    numbers = [(r.epoch, dict(r.numbers), r.best) for r in made.history_]
    return path.read_bytes(), (numbers, made.training_.get("notes"))


@pytest.mark.parametrize("case", CASES)
def test_the_same_bytes_after_any_pass(case: str, tmp_path: Path) -> None:
    train, written, path = CASES[case], Written(), tmp_path / "m.palm"
    with follow(Course(keep=written.keep, due=lambda: True)):
        whole = train()
    want = content(whole, path)
    assert len(written.all) >= len(whole.history_) >= 3
    for number in range(len(written.all)):
        with follow(written.read(number)):
            again = train()
        have = content(again, path)
        assert have[1] == want[1], number
        assert have[0] == want[0], number


def test_what_was_trained_is_not_trained_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the second of four passes two are left; after the end none."""
    from palmette.neural.networks.training import Trainer

    written = Written()
    with follow(Course(keep=written.keep, due=lambda: True)):
        CASES["tagger"]()
    counts, batches = [0], Trainer.batches

    def counted(self: Any) -> Any:
        counts[0] += 1
        return batches(self)

    monkeypatch.setattr(Trainer, "batches", counted)
    for number, left in ((1, 2), (len(written.all) - 1, 0)):
        counts[0] = 0
        with follow(written.read(number)):
            CASES["tagger"]()
        assert counts[0] == left
