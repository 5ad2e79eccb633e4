"""The expectation matrix: radii against NumPy's eigenvalues, expected sizes against samples and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from oracles.grammars import random_grammar
from palmette.formats.brackets import read_brackets
from palmette.grammars.consistency import consistency, expected_counts
from palmette.grammars.grammar import Grammar
from palmette.grammars.spectrum import Block, blocks, expectation_matrix, spectral_radius
from palmette.tools.constituency.treebank import clean_trees
from palmette.transforms.binarization import Binarization
from samples.corpora import real_file

pytestmark = pytest.mark.native


@pytest.mark.parametrize("seed", range(20))
def test_the_radius_is_the_largest_eigenvalue(seed: int) -> None:
    grammar = random_grammar(seed, n=6)
    want = np.abs(np.linalg.eigvals(expectation_matrix(grammar))).max()
    have = max(block.radius for block in blocks(grammar))
    assert have == pytest.approx(want, rel=1e-10)


def radius(matrix: np.ndarray) -> float:
    rows, columns = np.nonzero(matrix)
    nodes = np.arange(len(matrix), dtype=np.int32)
    outer = (rows[:0], nodes[:0], matrix[0, :0])
    return spectral_radius(Block(nodes, rows, columns, matrix[rows, columns], nodes[:0], outer))


@pytest.mark.parametrize("n", [50, 100])
def test_radii_of_awkward_blocks(n: int) -> None:
    assert radius(np.array([[0.5]])) == 0.5
    assert radius(np.zeros((1, 1))) == 0.0
    assert radius(np.array([[0.0, 1.0], [1.0, 0.0]])) == pytest.approx(1.0)  # periodic
    assert radius(np.array([[0.0, 1e-200], [1e-100, 0.0]])) == pytest.approx(1e-150)
    weights = np.linspace(0.5, 2, n)
    ring = np.roll(np.eye(n), 1, axis=1) * weights
    assert radius(ring) == pytest.approx(math.exp(np.log(weights).mean()))
    dense = np.random.default_rng(1).random((n, n))
    assert radius(dense) == pytest.approx(np.abs(np.linalg.eigvals(dense)).max())


@pytest.mark.parametrize(
    ("p", "consistent", "critical"), [(0.3, True, False), (0.5, True, True), (0.7, False, False)]
)
def test_verdicts(p: float, consistent: bool, critical: bool) -> None:
    found = consistency(Grammar(f"S -> S S [{p}] | 'a' [{1 - p}]"))
    assert found.spectral_radius == pytest.approx(2 * p)
    assert (found.is_consistent, found.is_critical) == (consistent, critical)
    assert found.component == ("S",)
    assert found.is_proper
    assert str(found).startswith("consistent" if consistent else "not consistent")
    assert ("critical" in str(found)) is critical


def test_what_else_is_said() -> None:
    found = consistency(Grammar("S -> 'a' [0.5] | B [0.4]\nB -> B", weighted=True))
    assert not found.is_proper
    assert (found.worst, found.worst_sum) == ("S", 0.9)
    assert found.unproductive == ("B",)
    assert found.total == pytest.approx(0.5)
    assert "the weights of S sum to 0.9" in str(found)
    assert "1 nonterminals derive no string: B" in str(found)
    assert "spectral radius 0 (nothing is recursive)" in str(consistency(Grammar("S -> 'a'")))
    assert consistency(Grammar("S -> S | 'a'")).total == math.inf
    with pytest.raises(ValueError, match="weight zero"):
        consistency(Grammar("S -> 'a' [0]", weighted=True))


def test_expected_sizes() -> None:
    grammar = Grammar("S -> S S [0.3] | 'a' [0.7]")
    assert grammar.expected_size() == pytest.approx(1 / (1 - 0.6))
    assert grammar.expected_length() == pytest.approx(0.7 / (1 - 0.6))
    assert Grammar("S -> S S [0.5] | 'a' [0.5]").expected_length() == math.inf
    assert Grammar("S -> A B\nA -> A A [0.7] | 'a' [0.3]\nB -> 'b'").expected_length() == math.inf
    above = Grammar("S -> B A\nA -> A A [0.7] | 'a' [0.3]\nB -> 'b'")
    assert expected_counts(above) == {"S": 1.0, "A": math.inf, "B": 1.0}
    unreached = Grammar("S -> 'a'\nB -> B B")
    assert expected_counts(unreached) == {"S": 1.0, "B": 0.0}


@pytest.mark.parametrize("seed", range(4))
def test_expected_sizes_against_the_engine_and_samples(seed: int) -> None:
    grammar = random_grammar(seed, n=3)
    counts = expected_counts(grammar)
    nodes = grammar.graph.marginals(grammar.log_weights).nodes
    assert list(counts.values()) == pytest.approx(nodes.tolist(), rel=1e-8)
    lengths = [len(sample.words) for sample in grammar.samples(3000, random_state=seed)]
    spread = float(np.std(lengths)) / math.sqrt(len(lengths))
    assert abs(np.mean(lengths) - grammar.expected_length()) < 5 * spread


def test_grammars_of_treebanks_are_consistent_and_have_its_sizes() -> None:
    """Relative frequencies give a consistent grammar with the mean length of the treebank (Chi and Geman 1998)."""
    trees = [t for t in clean_trees(read_brackets(real_file("const_en_ptb/dev.mrg"))) if t is not None]
    trees = [Binarization(horizontal=1)(tree) for tree in trees]
    grammar = Grammar.from_trees(trees)
    found = grammar.consistency()
    assert found.is_consistent
    assert found.spectral_radius < 1
    assert grammar.expected_length() == pytest.approx(np.mean([len(tree.words) for tree in trees]))
    sizes = [sum(1 for _ in tree.preorder()) for tree in trees]
    assert grammar.expected_size() == pytest.approx(np.mean(sizes))
