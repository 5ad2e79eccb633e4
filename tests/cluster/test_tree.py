"""Sums as trees: the same order of additions, whatever comes first and whoever adds."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from palmette.cluster.tree import Node, TreeSum, cover, tree_sum


def written(a: str, b: str) -> str:
    return f"({a}{b})"


def by_rounds(values: list[str]) -> str:
    """The definition: neighbours are added, round after round."""
    while len(values) > 1:
        pairs = [values[k : k + 2] for k in range(0, len(values), 2)]
        values = [written(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return values[0]


@given(st.integers(1, 40), st.randoms(use_true_random=False))
def test_the_order_of_arrival_does_not_matter(n: int, random: object) -> None:
    order = list(range(n))
    random.shuffle(order)  # type: ignore[attr-defined]
    total = TreeSum(n, written)
    for k in order:
        total.put(Node(0, k), f"{k} ")
    assert (
        total.value
        == by_rounds([f"{k} " for k in range(n)])
        == tree_sum([f"{k} " for k in range(n)], written)
    )


@given(
    st.integers(1, 40),
    st.lists(st.integers(0, 40), max_size=5),
    st.one_of(st.none(), st.integers(1, 8)),
)
def test_subtrees_of_runs_give_the_same_sum(n: int, cuts: list[int], largest: int | None) -> None:
    bounds = [0, *sorted(min(cut, n) for cut in cuts), n]
    nodes = [node for a, b in pairwise(bounds) for node in cover(a, b, n, largest=largest)]
    leaves = [k for node in nodes for k in node.leaves if k < n]
    assert leaves == list(range(n))
    total = TreeSum(n, written)
    for node in reversed(nodes):
        total.put(node, tree_sum([f"{k} " for k in node.leaves if k < n], written))
    assert total.value == by_rounds([f"{k} " for k in range(n)])
    if largest is not None:
        assert all(len([k for k in node.leaves if k < n]) <= largest for node in nodes)


def test_a_run_is_covered_by_few_nodes() -> None:
    assert list(cover(0, 16, 16)) == [Node(4, 0)]
    assert list(cover(0, 11, 11)) == [Node(4, 0)]
    assert len(list(cover(1, 1023, 1024))) == 18
