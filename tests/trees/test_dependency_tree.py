"""Dependency graphs: every predicate against its definition on all small graphs, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import trees as slow
from palmette.formats.conllu import parse_conllu, read_conllu
from palmette.trees.dependency_tree import Arc, DependencyTree
from palmette.trees.shapes import projectivise, tree_shapes
from samples.corpora import corpus_file

pytestmark = pytest.mark.native


@pytest.mark.parametrize(("n", "highest"), [(0, 0), (1, 2), (2, 3), (3, 4), (4, 5), (5, 5)])
def test_all_small_graphs(n: int, highest: int) -> None:
    """Cycles, loops, several roots, heads missing and out of range among them."""
    graphs = list(slow.all_heads(n, -1 if n < 5 else 0, highest))
    shapes = tree_shapes(np.ravel(np.array(graphs, np.int32)), np.arange(len(graphs) + 1) * n)
    crossed = shapes.crossed.reshape(len(graphs), n)
    for i, heads in enumerate(graphs):
        connected = slow.is_connected(heads)
        wanted = slow.crossed(heads)
        assert shapes.is_single_headed[i] == all(0 <= h <= n for h in heads)
        assert shapes.is_single_rooted[i] == (sum(h == 0 for h in heads) == 1)
        assert shapes.is_acyclic[i] == slow.is_acyclic(heads)
        assert shapes.is_connected[i] == connected
        assert shapes.is_tree[i] == (slow.is_acyclic(heads) and all(0 <= h <= n for h in heads))
        assert crossed[i].tolist() == wanted
        assert shapes.is_projective[i] == (not any(wanted))
        assert shapes.gap_degree[i] == slow.gap_degree(heads)
        assert shapes.is_well_nested[i] == slow.is_well_nested(heads), heads
        assert shapes.depth[i] == slow.depth(heads)


def test_all_small_trees_are_lifted_as_defined() -> None:
    trees = [heads for heads in slow.all_heads(5, 0) if slow.is_connected(heads)]
    assert len(trees) == 6**4  # Cayley: trees of n + 1 nodes with a given root
    lifted, lifts = projectivise(np.ravel(trees), np.arange(len(trees) + 1) * 5)
    for i, heads in enumerate(trees):
        assert (tuple(lifted[5 * i : 5 * i + 5]), tuple(lifts[5 * i : 5 * i + 5])) == slow.projectivised(
            heads
        )


@st.composite
def graphs(draw: st.DrawFn, trees: bool = False) -> list[int]:
    n = draw(st.integers(1, 10))
    if not trees:
        return draw(st.lists(st.integers(-1, n + 1), min_size=n, max_size=n))
    order = draw(st.permutations(range(1, n + 1)))
    heads = [0] * n
    for place, word in enumerate(order):
        heads[word - 1] = draw(st.sampled_from([0, *order[:place]]))
    return heads


@given(graphs() | graphs(trees=True))
def test_larger_graphs(heads: list[int]) -> None:
    tree = DependencyTree(heads)
    assert tree.is_acyclic == slow.is_acyclic(heads)
    assert tree.is_projective == (not any(slow.crossed(heads)))
    assert tree.gap_degree == slow.gap_degree(heads)
    assert tree.is_well_nested == slow.is_well_nested(heads)
    found = tree.crossings()
    assert len(found) == len({frozenset(a.ends for a in pair) for pair in found}) or not tree.is_acyclic
    assert {frozenset((a.head, a.word) for a in pair) for pair in found} == slow.crossings(heads)
    for node in range(len(heads) + 1):
        assert set(tree.subtree(node)) == slow.dominated(heads, node)
        assert len(tree.projection(node)) <= tree.gap_degree + 1
    assert (tree.problem(single_root=False) is None) == tree.is_tree


@given(graphs(trees=True))
def test_lifting(heads: list[int]) -> None:
    tree, lifts = DependencyTree(heads).projectivised()
    want, each = slow.projectivised(heads)
    assert (tree.heads, lifts) == (want, sum(each))
    assert tree.is_projective
    assert tree.is_tree


def test_a_sentence_with_a_gap() -> None:
    """ "A hearing is scheduled on the issue today": the modifier of the first noun stands behind the verb."""
    forms = "A hearing is scheduled on the issue today".split()
    tree = DependencyTree([2, 4, 4, 0, 7, 7, 2, 4], None, forms)
    assert not tree.is_projective
    assert tree.nonprojective_arcs() == [Arc(2, 7)]
    assert tree.gap_degree == 1
    assert tree.is_well_nested
    assert tree.projection(2) == ((1, 2), (5, 7))
    assert tree.depth == 4
    assert tree.crossings() == [(Arc(0, 4), Arc(2, 7)), (Arc(2, 7), Arc(4, 8))]
    lifted, lifts = tree.projectivised()
    assert (lifted.heads, lifts) == ((2, 4, 4, 0, 7, 7, 4, 4), 1)
    assert lifted.forms == tuple(forms)


def test_ill_nested() -> None:
    tree = DependencyTree([0, 1, 1, 2, 3])  # 2 and 4 interleave with 3 and 5
    assert not tree.is_well_nested
    assert tree.gap_degree == 1


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([-1, 0], "word 1 has no head"),
        ([9, 0], "word 1 has the head 9 in a sentence of 2 words"),
        ([2, 3, 1, 0], "words 1, 2, 3 are heads of each other in a cycle"),
        ([0, 2], "word 2 is its own head"),
        ([0, 0, 0, 0], "4 words hang from the root (1, 2, 3, …) where one should"),
    ],
)
def test_what_is_wrong_in_words(heads: list[int], message: str) -> None:
    assert DependencyTree(heads).problem() == message
    with pytest.raises(ValueError, match="The heads are not a tree: "):
        DependencyTree(heads).check()


def test_where_a_tree_is_needed() -> None:
    cyclic = DependencyTree([2, 1])
    for work in (cyclic.projectivised, cyclic.check, lambda: cyclic.depth):
        with pytest.raises(ValueError, match="words 1, 2 are heads of each other"):
            work()
    with pytest.raises(ValueError, match="Sentence 2 is not a tree: word 1 is its own head"):
        projectivise([0, 1], [0, 1, 2])
    with pytest.raises(IndexError, match="no node 3 in a sentence of 2 words"):
        cyclic.children(3)


def test_input_is_checked() -> None:
    with pytest.raises(ValueError, match="There are 1 labels for 2 heads"):
        DependencyTree([0, 1], ["root"])
    with pytest.raises(TypeError, match="must be a list of strings"):
        DependencyTree([0, 1], forms="ab")
    with pytest.raises(ValueError, match="whole numbers"):
        tree_shapes([0.5], [0, 1])
    with pytest.raises(ValueError, match="must rise from 0 to the 1 heads"):
        tree_shapes([0], [0, 2])
    assert not DependencyTree([2**40]).is_single_headed
    assert not DependencyTree([-(2**40)]).is_tree


def test_no_words() -> None:
    tree = DependencyTree([])
    assert tree.is_tree
    assert tree.is_projective
    assert tree.is_well_nested
    assert not tree.is_single_rooted
    assert (tree.gap_degree, tree.depth, tree.arcs, tree.problem()) == (0, 0, [], None)
    assert tree.projectivised() == (tree, 0)


def test_long_sentences_take_no_recursion_and_no_squares() -> None:
    n = 200_000
    chain = np.arange(n, dtype=np.int32)
    assert tree_shapes(chain, [0, n]).depth[0] == n
    odd = np.where(np.arange(1, n + 1) % 2 == 1, np.maximum(np.arange(-1, n - 1), 0), 0)
    shapes = tree_shapes(odd, [0, n])  # a chain of the odd words, the others at the root
    assert shapes.is_tree[0]
    assert shapes.is_well_nested[0]
    assert shapes.gap_degree[0] == n // 2 - 1
    even = np.where(np.arange(1, n + 1) > 2, np.arange(-1, n - 1), 0)
    assert not tree_shapes(even, [0, n]).is_well_nested[0]  # two chains that alternate


def test_parts_and_text() -> None:
    text = "1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n2\ton\ton\tADP\t_\t_\t1\tcompound:prt\t_\t_\n\n"
    tree = DependencyTree.of(parse_conllu(text)[0])
    assert tree == DependencyTree([0, 1], ["root", "compound:prt"], ["Go", "on"], ["VERB", "ADP"])
    assert hash(tree) == hash(eval(repr(tree)))
    assert tree.arcs == [Arc(0, 1, "root"), Arc(1, 2, "compound:prt")]
    assert repr(DependencyTree([0])) == "DependencyTree([0])"


@pytest.mark.parametrize(("name", "share"), [("ud_nl_lassysmall", 0.29), ("ud_eu_bdt", 0.34)])
def test_real_treebanks(name: str, share: float) -> None:
    corpus = read_conllu(corpus_file(f"{name}/train.conllu.gz"))
    shapes = tree_shapes(corpus.heads, corpus.offsets)
    assert shapes.is_tree.all()
    assert shapes.is_single_rooted.all()
    assert abs((~shapes.is_projective).mean() - share) < 0.02
    assert ((shapes.gap_degree == 0) == shapes.is_projective).all()
    lifted, lifts = projectivise(corpus.heads, corpus.offsets)
    assert tree_shapes(lifted, corpus.offsets).is_projective.all()
    assert ((lifts > 0) == (lifted != corpus.heads)).all()
