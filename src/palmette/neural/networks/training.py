"""The training of networks: batches, Adam, a falling step size, early stopping, and what to do when it goes wrong.

The loop around the passes is that of all learners (`learning/loop.py`). Training is the same for the same seed,
whatever the number of threads: torch computes with one thread meanwhile; its own seed and threads come back.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from palmette.features.network.options import Neural
from palmette.learning.loop import Callback, Outcome, Pass, run_passes
from palmette.neural.networks.steps import Examples, Steps

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
        self.module, self.options, self.lengths, self.made = module, options, lengths, made
        self.rng = np.random.default_rng(options.random_state)
        sparse = [m.weight for m in module.modules() if isinstance(m, nn.EmbeddingBag) and m.sparse]
        chosen = {id(p) for p in sparse}
        dense = [p for p in module.parameters() if p.requires_grad and id(p) not in chosen]
        rate, betas = options.learning_rate, (0.9, 0.95)
        optimizers: list[torch.optim.Optimizer] = [
            torch.optim.Adam(dense, lr=rate, betas=betas, weight_decay=options.l2, fused=True)
        ]
        if sparse:  # steps cost what a batch has, however many weights there are
            optimizers.append(torch.optim.SparseAdam(sparse, lr=rate * _SPARSE, betas=betas))
        smaller = Examples(smaller=f"a smaller network (size={options.size})")
        self.steps = Steps(
            loss, lengths, optimizers, most=options.batch, clip=options.clip, l2=options.l2, examples=smaller
        )
        self._seen: dict[str, float] = {"best": -math.inf, "since": 0, "factor": 1.0}

    def run(
        self, score: Callable[[Made], float] | None, callback: Callback | None
    ) -> tuple[Outcome[Made], list[str]]:
        """Train; with a score, keep the best pass. Return how it ended, and what was done differently."""

        def measured(made: Made) -> float:
            assert score is not None
            found = score(made)
            self._saw(found)
            return found

        if score is None and self.options.patience not in (0, Neural.patience):
            self.steps.note(f"patience={self.options.patience} does nothing without a dev set")
        outcome = run_passes(
            lambda state: self.passes(score is not None, state),
            limit=self.options.n_iter,
            score=None if score is None else measured,
            patience=self.options.patience,
            callback=callback,
        )
        told = outcome.kept.extra if outcome.kept is not None else None  # of a training that had ended before
        return outcome, self.steps.notes or (told if isinstance(told, list) else [])

    def passes(self, watched: bool, state: Any = None) -> Iterator[Pass[Made]]:
        """Pass after pass; ends early, with a note, where the loss or a weight is no longer a number.

        state: of the pass to go on after.
        """
        rate, done = self.options.learning_rate, 0
        batches = max(1, -(-len(self.lengths) // self.options.batch))
        if state is not None:
            done, self._seen, steps = state
            self.steps.restore(steps, self.rng)
        for number in range(done, self.options.n_iter):
            self.module.train()
            total = 0.0
            for batch, sentences in enumerate(self.batches()):
                self._set_rate((number + batch / batches) / self.options.n_iter)
                value = self.steps.take(sentences, len(sentences))
                if not math.isfinite(value):
                    self.steps.stop(number, rate)
                    return
                total += value
            if not self.steps.sound:
                self.steps.stop(number, rate)
                return
            self.module.eval()
            loss = total / max(int(self.lengths.sum()), 1)
            if not watched:
                self._saw(-loss)
            made = self.made()
            yield Pass(
                {"loss": loss},
                lambda made=made: made,  # type: ignore[misc]
                extra=self.steps.notes,
                state=(number + 1, self._seen, self.steps.state(self.rng)),
            )

    def batches(self) -> Iterator[NDArray[np.int64]]:
        """The sentences in a new order, those of like length together; empty ones are left out."""
        order = self.rng.permutation(np.flatnonzero(self.lengths)).astype(np.int64)
        size, found = self.options.batch, []
        for begin in range(0, len(order), size * _NEAR):
            chunk = order[begin : begin + size * _NEAR]
            chunk = chunk[np.argsort(-self.lengths[chunk], kind="stable")]
            found += [chunk[k : k + size] for k in range(0, len(chunk), size)]
        return (found[k] for k in self.rng.permutation(len(found)).tolist())

    def _set_rate(self, done: float) -> None:
        options = self.options
        factor = {"linear": 1.0 - done, "plateau": self._seen["factor"], "constant": 1.0}[options.schedule]
        for optimizer, times in zip(self.steps.optimizers, (1.0, _SPARSE)):
            for group in optimizer.param_groups:
                group["lr"] = max(options.learning_rate * factor * times, 1e-12)

    def _saw(self, score: float) -> None:
        seen = self._seen
        seen["since"] = 0 if score > seen["best"] else seen["since"] + 1
        seen["best"] = max(seen["best"], score)
        if seen["since"] and seen["since"] % _WAIT == 0:
            seen["factor"] /= 2
