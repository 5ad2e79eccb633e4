"""The training of networks: batches, Adam, a falling step size, early stopping, and what to do when it goes wrong.

The loop around the passes is that of all learners (`learning/loop.py`). Training is the same for the same seed,
whatever the number of threads: torch computes with one thread meanwhile; its own seed and threads come back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from palmette.features.network.options import Neural
from palmette.learning.divergence import DivergenceError
from palmette.learning.loop import Callback, Outcome, Pass, run_passes

Made = TypeVar("Made")
_NEAR = 32  # batches whose sentences are sorted by length
_SPARSE = 10.0  # times the step size, for weights of features, which few sentences touch
_WAIT = 2  # passes without a better score before the step size is halved


@contextmanager
def reproducible(seed: int) -> Iterator[None]:
    """Torch with this seed and one thread; what was before comes back."""
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


class Trainer(Generic[Made]):
    """One training: a module, the loss of some sentences, and what is made of the module after a pass.

    lengths: of the sentences. loss: of the sentences with these numbers, summed. made: what a pass made; it must
    not change with the module.
    """

    def __init__(
        self,
        module: nn.Module,
        options: Neural,
        lengths: NDArray[np.int64],
        loss: Callable[[NDArray[np.int64]], Tensor],
        made: Callable[[], Made],
    ) -> None:
        self.module, self.options, self.lengths = module, options, lengths
        self.loss, self.made = loss, made
        self.rng = np.random.default_rng(options.random_state)
        self.most = options.batch  # sentences that fit into memory
        sparse = [m.weight for m in module.modules() if isinstance(m, nn.EmbeddingBag) and m.sparse]
        chosen = {id(p) for p in sparse}
        self.dense = [p for p in module.parameters() if p.requires_grad and id(p) not in chosen]
        rate, betas = options.learning_rate, (0.9, 0.95)
        self.optimizers: list[torch.optim.Optimizer] = [
            torch.optim.Adam(self.dense, lr=rate, betas=betas, weight_decay=options.l2)
        ]
        if sparse:  # steps cost what a batch has, however many weights there are
            self.optimizers.append(torch.optim.SparseAdam(sparse, lr=rate * _SPARSE, betas=betas))
        self.notes: list[str] = []  # what was done differently, a sentence each
        self._best, self._since, self._factor = -math.inf, 0, 1.0

    def run(self, score: Callable[[Made], float] | None, callback: Callback | None) -> Outcome[Made]:
        """Train; with a score, keep the best pass."""

        def measured(made: Made) -> float:
            assert score is not None
            found = score(made)
            self._saw(found)
            return found

        return run_passes(
            self.passes(watched=score is not None),
            limit=self.options.n_iter,
            score=None if score is None else measured,
            patience=self.options.patience,
            callback=callback,
        )

    def passes(self, watched: bool) -> Iterator[Pass[Made]]:
        """Pass after pass; ends early, with a warning, where the loss is no longer a number."""
        steps = max(1, -(-len(self.lengths) // self.options.batch))
        for number in range(self.options.n_iter):
            self.module.train()
            total = 0.0
            for step, sentences in enumerate(self.batches()):
                self._set_rate((number + step / steps) / self.options.n_iter)
                value = self._step(sentences)
                if not math.isfinite(value):
                    self._stop(number)
                    return
                total += value
            self.module.eval()
            loss = total / max(int(self.lengths.sum()), 1)
            if not watched:
                self._saw(-loss)
            made = self.made()
            yield Pass({"loss": loss}, lambda made=made: made)  # type: ignore[misc]

    def batches(self) -> Iterator[NDArray[np.int64]]:
        """The sentences in a new order, those of like length together; empty ones are left out."""
        order = self.rng.permutation(np.flatnonzero(self.lengths)).astype(np.int64)
        size, found = self.options.batch, []
        for begin in range(0, len(order), size * _NEAR):
            chunk = order[begin : begin + size * _NEAR]
            chunk = chunk[np.argsort(-self.lengths[chunk], kind="stable")]
            found += [chunk[k : k + size] for k in range(0, len(chunk), size)]
        return (found[k] for k in self.rng.permutation(len(found)).tolist())

    def _step(self, sentences: NDArray[np.int64]) -> float:
        """One step of Adam along the mean gradient of some sentences; returns their loss."""
        self._forget()
        value = self._backward(sentences, len(sentences))
        if math.isfinite(value):
            norm = nn.utils.clip_grad_norm_(self.dense, self.options.clip)
            if not bool(torch.isfinite(norm)):
                return math.nan
            for optimizer in self.optimizers:
                optimizer.step()
        return value

    def _backward(self, sentences: NDArray[np.int64], n: int) -> float:
        """Add the gradient of sentences / n; in halves where memory does not suffice."""
        total = 0.0
        pieces = [sentences[k : k + self.most] for k in range(0, len(sentences), self.most)]
        for piece in pieces:
            try:
                loss = self.loss(piece)
                value = float(loss.detach())
                if not math.isfinite(value):
                    return math.nan
                (loss / n).backward()
                total += value
            except (MemoryError, RuntimeError) as error:
                if not _out_of_memory(error):
                    raise
                if len(piece) == 1:
                    words = int(self.lengths[piece[0]])
                    raise MemoryError(
                        f"There is not enough memory to train on sentence {int(piece[0]) + 1}, which has "
                        f"{words:,} words: leave it out, or take a smaller network (size={self.options.size})."
                    ) from None
                self.most = max(1, len(piece) // 2)
                self._note(
                    f"there is not enough memory: the most sentences of a batch are {self.most} from now on"
                )
                self._forget()
                return self._backward(sentences, n)
        return total

    def _set_rate(self, done: float) -> None:
        options = self.options
        factor = {"linear": 1.0 - done, "plateau": self._factor, "constant": 1.0}[options.schedule]
        for optimizer, times in zip(self.optimizers, (1.0, _SPARSE)):
            for group in optimizer.param_groups:
                group["lr"] = max(options.learning_rate * factor * times, 1e-12)

    def _forget(self) -> None:
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=True)

    def _saw(self, score: float) -> None:
        self._since = 0 if score > self._best else self._since + 1
        self._best = max(self._best, score)
        if self._since and self._since % _WAIT == 0:
            self._factor /= 2

    def _stop(self, done: int) -> None:
        rate = self.options.learning_rate
        what = f"the loss is not a number in pass {done + 1}, with learning_rate={rate:g}"
        if not done:
            raise DivergenceError(f"Training stopped: {what}. Take a smaller one, such as {rate / 10:g}.")
        self._note(
            f"{what}: training stops with the weights of pass {done}; take a smaller one, such as {rate / 10:g}"
        )

    def _note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def _out_of_memory(error: Exception) -> bool:
    text = str(error).lower()
    return isinstance(error, MemoryError) or ("memory" in text and ("alloc" in text or "not enough" in text))
