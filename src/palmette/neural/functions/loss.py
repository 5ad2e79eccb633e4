"""Losses by the names of learners, for every structure: a value and its gradient in one call of the native core.

| name         | Σ over sentences of                             | gradient by the part scores          |
|--------------|-------------------------------------------------|--------------------------------------|
| `crf`        | log Z − score(gold)                             | marginals − gold                     |
| `perceptron` | max score(y) − score(gold)                      | best − gold                          |
| `svm`        | max (score(y) + cost(y)) − score(gold)          | best of the costlier scores − gold   |
| `risk`       | E[cost(y)]                                      | Cov[cost, part] (CSC 448, §4.6)      |

The cost of an output is the number of its parts that gold does not have: wrong labels, arcs or constituents.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from palmette.errors import numbered
from palmette.neural.functions.arrays import Floats, Tensor, tensor_like
from palmette.neural.functions.structure import Parts, Structure

LOSSES = ("crf", "perceptron", "svm", "risk")


def structured_loss(name: str, structure: Structure, gold: Any) -> Tensor:
    """Return a loss, summed over sentences; `gold` is what the structure takes as outputs."""
    if name not in LOSSES:
        raise ValueError(f"there is no loss {name!r}; the losses are {', '.join(LOSSES)}")
    return _Loss.apply(structure, name, gold, *structure.tensors)


class _Loss(torch.autograd.Function):
    """One of the losses above. Its gradient is known with its value."""

    @staticmethod
    def forward(ctx: Any, structure: Structure, name: str, gold: Any, *tensors: Tensor) -> Tensor:
        arrays = structure.arrays(tensors)
        value, parts = (
            _risk(structure, arrays, gold) if name == "risk" else _margin(structure, name, arrays, gold)
        )
        ctx.parts = [tensor_like(part.reshape(t.shape), t) for part, t in zip(parts, tensors)]
        return tensor_like(np.asarray(value), tensors[0])

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        return (None, None, None, *(part * grads[0] for part in ctx.parts))


def _margin(structure: Structure, name: str, arrays: Parts, gold: Any) -> tuple[float, Parts]:
    """Return the sum of what all outputs reach, in sum or at most, less the score of gold."""
    scores, right = structure.gold(arrays, gold)
    if len(scores) and scores.min() == -np.inf:
        raise ValueError(
            f"{numbered(int(scores.argmin()))}: the gold output has a part with the score -inf; allow it"
        )
    if name == "crf":
        reached, parts = structure.sums(arrays, None)
    else:
        raised = arrays
        if name == "svm":
            raised = [arrays[0] + structure.costs(gold).astype(arrays[0].dtype), *arrays[1:]]
        reached, parts = structure.maxima(raised)
    structure.refuse(reached)
    for part, own in zip(parts, right):
        np.subtract(part, own, out=part)
    return _total(reached, scores), parts


def _risk(structure: Structure, arrays: Parts, gold: Any) -> tuple[float, Parts]:
    costs = structure.costs(gold)
    log_z, parts = structure.sums(arrays, None)
    structure.refuse(log_z)
    values = [costs.astype(np.float64), *(np.zeros(array.shape) for array in arrays[1:])]
    wide = [array.astype(np.float64) for array in arrays]
    return float(np.vdot(parts[0].astype(np.float64), values[0])), structure.covariances(wide, values)


def _total(reached: Floats, scores: Floats) -> float:
    """Return the sum of the differences; rounding must not make one negative."""
    return float(np.maximum(reached - scores, 0.0).sum())
