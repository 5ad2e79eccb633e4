"""Trees of permutations against all ways to cut them, and their number against the Schröder numbers."""

from __future__ import annotations

import itertools
import random

import pytest

from oracles.synchronous import smallest_rank
from palmette.grammars.synchronous.permutations import is_binarizable, permutation_tree

SCHROEDER = [1, 2, 6, 22, 90, 394]  # large Schröder numbers: how many permutations are binarizable


@pytest.mark.parametrize("n", range(1, 7))
def test_all_permutations(n: int) -> None:
    binarizable = 0
    for values in itertools.permutations(range(n)):
        tree = permutation_tree(values)
        assert tree.rank == smallest_rank(values), values
        for node in tree.nodes():
            inside = values[node.begin : node.end]
            assert (min(inside), max(inside) - min(inside)) == (node.low, len(inside) - 1)
            if node.children:
                assert [node.begin, *(c.end for c in node.children)] == [
                    *(c.begin for c in node.children),
                    node.end,
                ]
        binarizable += is_binarizable(values)
    assert binarizable == SCHROEDER[n - 1]


@pytest.mark.parametrize("seed", range(30))
def test_longer_permutations(seed: int) -> None:
    generator = random.Random(seed)
    n = generator.randint(7, 12)
    values = list(range(n))
    for _ in range(generator.randint(1, 4)):  # few changes leave many intervals
        i, j = sorted(generator.sample(range(n + 1), 2))
        values[i:j] = values[i:j][::-1]
    assert permutation_tree(values).rank == smallest_rank(values)


def test_long_permutations_take_linear_work() -> None:
    n = 200_000
    assert permutation_tree(range(n)).rank == 2
    values = list(range(n))
    random.Random(1).shuffle(values)
    assert len(permutation_tree(values).nodes()) > n


def test_shapes() -> None:
    assert str(permutation_tree([0, 1, 2])) == "((1 2) 3)"
    assert str(permutation_tree([2, 0, 3, 1, 4])) == "((3 1 4 2) 5)"
    assert permutation_tree([2, 0, 3, 1]).permutation == (1, 3, 0, 2)
    assert permutation_tree([0]).rank == 1


@pytest.mark.parametrize("bad", [[], [1], [0, 0], [0, 2], [-1, 0]])
def test_what_is_not_a_permutation(bad: list[int]) -> None:
    with pytest.raises(ValueError, match="each of the numbers"):
        permutation_tree(bad)
