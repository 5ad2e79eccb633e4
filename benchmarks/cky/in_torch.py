"""The sums by torch-struct, whose grammars are dense: it goes through every A → B C, with minus infinity for most.

It marginalises by automatic differentiation; the time is that of log Z and its gradient. torch-struct's `SentCFG`
takes terminals apart from nonterminals and starts, so the problem is put to it as nonterminals that are also the
terminals of the words.
"""

from __future__ import annotations

import numpy as np

from benchmarks.cky.problem import Floats, Problem


class TorchStruct:
    """`log_z_and_gradient()` runs what `__init__` has put together."""

    def __init__(self, problem: Problem) -> None:
        import torch
        from torch_struct import SentCFG

        self._torch, self._cfg = torch, SentCFG
        k = problem.n_labels
        low = -1e9  # its sums take no minus infinity

        def filled(*shape: int) -> Floats:
            return np.full(shape, low)

        # Symbols 0 .. k-1 are nonterminals over two words and more, k .. 2k-1 the same labels over one.
        rules = filled(k, 2 * k, 2 * k)
        a, b, c = problem.rules.T
        for shift_left in (0, k):
            for shift_right in (0, k):
                rules[a, b + shift_left, c + shift_right] = problem.rule_scores
        roots = filled(k)
        roots[0] = 0.0
        self.rules_gone_through = k * (2 * k) ** 2
        self._parts = [
            torch.tensor(array[None], requires_grad=True) for array in (problem.word_scores, rules, roots)
        ]

    def log_z_and_gradient(self) -> float:
        for part in self._parts:
            part.grad = None
        log_z = self._cfg(tuple(self._parts)).partition
        log_z.sum().backward()
        return float(log_z.detach())
