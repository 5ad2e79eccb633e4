"""Steps of training: the gradient of a batch, in halves where memory does not suffice, checked, clipped and taken.

All networks of this package take their steps here. A loss, a gradient or a weight that is not a number, or too
large to compute with, is found before it does harm, so that the last good pass can be kept.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from palmette.learning.divergence import MOST, stopped
from palmette.neural.functions.arrays import NotFiniteError


class Examples(NamedTuple):
    """What the examples of a training are called in messages, and what makes a network smaller."""

    one: str = "sentence"
    pieces: str = "words"
    smaller: str = "a smaller network"


class Steps:
    """What takes the weights of a network from one batch to the next.

    loss: of the examples with these numbers, summed. sizes: of the examples. optimizers: the first one has the
    weights that are clipped, to gradients of the length `clip`; others have sparse ones, whose gradients have no
    more than what the features of a batch can add. l2: decay of sparse weights, where they are touched. most:
    examples that are computed together. notes: gets what was done differently, a sentence each.
    """

    def __init__(
        self,
        loss: Callable[[NDArray[np.int64]], Tensor],
        sizes: Any,
        optimizers: Sequence[torch.optim.Optimizer],
        *,
        most: int,
        clip: float = math.inf,
        l2: float = 0.0,
        examples: Examples | None = None,
        notes: list[str] | None = None,
    ) -> None:
        self.loss, self.sizes, self.optimizers = loss, sizes, optimizers
        self.most, self.clip, self.l2 = most, clip, l2
        self.examples = Examples() if examples is None else examples
        self.dense, *others = ([p for g in o.param_groups for p in g["params"]] for o in optimizers)
        self.sparse = [weights for some in others for weights in some]
        self.notes = [] if notes is None else notes

    def take(self, numbers: NDArray[np.int64], n: int) -> float:
        """Take a step along the gradient of the loss of some examples / n.

        Returns the loss; NaN, and no step, if the loss or its gradient is not a number.
        """
        self._forget()
        value = self._backward(numbers, n)
        if not math.isfinite(value) or not self._gradients_are_sound():
            return math.nan
        for optimizer in self.optimizers:
            optimizer.step()
        return value

    def state(self, random: np.random.Generator) -> dict[str, Any]:
        """What the next steps depend on, as arrays: weights, optimizers, random numbers. random: of the caller."""
        return {
            "weights": [_array(p) for p in (*self.dense, *self.sparse)],
            "optimizers": [
                {
                    k: {name: _array(x) for name, x in one.items()}
                    for k, one in o.state_dict()["state"].items()
                }
                for o in self.optimizers
            ],
            "torch": torch.get_rng_state().numpy().copy(),
            "numpy": random.bit_generator.state,
            "most": self.most,
            "notes": self.notes,
        }

    def restore(self, state: Mapping[str, Any], random: np.random.Generator) -> None:
        """Go on where `state` was."""
        with torch.no_grad():
            for weights, array in zip((*self.dense, *self.sparse), state["weights"], strict=True):
                weights.copy_(torch.from_numpy(array))
        for optimizer, kept in zip(self.optimizers, state["optimizers"], strict=True):
            found = {k: {name: _tensor(x) for name, x in one.items()} for k, one in kept.items()}
            optimizer.load_state_dict({**optimizer.state_dict(), "state": found})
        torch.set_rng_state(torch.from_numpy(state["torch"]))
        random.bit_generator.state = state["numpy"]
        self.most, self.notes[:] = state["most"], state["notes"]

    @property
    def sound(self) -> bool:
        """Whether all weights are of a size to compute with."""
        return moderate([*self.dense, *self.sparse])

    def stop(self, done: int, rate: float) -> None:
        """Note that training stops with the weights of pass `done`; DivergenceError if there is none."""
        self.note(stopped(done, rate))

    def note(self, text: str) -> None:
        """Remember what was done differently, once."""
        if text not in self.notes:
            self.notes.append(text)

    def _backward(self, numbers: NDArray[np.int64], n: int) -> float:
        total = 0.0
        for piece in (numbers[k : k + self.most] for k in range(0, len(numbers), self.most)):
            try:
                loss = self.loss(piece)
                value = float(loss.detach())
                if not math.isfinite(value):
                    return math.nan
                (loss / n).backward()
                total += value
            except NotFiniteError:
                return math.nan
            except (MemoryError, RuntimeError) as error:
                if not _out_of_memory(error):
                    raise
                one, pieces, smaller = self.examples
                if len(piece) == 1:
                    size = int(self.sizes[piece[0]])
                    raise MemoryError(
                        f"There is not enough memory to train on {one} {int(piece[0]) + 1}, which has "
                        f"{size:,} {pieces}: leave it out, or take {smaller}."
                    ) from None
                self.most = max(1, len(piece) // 2)
                self.note(
                    f"there is not enough memory: the most {one}s of a batch are {self.most} from now on"
                )
                self._forget()
                return self._backward(numbers, n)
        return total

    def _gradients_are_sound(self) -> bool:
        """Clip and check them; the decay of sparse weights is added."""
        norm = nn.utils.clip_grad_norm_(self.dense, self.clip)
        if not bool(torch.isfinite(norm)):
            return False
        for weights in self.sparse:
            if weights.grad is None:
                continue
            gradient = weights.grad.coalesce()
            values = gradient.values()
            if not moderate([values]):
                return False
            if self.l2:
                rows = gradient.indices()
                values = values + self.l2 * weights.detach()[rows[0]]
                gradient = torch.sparse_coo_tensor(
                    rows, values, gradient.shape, check_invariants=False, is_coalesced=True
                )
            weights.grad = gradient
        return True

    def _forget(self) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=True)


def _array(value: Any) -> Any:
    """A copy of a tensor as an array; plain numbers as they are."""
    return value.detach().numpy().copy() if isinstance(value, Tensor) else value


def _tensor(value: Any) -> Any:
    return torch.from_numpy(value.copy()) if isinstance(value, np.ndarray) else value


def moderate(tensors: Iterable[Tensor]) -> bool:
    """Whether all numbers are of a size to compute with."""
    return all(bool(one.detach().abs().max() < MOST) for one in tensors if one.numel())


def require_moderate(*scores: Tensor) -> None:
    """Raise NotFiniteError for scores that are NaN, or too large to add up."""
    if not moderate(scores):
        raise NotFiniteError("the scores of the network are too large to compute with, or not numbers")


def _out_of_memory(error: Exception) -> bool:
    text = str(error).lower()
    return isinstance(error, MemoryError) or ("memory" in text and ("alloc" in text or "not enough" in text))
