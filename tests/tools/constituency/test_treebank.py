from __future__ import annotations

import pytest

from palmette.formats.brackets import read_brackets
from palmette.formats.conversion.cleaning import is_icepahc_null, is_penn_null, remove_empty, strip_functions
from palmette.formats.functions import PENN, Functions
from palmette.tools.constituency.treebank import ROOTS, clean_trees, sentences_of
from palmette.transforms.unaries import without_cycles
from palmette.trees.tree import Leaf, Tree
from samples.corpora import real_file
from samples.random_brackets import random_tree


def slow(tree: Tree, is_null, functions: bool = False) -> Tree | None:
    """Cleaning step by step."""
    kept = remove_empty(tree, is_null)
    if kept is None:
        return None
    kept = _without_indices(kept) if functions else strip_functions(kept)
    if kept.label in ROOTS and not kept.is_preterminal:
        return without_cycles(Tree("TOP", kept.children, kept.note))
    return without_cycles(Tree("TOP", [kept]))


def _without_indices(tree: Tree) -> Tree:
    return tree.fold(
        lambda leaf: leaf,
        lambda old, below: Tree(
            old.label if old.is_preterminal else PENN.without_indices(old.label), below, old.note
        ),
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(S (NP-SBJ (-NONE- *)) (VP=1 (VB go)))", "(TOP (S (VP (VB go))))"),
        ("((S (NN-X a)))", "(TOP (S (NN-X a)))"),
        ("(ROOT (S (S (A a))))", "(TOP (S (A a)))"),
        ("(TOP (A a))", "(TOP (A a))"),
        ("(NN a)", "(TOP (NN a))"),
        ("(TOP (TOP (S (A a) (B b))))", "(TOP (S (A a) (B b)))"),
        ("(VROOT (S (-LRB- -LRB-) (NP-1 (A a))))", "(TOP (S (-LRB- -LRB-) (NP (A a))))"),
    ],
)
def test_by_hand(before, after):
    assert clean_trees([Tree.parse(before), Tree.parse("(-NONE- *)")]) == [Tree.parse(after), None]


@pytest.mark.parametrize("penn", [True, False])
@pytest.mark.parametrize("functions", [True, False])
def test_one_walk_is_the_steps_one_after_the_other(penn, functions):
    labels = ("S", "NP-SBJ", "NP", "VP=1")
    tags = ("NN-X", "VB", "-NONE-") if penn else ("NN-X", "VB")
    for seed in range(60):
        words = [("*T*", "0", "a", "b")[(seed * 7 + i * i) % 4] for i in range(7)]
        tree = random_tree(
            seed, 7, labels=labels, tags=tags, words=words, chains=0.5, gaps=seed % 3 == 0, root="ROOT"
        )
        marked = [tree, Tree("-NONE-", [Leaf("*", 0)])] if penn else [tree]
        want = slow(tree, is_penn_null if penn else is_icepahc_null, functions)
        assert clean_trees(marked, keep_functions=functions)[0] == want


def test_the_words_are_numbered_again():
    tree = Tree.parse("(S (NP (-NONE- 0=*) (N 3=c)) (V 1=a) (X 2=b))", positions=True)
    (clean,) = clean_trees([tree])
    assert clean == Tree.parse("(TOP (S (V 0=a) (X 1=b) (NP (N 2=c))))", positions=True)
    assert sentences_of([clean]) == [["a", "b", "c"]]


@pytest.mark.parametrize("name", ["const_en_ptb", "const_is_icepahc"])
def test_real_trees(name):
    trees = read_brackets(real_file(f"{name}/dev.mrg"))[:200]
    penn = any("-NONE-" in tree.tags for tree in trees)
    assert clean_trees(trees) == [slow(tree, is_penn_null if penn else is_icepahc_null) for tree in trees]


def test_tags_lose_functions_where_they_have_them():
    tree = Tree.parse("(STA+fcl (SUBJ+np (>N+art a) (H+n cat)) (P+vp (MV+v-fin sleeps)))")
    (bare,) = clean_trees([tree], functions=Functions("+", first=True, tags=True))
    assert str(bare) == "(TOP (fcl (np (art a) (n cat)) (vp (v-fin sleeps))))"
    (kept,) = clean_trees([tree], functions=Functions("+", first=True, tags=True), keep_functions=True)
    assert str(kept) == f"(TOP {tree})"
