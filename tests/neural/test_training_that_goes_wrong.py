"""Training of networks that meets NaN, too little memory, Ctrl-C, or a dev set that says stop: what is kept."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from neural.test_neural_parsers import neural as for_trees
from neural.test_neural_parsers import toy as trees
from neural.test_neural_taggers import neural, toy
from palmette import DependencyParser, SpanTagger, Tagger
from palmette.learning.divergence import DivergenceError
from palmette.tools.sequence.history_tagger import HistoryTagger

torch = pytest.importorskip("torch")
from palmette.neural.networks.steps import Steps  # noqa: E402
from palmette.neural.rbm.frames import FrameTagger  # noqa: E402
from palmette.neural.rbm.machine import RBM  # noqa: E402
from palmette.neural.recurrent.tagger import RecurrentTagger  # noqa: E402

RATE = 0.02
HISTORY = {"size": 6, "words": 6, "letters": 4, "dropout": 0.0, "batch_size": 4, "learning_rate": RATE}


def frames(n: int = 12) -> tuple[list[np.ndarray], list[list[str]]]:
    rng = np.random.default_rng(3)
    y = [rng.choice(["a", "b"], rng.integers(2, 6)).tolist() for _ in range(n)]
    return [rng.normal(size=(len(one), 3)) + [[2.0 * (label == "b")] * 3 for label in one] for one in y], y


def fit_tagger(callback: Any = None, **options: Any) -> Tagger:
    return Tagger(scorer=neural(**options)).fit(*toy(), callback=callback)


def fit_parser(callback: Any = None, **options: Any) -> DependencyParser:
    return DependencyParser(scorer=for_trees(**{"n_iter": 6, **options})).fit(*trees(), callback=callback)


def fit_history(callback: Any = None, **options: Any) -> HistoryTagger:
    return HistoryTagger({**HISTORY, "n_iter": 6, **options}).fit(*toy(), callback=callback)


def fit_chain(callback: Any = None, **options: Any) -> RecurrentTagger:
    made = RecurrentTagger(**{**HISTORY, "n_iter": 6, "decoder": "crf", **options})  # type: ignore[arg-type]
    return made.fit(*toy(), callback=callback)


def fit_frames(callback: Any = None, **options: Any) -> FrameTagger:
    made = {"layers": (4,), "pretraining": 0, "n_iter": 6, "batch_size": 4, "learning_rate": RATE, **options}
    return FrameTagger(**made).fit(*frames(), callback=callback)


Fit = Callable[..., Any]
FITS: dict[str, Fit] = {
    "tagger": fit_tagger,
    "parser": fit_parser,
    "history": fit_history,
    "chain": fit_chain,
    "frames": fit_frames,
}


@pytest.fixture
def all_steps(monkeypatch: pytest.MonkeyPatch) -> list[Steps]:
    """The steps of the trainings of a test, the last one last."""
    found: list[Steps] = []
    init = Steps.__init__

    def kept(self: Steps, *given: Any, **more: Any) -> None:
        init(self, *given, **more)
        found.append(self)

    monkeypatch.setattr(Steps, "__init__", kept)
    return found


def breaking(all_steps: list[Steps], after: int, which: int, value: float) -> Callable[[Any], None]:
    """A callback that overwrites one of the parameters after a pass."""

    def callback(report: Any) -> None:
        if report.epoch == after:
            steps = all_steps[-1]
            parameters = [*steps.dense, *steps.sparse]
            with torch.no_grad():
                parameters[which].fill_(value)

    return callback


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, 3e38])
@pytest.mark.parametrize("which", [0, -1])
@pytest.mark.parametrize("kind", FITS)
def test_the_last_good_pass_is_kept(
    kind: str, which: int, value: float, all_steps: list[Steps], caplog: pytest.LogCaptureFixture
) -> None:
    made = FITS[kind](breaking(all_steps, 2, which, value))
    assert (
        f"not a number in pass 3, with learning_rate={RATE}: training stops with the weights of pass 2"
        in (caplog.text)
    )
    assert "take a smaller one, such as 0.002" in caplog.text
    assert len(made.history_) == 2
    if kind == "parser":
        probabilities = made.arc_probabilities(trees()[0])
    elif kind == "frames":
        probabilities = made.predict_marginals(frames()[0])
    elif kind == "tagger":
        probabilities = made.predict_proba(toy()[0])
    else:
        assert made.predict(toy()[0])
        return
    assert all(np.isfinite(one).all() for one in probabilities)


@pytest.mark.parametrize("loss", ["perceptron", "svm", "risk"])
@pytest.mark.parametrize("kind", ["tagger", "parser", "frames"])
def test_with_every_loss(
    kind: str, loss: str, all_steps: list[Steps], caplog: pytest.LogCaptureFixture
) -> None:
    made = FITS[kind](breaking(all_steps, 1, 0, math.nan), loss=loss)
    assert "not a number in pass 2, with learning_rate=0.02" in caplog.text
    assert len(made.history_) == 1


@pytest.mark.parametrize("kind", FITS)
def test_without_a_good_pass_it_is_an_error(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    init = Steps.__init__

    def broken(self: Steps, *given: Any, **more: Any) -> None:
        init(self, *given, **more)
        with torch.no_grad():
            self.dense[-1].fill_(math.nan)

    monkeypatch.setattr(Steps, "__init__", broken)
    with pytest.raises(
        DivergenceError, match=r"in pass 1, with learning_rate=0\.02. Take a smaller one, such"
    ):
        FITS[kind]()


def test_a_gradient_of_features_is_checked_too(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The gradient of the weights of features alone is not a number, in the second pass."""
    sound, passes = Steps._gradients_are_sound, [0]

    def broken(self: Steps) -> bool:
        if passes[0]:
            for weights in self.sparse:
                weights.grad = weights.grad * math.nan
        return sound(self)

    monkeypatch.setattr(Steps, "_gradients_are_sound", broken)
    made = fit_tagger(lambda report: passes.append(passes.pop() + 1))
    assert "not a number in pass 2" in caplog.text
    assert np.isfinite(made.model_.rows).all()


def test_weights_that_burst_in_the_last_step_are_not_kept(all_steps: list[Steps]) -> None:
    """Adam's steps are as long as its step size, whatever the gradient: the weights themselves are checked."""
    with pytest.raises(DivergenceError, match="in pass 1"):
        fit_frames(learning_rate=1e30, n_iter=1, batch_size=100)


def test_l2_holds_the_weights_of_features_small() -> None:
    free, held = (fit_tagger(l2=l2, n_iter=8).model_.rows for l2 in (0.0, 0.1))
    assert np.abs(held).sum() < 0.7 * np.abs(free).sum()


def test_machines_keep_their_last_good_pass(caplog: pytest.LogCaptureFixture) -> None:
    X = np.random.default_rng(0).normal(size=(40, 4))
    machine = RBM(units="gaussian", n_components=3, n_iter=5)
    broken = [False]
    stepped = RBM._stepped

    def step(self: RBM, made: Any, gradient: Any, *more: Any) -> Any:
        if broken[0]:
            gradient = [part * math.nan for part in gradient]
        return stepped(self, made, gradient, *more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RBM, "_stepped", step)
        machine.fit(X, callback=lambda report: broken.insert(0, report.epoch == 3))
    assert len(machine.history_) == 3
    assert "the weights are not numbers in pass 4, with learning_rate=0.1: training stops" in caplog.text
    assert np.isfinite(machine.transform(X)).all()


@pytest.mark.parametrize("kind", FITS)
def test_batches_halve_where_memory_is_short(
    kind: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    whole = {"dropout": 0.0} if kind != "frames" else {}
    want = weights_of(FITS[kind](n_iter=2, **whole))
    init, limit = Steps.__init__, 1

    def short(self: Steps, loss: Any, *given: Any, **more: Any) -> None:
        def few(numbers: Any) -> Any:
            if len(numbers) > limit:
                raise RuntimeError(
                    "[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried 9 bytes"
                )
            return loss(numbers)

        init(self, few, *given, **more)

    monkeypatch.setattr(Steps, "__init__", short)
    have = weights_of(FITS[kind](n_iter=2, **whole))
    noun = "sequences" if kind == "frames" else "sentences"
    assert f"the most {noun} of a batch are 1 from now on" in caplog.text
    np.testing.assert_allclose(have, want, atol=1e-3)  # the steps are the same
    limit = 0
    with pytest.raises(MemoryError, match=f"not enough memory to train on {noun[:-1]} .*, which has . "):
        FITS[kind](n_iter=1)


def weights_of(made: Any) -> np.ndarray:
    """Scores that show what was learnt."""
    if isinstance(made, DependencyParser):
        return np.array([one.score for one in made.kbest(trees()[0][:1], 3)[0]])
    if isinstance(made, FrameTagger):
        return np.concatenate(made.predict_marginals(frames()[0]))
    if isinstance(made, HistoryTagger):
        return np.array([one.score for one in made.kbest(toy()[0][:1], 3)[0]])
    if isinstance(made, RecurrentTagger):
        return np.concatenate([p.detach().numpy().ravel() for p in made.module_.parameters()])
    return np.concatenate(made.predict_proba(toy()[0]))


@pytest.mark.parametrize("kind", FITS)
def test_ctrl_c_keeps_the_last_whole_pass(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    more = {"schedule": "constant"} if kind in ("tagger", "parser") else {}
    want = weights_of(FITS[kind](n_iter=2, **more))
    take, done = Steps.take, [0]

    def interrupted(self: Steps, *given: Any) -> float:
        if done[0] == 2:
            raise KeyboardInterrupt
        return take(self, *given)

    monkeypatch.setattr(Steps, "take", interrupted)
    made = FITS[kind](lambda report: done.insert(0, report.epoch), **more)
    assert len(made.history_) == 2
    np.testing.assert_array_equal(weights_of(made), want)
    done[0] = 2  # before the first pass is whole, nothing was learnt
    with pytest.raises(KeyboardInterrupt):
        FITS[kind]()


def test_early_stopping_keeps_the_best_pass() -> None:
    tagger = Tagger(scorer=neural(n_iter=40, patience=2, learning_rate=0.1, schedule="constant"))
    dev = toy(8, seed=5)
    scores = [r.numbers["dev"] for r in tagger.fit(*toy(), dev=dev).history_]
    assert len(scores) < 40
    assert max(scores[:-2]) >= max(scores)  # two passes without a better one
    assert tagger.score(*dev) == pytest.approx(max(scores))
    parser = DependencyParser(scorer=for_trees(n_iter=40, patience=2, learning_rate=0.1))
    held = trees(5, seed=7)
    found = [r.numbers["dev"] for r in parser.fit(*trees(), dev=held).history_]
    assert len(found) < 40
    assert max(found[:-2]) >= max(found)
    assert parser.evaluate(*held).las == pytest.approx(max(found))


def test_the_dev_set_sees_the_rounded_network() -> None:
    class Watched(Tagger):
        def _quality(self, model: Any, given: Any, gold: Any) -> float:
            rounded.append(model.network.int8)
            return super()._quality(model, given, gold)

    rounded: list[bool] = []
    Watched(scorer=neural(int8=True, n_iter=2)).fit(*toy(), dev=toy(4, seed=2))
    assert rounded == [True, True]


def test_spans_keep_their_last_good_pass(all_steps: list[Steps]) -> None:
    X = [["Jack", "London", "went", "to", "Paris"]] * 8
    y = [["B-PER", "I-PER", "O", "O", "B-LOC"]] * 8
    tagger = SpanTagger(scorer=neural()).fit(X, y, callback=breaking(all_steps, 1, 0, math.nan))
    assert len(tagger.history_) == 1
    assert tagger.training_["notes"][0].startswith("the loss is not a number in pass 2")
