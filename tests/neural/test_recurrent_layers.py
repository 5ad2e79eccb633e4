"""Recurrent layers in training against those of torch, and dropout against what it should be."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")
from palmette import _native  # noqa: E402
from palmette.neural.networks.dropout import Dropout  # noqa: E402
from palmette.neural.networks.recurrent import Lengths, _packed, make_recurrent, states_of  # noqa: E402


@pytest.mark.parametrize("cell", ["lstm", "gru"])
@pytest.mark.parametrize("lengths", [[3], [1, 1], [5, 4, 7, 6], [2, 30, 1], [40, 1, 40, 2]], ids=str)
@pytest.mark.parametrize("size", [3, 24])
def test_layers_in_training_equal_those_of_torch(cell: str, lengths: list[int], size: int) -> None:
    torch.manual_seed(0)
    layer = make_recurrent(cell, 4, size)
    places = Lengths(np.array(lengths, dtype=np.int64))
    found = []
    for way in (states_of, _packed):
        x = torch.linspace(-1, 1, sum(lengths) * 4).reshape(-1, 4).requires_grad_(True)
        layer.zero_grad()
        for _ in range(2):  # gradients add up
            states = way(layer, x, places)
            (states * torch.linspace(0, 1, states.numel()).reshape(states.shape)).sum().backward()
        found.append([states.detach(), x.grad, *(p.grad.clone() for p in layer.parameters())])
    for have, want in zip(*found):
        torch.testing.assert_close(have, want, atol=1e-5, rtol=1e-5)


def test_a_sentence_of_a_batch_is_as_alone() -> None:
    torch.manual_seed(0)
    layer = make_recurrent("lstm", 4, 17)
    x = torch.randn(9, 4)
    together = states_of(layer, x, Lengths(np.array([2, 7], dtype=np.int64)))
    alone = [states_of(layer, one, Lengths(np.array([len(one)]))) for one in (x[:2], x[2:])]
    torch.testing.assert_close(together, torch.cat(alone), atol=1e-6, rtol=1e-6)


@pytest.mark.parametrize(
    ("lengths", "message"),
    [([3], "the lengths do not add up"), ([5, -1], "the lengths do not add up"), ([4, 1], "width")],
)
def test_the_core_checks_its_arrays(lengths: list[int], message: str) -> None:
    gates, cells = np.zeros((4, 16), dtype=np.float32), np.zeros((4, 4), dtype=np.float32)
    hidden = np.zeros(32 if message != "width" else 31, dtype=np.float32)
    with pytest.raises(ValueError, match=message):
        _native.lstm_forward(np.array(lengths, dtype=np.int64), hidden, gates, cells, cells.copy())


def test_dropout_keeps_the_mean() -> None:
    torch.manual_seed(0)
    dropout = Dropout(0.4)
    x = torch.ones(300, 300)
    found = dropout(x)
    assert float((found == 0).float().mean()) == pytest.approx(0.4, abs=0.01)
    assert float(found.mean()) == pytest.approx(1.0, abs=0.01)
    assert float(found.max()) == pytest.approx(1 / 0.6)
    assert dropout.eval()(x) is x
    assert Dropout(0.0)(x) is x
