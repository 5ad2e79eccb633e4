"""Sentences are summed eight at a time: what is found of one does not depend on those beside it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from palmette.neural import BinaryRules, Charts  # noqa: E402

LENGTHS = [3, 7, 1, 0, 2, 5, 6, 4, 7, 2, 1, 6, 3, 5, 7, 4, 2, 8, 0]
RANDOM = np.random.default_rng(4)
WIDE = [(a, b, c) for b in range(9) for c in (0, 3, 4, 7, 8) for a in range(2, 9)]  # rows of seven parents
GRAMMARS = {
    "all rules": BinaryRules.all(9),
    "parents in a row": BinaryRules(WIDE, 9),
    "rows and single rules": BinaryRules([*WIDE, (0, 1, 1), (5, 2, 2), (1, 5, 6), (8, 5, 6)], 9),
    "some rules": BinaryRules(np.unique(RANDOM.integers(0, 9, (60, 3)), axis=0), 9),
}


@pytest.fixture(params=GRAMMARS.values(), ids=GRAMMARS.keys())
def grammar(request: pytest.FixtureRequest) -> Any:
    return request.param


def scores(grammar: Any) -> list[Any]:
    """Scores of items, rules and root; some items are forbidden, and one sentence has no tree."""
    sizes = [n * (n + 1) // 2 for n in LENGTHS]
    items = RANDOM.normal(size=(sum(sizes), 9)) * 3
    items[RANDOM.random(items.shape) < 0.1] = -np.inf
    items[sum(sizes[:4])] = -np.inf  # the first word of two
    arrays = items, RANDOM.normal(size=len(grammar)), RANDOM.normal(size=9)
    return [torch.tensor(array, requires_grad=True) for array in arrays]


def of_each(tensors: list[Any], grammar: Any, of: Any) -> list[Any]:
    items, *rest = tensors
    found, first = [], 0
    for n in LENGTHS:
        last = first + n * (n + 1) // 2
        found.append(of(Charts(items[first:last], [n], grammar, *rest)))
        first = last
    return found


def test_log_z_and_gradients(grammar: Any) -> None:
    tensors = scores(grammar)
    weights = torch.tensor(RANDOM.normal(size=len(LENGTHS)))
    have = Charts(tensors[0], LENGTHS, grammar, *tensors[1:]).log_z()
    want = torch.cat(of_each(tensors, grammar, lambda chart: chart.log_z()))
    assert torch.equal(have, want)
    assert have[4] == -torch.inf
    there = torch.isfinite(have)
    assert there.sum() >= 12
    gradients = [torch.autograd.grad(z[there] @ weights[there], tensors) for z in (have, want)]
    for one, other in zip(*gradients):
        assert torch.isfinite(one).all()
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)


def test_expected_loss(grammar: Any) -> None:
    tensors = scores(grammar)
    tensors[0] = torch.nan_to_num(tensors[0].detach(), neginf=-2.0).requires_grad_()
    charts = Charts(tensors[0], LENGTHS, grammar, *tensors[1:])
    keep = [k for k, z in enumerate(charts.log_z().tolist()) if np.isfinite(z)]
    starts = np.cumsum([0, *(n * (n + 1) // 2 for n in LENGTHS)])
    rows = np.concatenate([np.arange(starts[k], starts[k + 1]) for k in keep])
    lengths = [LENGTHS[k] for k in keep]

    def kept() -> Any:
        return Charts(tensors[0][rows], lengths, grammar, *tensors[1:])

    gold = kept().trees()
    alone = [kept().one(k).loss("risk", gold[k : k + 1]) for k in range(len(keep))]
    have = torch.autograd.grad(kept().loss("risk", gold), tensors)
    want = torch.autograd.grad(torch.stack(alone).sum(), tensors)
    for one, other in zip(have, want):
        torch.testing.assert_close(one, other, rtol=1e-8, atol=1e-10)


def test_threads_change_nothing(grammar: Any) -> None:
    tensors = scores(grammar)
    found = []
    for jobs in (1, 4):
        z = Charts(tensors[0], LENGTHS, grammar, *tensors[1:], n_jobs=jobs).log_z()
        found.append([z, *torch.autograd.grad(z[torch.isfinite(z)].sum(), tensors)])
    for one, four in zip(*found):
        assert torch.equal(one, four)
