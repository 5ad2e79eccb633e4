"""A batch of chains with random scores: log Z of each and the marginals of all labels.

score(y) = Σ_i emissions[i, y_i] + Σ_{i > 0} transitions[y_{i-1}, y_i]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.peers import numpy_chains
from benchmarks.peers.process import Work

Floats = npt.NDArray[Any]


def random_batch(n_sentences: int = 32, n_words: int = 25, n_labels: int = 45) -> tuple[Floats, Floats]:
    """Emissions [sentence, word, label] and transitions [previous label, label]."""
    random = np.random.default_rng(1)
    return random.normal(size=(n_sentences, n_words, n_labels)), random.normal(size=(n_labels, n_labels))


def work(run: Callable[[], tuple[Floats, Floats]]) -> Work:
    """`run` gives log Z [sentence] and marginals [sentence, word, label] of the batch."""

    def judge(made: tuple[Any, Any]) -> dict[str, float]:
        want = numpy_chains.log_space(*random_batch())
        differences = [float(np.abs(np.asarray(have) - there).max()) for have, there in zip(made, want)]
        if not max(differences) < 1e-3:
            raise AssertionError(f"log Z and marginals differ by {differences} from those in log space")
        return {"difference": max(differences)}

    return Work(run, judge)


def in_numpy(dtype: str) -> Work:
    """In log space, as one writes it first."""
    emissions, transitions = (array.astype(dtype) for array in random_batch())
    return work(lambda: numpy_chains.log_space(emissions, transitions))


def in_numpy_scaled(dtype: str) -> Work:
    """By matrix products, as fast as it goes."""
    emissions, transitions = (array.astype(dtype) for array in random_batch())
    program = numpy_chains.Scaled(emissions.shape, dtype)
    return work(lambda: program(emissions, transitions))
