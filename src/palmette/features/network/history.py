"""A recurrent predictor as arrays: a state that keeps track of the input and of the labels before.

    h_t = GRU(h_{t-1}, [x_t, e(y_{t-1})])            s(y_t | y_1 … y_{t-1}) = O h_t + o          (Carreras, p. 68)

x_t is what a `Network` gives token t. The state depends on all labels before, so search is greedy, or by a beam:
O(tokens · width · (size² + size · labels)). Sentences of like length are searched together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.features.network.network import Floats
from palmette.parameters import Options, option

_AT_ONCE = 64  # sentences
NAMES = ("labels", "weights", "bias", "hidden", "hidden_bias", "output", "output_bias")


@dataclass(kw_only=True)
class HistoryOptions(Options):
    """The options of a recurrent predictor: one table for Python, `--set`, the help and model files."""

    training: str = option(
        "teacher",
        "how it is trained: each step after gold, or sequences of a beam",
        choices=("teacher", "beam"),
        fixed=True,
    )
    width: int = option(4, "sequences that the beam keeps; 1: greedy", low=1)
    directions: str = option(
        "both", "what a token sees: both sides, or what is before it", choices=("both", "forward")
    )
    size: int = option(64, "width of each recurrent layer", low=1)
    words: int = option(50, "width of the vectors of words", low=1)
    letters: int = option(30, "filters over letters", low=1)
    min_count: int = option(2, "words that come less often share one vector", low=1)
    dropout: float = option(0.3, "share of the numbers left out in training", low=0, below=1)
    learning_rate: float = option(0.003, "step size of Adam", above=0)
    batch_size: int = option(16, "sentences of a step", low=1)
    n_iter: int = option(10, "passes over the data", low=1)
    teacher_passes: int = option(4, "of these, passes with teacher forcing before the beam is used", low=0)
    patience: int = option(0, "with a dev set, passes without a better score; 0: never stop", low=0)
    random_state: int = option(0, "seed of the random numbers", low=0)


class Sequences(NamedTuple):
    """The best sequences of one sentence, best first: [sequences, tokens], and their scores."""

    labels: NDArray[np.int32]
    scores: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class History:
    """The decoder of a recurrent predictor.

    arrays: `labels` [labels + 1, width of a label], the last one before the first token; of the GRU `weights`
    [3 · size, inputs + width of a label] and `hidden` [3 · size, size] and biases, gates in the order r z n; and
    `output` [labels, size] and its bias. normalised: a step gives log-probabilities; else plain numbers.
    """

    arrays: Mapping[str, Floats]
    normalised: bool

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return len(self.arrays["output"])

    @property
    def n_inputs(self) -> int:
        """How many numbers there must be for a token."""
        return int(self.arrays["weights"].shape[1] - self.arrays["labels"].shape[1])

    @cached_property
    def after(self) -> Floats:
        """What the GRU gets from the label before: [labels + 1, 3 · size], with the bias."""
        found: Floats = (
            self.arrays["labels"] @ self.arrays["weights"][:, self.n_inputs :].T + self.arrays["bias"]
        )
        return found

    def search(self, x: Floats, offsets: NDArray[np.int64], width: int) -> list[Sequences]:
        """Return the best sequences of every sentence that a beam finds. x: [tokens, inputs] of all sentences."""
        lengths = np.diff(offsets)
        order = np.argsort(-lengths, kind="stable")
        given = x @ self.arrays["weights"][:, : self.n_inputs].T
        empty = Sequences(np.zeros((1, 0), dtype=np.int32), np.zeros(1))
        found = [empty] * len(lengths)
        for first in range(0, len(order), _AT_ONCE):
            some = order[first : first + _AT_ONCE]
            some = some[lengths[some] > 0]
            for i, one in zip(some.tolist(), self._batch(given, offsets[some], lengths[some], width)):
                found[i] = one
        return found

    def _batch(
        self, given: Floats, begins: NDArray[np.int64], lengths: NDArray[np.int64], width: int
    ) -> list[Sequences]:
        """The same for sentences by falling length, so that those which go on at a step are the first ones."""
        size, n = self.arrays["hidden"].shape[1], len(lengths)
        h = np.zeros((n, width, size), dtype=np.float32)
        last = np.full((n, width), self.n_labels)
        scores = np.full((n, width), -np.inf)
        scores[:, 0] = 0.0
        steps: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
        for t in range(int(lengths.max(initial=0))):
            active = int(np.searchsorted(-lengths, -t))
            fresh = self._state(given[begins[:active] + t], last[:active], h[:active])
            added = self._added(fresh)
            flat = (scores[:active, :, None] + added).reshape(active, -1)
            kept = np.argpartition(-flat, width - 1, axis=1)[:, :width]
            kept.sort(axis=1)  # so that ties are broken in the same way always
            values = np.take_along_axis(flat, kept, axis=1)
            by_score = np.argsort(-values, axis=1, kind="stable")
            kept = np.take_along_axis(kept, by_score, axis=1)
            scores[:active] = np.take_along_axis(values, by_score, axis=1)
            before, label = np.divmod(kept, self.n_labels)
            h[:active] = np.take_along_axis(fresh, before[:, :, None], axis=1)
            last[:active] = label
            steps.append((before, label))
        return [self._followed(b, int(length), steps, scores[b]) for b, length in enumerate(lengths)]

    def _state(self, given: Floats, last: NDArray[np.int64], h: Floats) -> Floats:
        size = h.shape[2]
        a = given[:, None] + self.after[last]
        u = h @ self.arrays["hidden"].T + self.arrays["hidden_bias"]
        gates = 0.5 + 0.5 * np.tanh(0.5 * (a[..., : 2 * size] + u[..., : 2 * size]))  # the sigmoid
        fresh = np.tanh(a[..., 2 * size :] + gates[..., :size] * u[..., 2 * size :])
        update = gates[..., size:]
        found: Floats = (1 - update) * fresh + update * h
        return found

    def _added(self, h: Floats) -> NDArray[np.float64]:
        scores = (h @ self.arrays["output"].T + self.arrays["output_bias"]).astype(np.float64)
        if self.normalised:
            scores -= scores.max(axis=2, keepdims=True)
            scores -= np.log(np.exp(scores).sum(axis=2, keepdims=True))
        return scores

    def _followed(
        self,
        b: int,
        length: int,
        steps: list[tuple[NDArray[np.int64], NDArray[np.int64]]],
        scores: NDArray[np.float64],
    ) -> Sequences:
        """The sequences of a sentence, from their ends back to the begin."""
        at = np.flatnonzero(scores > -np.inf)
        scores = scores[at]
        labels = np.zeros((len(at), length), dtype=np.int32)
        for t in range(length - 1, -1, -1):
            before, label = steps[t]
            labels[:, t] = label[b, at]
            at = before[b, at]
        return Sequences(labels, scores)

    @classmethod
    def restore(cls, arrays: Mapping[str, NDArray[np.float32]], normalised: bool, n_labels: int) -> History:
        """The decoder of a file; ValueError if it does not fit together."""
        for name in NAMES:
            array = arrays.get(name)
            axes = 1 if name.endswith("bias") else 2
            if (
                array is None
                or array.dtype != np.float32
                or array.ndim != axes
                or not np.isfinite(array).all()
            ):
                raise ValueError(
                    f"the array {name!r} of a recurrent predictor is missing, or is of another kind"
                )
        size, label_size = arrays["hidden"].shape[1], arrays["labels"].shape[1]
        shapes = {
            "labels": (n_labels + 1, label_size),
            "weights": (3 * size, max(arrays["weights"].shape[1], label_size + 1)),
            "bias": (3 * size,),
            "hidden": (3 * size, size),
            "hidden_bias": (3 * size,),
            "output": (n_labels, size),
            "output_bias": (n_labels,),
        }
        for name, shape in shapes.items():
            if arrays[name].shape != shape or not size:
                raise ValueError(f"the array {name!r} of a recurrent predictor does not fit the others")
        return cls({name: np.ascontiguousarray(arrays[name]) for name in NAMES}, normalised)
