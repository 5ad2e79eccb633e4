"""Outputs of structures over tensors, all of them: each as a vector with the number of uses of every part score.

Sums over these vectors, differentiated by torch itself, are what the native functions must equal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import torch

from oracles.enumeration import dependency_trees

Place = tuple[int, tuple[int, ...]]  # which tensor, and where in it
Outputs = list[list[list[Place]]]  # for every sentence all outputs, each the places of its parts


@dataclass
class Case:
    """A structure over random scores, all of its outputs, and the number of the right one of each sentence."""

    make: Callable[..., Any]  # the structure, of tensors
    tensors: list[Any]
    outputs: Outputs
    gold: Any
    right: list[int]

    def matrices(self) -> list[Any]:
        """Return for every sentence [outputs, all part scores], the numbers of uses."""
        starts = np.cumsum([0, *(t.numel() for t in self.tensors)])
        found = []
        for outputs in self.outputs:
            matrix = torch.zeros(len(outputs), int(starts[-1]), dtype=torch.float64)
            for row, places in zip(matrix, outputs):
                for k, at in places:
                    row[int(starts[k]) + int(np.ravel_multi_index(at, self.tensors[k].shape))] += 1
            found.append(matrix)
        return found

    def scores(self, tensors: Sequence[Any]) -> list[Any]:
        flat = torch.cat([t.reshape(-1) for t in tensors])
        return [matrix @ flat for matrix in self.matrices()]

    def log_z(self, tensors: Sequence[Any]) -> Any:
        return torch.stack([s.logsumexp(0) for s in self.scores(tensors)])

    def own_marginals(self, tensors: Sequence[Any]) -> Any:
        size = self.tensors[0].numel()
        total = sum(s.softmax(0) @ m for s, m in zip(self.scores(tensors), self.matrices()))
        return total[:size].reshape(self.tensors[0].shape)

    def costs(self) -> list[Any]:
        """Return how many parts of the first tensor each output has that the right one has not."""
        size = self.tensors[0].numel()
        found = []
        for matrix, right in zip(self.matrices(), self.right):
            own = matrix[:, :size]
            found.append((own * (own[right] == 0)).sum(1))
        return found

    def loss(self, name: str, tensors: Sequence[Any]) -> Any:
        total = torch.zeros((), dtype=torch.float64)
        for s, cost, right in zip(self.scores(tensors), self.costs(), self.right):
            if name == "crf":
                total = total + s.logsumexp(0) - s[right]
            elif name == "perceptron":
                total = total + s.max() - s[right]
            elif name == "svm":
                total = total + (s + cost).max() - s[right]
            else:
                total = total + s.softmax(0) @ cost
        return total


def leaf(random: np.random.Generator, *shape: int) -> Any:
    return torch.tensor(random.normal(size=shape), requires_grad=True)


def chain_outputs(lengths: Sequence[int], labels: int, order: int, places: dict[str, int]) -> Outputs:
    """Return all sequences of labels; `places` has those tensors there are: pairs, start, end, begin, tokens."""
    outputs, first = [], 0
    for n in lengths:
        of_sentence = []
        for y in product(range(labels), repeat=n):
            parts: list[Place] = [(0, (first + i, y[i])) for i in range(n)]
            if "start" in places and n:
                parts.append((places["start"], (y[0],)))
            if "end" in places and n:
                parts.append((places["end"], (y[-1],)))
            for i in range(1, n if order else 0):
                h = min(i, order)
                gram = y[i - h : i + 1]
                if h == order:
                    parts.append((places["pairs"], (first + i, *gram) if "tokens" in places else gram))
                elif "begin" in places:
                    parts.append((places["begin"] + h - 1, gram))
            of_sentence.append(parts)
        outputs.append(of_sentence)
        first += n
    return outputs


def tree_outputs(lengths: Sequence[int], projective: bool, single_root: bool) -> Outputs:
    outputs, first = [], 0
    for n in lengths:
        trees = dependency_trees(n, projective=projective, single_root=single_root)
        outputs.append([[(0, (first + h * (n + 1) + m,)) for m, h in enumerate(heads, 1)] for heads in trees])
        first += (n + 1) ** 2
    return outputs


def item_trees(
    i: int, j: int, symbols: int, rules: Mapping[tuple[int, ...], int]
) -> Iterator[tuple[list[tuple[int, int, int]], list[int]]]:
    """Yield the binary trees over words i … j - 1: items (start, end, symbol), the top one first, and rules."""
    if j == i + 1:
        yield from (([(i, j, a)], []) for a in range(symbols))
        return
    for k in range(i + 1, j):
        for left, left_rules in item_trees(i, k, symbols, rules):
            for right, right_rules in item_trees(k, j, symbols, rules):
                for a in range(symbols):
                    rule = rules.get((a, left[0][2], right[0][2]))
                    if rule is not None:
                        yield [(i, j, a), *left, *right], [rule, *left_rules, *right_rules]
