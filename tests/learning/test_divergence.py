"""Options and scores beyond what floats hold: one sentence, and neither a crash nor a search without end."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette import Classifier, Tagger
from palmette._native import (
    ArowMemory,
    FrankWolfeMemory,
    HeadChoiceProblem,
    MiraMemory,
    PerceptronMemory,
    SagMemory,
    SubgradientMemory,
)
from palmette.cli import main
from palmette.learning.divergence import DivergenceError, check_moderate
from palmette.learning.em import EM
from palmette.learning.learner import Learner
from palmette.learning.loglinear import CRF
from palmette.learning.mira import MIRA
from palmette.learning.perceptron import Perceptron
from palmette.learning.registry import make_learner
from samples import transitions
from samples.problem_cases import BEAM, FOLLOW, STATIC, RankingCase, TransitionCase
from samples.random_anchored import random_anchored
from samples.random_problems import random_chains
from samples.random_trees import random_trees
from samples.treebank import TRAIN

pytestmark = pytest.mark.native


@pytest.mark.parametrize(
    ("name", "option", "value"),
    [
        ("crf", "eta0", 1e308),
        ("crf", "l2", 1e308),
        ("risk", "eta0", 1e38),
        ("arow", "variance", 1e308),
        ("eg", "l2", 1e-308),
        ("crf", "l2", 1e39),
        ("perceptron", "margin", 1e39),
        ("perceptron", "margin", 1e38),
    ],
)
def test_training_stops_and_names_the_option(name: str, option: str, value: float) -> None:
    problem = random_chains(1, lengths=(4, 3) * 10).problem()
    with pytest.raises(DivergenceError, match=f"too large to compute with. .* the option {option}="):
        make_learner(name, {option: value}).learn(problem)


def test_arcs_with_a_margin_beyond_floats() -> None:
    problem = replace(random_trees(4, (3, 4, 2, 5)), bits=(8, 6)).problem()
    with pytest.raises(DivergenceError, match=r"the option margin=1e\+39: its default is 0.0"):
        Perceptron(margin=1e39).learn(problem)


@pytest.mark.parametrize("learner", [Perceptron(margin=1e39), CRF(l2=1e39)])
def test_taggers_and_classifiers_with_an_option_beyond_floats(learner: Learner) -> None:
    with pytest.raises(DivergenceError, match=f"{type(learner).__name__} stopped: .*=1e\\+39: its default"):
        Tagger(learner).fit([["a", "b"], ["b"]], [["X", "Y"], ["Y"]])
    with pytest.raises(DivergenceError, match=f"{type(learner).__name__} stopped: .*=1e\\+39: its default"):
        Classifier(learner).fit(["a b", "c d"], ["X", "Y"])


def test_large_options_that_floats_can_take() -> None:
    MIRA(c=1e30, n_iter=2).learn(random_chains(1, lengths=(4, 3) * 10).problem())


def test_without_a_strange_option_it_is_the_features() -> None:
    with pytest.raises(DivergenceError, match="values of features are too large"):
        check_moderate(CRF(), np.array([1.0, np.nan]))
    with pytest.raises(DivergenceError, match=r"the option c=1e\+30: its default is 0.05"):
        check_moderate(MIRA(c=1e30), float("inf"))
    check_moderate(CRF(), np.array([1e19, -1e19]), 3.0, np.zeros(0))


def test_em_too() -> None:
    class Coin:
        groups = np.array([0, 0])

        def expected_counts(self, log_weights: Any) -> tuple[float, Any]:
            return -1.0, np.array([1.0, 1.0])

    with pytest.raises(DivergenceError, match=r"EM stopped: .* the option prior=1e\+308"):
        EM(prior=1e308).learn(Coin(), [0.5, 0.5])


@pytest.mark.parametrize("value", ["1e39", "1e300"])
def test_on_the_command_line_the_old_model_is_kept(
    value: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "m.palm"
    out.write_text("old")
    small = ["--set", "bits=12", "--set", "label_bits=8"]
    command = ["train", "depparse", "--train", str(TRAIN), "--learner", "perceptron", *small]
    assert main([*command, "--set", f"margin={value}", "-o", str(out), "-q"]) == 1
    assert "the option margin=" in capsys.readouterr().err
    assert out.read_text() == "old"


def problems() -> Iterator[Any]:
    """One of every structure."""
    for order in (0, 1, 2):
        yield random_chains(1, order=order, lengths=(4, 3, 2)).problem()
    for projective in (True, False):
        for siblings, grandparents in ((True, True), (False, False), (False, True)):
            options = {"projective": projective, "siblings": siblings, "grandparents": grandparents}
            yield replace(random_trees(4, (3, 4, 2, 5), **options), bits=(8, 6)).problem()
    some = random_trees(4, (3, 4, 2, 5))
    v, heads = some.views, np.concatenate([np.array(gold[0], np.int32) for gold in some.gold])
    yield HeadChoiceProblem(v.offsets, v.values, v.piece_rows, v.pieces, heads, 8)
    yield random_anchored(3, lengths=(2, 3, 4)).problem()
    yield RankingCase(1).make()
    for system in ("arc-standard", "arc-hybrid", "arc-eager", "swap"):
        for training in (FOLLOW, STATIC, BEAM):
            given = transitions.random_trees(1, 4, projective=system != "swap")
            yield TransitionCase(given, system, training, width=1 if training < 2 else 4).make()


def strange_weights(n: int) -> Iterator[np.ndarray]:
    """Weights that are no numbers, infinite, very large, and all of that."""
    for value in (np.nan, np.inf, -np.inf, 3e38, -3e38):
        yield np.full(n, value, np.float32)
    kinds = np.array([np.nan, np.inf, -np.inf, 3e38, -3e38, 0, 1, -1], np.float32)
    for seed in range(8):
        yield np.random.default_rng(seed).choice(kinds[seed % 4 :], n).astype(np.float32)


def work_with(problem: Any, w: np.ndarray) -> None:
    """Let every learner's loop meet these weights; each may refuse them."""
    n, order = problem.n_weights, np.arange(len(problem), dtype=np.int64)
    for work in (
        lambda: problem.total_loss(w, 1),
        lambda: problem.gradient(w, np.zeros_like(w), False, 1),
        lambda: problem.sgd_epoch(w.copy(), 1.0, 0, order, 1.0, 0.1, False),
        lambda: problem.sag_epoch(w.copy(), SagMemory(), order, 0.1, False),
        lambda: problem.perceptron_epoch(w.copy(), PerceptronMemory(n, False, 0.0), order),
        lambda: problem.perceptron_epoch(w.copy(), PerceptronMemory(n, False, 1e39), order),
        lambda: problem.mira_epoch(w.copy(), MiraMemory(n), order, 1, 1.0, 5, True),
        lambda: problem.arow_epoch(w.copy(), ArowMemory(n, 1e38), order, 1.0),
        lambda: problem.subgradient_epoch(w.copy(), SubgradientMemory(n, 0, 0.0), order, 0.1, 0.0),
        lambda: problem.frank_wolfe_epoch(w.copy(), FrankWolfeMemory(n), order, 0.1, None),
    ):
        with suppress(ValueError, OverflowError):
            work()


def test_no_scores_crash_a_search_or_keep_it_for_ever() -> None:
    """In a process of its own, which may crash."""
    tests = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-W", "ignore", __file__],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tests.parent), str(tests)])},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (0, "all done\n"), done.stderr


if __name__ == "__main__":
    for given in problems():
        for strange in strange_weights(given.n_weights):
            work_with(given, strange)
    print("all done")
