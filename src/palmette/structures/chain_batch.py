"""Many sentences at once: one crossing to the native core, sentences in parallel, results in flat arrays.

Scores of float32 are computed in float32, with doubles where their range does not suffice.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from palmette.structures.chain_scores import Floats, Labels, Reals
from palmette.structures.prepared_chain import PreparedChain
from palmette.structures.prepared_states import PreparedStates
from palmette.threads import n_threads


class ChainBatch:
    """Sentences with their scores; what `Chain.batch` makes."""

    def __init__(self, chain: PreparedChain | PreparedStates, n_jobs: int = 1) -> None:
        self._chain = chain
        self._jobs = n_threads(n_jobs)

    def __len__(self) -> int:
        return self._chain.n_sentences

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        return self._chain.offsets

    def best(self) -> tuple[Labels, Floats]:
        """The best labels of all tokens, and one score per sentence."""
        labels, scores, _ = self._chain.core.best(self._jobs)
        self._refuse_infeasible(scores)
        return labels, scores

    def log_z(self) -> Floats:
        """One number per sentence; -inf where no sequence is allowed."""
        values: Floats = self._chain.core.log_z(self._jobs)
        return values

    def marginals(self) -> tuple[Floats, Reals]:
        """log Z of every sentence, and P(label) for all tokens, [tokens, labels]."""
        log_z, labels, _ = self._chain.core.marginals(self._jobs, False)
        self._refuse_infeasible(log_z)
        return log_z, labels.reshape(-1, self._chain.n_labels)

    def scores(self, y: npt.ArrayLike) -> Floats:
        """The score of given labels, one number per sentence; `y` has one label per token."""
        array = np.asarray(y)
        n, L = len(self._chain.unary), self._chain.n_labels
        if array.shape != (n,) or (n and array.dtype.kind not in "iu"):
            raise ValueError(f"expected {n} labels as integers, got an array of shape {array.shape}")
        if n and not (array.min() >= 0 and array.max() < L):
            raise ValueError(f"labels must lie between 0 and {L - 1}")
        values: Floats = self._chain.core.scores(np.ascontiguousarray(array, dtype=np.int32))
        return values

    def sentences(self, flat: npt.NDArray[np.generic]) -> list[npt.NDArray[np.generic]]:
        """A flat result, one row per token, cut into sentences."""
        return np.split(flat, self._chain.offsets[1:-1])

    def _refuse_infeasible(self, values: Floats) -> None:
        if len(values) and values.min() == -np.inf:
            raise self._chain.infeasible(int(values.argmin()))
