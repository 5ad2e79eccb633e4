"""What is refused, in one sentence, and inputs at the edges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from palmette.inference.hypergraph import Hypergraph  # noqa: E402
from palmette.neural import (  # noqa: E402
    BinaryRules,
    Chains,
    Charts,
    Forests,
    Trees,
    chain_loss,
    flat_arcs,
    items_of_words,
    structured_loss,
    tree_loss,
)
from palmette.structures.chain import Chain  # noqa: E402

SCORES = torch.zeros(4, 3)
GRAPH = Hypergraph.from_edges([(0, [])], root=0)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Chains(SCORES.int(), [4]), "unary scores must be a tensor of floating-point numbers"),
        (lambda: Chains(SCORES[0], [4]), "unary scores must have the shape any × any, got 3"),
        (lambda: Chains(SCORES, [4, 1]), "lengths must add up to the 4 tokens that have scores; got 5"),
        (lambda: Chains(SCORES, [-1, 5]), "sentence 1: a length must not be negative"),
        (lambda: Chains(SCORES, [2.0, 2.0]), "lengths must be a one-dimensional list of integers"),
        (lambda: Chains(SCORES, [4], torch.zeros(2, 2)), "pair scores must have the shape 3 × 3, got 2 × 2"),
        (lambda: Chains(SCORES, [4], start=torch.zeros(2)), "start scores must have the shape 3, got 2"),
        (
            lambda: Chains(SCORES, [4], torch.zeros(3, 3, 3, 3, 3)),
            "an order of at most 3; these pairs have 4",
        ),
        (lambda: Chains(SCORES, [4], torch.zeros(3, 3), per_token=True), "one table for every token"),
        (
            lambda: Chains(SCORES, [4], torch.zeros(3, 3), begin=[torch.zeros(3, 3)]),
            "has 0 begin tables, got 1",
        ),
        (lambda: Chains(SCORES, [4], torch.zeros(3, 3), chain=Chain(2)), "the chain must have 3 labels"),
        (lambda: Chains(SCORES, [4], torch.zeros(3, 3), chain=Chain(3, 2)), "the chain has the order 2"),
        (lambda: Chains(SCORES, [4], allowed=np.ones((2, 3), bool)), "allowed must be 4 × 3 values"),
        (lambda: chain_loss("hinge", SCORES, [4], [0] * 4), "the losses are crf, perceptron, svm, risk"),
        (lambda: chain_loss("crf", SCORES, [4], [0, 1]), "gold labels must be 4 integers"),
        (lambda: chain_loss("crf", SCORES, [4], [0, 1, 3, 0]), "between 0 and 2; token 3 has 3"),
        (
            lambda: chain_loss("crf", SCORES + torch.inf, [4], [0] * 4),
            "unary scores must be finite.*got .inf",
        ),
        (
            lambda: chain_loss("crf", SCORES - torch.inf, [4], [0] * 4),
            "the gold output has a part with the score",
        ),
        (lambda: Chains(SCORES - torch.inf, [4]).marginals(), "sentence 1: no sequence of labels is allowed"),
        (lambda: Chains(SCORES, [4]).expected_loss(SCORES[:2]), "losses must be a tensor in the shape"),
        (lambda: Trees(torch.zeros(8), [2]), r"\(n \+ 1\)² arc scores each, 9 in all; got 8"),
        (lambda: Trees(torch.zeros(2, 3, 4), [2, 2]), r"padded arc scores must be 2 × \(N \+ 1\)"),
        (lambda: Trees(torch.zeros(1, 3, 3), [3]), "sentence 1 has 3 words, and scores for 2"),
        (lambda: tree_loss("crf", torch.zeros(9), [2], [0, 3]), "between 0 and 2; token 2 has 3"),
        (lambda: tree_loss("crf", torch.zeros(9), [2], [0, 0]), "sentence 1: .*exactly one root word"),
        (lambda: tree_loss("crf", torch.zeros(9), [2], [2, 1]), "the gold heads have a cycle"),
        (lambda: tree_loss("crf", torch.zeros(25), [4], [3, 4, 0, 3]), "crossing arcs; allow them with"),
        (
            lambda: Trees(torch.full((9,), -torch.inf), [2]).heads(),
            "no projective dependency tree with one root",
        ),
        (lambda: BinaryRules([(0, 1)], 2), "rules must be rows of three symbols"),
        (lambda: BinaryRules([(0, 1, 2)], 2), "must lie between 0 and 1"),
        (lambda: Charts(torch.zeros(2, 2), [2], BinaryRules.all(2)), "3 in all; got 2 rows"),
        (lambda: Charts(torch.zeros(3, 2), [2], BinaryRules.all(2), root=2), "the root must be a symbol"),
        (lambda: charts(root=1).trees(), "no tree of the rules"),
        (lambda: charts().loss("crf", [[(0, 2, 0)]]), "a binary tree over 2 words has 3 items; got 1"),
        (
            lambda: charts().loss("crf", [[(0, 2, 1), (0, 1, 0), (1, 2, 0)]]),
            "the grammar has no rule 1 → 0 0",
        ),
        (lambda: BinaryRules([(0, 0, 0)], 2, [(0, 2)]), "symbols of unary rules must lie"),
        (lambda: BinaryRules([(0, 0, 0)], 2, [(1, 1)]), "and not 1 → 1"),
        (lambda: BinaryRules([(0, 0, 0)], 2, [(0, 1), (0, 1)]), "comes twice"),
        (lambda: BinaryRules([(0, 0, 0)], 2, [0, 1]), "rows of two symbols"),
        (lambda: BinaryRules([(0, 0, 0)], 2, [(0, 1)], longest=0), "got longest=0"),
        (lambda: charts().loss("crf", [[(0, 2, 0), (0, 2, 1), (0, 1, 0), (1, 2, 0)]]), "has 3 items; got 4"),
        (lambda: Charts(torch.zeros(3, 2), [2], BinaryRules.all(2), unary=torch.zeros(1)), "unary scores"),
        (
            lambda: Charts(torch.zeros(3, 2), [2], BinaryRules([(0, 0, 0)], 2, [(0, 1)])).loss(
                "crf", [[(0, 2, 1), (0, 2, 0), (0, 1, 0), (1, 2, 0)]]
            ),
            "no unary rules 1 → 0",
        ),
        (lambda: charts().loss("crf", []), "one gold tree for each of 1 sentences, got 0"),
        (lambda: items_of_words(SCORES, [3]), "add up to the 4 words"),
        (lambda: Forests([GRAPH], torch.zeros(2)), "the graphs have 1 parts in all; got 2 scores"),
        (
            lambda: Forests([GRAPH], torch.zeros(1)).loss("crf", [[1]]),
            "parts must lie between 0 and 0",
        ),
    ],
)
def test_refused(call: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


def charts(root: int = 0) -> Charts:
    return Charts(torch.zeros(3, 2), [2], BinaryRules([(0, 0, 0)], 2), root=root)


def test_nothing_at_all() -> None:
    for structure in (Chains(torch.zeros(0, 3), []), Trees(torch.zeros(0), []), Forests([], torch.zeros(0))):
        assert structure.log_z().shape == (0,)
        assert float(structure.loss("crf", [])) == 0.0


def test_sentences_without_words() -> None:
    unary = torch.randn(2, 3, requires_grad=True)
    chains = Chains(unary, [0, 2, 0], torch.zeros(3, 3), torch.zeros(3), torch.zeros(3))
    assert chains.log_z()[0] == 0.0
    chains.loss("crf", [0, 1]).backward()
    arcs = torch.randn(1 + 9 + 1, requires_grad=True)
    tree_loss("crf", arcs, [0, 2, 0], [0, 1]).backward()
    assert arcs.grad[0] == arcs.grad[-1] == 0.0


def test_a_sentence_of_10_000_words() -> None:
    unary = torch.randn(10_000, 20, requires_grad=True)
    loss = chain_loss("crf", unary, [10_000], torch.zeros(10_000, dtype=torch.long), torch.randn(20, 20))
    loss.backward()
    assert torch.isfinite(loss)
    torch.testing.assert_close(unary.grad.sum(1), torch.zeros(10_000), atol=1e-4, rtol=0)


def test_half_precision_is_computed_in_single_precision() -> None:
    unary = torch.randn(4, 3).bfloat16().requires_grad_()
    chain_loss("crf", unary, [4], [0, 1, 2, 0]).backward()
    assert unary.grad.dtype == torch.bfloat16


def test_a_scheme_constrains_labels() -> None:
    chain = Chain(["O", "B-X", "I-X"], scheme="iob2")
    unary = torch.tensor([[0.0, 0.0, 5.0], [0.0, 0.0, 5.0]], requires_grad=True)
    chains = Chains(unary, [2], torch.zeros(3, 3), chain=chain)
    assert chains.labels().tolist() == [1, 2]
    want = chain.log_z(unary.detach().numpy())
    assert float(chains.log_z().detach()[0]) == pytest.approx(want)
    with pytest.raises(ValueError, match="score -inf"):
        chains.loss("crf", [2, 0])


def test_padded_arcs_equal_flat_ones() -> None:
    padded = torch.randn(2, 4, 4)
    flat = flat_arcs(padded, [3, 1])
    assert torch.equal(flat, torch.cat([padded[0].reshape(-1), padded[1, :2, :2].reshape(-1)]))


@pytest.mark.parametrize("projective", [True, False])
def test_scores_far_apart(projective: bool) -> None:
    """Where plain numbers do not reach, covariances come from differences, and are still right."""
    random = np.random.default_rng(0)
    arcs = torch.tensor(random.normal(size=16) * 400, requires_grad=True)
    losses = torch.tensor(random.normal(size=16))
    (have,) = torch.autograd.grad(Trees(arcs, [3], projective).expected_loss(losses).sum(), arcs)
    assert torch.isfinite(have).all()
    wide = structured_loss("risk", Trees(arcs, [3], projective), [0, 1, 2])
    assert torch.isfinite(wide)
