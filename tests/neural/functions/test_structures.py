"""Every question to every structure equals the sum over all outputs, and so do its gradients."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from oracles.enumeration import derivations  # noqa: E402
from oracles.torch_outputs import Case, chain_outputs, item_trees, leaf, tree_outputs  # noqa: E402
from palmette.inference.hypergraph import Hypergraph  # noqa: E402
from palmette.neural import (  # noqa: E402
    LOSSES,
    BinaryRules,
    Chains,
    Charts,
    Forests,
    Trees,
    spans_of,
    structured_loss,
)
from palmette.structures.chain import Chain  # noqa: E402

LENGTHS = (3, 1, 2)
UNARY_RULES = [(0, 1), (1, 2)]
SOME_RULES = [(0, 1, 2), (2, 1, 2), (1, 0, 0), (0, 0, 0), (2, 0, 0), (1, 2, 1)]


def chain_case(order: int, *, ends: bool = True, per_token: bool = False) -> Case:
    random = np.random.default_rng(order + 10 * ends)
    labels, tokens = 3, sum(LENGTHS)
    tensors = [leaf(random, tokens, labels)]
    places: dict[str, int] = {}
    if order:
        places["pairs"] = 1
        shape = (labels,) * (order + 1)
        tensors.append(leaf(random, tokens, *shape) if per_token else leaf(random, *shape))
        places |= {"tokens": 0} if per_token else {}
    if ends:
        places |= {"start": len(tensors), "end": len(tensors) + 1}
        tensors += [leaf(random, labels), leaf(random, labels)]
        if order > 1:
            places["begin"] = len(tensors)
            tensors += [leaf(random, *(labels,) * (h + 1)) for h in range(1, order)]

    def make(unary: Any, *rest: Any) -> Chains:
        given = list(rest)
        pairs = given.pop(0) if order else None
        start, end = (given.pop(0), given.pop(0)) if ends else (None, None)
        return Chains(unary, LENGTHS, pairs, start, end, begin=given, per_token=per_token)

    gold = np.random.default_rng(5).integers(0, labels, tokens)
    bounds = np.cumsum([0, *LENGTHS])
    right = [
        int(sum(y * labels ** (n - 1 - i) for i, y in enumerate(gold[a : a + n])))
        for a, n in zip(bounds, LENGTHS)
    ]
    return Case(make, tensors, chain_outputs(LENGTHS, labels, order, places), gold, right)


def tree_case(projective: bool, single_root: bool) -> Case:
    random = np.random.default_rng(3)
    tensors = [leaf(random, sum((n + 1) ** 2 for n in LENGTHS))]
    outputs = tree_outputs(LENGTHS, projective, single_root)
    right = [len(trees) // 2 for trees in outputs]
    heads, first = [], 0
    for trees, k, n in zip(outputs, right, LENGTHS):
        heads += [(at[0] - first) // (n + 1) for _, at in trees[k]]
        first += (n + 1) ** 2

    def make(arcs: Any) -> Trees:
        return Trees(arcs, LENGTHS, projective, single_root=single_root)

    return Case(make, tensors, outputs, heads, right)


def chart_case(rules: str) -> Case:
    """All binary trees of all rules, or of a few in which the parents of one pair have gaps."""
    random = np.random.default_rng(4)
    symbols = 3
    grammar = BinaryRules.all(symbols) if rules == "all" else BinaryRules(SOME_RULES, symbols)
    tensors = [leaf(random, sum(n * (n + 1) // 2 for n in LENGTHS), symbols)]
    tensors += [leaf(random, len(grammar)), leaf(random, symbols)]
    outputs, golds, first = [], [], 0
    for n in LENGTHS:
        rows = {span: first + k for k, span in enumerate(spans_of(n))}
        trees = list(item_trees(0, n, symbols, grammar.number))
        found = []
        for items, used in trees:
            parts = [(0, (rows[i, j], a)) for i, j, a in items] + [(1, (r,)) for r in used]
            found.append([*parts, (2, (items[0][2],))])
        outputs.append(found)
        golds.append(trees[len(trees) // 2][0])
        first += len(rows)

    def make(items: Any, scores: Any, root: Any) -> Charts:
        return Charts(items, LENGTHS, grammar, scores, root)

    return Case(make, tensors, outputs, golds, [len(trees) // 2 for trees in outputs])


def unary_case(longest: int) -> Case:
    """All trees of some binary rules with chains of unary rules above any item."""
    random = np.random.default_rng(8)
    grammar = BinaryRules(SOME_RULES[:4], 3, UNARY_RULES, longest=longest)
    tensors = [leaf(random, sum(n * (n + 1) // 2 for n in LENGTHS), 3)]
    tensors += [leaf(random, len(grammar)), leaf(random, 3), leaf(random, len(UNARY_RULES))]
    outputs, golds, first = [], [], 0
    for n in LENGTHS:
        rows = {span: first + k for k, span in enumerate(spans_of(n))}
        trees = list(unary_trees(0, n, grammar.number, longest))
        found = []
        for items, used, unaries in trees:
            parts = [(0, (rows[i, j], a)) for i, j, a in items] + [(1, (r,)) for r in used]
            found.append([*parts, (2, (items[0][2],)), *((3, (u,)) for u in unaries)])
        outputs.append(found)
        golds.append(trees[len(trees) // 2][0])
        first += len(rows)

    def make(items: Any, scores: Any, root: Any, unary: Any) -> Charts:
        return Charts(items, LENGTHS, grammar, scores, root, unary)

    return Case(make, tensors, outputs, golds, [len(trees) // 2 for trees in outputs])


def unary_trees(i: int, j: int, rules: Any, longest: int) -> Iterator[tuple[list[Any], list[int], list[int]]]:
    """Yield trees as items, rules and unary rules: a binary item or a word, then up to `longest` unary rules."""
    below: list[tuple[list[Any], list[int], list[int]]] = []
    if j == i + 1:
        below = [([(i, j, a)], [], []) for a in range(3)]
    for k in range(i + 1, j):
        for left, right in product(unary_trees(i, k, rules, longest), unary_trees(k, j, rules, longest)):
            for a in range(3):
                rule = rules.get((a, left[0][0][2], right[0][0][2]))
                if rule is not None:
                    items = [(i, j, a), *left[0], *right[0]]
                    below.append((items, [rule, *left[1], *right[1]], [*left[2], *right[2]]))
    yield from below
    seen = [{items[0][2]} for items, _, _ in below]
    for _ in range(longest):
        above = [
            (([(i, j, parent), *items], used, [u, *unaries]), {*symbols, parent})
            for (items, used, unaries), symbols in zip(below, seen)
            for u, (parent, child) in enumerate(UNARY_RULES)
            if child == items[0][2] and parent not in symbols
        ]
        below, seen = [tree for tree, _ in above], [symbols for _, symbols in above]
        yield from below


def forest_case() -> Case:
    """The label sequences of three words as hypergraphs, and a graph that uses a part twice."""
    random = np.random.default_rng(6)
    graphs = [Chain(2).hypergraph(np.zeros((n, 2))).graph for n in (3, 1)]
    graphs.append(Hypergraph.from_edges([(1, [0, 0], 0), (1, [], 1), (0, [], 2), (0, [], 1)], root=1))
    tensors = [leaf(random, sum(graph.n_parts for graph in graphs))]
    outputs, golds, first = [], [], 0
    for graph in graphs:
        some = [graph.labels[list(edges)].tolist() for edges in derivations(graph)]
        outputs.append([[(0, (first + part,)) for part in parts] for parts in some])
        golds.append(some[0])
        first += graph.n_parts

    def make(scores: Any) -> Forests:
        return Forests(graphs, scores)

    return Case(make, tensors, outputs, golds, [0, 0, 0])


CASES = {
    "chain of order 0": lambda: chain_case(0),
    "chain of order 0 without ends": lambda: chain_case(0, ends=False),
    "chain": lambda: chain_case(1),
    "chain without ends": lambda: chain_case(1, ends=False),
    "chain with pairs of every token": lambda: chain_case(1, per_token=True),
    "chain of order 2": lambda: chain_case(2),
    "chain of order 2 with triples of every token": lambda: chain_case(2, ends=False, per_token=True),
    "chain of order 3": lambda: chain_case(3),
    "projective trees": lambda: tree_case(True, True),
    "projective trees with many roots": lambda: tree_case(True, False),
    "chart": lambda: chart_case("all"),
    "chart of some rules": lambda: chart_case("some"),
    "chart with unary rules": lambda: unary_case(1),
    "chart with chains of unary rules": lambda: unary_case(2),
    "hypergraphs": forest_case,
    "spanning trees": lambda: tree_case(False, True),
    "spanning trees with many roots": lambda: tree_case(False, False),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    return CASES[request.param]()


def gradients(value: Any, tensors: list[Any]) -> list[Any]:
    return list(torch.autograd.grad(value, tensors, allow_unused=True, materialize_grads=True))


def assert_equal(have: list[Any], want: list[Any], within: float = 1e-8) -> None:
    for a, b in zip(have, want, strict=True):
        torch.testing.assert_close(a, b, atol=within, rtol=within)


def test_log_z(case: Case) -> None:
    have, want = case.make(*case.tensors).log_z(), case.log_z(case.tensors)
    torch.testing.assert_close(have, want)
    assert_equal(gradients(have.sum(), case.tensors), gradients(want.sum(), case.tensors))
    weights = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
    have, want = case.make(*case.tensors).log_z() @ weights, case.log_z(case.tensors) @ weights
    assert_equal(gradients(have, case.tensors), gradients(want, case.tensors))


def test_log_z_without_gradients(case: Case) -> None:
    with torch.no_grad():
        have = case.make(*case.tensors).log_z()
    torch.testing.assert_close(have, case.log_z(case.tensors).detach())


def test_marginals(case: Case) -> None:
    have, want = case.make(*case.tensors).marginals(), case.own_marginals(case.tensors)
    torch.testing.assert_close(have, want)
    along = torch.tensor(np.random.default_rng(1).normal(size=tuple(have.shape)))
    have, want = (have * along).sum(), (want * along).sum()
    assert_equal(gradients(have, case.tensors), gradients(want, case.tensors))


def test_all_marginals_are_the_gradient_of_log_z(case: Case) -> None:
    structure = case.make(*case.tensors)
    assert_equal(list(structure.part_marginals()), gradients(structure.log_z().sum(), case.tensors))
    assert torch.autograd.gradcheck(lambda *t: case.make(*t).part_marginals(), case.tensors)


def test_best(case: Case) -> None:
    parts = case.make(*case.tensors).best_parts()
    for k, part in enumerate(parts):
        want = torch.zeros_like(part)
        for scores, outputs in zip(case.scores(case.tensors), case.outputs):
            for tensor, at in outputs[int(scores.argmax())]:
                if tensor == k:
                    want[at] += 1
        assert torch.equal(part, want)
    along = torch.tensor(np.random.default_rng(1).normal(size=tuple(parts[0].shape)))
    (grad,) = gradients((parts[0] * along).sum(), case.tensors[:1])
    assert torch.equal(grad, along)  # straight through


def test_expected_loss(case: Case) -> None:
    losses = torch.tensor(np.random.default_rng(2).normal(size=tuple(case.tensors[0].shape)))
    have = case.make(*case.tensors).expected_loss(losses)
    size = losses.numel()
    want = torch.stack(
        [
            s.softmax(0) @ (m[:, :size] @ losses.reshape(-1))
            for s, m in zip(case.scores(case.tensors), case.matrices())
        ]
    )
    torch.testing.assert_close(have, want)
    weights = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
    assert_equal(gradients(have @ weights, case.tensors), gradients(want @ weights, case.tensors))


@pytest.mark.parametrize("name", LOSSES)
def test_losses(case: Case, name: str) -> None:
    have = structured_loss(name, case.make(*case.tensors), case.gold)
    want = case.loss(name, case.tensors)
    torch.testing.assert_close(have, want)
    assert_equal(gradients(have, case.tensors), gradients(want, case.tensors))


@pytest.mark.parametrize("name", LOSSES)
def test_losses_in_single_precision(case: Case, name: str) -> None:
    tensors = [t.detach().float().requires_grad_() for t in case.tensors]
    have = structured_loss(name, case.make(*tensors), case.gold)
    want = case.loss(name, case.tensors)
    assert have.dtype == torch.float32
    torch.testing.assert_close(have.double(), want, atol=1e-4, rtol=1e-4)
    found = [g.double() for g in gradients(have, tensors)]
    assert_equal(found, gradients(want, case.tensors), within=1e-4)


@pytest.mark.parametrize("name", LOSSES)
def test_training_on_toy_data_learns_gold(case: Case, name: str, request: pytest.FixtureRequest) -> None:
    """Scores that follow the gradient have the gold output as the best; a risk may stay at its plateau."""
    tensors = [t.detach().clone().requires_grad_() for t in case.tensors]
    steps = torch.optim.Adam(tensors, lr=0.2)
    first = last = float(structured_loss(name, case.make(*tensors), case.gold).detach())
    for _ in range(60):
        steps.zero_grad()
        loss = structured_loss(name, case.make(*tensors), case.gold)
        loss.backward()
        steps.step()
        last = float(loss.detach())
    assert last < 0.2 * first + 1e-6
    if name == "risk" and "unary" in request.node.name:
        return  # a tree without some unary rules of the gold one has only right items, and costs nothing either
    best = structured_loss("perceptron", case.make(*tensors), case.gold)
    assert float(best.detach()) < 1e-6


def test_log_z_is_twice_differentiable(case: Case) -> None:
    even = torch.ones(3, dtype=torch.float64)
    assert torch.autograd.gradgradcheck(lambda *t: (case.make(*t).log_z() * even).sum(), case.tensors)
    weights = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
    assert torch.autograd.gradgradcheck(lambda *t: case.make(*t).log_z() @ weights, case.tensors)


def test_threads_change_nothing(case: Case) -> None:
    structure = case.make(*case.tensors)
    alone = [structure.log_z(), *structure.part_marginals()]
    structure.n_jobs = 3
    for a, b in zip(alone, [structure.log_z(), *structure.part_marginals()]):
        assert torch.equal(a, b)
