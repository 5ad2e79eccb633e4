"""Label sequences over tensors: GEN(x) = all sequences of labels, with scores of labels and of label n-grams.

    score(y) = Σ_i unary[i, y_i] + Σ_i table_i[y_{i-h}, …, y_i] + start[y_0] + end[y_{n-1}]      h = min(i, order)

Sentences follow each other without padding: unary is [tokens of all sentences, labels]. Cost O(n L^(order+1)).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch

from palmette import _native
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
from palmette.structures.chain import MOST_ORDER, Chain
from palmette.threads import n_threads


class Chains(Structure):
    """Sequences of labels for a batch of sentences.

    unary: [tokens, L]. lengths: the tokens of every sentence. pairs: [L, L], pairs[x, y] for y right after x; one
    axis more for every further order; None for a chain of order 0. per_token: `pairs` has a table for every token,
    [tokens, L, L], for the step to it (that of a first token is not used). start, end: [L], added at the first and
    the last token. begin: for higher orders the tables of positions 1 … order - 1, with one axis more each.
    chain: a `Chain` whose scheme says which labels may follow each other. allowed: [tokens, L], which labels may
    be where. n_jobs: threads; results do not depend on them.

    >>> unary = torch.tensor([[0.0, 1.0], [2.0, 0.0], [0.5, 0.5]], requires_grad=True)
    >>> chains = Chains(unary, [2, 1], pairs=torch.zeros(2, 2))
    >>> chains.labels().tolist()
    [1, 0, 0]
    >>> chains.loss("crf", [1, 0, 1]).backward()
    >>> unary.grad[2].tolist()
    [0.5, -0.5]
    """

    names = ("unary scores", "pair scores", "start scores", "end scores", "begin scores", "begin scores")

    def __init__(
        self,
        unary: Tensor,
        lengths: Any,
        pairs: Tensor | None = None,
        start: Tensor | None = None,
        end: Tensor | None = None,
        *,
        per_token: bool = False,
        begin: Sequence[Tensor] = (),
        chain: Chain | None = None,
        allowed: Any = None,
        n_jobs: int = 1,
    ) -> None:
        checked_scores(unary, "unary scores", (None, None))
        tokens, L = unary.shape
        if L == 0:
            raise ValueError("unary scores must have at least one label; got a tensor without columns")
        self.n_labels = L
        self.per_position = bool(per_token)
        self.order = 0 if pairs is None else pairs.ndim - 1 - self.per_position
        if self.per_position and self.order < 1:
            raise ValueError("per_token needs pair scores with one table for every token")
        if self.order > MOST_ORDER:
            raise ValueError(f"chains have an order of at most {MOST_ORDER}; these pairs have {self.order}")
        given = [unary]
        self._has = [pairs is not None, start is not None, end is not None]
        if pairs is not None:
            shape = (L,) * (self.order + 1)
            given.append(
                checked_scores(pairs, "pair scores", (tokens, *shape) if self.per_position else shape)
            )
        for name, ends in (("start scores", start), ("end scores", end)):
            if ends is not None:
                given.append(checked_scores(ends, name, (L,)))
        if len(begin) > max(self.order - 1, 0):
            raise ValueError(
                f"a chain of order {self.order} has {max(self.order - 1, 0)} begin tables, got {len(begin)}"
            )
        for i, table in enumerate(begin):
            given.append(checked_scores(table, f"begin[{i}]", (L,) * (i + 2)))
        super().__init__(given, checked_lengths(lengths, tokens), n_jobs)
        self.n_own = 1 + self.per_position
        self._given = (pairs, start, end, tuple(begin))
        self.offsets: Ints = np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)
        if chain is not None and (chain.n_labels != L or chain.states is not None):
            raise ValueError(f"the chain must have {L} labels and no automaton; got {chain!r}")
        if chain is not None and chain.order != self.order:
            raise ValueError(f"the chain has the order {chain.order}, and the pair scores {self.order}")
        self.chain = chain
        self.allowed = None if allowed is None else np.ascontiguousarray(np.asarray(allowed))
        if self.allowed is not None and (self.allowed.shape != (tokens, L) or self.allowed.dtype != np.bool_):
            raise ValueError(f"allowed must be {tokens} × {L} values of True and False")

    def labels(self) -> Tensor:
        """Return the best label of every token."""
        labels, scores, _ = self._core(self.arrays(self.tensors)).best(n_threads(self.n_jobs))
        self.refuse(scores)
        return torch.from_numpy(labels.astype(np.int64)).to(self.tensors[0].device)

    def sums(self, arrays: Parts, weights: Reals | None) -> tuple[Floats, Parts]:
        core = self._core(arrays)
        log_z, unary, begin, table = core.expectations(n_threads(self.n_jobs), weights)
        return log_z, self._parts(unary.reshape(-1, self.n_labels), begin, table)

    def log_sums(self, arrays: Parts) -> Floats:
        found: Floats = self._core(arrays).log_z(n_threads(self.n_jobs))
        return found

    def maxima(self, arrays: Parts) -> tuple[Floats, Parts]:
        labels, scores, _ = self._core(arrays).best(n_threads(self.n_jobs))
        return scores, self._parts_of(labels.astype(np.int64), arrays[0].dtype)

    def covariances(self, arrays: Parts, values: Parts) -> Parts:
        L, (_, at) = self.n_labels, self._places()
        v = values[0].copy()
        if (of_start := at.get("start")) is not None:
            np.add.at(v, self._firsts(), values[of_start])
        if (of_end := at.get("end")) is not None:
            np.add.at(v, self._lasts(), values[of_end])
        if self.order == 0:
            _, (p, *_) = Chains.sums(self, arrays, None)
            found = p * (v - (p * v).sum(1, keepdims=True))
            return self._parts(found, np.zeros(0), np.zeros(0))
        core = self._core(arrays)
        table = np.ascontiguousarray(values[at["pairs"]]).ravel()
        begins = [values[k].ravel() for k in at["begin"]] + [
            np.zeros(L ** (i + 2)) for i in range(len(at["begin"]), self.order - 1)
        ]
        begin = np.concatenate(begins) if begins else np.zeros(0)
        unary, of_begin, of_table = core.covariances(n_threads(self.n_jobs), v.ravel(), begin, table)
        return self._parts(unary.reshape(-1, L), of_begin, of_table)

    def gold(self, arrays: Parts, gold: Any) -> tuple[Floats, Parts]:
        y = checked_integers(gold, "gold labels", len(arrays[0]), self.n_labels - 1)
        scores = self._core(arrays).scores(y.astype(np.int32))
        return scores, self._parts_of(y, arrays[0].dtype)

    def costs(self, gold: Any) -> Reals:
        y = checked_integers(gold, "gold labels", len(self.tensors[0]), self.n_labels - 1)
        costs = np.ones((len(y), self.n_labels), dtype=np.float32)
        costs[np.arange(len(y)), y] = 0
        return costs

    def one(self, sentence: int) -> Chains:
        pairs, start, end, begin = self._given
        of = slice(int(self.offsets[sentence]), int(self.offsets[sentence + 1]))
        if self.per_position and pairs is not None:
            pairs = pairs[of]
        allowed = None if self.allowed is None else self.allowed[of]
        unary = self.tensors[0][of]
        return Chains(
            unary,
            [len(unary)],
            pairs,
            start,
            end,
            begin=begin,
            chain=self.chain,
            allowed=allowed,
            per_token=self.per_position,
        )

    def nothing(self) -> str:
        return "no sequence of labels is allowed"

    # Helpers of the above

    def _places(self) -> tuple[int, dict[str, Any]]:
        """Return where the tensors are: pairs, start, end, and the begin tables."""
        at: dict[str, Any] = {}
        k = 1
        for name, there in zip(("pairs", "start", "end"), self._has):
            if there:
                at[name] = k
                k += 1
        at["begin"] = range(k, len(self.tensors))
        return k, at

    def _firsts(self) -> Ints:
        return self.offsets[:-1][self.sizes > 0]

    def _lasts(self) -> Ints:
        return self.offsets[1:][self.sizes > 0] - 1

    def _core(self, arrays: Parts) -> Any:
        L, dtype = self.n_labels, arrays[0].dtype
        _, at = self._places()
        first, last = (arrays[at[name]] if name in at else None for name in ("start", "end"))
        table = arrays[at["pairs"]] if "pairs" in at else np.zeros(0, dtype)
        begins = [arrays[k] for k in at["begin"]]
        begins += [np.zeros((L,) * (i + 2), dtype) for i in range(len(begins), self.order - 1)]
        if self.chain is not None:
            start, pairs, end = self.chain.start, self.chain.pairs, self.chain.end
            first, last = _restricted(first, start, dtype), _restricted(last, end, dtype)
            if pairs is not None and self.order:
                table = np.where(pairs, table, dtype.type(-np.inf))
                begins = [np.where(pairs, begin, dtype.type(-np.inf)) for begin in begins]
        kind = _native.FloatChains if dtype == np.float32 else _native.DoubleChains
        return kind(
            L,
            self.order,
            self.offsets,
            arrays[0].ravel(),
            None if self.allowed is None else self.allowed.ravel().view(np.uint8),
            first,
            last,
            np.concatenate([begin.ravel() for begin in begins]) if begins else np.zeros(0, dtype),
            table.ravel(),
            self.per_position,
        )

    def _parts(self, unary: Reals, begin: Reals, table: Reals) -> Parts:
        """Return results of the core in the order of the tensors; those of the ends follow from single labels."""
        _, at = self._places()
        parts = [unary]
        if "pairs" in at:
            parts.append(table.reshape(self.tensors[at["pairs"]].shape))
        if "start" in at:
            parts.append(unary[self._firsts()].sum(0))
        if "end" in at:
            parts.append(unary[self._lasts()].sum(0))
        ends = np.cumsum([self.n_labels ** (i + 2) for i in range(max(self.order - 1, 0))])
        blocks = [begin[first:last] for first, last in pairwise([0, *ends.tolist()])]
        return parts + [block.reshape(self.tensors[k].shape) for k, block in zip(at["begin"], blocks)]

    def _parts_of(self, y: Ints, dtype: Any) -> Parts:
        """Return the parts of given labels."""
        L, n = self.n_labels, len(y)
        unary = np.zeros((n, L), dtype)
        unary[np.arange(n), y] = 1
        position = np.arange(n) - np.repeat(self.offsets[:-1], self.sizes)
        size = L ** (self.order + 1)
        table = np.zeros(n * size if self.per_position else size if self.order else 0, dtype)
        begins = []
        for h in range(1, self.order + 1):  # tokens that see h labels before them
            at = np.flatnonzero(position >= h if h == self.order else position == h)
            code = np.zeros(len(at), dtype=np.int64)
            for back in range(h, -1, -1):
                code = code * L + y[at - back]
            if h < self.order:
                begins.append(np.bincount(code, minlength=L ** (h + 1)).astype(dtype))
            elif self.per_position:
                table[at * size + code] = 1
            else:
                table = np.bincount(code, minlength=size).astype(dtype)
        return self._parts(unary, np.concatenate(begins) if begins else np.zeros(0, dtype), table)


def _restricted(scores: Reals | None, allowed: Any, dtype: Any) -> Reals | None:
    if allowed is None:
        return scores
    there = np.zeros(len(allowed), dtype) if scores is None else scores
    found: Reals = np.where(allowed, there, dtype.type(-np.inf))
    return found
