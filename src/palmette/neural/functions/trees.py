"""Dependency trees over tensors: GEN(x) = all trees over n words below an artificial root, projective ones or all.

    score(heads) = Σ_m arcs[heads[m], m]

Arc scores of n words are (n + 1)², heads first and the root at 0, as for `ProjectiveTrees`. Cost O(n³).
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from palmette import _native
from palmette.errors import numbered
from palmette.neural.functions.arrays import (
    Floats,
    Ints,
    Reals,
    Tensor,
    checked_integers,
    checked_lengths,
    checked_scores,
)
from palmette.neural.functions.structure import Parts, Structure
from palmette.threads import n_threads


class Trees(Structure):
    """Dependency trees for a batch of sentences.

    arcs: flat, the (n + 1)² scores of one sentence after those of the other; or [sentences, N + 1, N + 1] where
    sentences of fewer than N words are padded. lengths: the words of every sentence. projective: no arcs cross.
    single_root: exactly one word hangs on the root. n_jobs: threads; results do not depend on them.

    >>> arcs = torch.log(torch.tensor([[[1.0, 8, 1], [1, 1, 6], [1, 1, 1]]]))
    >>> Trees(arcs, [2]).heads().tolist()
    [0, 1]
    >>> Trees(arcs, [2]).marginals().reshape(3, 3)[:, 2].round(decimals=2).tolist()
    [0.019999999552965164, 0.9800000190734863, 0.0]
    """

    names = ("arc scores",)

    def __init__(
        self,
        arcs: Tensor,
        lengths: Any,
        projective: bool = True,
        *,
        single_root: bool = True,
        n_jobs: int = 1,
    ) -> None:
        words = checked_lengths(lengths)
        if isinstance(arcs, torch.Tensor) and arcs.ndim == 3:
            arcs = flat_arcs(arcs, words)
        checked_scores(arcs, "arc scores", (None,))
        sizes = (words + 1) ** 2
        if sizes.sum() != len(arcs):
            raise ValueError(
                f"sentences of n words have (n + 1)² arc scores each, {sizes.sum()} in all; got {len(arcs)}"
            )
        super().__init__([arcs], sizes, n_jobs)
        self.words = words
        self.projective = bool(projective)
        self.single_root = bool(single_root)

    def heads(self) -> Tensor:
        """Return the heads of the best trees, those of all words in one tensor."""
        heads, scores = self._best(self.arrays(self.tensors)[0])
        self.refuse(scores)
        return torch.from_numpy(heads.astype(np.int64)).to(self.tensors[0].device)

    def sums(self, arrays: Parts, weights: Reals | None) -> tuple[Floats, Parts]:
        log_z, marginals = self._sums(arrays[0], True)
        if weights is not None:
            marginals *= np.repeat(weights, self.sizes)
        return log_z, [marginals]

    def log_sums(self, arrays: Parts) -> Floats:
        return self._sums(arrays[0], False)[0]

    def maxima(self, arrays: Parts) -> tuple[Floats, Parts]:
        heads, scores = self._best(arrays[0])
        return scores, [self._one_hot(heads.astype(np.int64), arrays[0].dtype)]

    def covariances(self, arrays: Parts, values: Parts) -> Parts:
        found = _native.tree_covariances(
            arrays[0], values[0], self.words, self.projective, self.single_root, n_threads(self.n_jobs)
        )
        return [found]

    def gold(self, arrays: Parts, gold: Any) -> tuple[Floats, Parts]:
        heads = self._checked(gold)
        self._check_trees(heads)
        at = self._places(heads)
        sentence = np.repeat(np.arange(len(self)), self.words)
        scores = np.zeros(len(self))
        np.add.at(scores, sentence, arrays[0][at].astype(np.float64))
        return scores, [self._one_hot(heads, arrays[0].dtype)]

    def costs(self, gold: Any) -> Reals:
        costs = np.ones(int(self.sizes.sum()), dtype=np.float32)
        costs[self._places(self._checked(gold))] = 0
        return costs

    def one(self, sentence: int) -> Trees:
        end = int(self.sizes[: sentence + 1].sum())
        arcs = self.tensors[0][end - int(self.sizes[sentence]) : end]
        return Trees(arcs, self.words[sentence : sentence + 1], self.projective, single_root=self.single_root)

    def nothing(self) -> str:
        kind = "projective dependency tree" if self.projective else "dependency tree"
        root = " with one root word" if self.single_root else ""
        return f"no {kind}{root} can be made of the arcs that are allowed"

    # Helpers of the above

    def _sums(self, arcs: Reals, with_marginals: bool) -> tuple[Floats, Reals]:
        run = _native.float_tree_sums if arcs.dtype == np.float32 else _native.double_tree_sums
        log_z, found = run(
            arcs, self.words, self.projective, self.single_root, n_threads(self.n_jobs), with_marginals
        )
        return log_z, found

    def _best(self, arcs: Reals) -> tuple[Any, Floats]:
        run = _native.float_best_trees if arcs.dtype == np.float32 else _native.double_best_trees
        heads, scores = run(arcs, self.words, self.projective, self.single_root, n_threads(self.n_jobs))
        return heads, scores

    def _checked(self, gold: Any) -> Ints:
        most = np.repeat(self.words, self.words)
        return checked_integers(gold, "gold heads", int(self.words.sum()), most)

    def _word_numbers(self) -> Ints:
        """Return the number of every word in its sentence, from 1 on."""
        ends = np.cumsum(self.words)
        return np.arange(int(self.words.sum())) - np.repeat(ends - self.words, self.words) + 1

    def _places(self, heads: Ints) -> Ints:
        """Return where the arcs to the words are among the scores."""
        starts = np.repeat(np.cumsum(self.sizes) - self.sizes, self.words)
        return starts + heads * np.repeat(self.words + 1, self.words) + self._word_numbers()

    def _one_hot(self, heads: Ints, dtype: Any) -> Reals:
        parts = np.zeros(int(self.sizes.sum()), dtype)
        parts[self._places(heads)] = 1
        return parts

    def _check_trees(self, heads: Ints) -> None:
        """Raise ValueError for heads that are not one of the trees; all sentences at once, padded."""
        if not len(heads):
            return
        widest = int(self.words.max())
        row = np.repeat(np.arange(len(self)), self.words)
        word = self._word_numbers()
        above = np.zeros((len(self), widest + 1), dtype=np.int64)
        above[row, word] = heads
        reached = above
        for _ in range(widest.bit_length()):
            reached = np.take_along_axis(reached, reached, axis=1)
        wrong = reached.any(axis=1)
        why = "have a cycle"
        if not wrong.any() and self.single_root:
            wrong = np.bincount(row[heads == 0], minlength=len(self)) != (self.words > 0)
            why = "must have exactly one root word; allow several with single_root=False"
        if not wrong.any() and self.projective:
            wrong = _with_crossing_arcs(above, self.words)
            why = "have crossing arcs; allow them with projective=False"
        if wrong.any():
            raise ValueError(f"{numbered(int(wrong.argmax()))}: the gold heads {why}")


def flat_arcs(arcs: Tensor, lengths: Any) -> Tensor:
    """Return the arc scores of padded sentences, [sentences, N + 1, N + 1], without the padding."""
    words = checked_lengths(lengths)
    if len(arcs) != len(words) or arcs.shape[1] != arcs.shape[2]:
        raise ValueError(
            f"padded arc scores must be {len(words)} × (N + 1) × (N + 1), got {tuple(arcs.shape)}"
        )
    if len(words) and words.max() + 1 > arcs.shape[1]:
        longest = numbered(int(words.argmax()))
        raise ValueError(f"{longest} has {words.max()} words, and scores for {arcs.shape[1] - 1}")
    flat = arcs.reshape(-1)
    inside = np.arange(arcs.shape[1]) <= words[:, None]
    if inside.all():
        return flat
    at = np.flatnonzero(inside[:, :, None] & inside[:, None, :])
    return flat.index_select(
        0, torch.from_numpy(at).to(arcs.device)
    )  # forwards and backwards faster than a mask


def _with_crossing_arcs(above: Ints, words: Ints) -> Any:
    """Return which of the padded sentences have arcs that cross, those of the root included."""
    number = np.arange(above.shape[1])
    there = (number >= 1) & (number <= words[:, None])
    left, right = np.minimum(above, number), np.maximum(above, number)
    a_left, a_right = left[:, :, None], right[:, :, None]
    b_left, b_right = left[:, None, :], right[:, None, :]
    crossing = (a_left < b_left) & (b_left < a_right) & (a_right < b_right)
    return (crossing & there[:, :, None] & there[:, None, :]).any(axis=(1, 2))
