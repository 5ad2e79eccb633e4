from __future__ import annotations

import pytest

from palmette.transforms.binarization import Binarization, is_made, unbinarized
from palmette.trees.tree import Leaf, Tree
from samples.random_brackets import random_tree

TREE = "(TOP (S (NP (DT a) (JJ b) (JJ c) (NN d)) (VP (VB e)) (. .)))"

OPTIONS = [
    {},
    {"horizontal": 0},
    {"horizontal": 2, "vertical": 2},
    {"horizontal": 1, "vertical": 3, "tags": True},
    {"leftward": True},
    {"horizontal": 1, "vertical": 2, "leftward": True},
]


def test_a_tree_by_hand():
    assert str(Binarization()(Tree.parse(TREE))) == (
        "(TOP (S (NP (DT a) (@NP|DT (JJ b) (@NP|DT-JJ (JJ c) (NN d)))) (@S|NP (VP (VB e)) (. .))))"
    )
    assert str(Binarization(horizontal=0, vertical=2, tags=True)(Tree.parse(TREE))) == (
        "(TOP (S^TOP (NP^S (DT^NP a) (@NP^S| (JJ^NP b) (@NP^S| (JJ^NP c) (NN^NP d)))) "
        "(@S^TOP| (VP^S (VB^VP e)) (.^S .))))"
    )
    assert str(Binarization(horizontal=1, leftward=True)(Tree.parse(TREE))) == (
        "(TOP (S (@S|. (NP (@NP|NN (@NP|JJ (DT a) (JJ b)) (JJ c)) (NN d)) (VP (VB e))) (. .)))"
    )


def slow(tree: Tree, horizontal: int | None, vertical: int, tags: bool, above: tuple[str, ...] = ()) -> Tree:
    """The same for trees without gaps that grow to the right, by recursion."""
    shown = above[: vertical - 1] if tags or not tree.is_preterminal else ()
    label = "^".join((tree.label, *shown))
    if tree.is_preterminal:
        return Tree(label, tree.children)
    children = [slow(child, horizontal, vertical, tags, (tree.label, *above)) for child in tree]

    def group(k: int) -> Tree:
        """The children from k on."""
        if k == len(children) - 1:
            return children[k]
        names = [child.label for child in tree.children[:k]]
        seen = names if horizontal is None else names[max(0, k - horizontal) :]
        return Tree(f"@{label}|{'-'.join(seen)}", [children[k], group(k + 1)])

    return Tree(label, [children[0], group(1)] if len(children) > 1 else children)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("options", OPTIONS[:4])
def test_trees_are_those_of_the_recursion(seed, options):
    tree = random_tree(seed, n=10)
    wanted = {"horizontal": None, "vertical": 1, "tags": False, **options}
    assert Binarization(**options)(tree) == slow(tree, **wanted)


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("options", OPTIONS)
def test_two_children_at_most_and_back(options, gaps):
    for seed in range(30):
        tree = random_tree(seed, n=9, gaps=gaps)
        made = Binarization(**options)(tree)
        assert all(len(node) <= 2 for node in made.preorder())
        assert made.words == tree.words
        assert unbinarized(made) == tree
        for node in made.preorder():  # children stand in the order of their first words
            firsts = [child.position if isinstance(child, Leaf) else child.first for child in node]
            assert firsts == sorted(firsts)
            assert node.first == firsts[0]


def test_parts_that_interleave_come_back_in_order():
    made = Tree.parse("(S (@S (A 0=a) (C 2=c)) (B 1=b))", positions=True)
    assert unbinarized(made) == Tree.parse("(S (A a) (B b) (C c))")


def test_words_below_phrases_and_notes():
    tree = Tree("VP", [Leaf("a", 0), Tree("X", [Leaf("b", 1)]), Leaf("c", 2)], note="kept")
    made = Binarization()(tree)
    assert str(made) == "(VP a (@VP|a (X b) c))"
    assert made.note == "kept"
    assert unbinarized(made) == tree
    assert unbinarized(made).note == "kept"


def test_labels_of_one_s_own():
    made = Binarization(vertical=2)(Tree.parse(TREE))
    assert unbinarized(made, str.lower).label == "top"
    assert is_made("@NP|DT")
    assert not is_made("NP")


def test_a_tag_alone():
    assert Binarization(vertical=3, tags=True)(Tree.parse("(NN a)")) == Tree.parse("(NN a)")


def test_very_deep_trees():
    tree: Tree = Tree("A", [Leaf("w", 0)])
    for i in range(20_000):
        tree = Tree(f"X{i % 3}", [tree])
    assert unbinarized(Binarization(horizontal=1, vertical=2)(tree)) == tree


@pytest.mark.parametrize("label", ["@NP", "NP^S"])
def test_signs_of_ours_are_refused(label):
    with pytest.raises(ValueError, match="cannot be binarized"):
        Binarization()(Tree("TOP", [Tree(label, [Tree("A", [Leaf("a", 0)])])]))


def test_bad_options_and_parts_of_trees():
    with pytest.raises(ValueError, match=r"'horizontal' parameter must be None or at least 0. Got -1"):
        Binarization(horizontal=-1)
    with pytest.raises(ValueError, match=r"'vertical' parameter must be at least 1. Got 0"):
        Binarization(vertical=0)
    with pytest.raises(ValueError, match="part of a tree"):
        unbinarized(Tree.parse("(@S (A a) (B b))"))
