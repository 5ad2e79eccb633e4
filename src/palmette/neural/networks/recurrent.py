"""Recurrent layers over sentences of several lengths, which lie one after the other without padding.

In training an LSTM is three products for all tokens together, which torch computes, and what must go from token to
token, which the native core does (`native/features/network/lstm.hpp`): one call forwards and one backwards for a
batch, whatever its lengths. Everything else is torch's own, over packed sentences.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from palmette import _native

_ENDS = ("", "_reverse")  # of the names of weights, by direction


class Lengths:
    """The lengths of the sentences of a batch, and the tokens before and after each token."""

    def __init__(self, lengths: NDArray[np.int64]) -> None:
        self.lengths = np.ascontiguousarray(lengths)
        ends = np.cumsum(lengths)
        rows = np.arange(int(ends[-1]) if len(ends) else 0)
        before, after = rows - 1, rows + 1
        some = lengths > 0
        before[(ends - lengths)[some]] = -1
        after[(ends - 1)[some]] = -1
        self.neighbours = before, after  # in the directions that a layer reads; -1: none


def make_recurrent(cell: str, width: int, size: int) -> nn.Module:
    """Return a layer that reads in both directions."""
    return (nn.LSTM if cell == "lstm" else nn.GRU)(width, size, batch_first=True, bidirectional=True)


def states_of(layer: nn.Module, x: Tensor, lengths: Lengths) -> Tensor:
    """The states of a layer at every token, [tokens, 2 · size], of inputs [tokens, width]."""
    if not (layer.training and isinstance(layer, nn.LSTM) and x.dtype == torch.float32):
        return _packed(layer, x, lengths)
    weights, hidden = (
        torch.cat([getattr(layer, name + end) for end in _ENDS]) for name in ("weight_ih_l0", "weight_hh_l0")
    )
    # One direction after the other: of the sum of whole rows both biases would get gradients in the same memory.
    bias = torch.cat(
        [getattr(layer, f"bias_ih_l0{end}") + getattr(layer, f"bias_hh_l0{end}") for end in _ENDS]
    )
    found: Tensor = _LSTM.apply(torch.addmm(bias, x, weights.t()), hidden, lengths)
    return found


class _LSTM(torch.autograd.Function):
    """States of both directions, [tokens, 2 · size], of W x + b, [tokens, 8 · size], and U, [8 · size, size].

    W x + b becomes the gates in place: nothing else may look at it.
    """

    @staticmethod
    def forward(ctx: Any, a: Tensor, hidden: Tensor, lengths: Lengths) -> Tensor:
        gates, u = a.detach().numpy(), np.ascontiguousarray(hidden.detach().numpy())
        cells, states = (np.empty((len(gates), 2 * u.shape[1]), dtype=np.float32) for _ in range(2))
        _native.lstm_forward(lengths.lengths, u.ravel(), gates, cells, states)
        ctx.kept = gates, u, cells, states, lengths
        return torch.from_numpy(states)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        gates, u, cells, states, lengths = ctx.kept
        n, own = u.shape[1], gates.copy()
        _native.lstm_pull_back(lengths.lengths, u.ravel(), own, cells, np.ascontiguousarray(grads[0].numpy()))
        of_hidden = []
        for d, neighbours in enumerate(lengths.neighbours):
            before = states[:, d * n : (d + 1) * n][neighbours]
            before[neighbours < 0] = 0
            of_gates = torch.from_numpy(own)[:, d * 4 * n : (d + 1) * 4 * n]
            of_hidden.append(of_gates.t() @ torch.from_numpy(before))
        return torch.from_numpy(own), torch.cat(of_hidden), None


def _packed(layer: nn.Module, x: Tensor, lengths: Lengths) -> Tensor:
    packed = nn.utils.rnn.pack_sequence(list(x.split(lengths.lengths.tolist())), enforce_sorted=False)
    states, _ = nn.utils.rnn.pad_packed_sequence(layer(packed)[0], batch_first=True)
    inside = np.arange(states.shape[1])[None, :] < lengths.lengths[:, None]
    return states[torch.from_numpy(inside)]
