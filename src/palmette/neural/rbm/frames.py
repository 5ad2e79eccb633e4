"""Labels of sequences of frames, which are rows of numbers: a network above machines, below a chain of labels.

    P(l | v) = exp(Σ_t γ · φ(l_{t-1}, l_t) + Σ_t Σ_d λ_{l_t, d} h_td) / Z(v)                 (CSC 448, eq. 58)

h_t is the highest layer of a stack of machines over frame t and its neighbours. The stack is trained first,
without labels; then all weights follow the gradient of −log P(l | v): eqs. 59 and 60 by the chain, eq. 61 by
backpropagation.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import torch
from scipy.special import expit
from torch import nn

from palmette.learning.loop import Callback, Outcome, Pass, run_passes
from palmette.messages import warn
from palmette.neural.functions.chains import Chains
from palmette.neural.functions.loss import structured_loss
from palmette.neural.networks.steps import Examples, Steps, require_moderate
from palmette.neural.networks.training import reproducible
from palmette.neural.rbm.machine import RBM
from palmette.neural.rbm.stack import Stack
from palmette.neural.rbm.units import Floats, rows_of
from palmette.parameters import Options, option
from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores


@dataclass(frozen=True)
class FrameNetwork:
    """A trained network as arrays: layers of (weights, biases), scores of labels and of their pairs."""

    layers: tuple[tuple[Floats, Floats], ...]
    labels: tuple[Floats, Floats]
    pairs: Floats
    start: Floats
    end: Floats

    def unary(self, rows: Floats) -> Floats:
        """Return the scores of labels at every frame."""
        h = rows
        for W, b in self.layers:
            h = expit(h @ W.T + b)
        W, b = self.labels
        return h @ W.T + b


def _sizes(value: object, name: str) -> None:
    sizes = value if isinstance(value, Sequence) and not isinstance(value, str) else None
    if not sizes or not all(isinstance(n, int) and n > 0 for n in sizes):
        raise ValueError(f"The {name!r} parameter must be a list of sizes, such as (100, 50). Got {value!r}.")


@dataclass(eq=False, kw_only=True)
class FrameTagger(Options):
    """Labels for every frame of sequences of real numbers; scikit-learn's fit, predict, predict_marginals, score.

    X: a list of matrices, [frames, numbers]; y: a list of lists of labels, one for every frame.

    >>> random = np.random.default_rng(0)
    >>> y = [["a", "a", "b", "b"], ["b", "a", "a", "b"]] * 10
    >>> X = [random.normal(size=(4, 2)) + [[3.0 * (l == "b"), 0.0] for l in labels] for labels in y]
    >>> tagger = FrameTagger(layers=(8,), pretraining=2, n_iter=20).fit(X, y)
    >>> tagger.predict(X[:1])
    [['a', 'a', 'b', 'b']]
    """

    layers: Sequence[int] = option(
        (64, 32), "hidden units of each layer, the lowest first", checked_by=_sizes
    )
    context: int = option(0, "frames to both sides that a frame sees", low=0)
    pretraining: int = option(
        10, "passes of each machine without labels; 0: begin with random weights", low=0
    )
    pretraining_rate: float = option(0.01, "step size of the machines", above=0)
    loss: str = option("crf", "what is made small", choices=("crf", "perceptron", "svm", "risk"))
    n_iter: int = option(30, "passes with labels", low=1)
    patience: int = option(5, "with a dev set, passes without a better score; 0: never stop", low=0)
    learning_rate: float = option(0.01, "step size of Adam", above=0)
    l2: float = option(1e-4, "weight decay", low=0)
    batch_size: int = option(16, "sequences of a step", low=1)
    random_state: int = option(0, "seed of the random numbers", low=0)

    def fit(
        self, X: Any, y: Any, *, dev: tuple[Any, Any] | None = None, callback: Callback | None = None
    ) -> Self:
        """Train the machines, then everything; with a dev set keep the best pass."""
        names, offsets, labels = self._read(X, y)
        rows = self._standardised([np.asarray(one, dtype=np.float64) for one in X], learn=True)
        stack = self._pretrained(rows, callback)
        self.classes_ = names
        score = None if dev is None else self._score_of(*dev)
        self.notes_: list[str] = []  # what was done differently, a sentence each
        with reproducible(self.random_state):
            module = _Module(rows.shape[1], self.layers, len(names), stack)
            outcome = run_passes(
                self._passes(module, rows, offsets, labels, self.notes_),
                limit=self.n_iter,
                score=score,
                patience=self.patience,
                callback=callback,
            )
        self._keep(outcome)
        warn(*self.notes_)
        return self

    def predict(self, X: Any) -> list[list[str]]:
        """Return the best labels of every sequence."""
        batch, lengths = self._batch(X)
        labels, _ = batch.best()
        names = self.classes_[labels]
        ends = np.cumsum(lengths)
        return [names[end - n : end].tolist() for end, n in zip(ends.tolist(), lengths)]

    def predict_marginals(self, X: Any) -> list[Floats]:
        """Return P(label) at every frame, [frames, labels] in the order of `classes_`."""
        batch, lengths = self._batch(X)
        _, marginals = batch.marginals()
        ends = np.cumsum(lengths)
        return [marginals[end - n : end] for end, n in zip(ends.tolist(), lengths)]

    def score(self, X: Any, y: Any) -> float:
        """Return the share of frames with the right label."""
        guess = self.predict(X)
        right = [a == b for have, want in zip(guess, y, strict=True) for a, b in zip(have, want, strict=True)]
        return float(np.mean(right)) if right else 0.0

    # Helpers of the above

    def _read(self, X: Any, y: Any) -> tuple[Any, Any, Any]:
        if len(X) != len(y):
            raise ValueError(f"there must be labels for each of {len(X)} sequences, got {len(y)}")
        if not len(X):
            raise ValueError("there are no sequences to learn from")
        for number, (frames, labels) in enumerate(zip(X, y), start=1):
            if len(frames) != len(labels):
                raise ValueError(f"sequence {number} has {len(frames)} frames and {len(labels)} labels")
        names, labels = np.unique([str(label) for one in y for label in one], return_inverse=True)
        offsets = np.cumsum([0, *(len(one) for one in X)])
        return names, offsets, labels.astype(np.int64)

    def _standardised(self, X: list[Floats], *, learn: bool = False) -> Floats:
        """Return all frames with their neighbours as rows, of mean 0 and deviation 1 in the training data."""
        width: int | None = None if learn else int(getattr(self, "n_features_in_"))  # noqa: B009
        for number, one in enumerate(X, start=1):
            try:
                rows_of(one, width, True)
            except ValueError as error:
                raise ValueError(f"sequence {number}: {error}") from None
            width = one.shape[1]
        frames = np.concatenate(X)
        if learn:
            deviation = frames.std(0)
            self.n_features_in_ = frames.shape[1]
            self.mean_, self.scale_ = frames.mean(0), np.where(deviation > 1e-9, deviation, 1.0)
        return np.concatenate([_with_neighbours((one - self.mean_) / self.scale_, self.context) for one in X])

    def _pretrained(self, rows: Floats, callback: Callback | None) -> Stack | None:
        if not self.pretraining:
            return None
        common = {
            "n_iter": self.pretraining,
            "random_state": self.random_state,
            "learning_rate": self.pretraining_rate,
        }
        lowest = RBM(units="gaussian", **common)  # type: ignore[arg-type]
        return Stack.of_sizes(self.layers, lowest, RBM(**common)).fit(rows, callback=callback)  # type: ignore[arg-type]

    def _passes(
        self, module: _Module, rows: Floats, offsets: Any, labels: Any, notes: list[str]
    ) -> Iterator[Pass[FrameNetwork]]:
        random = np.random.default_rng(self.random_state)
        frames = torch.from_numpy(rows.astype(np.float32))
        lengths = np.diff(offsets)

        def loss(some: Any) -> Any:
            at = np.concatenate([np.arange(offsets[k], offsets[k + 1]) for k in some])
            chains = module(frames[torch.from_numpy(at)], lengths[some])
            require_moderate(*chains.tensors)
            return structured_loss(self.loss, chains, labels[at])

        steps = Steps(
            loss,
            lengths,
            [torch.optim.Adam(module.parameters(), lr=self.learning_rate, weight_decay=self.l2)],
            most=self.batch_size,
            examples=Examples("sequence", "frames", "smaller layers"),
            notes=notes,
        )
        for number in range(self.n_iter):
            total = 0.0
            order = random.permutation(np.flatnonzero(lengths))
            for first in range(0, len(order), self.batch_size):
                some = order[first : first + self.batch_size]
                total += steps.take(some, int(lengths[some].sum()))
                if not math.isfinite(total):
                    steps.stop(number, self.learning_rate)
                    return
            if not steps.sound:
                steps.stop(number, self.learning_rate)
                return
            made = module.arrays()
            yield Pass({"loss": total / max(len(rows), 1)}, lambda made=made: made)  # type: ignore[misc]

    def _keep(self, outcome: Outcome[FrameNetwork]) -> None:
        if outcome.result is None:
            raise KeyboardInterrupt
        self.network_, self.history_ = outcome.result, outcome.history

    def _score_of(self, X: Any, y: Any) -> Callable[[FrameNetwork], float]:
        def score(made: FrameNetwork) -> float:
            self.network_ = made
            return self.score(X, y)

        return score

    def _batch(self, X: Any) -> tuple[Any, list[int]]:
        if not hasattr(self, "network_"):
            raise ValueError("this FrameTagger is not trained yet; call fit first")
        sequences = [np.asarray(one, dtype=np.float64) for one in X]
        lengths = [len(one) for one in sequences]
        network = self.network_
        unary = (
            network.unary(self._standardised(sequences)) if sequences else np.zeros((0, len(self.classes_)))
        )
        offsets = np.cumsum([0, *lengths])
        full = np.flatnonzero(np.diff(offsets))
        np.add.at(unary, offsets[full], network.start)
        np.add.at(unary, offsets[full + 1] - 1, network.end)
        return Chain(len(self.classes_)).batch(ChainScores(unary, network.pairs, offsets=offsets)), lengths


def _with_neighbours(rows: Floats, context: int) -> Floats:
    """Return frames with those up to `context` before and after them; zeros beyond the ends."""
    if not context:
        return rows
    padded = np.pad(rows, ((context, context), (0, 0)))
    return np.hstack([padded[k : k + len(rows)] for k in range(2 * context + 1)])


class _Module(nn.Module):
    """The network while it is trained."""

    def __init__(self, width: int, sizes: Sequence[int], n_labels: int, stack: Stack | None) -> None:
        super().__init__()
        widths = [width, *sizes]
        self.hidden = nn.ModuleList([nn.Linear(a, b) for a, b in itertools.pairwise(widths)])
        self.output = nn.Linear(widths[-1], n_labels)
        self.pairs = nn.Parameter(torch.zeros(n_labels, n_labels))
        self.start, self.end = (nn.Parameter(torch.zeros(n_labels)) for _ in range(2))
        if stack is None:
            return
        with torch.no_grad():
            for layer, machine in zip(self.hidden, stack.machines):
                made = machine.machine_
                layer.weight.copy_(torch.from_numpy(made.scaled(made.W)))
                layer.bias.copy_(torch.from_numpy(made.a))

    def forward(self, frames: Any, lengths: Any) -> Chains:
        h = frames
        for layer in self.hidden:
            h = torch.sigmoid(layer(h))
        return Chains(self.output(h), lengths, self.pairs, self.start, self.end)

    def arrays(self) -> FrameNetwork:
        def of(tensor: Any) -> Floats:
            found: Floats = tensor.detach().numpy().astype(np.float64)
            return found

        return FrameNetwork(
            tuple((of(layer.weight), of(layer.bias)) for layer in self.hidden),
            (of(self.output.weight), of(self.output.bias)),
            of(self.pairs),
            of(self.start),
            of(self.end),
        )
