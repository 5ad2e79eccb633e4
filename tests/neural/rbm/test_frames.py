"""Stacks of machines, and the network above them under the objective of a chain."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from palmette.learning.divergence import DivergenceError  # noqa: E402
from palmette.neural.rbm.frames import FrameTagger, _Module  # noqa: E402
from palmette.neural.rbm.machine import RBM  # noqa: E402
from palmette.neural.rbm.stack import Stack  # noqa: E402


def digits(n: int, seed: int) -> tuple[list[Any], list[list[str]]]:
    """Sequences of noisy frames: each label has a shape, and labels follow each other in a cycle."""
    random = np.random.default_rng(seed)
    shapes = np.random.default_rng(99).normal(size=(4, 6))
    X, y = [], []
    for _ in range(n):
        first, length = random.integers(0, 4), random.integers(3, 9)
        labels = [(first + t) % 4 for t in range(length)]
        X.append(shapes[labels] + random.normal(size=(length, 6)) * 1.5)
        y.append([str(label) for label in labels])
    return X, y


def test_a_stack_is_trained_layer_by_layer() -> None:
    rows = np.concatenate(digits(20, 0)[0])
    reports: list[str] = []
    lowest = RBM(units="gaussian", n_iter=2, learning_rate=0.01)
    stack = Stack.of_sizes([5, 3], lowest, RBM(n_iter=2)).fit(
        rows, callback=lambda r: reports.append(r.summary)
    )
    first, second = stack.machines
    assert [r.split(",")[0] for r in reports] == ["layer 1", "layer 1", "layer 2", "layer 2"]
    alone = RBM(n_components=5, units="gaussian", n_iter=2, learning_rate=0.01).fit(rows)
    assert np.array_equal(alone.components_, first.components_)
    above = RBM(n_components=3, n_iter=2).fit(alone.transform(rows))
    assert np.array_equal(above.components_, second.components_)
    assert np.array_equal(stack.transform(rows), above.transform(alone.transform(rows)))


def test_the_network_begins_as_the_stack() -> None:
    rows = np.concatenate(digits(20, 0)[0])
    lowest = RBM(units="gaussian", n_iter=3, learning_rate=0.01)
    stack = Stack.of_sizes([5, 3], lowest, RBM(n_iter=3)).fit(rows)
    module = _Module(6, (5, 3), 2, stack).double()
    h = torch.from_numpy(rows)
    for layer in module.hidden:
        h = torch.sigmoid(layer(h))
    # weights went through single precision
    np.testing.assert_allclose(h.detach().numpy(), stack.transform(rows), atol=1e-6)


def test_the_objective_is_that_of_the_notes() -> None:
    """−log of eq. 58, by enumeration of the labels of one sequence."""
    module = _Module(2, (3,), 2, None).double()
    with torch.no_grad():
        for p in module.parameters():
            p.copy_(torch.from_numpy(np.random.default_rng(0).normal(size=tuple(p.shape))))
    v = torch.from_numpy(np.random.default_rng(1).normal(size=(3, 2)))
    h = torch.sigmoid(module.hidden[0](v))
    scores = {}
    for code in range(8):
        labels = [code >> t & 1 for t in range(3)]
        score = module.start[labels[0]] + module.end[labels[-1]]
        score = score + sum(
            module.output.weight[y] @ h[t] + module.output.bias[y] for t, y in enumerate(labels)
        )
        score = score + sum(module.pairs[a, b] for a, b in pairwise(labels))
        scores[tuple(labels)] = score
    want = torch.stack(list(scores.values())).logsumexp(0) - scores[1, 0, 0]
    have = module(v, [3]).loss("crf", [1, 0, 0])
    torch.testing.assert_close(have, want)
    parameters = list(module.parameters())
    for a, b in zip(torch.autograd.grad(have, parameters), torch.autograd.grad(want, parameters)):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("loss", ["crf", "perceptron", "svm", "risk"])
def test_learns_shapes_and_order(loss: str) -> None:
    train, test = digits(80, 1), digits(40, 2)
    tagger = FrameTagger(layers=(20,), pretraining=3, n_iter=25, loss=loss).fit(*train)
    alone = FrameTagger(layers=(20,), pretraining=3, n_iter=25).fit(
        [row[None] for one in train[0] for row in one], [[label] for one in train[1] for label in one]
    )
    single = alone.score(
        [row[None] for one in test[0] for row in one], [[label] for one in test[1] for label in one]
    )
    assert tagger.score(*test) > single + 0.03  # neighbours help
    assert tagger.score(*test) > 0.75


def test_the_same_seed_gives_the_same_network() -> None:
    train = digits(20, 4)
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    made = [FrameTagger(layers=(5,), pretraining=1, n_iter=2, context=1).fit(*train) for _ in range(2)]
    assert np.array_equal(made[0].network_.pairs, made[1].network_.pairs)
    assert torch.equal(state, torch.get_rng_state())
    assert threads == torch.get_num_threads()
    p = made[0].predict_marginals(train[0])
    np.testing.assert_allclose(np.concatenate(p).sum(1), 1.0)


def test_a_dev_set_keeps_the_best_pass() -> None:
    train, dev = digits(30, 5), digits(20, 6)
    tagger = FrameTagger(layers=(10,), pretraining=1, n_iter=12, patience=3).fit(*train, dev=dev)
    assert tagger.score(*dev) == max(report.numbers["dev"] for report in tagger.history_)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda X, y: FrameTagger(layers=()), "'layers' parameter must be a list of sizes"),
        (lambda X, y: FrameTagger().fit(X, y[:1]), "labels for each of 4 sequences, got 1"),
        (lambda X, y: FrameTagger().fit([], []), "there are no sequences"),
        (lambda X, y: FrameTagger().fit([X[0][1:], *X[1:]], y), "sequence 1 has"),
        (lambda X, y: FrameTagger().fit([X[0][:, 1:], *X[1:]], y), "sequence 2: X has 6 columns"),
        (lambda X, y: FrameTagger().fit([X[0] * np.nan, *X[1:]], y), "sequence 1: X must be finite"),
        (lambda X, y: FrameTagger().predict(X), "not trained yet"),
        (lambda X, y: Stack([]), "at least one machine"),
        (lambda X, y: Stack([RBM(), RBM(units="gaussian")]), "machine 2 sees hidden units"),
    ],
)
def test_bad_input(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call(*digits(4, 0))


def test_a_loss_that_is_not_a_number() -> None:
    with pytest.raises(
        DivergenceError, match=r"with learning_rate=1e\+37. Take a smaller one, such as 1e\+36"
    ):
        FrameTagger(layers=(4,), pretraining=0, learning_rate=1e37, n_iter=5).fit(*digits(40, 0))


def test_the_last_good_weights_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the third pass on the scores are not numbers."""
    calls = 0
    forward = _Module.forward

    def broken(self: Any, frames: Any, lengths: Any) -> Any:
        nonlocal calls
        calls += 1
        return forward(self, frames * (torch.nan if calls > 2 else 1.0), lengths)

    monkeypatch.setattr(_Module, "forward", broken)
    said: list[str] = []
    monkeypatch.setattr("palmette.neural.rbm.frames.warn", said.append)
    tagger = FrameTagger(layers=(4,), pretraining=0, n_iter=5, batch_size=100).fit(*digits(10, 0))
    assert len(tagger.history_) == 2
    assert said[0].startswith("the loss is not a number in pass 3, with learning_rate=0.01")
