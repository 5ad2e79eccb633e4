"""What all structures over tensors have in common: the same five questions, each with its gradient.

| question                 | answer, over all outputs y of each sentence | gradient by the part scores      |
|--------------------------|---------------------------------------------|----------------------------------|
| `log_z()`                | log Σ e^score(y)                            | marginals                        |
| `marginals()`            | P(part)                                     | covariances of parts             |
| `best()`                 | one-hot of argmax score(y)                  | straight through: as if identity |
| `expected_loss(losses)`  | E[Σ loss of a part]                         | covariance of loss and parts     |
| `loss(name, gold)`       | what a learner minimises                    | expected parts minus gold        |

Two halves: the part scores are tensors; what is computed from them is done by the native core, on arrays, for all
sentences in one call. `log_z` can be differentiated twice, all others once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import torch

from palmette.errors import numbered
from palmette.neural.functions.arrays import Floats, Ints, Reals, Tensor, array_of, check_finite, tensor_like

Parts = list[Reals]  # one array for every tensor of part scores, in its shape


class Structure(ABC):
    """A batch of outputs with scores of their parts.

    The first of `tensors` has the parts that belong to one sentence each, in the order of the sentences; others
    have parts that all sentences share. `sizes` says how many rows of the first tensor each sentence has.
    """

    names: ClassVar[tuple[str, ...]]  # of the tensors, in messages
    n_own = 1  # how many of the tensors have the parts of one sentence after those of another

    def __init__(self, tensors: Sequence[Tensor], sizes: Ints, n_jobs: int) -> None:
        self.tensors = tuple(tensors)
        self.sizes = sizes
        self.n_jobs = n_jobs

    def __len__(self) -> int:
        return len(self.sizes)

    # What users ask

    def log_z(self) -> Tensor:
        """Return log Z of every sentence, [sentences]."""
        return _LogZ.apply(self, *self.tensors)

    def marginals(self) -> Tensor:
        """Return the probability of every part, in the shape of the scores."""
        return self.part_marginals()[0]

    def part_marginals(self) -> tuple[Tensor, ...]:
        """Return `marginals`, and for every further tensor the expected number of uses in all sentences."""
        return tuple(_Marginals.apply(self, *self.tensors))

    def best(self) -> Tensor:
        """Return one-hot parts of the best outputs; gradients go straight through to the scores."""
        return self.best_parts()[0]

    def best_parts(self) -> tuple[Tensor, ...]:
        """Return `best`, and for every further tensor the number of uses in all sentences."""
        return tuple(_Best.apply(self, *self.tensors))

    def expected_loss(self, losses: Tensor) -> Tensor:
        """Return E[Σ losses of its parts] for every sentence; `losses` has the shape of the scores."""
        own = self.tensors[0]
        if not isinstance(losses, torch.Tensor) or losses.shape != own.shape:
            raise ValueError(f"losses must be a tensor in the shape of the scores, {tuple(own.shape)}")
        return self.sentence_sums(self.marginals() * losses.to(own))

    def loss(self, name: str, gold: Any) -> Tensor:
        """Return the sum over sentences of a loss by the name of a learner; see `functions/loss.py`."""
        from palmette.neural.functions.loss import structured_loss

        return structured_loss(name, self, gold)

    def sentence_sums(self, values: Tensor) -> Tensor:
        """Return the sum over the parts of every sentence; `values` has the shape of the scores."""
        rows = values.reshape(len(values), -1).sum(1)
        sentence = torch.from_numpy(np.repeat(np.arange(len(self)), self.sizes)).to(values.device)
        return torch.zeros(len(self), dtype=values.dtype, device=values.device).index_add(0, sentence, rows)

    # What a structure answers, on arrays

    @abstractmethod
    def sums(self, arrays: Parts, weights: Reals | None) -> tuple[Floats, Parts]:
        """Return log Z, and Σ over sentences of weight · E[part]; all weights are one by default."""

    @abstractmethod
    def maxima(self, arrays: Parts) -> tuple[Floats, Parts]:
        """Return the scores of the best outputs, and their parts; -inf where there is none."""

    @abstractmethod
    def covariances(self, arrays: Parts, values: Parts) -> Parts:
        """Return Cov[v, part] for v that adds up over parts."""

    @abstractmethod
    def gold(self, arrays: Parts, gold: Any) -> tuple[Floats, Parts]:
        """Return the scores of the given outputs, and their parts."""

    @abstractmethod
    def costs(self, gold: Any) -> Reals:
        """Return the loss of every part of the first tensor: 1 for what is wrong."""

    @abstractmethod
    def one(self, sentence: int) -> Structure:
        """Return one sentence as a batch, with slices of the tensors."""

    def log_sums(self, arrays: Parts) -> Floats:
        """Return log Z alone."""
        return self.sums(arrays, None)[0]

    def nothing(self) -> str:
        """Return why a sentence has no output at all."""
        return "no output is possible with these scores"

    def arrays(self, tensors: Sequence[Tensor]) -> Parts:
        """Return the part scores as arrays of one type, checked."""
        arrays = [array_of(tensor) for tensor in tensors]
        if len({array.dtype for array in arrays}) > 1:
            arrays = [np.ascontiguousarray(array, np.float64) for array in arrays]
        check_finite(arrays, self.names)
        return arrays

    def refuse(self, values: Floats) -> None:
        """Raise ValueError where a sentence has no output."""
        if len(values) and values.min() == -np.inf:
            raise ValueError(f"{numbered(int(values.argmin()))}: {self.nothing()}")


def _tensors(parts: Parts, tensors: Sequence[Tensor]) -> tuple[Tensor, ...]:
    return tuple(tensor_like(part.reshape(t.shape), t) for part, t in zip(parts, tensors))


class _LogZ(torch.autograd.Function):
    """log Z of every sentence; the derivative by a part score is the part's marginal."""

    @staticmethod
    def forward(ctx: Any, structure: Structure, *tensors: Tensor) -> Tensor:
        ctx.structure = structure
        ctx.save_for_backward(*tensors)
        arrays = structure.arrays(tensors)
        ctx.parts = None
        if any(ctx.needs_input_grad):
            log_z, ctx.parts = structure.sums(arrays, None)
        else:
            log_z = structure.log_sums(arrays)
        return tensor_like(log_z, tensors[0])

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        structure, tensors, (grad,) = ctx.structure, ctx.saved_tensors, grads
        if torch.is_grad_enabled():
            return (None, *_differentiable(structure, tensors, grad))
        weights = array_of(grad)
        even = len(weights) == 0 or bool((weights == weights[0]).all())
        if even:
            factor = weights[0] if len(weights) else weights.dtype.type(0)
            parts = [part * factor for part in ctx.parts]
        else:
            arrays = structure.arrays(tensors)
            parts = structure.sums(arrays, weights.astype(arrays[0].dtype))[1]
        return (None, *_tensors(parts, tensors))


def _differentiable(structure: Structure, tensors: Sequence[Tensor], grad: Tensor) -> list[Tensor]:
    """Return Σ over sentences of grad · E[part] so that it can be differentiated again."""
    values = grad.detach()
    if len(values) and not grad.requires_grad and bool((values == values[0]).all()):
        return [grad[0] * part for part in _Marginals.apply(structure, *tensors)]
    found = [torch.zeros_like(tensor) for tensor in tensors]
    n_own = structure.n_own
    own: list[list[Tensor]] = [[] for _ in range(n_own)]
    for k in range(len(structure)):
        one = structure.one(k)
        parts = [grad[k] * part for part in _Marginals.apply(one, *one.tensors[:n_own], *tensors[n_own:])]
        for rows, part in zip(own, parts):
            rows.append(part)
        found[n_own:] = [total + part for total, part in zip(found[n_own:], parts[n_own:])]
    return [torch.cat(rows) if rows else none for rows, none in zip(own, found)] + found[n_own:]


class _Marginals(torch.autograd.Function):
    """Expected parts; the derivatives along v are covariances with v."""

    @staticmethod
    def forward(ctx: Any, structure: Structure, *tensors: Tensor) -> tuple[Tensor, ...]:
        ctx.structure = structure
        ctx.save_for_backward(*tensors)
        log_z, parts = structure.sums(structure.arrays(tensors), None)
        structure.refuse(log_z)
        return _tensors(parts, tensors)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        structure, tensors = ctx.structure, ctx.saved_tensors
        arrays = [array.astype(np.float64) for array in structure.arrays(tensors)]
        values = [array_of(grad).astype(np.float64) for grad in grads]
        return (None, *_tensors(structure.covariances(arrays, values), tensors))


class _Best(torch.autograd.Function):
    """One-hot parts of the best outputs, with the derivative of the identity (Bengio et al. 2013)."""

    @staticmethod
    def forward(ctx: Any, structure: Structure, *tensors: Tensor) -> tuple[Tensor, ...]:
        scores, parts = structure.maxima(structure.arrays(tensors))
        structure.refuse(scores)
        return _tensors(parts, tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        return (None, *grads)
