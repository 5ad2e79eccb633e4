import copy
import gc
import pickle

import pytest
from hypothesis import given

from palmette import _native
from palmette.formats.conversion.cleaning import is_icepahc_null, remove_empty, strip_functions
from palmette.formats.functions import PENN
from palmette.trees.tree import Leaf, Span, Tree, unchecked_leaf, unchecked_tree
from samples.dependency_treebank import tower, trees

pytestmark = pytest.mark.native

TIME = "(S (NP (NN time)) (VP (VBZ flies) (PP (IN like) (NP (DT an) (NN arrow)))))"
WHAT = "(S (VP (WP 0=What) (VBN 2=done)) (VBZ 1=is) (. 3=?))"


def test_words_and_tags_stand_in_the_order_of_the_sentence():
    tree = Tree.parse(WHAT, positions=True)
    assert tree.words == ["What", "is", "done", "?"]
    assert tree.tags == ["WP", "VBZ", "VBN", "."]
    assert tree.leaves[1] == Leaf("is", 1)


def test_a_tree_reads_like_a_sequence_of_its_children():
    tree = Tree.parse(TIME)
    assert [child.label for child in tree] == ["NP", "VP"]
    assert len(tree) == 2
    assert tree[1] is tree.children[1]
    assert tree[1].first == 1
    assert tree[0][0].is_preterminal
    assert not tree.is_preterminal


def test_preorder_and_postorder():
    tree = Tree.parse("(A (B b) (C (D d) (E e)))")
    assert [node.label for node in tree.preorder()] == list("ABCDE")
    assert [node.label for node in tree.postorder()] == list("BDECA")


def test_spans_of_a_continuous_tree():
    assert Tree.parse(TIME).spans() == [
        Span("S", ((0, 5),)),
        Span("NP", ((0, 1),)),
        Span("VP", ((1, 5),)),
        Span("PP", ((2, 5),)),
        Span("NP", ((3, 5),)),
    ]


def test_spans_of_a_discontinuous_tree():
    tree = Tree.parse(WHAT, positions=True)
    assert tree.spans(preterminals=True)[:3] == [
        Span("S", ((0, 4),)),
        Span("VP", ((0, 1), (2, 3))),
        Span("WP", ((0, 1),)),
    ]
    vp = tree[0]
    assert (vp.fan_out, vp.segments, vp.positions) == (2, ((0, 1), (2, 3)), (0, 2))
    assert (tree.fan_out, tree.is_discontinuous) == (1, True)
    assert not Tree.parse(TIME).is_discontinuous


@given(trees())
def test_segments_are_the_runs_of_the_positions(tree):
    for node in tree.preorder():
        covered = [position for start, end in node.segments for position in range(start, end)]
        assert tuple(covered) == node.positions
        gaps = [b - a for (_, a), (b, _) in zip(node.segments, node.segments[1:])]
        assert all(gap > 0 for gap in gaps)
        assert node.fan_out == len(node.segments)
        assert node.first == node.positions[0]
    assert tree.is_discontinuous == any(node.fan_out > 1 for node in tree.preorder())


def test_children_are_put_in_the_order_of_their_first_words():
    a, b = Tree("A", [Leaf("x", 1)]), Tree("B", [Leaf("y", 0)])
    assert Tree("S", [a, b]) == Tree("S", [b, a])
    assert Tree("S", [a, b]).children == (b, a)


@given(trees())
def test_equal_trees_have_equal_hashes_and_survive_pickling(tree):
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert hash(again) == hash(tree)
    assert copy.deepcopy(tree) is tree
    assert copy.copy(tree) is tree


def test_trees_differ_by_label_word_position_and_shape():
    tree = Tree.parse("(S (A a) (B b))")
    for other in ("(T (A a) (B b))", "(S (A c) (B b))", "(S (A a) (B b) (C c))", "(S (A (A a)) (B b))"):
        assert tree != Tree.parse(other)
    assert tree != Tree.parse("(S (A 0=a) (B 2=b) (X 1=c))", positions=True)
    assert tree != "(S (A a) (B b))"


def test_notes_survive_pickling_and_take_no_part_in_equality():
    tree = Tree("S", [Tree("A", [Leaf("a", 0)], note="inner")], note="outer")
    again = pickle.loads(pickle.dumps(tree))
    assert (again.note, again[0].note) == ("outer", "inner")
    assert tree == Tree.parse("(S (A a))")


def test_trees_cannot_be_changed():
    tree = Tree.parse(TIME)
    with pytest.raises(AttributeError, match="make a new Tree instead of setting 'label'"):
        tree.label = "X"
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del tree.label
    with pytest.raises(AttributeError):
        tree.leaves[0].word = "x"


def test_what_a_tree_cannot_be_made_of():
    with pytest.raises(ValueError, match="Tree 'NP' needs at least one child; got none"):
        Tree("NP", [])
    with pytest.raises(TypeError, match=r"must be Tree or Leaf; got str. Make a leaf with Leaf\(word"):
        Tree("NP", ["time"])
    with pytest.raises(ValueError, match="takes a text with one tree; got 2"):
        Tree.parse("(A a) (B b)")


def test_text_and_representation():
    assert str(Tree.parse(TIME)) == TIME
    assert str(Tree.parse(WHAT, positions=True)) == WHAT
    for tree in (Tree.parse(TIME), Tree.parse(WHAT, positions=True)):
        assert eval(repr(tree)) == tree


def test_trees_of_ten_thousand_levels():
    tree = tower(10_000)
    assert tree == Tree.parse(str(tree))
    assert hash(tree) == hash(tower(10_000))
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert len(tree.spans()) == 9_999
    assert (tree.words, tree.tags, tree.is_discontinuous) == (["w"], ["A"], False)
    assert remove_empty(strip_functions(tree)) == tree
    assert tree.fold(lambda leaf: 0, lambda _, below: 1 + below[0]) == 10_000
    deep = Tree.parse("(A " * 300_000 + "w" + ")" * 300_000)
    assert sum(1 for _ in deep.preorder()) == 300_000
    del deep


def test_empty_elements_go_with_the_nodes_they_empty():
    tree = Tree.parse("(S (NP-SBJ-1 (-NONE- *)) (VP (VB go) (SBAR (-NONE- 0) (S (-NONE- *T*-1)))) (. .))")
    cleaned = remove_empty(tree)
    assert str(cleaned) == "(S (VP (VB go)) (. .))"
    assert cleaned.positions == (0, 1)
    assert remove_empty(Tree.parse("(S (-NONE- *))")) is None


def test_icelandic_empty_elements_are_told_by_the_word():
    tree = Tree.parse("(IP-MAT (NP-SBJ *con*) (VBDI brosti) (CP (WADVP-1 0) (C 0)) (N 10))")
    assert str(remove_empty(tree, is_icepahc_null)) == "(IP-MAT (VBDI brosti) (N 10))"


def test_empty_elements_in_a_discontinuous_tree():
    tree = Tree.parse("(S (VP 0=a 3=d) (-NONE- 1=*) (X 2=c))", positions=True)
    assert remove_empty(tree) == Tree.parse("(S (VP 0=a 2=d) (X 1=c))", positions=True)


def test_functional_tags_and_indices_go():
    bare = {"NP-SBJ-1": "NP", "NP=2": "NP", "S-TPC=1": "S", "-LRB-": "-LRB-", "-NONE-": "-NONE-"}
    assert {label: PENN.bare(label) for label in bare} == bare
    assert PENN.bare("PRP$") == "PRP$"
    tree = Tree.parse("(S-TPC (NP-SBJ (PRO-N hún)) (VP-1 (-LRB- -LRB-)))")
    assert str(strip_functions(tree)) == "(S (NP (PRO-N hún)) (VP (-LRB- -LRB-)))"
    assert str(strip_functions(tree, tags=True)) == "(S (NP (PRO hún)) (VP (-LRB- -LRB-)))"


def test_nodes_that_are_not_checked_are_the_same() -> None:
    leaf = unchecked_leaf("time", 0)
    assert leaf == Leaf("time", 0)
    tree = unchecked_tree("S", (unchecked_tree("NN", (leaf,)), Tree("VB", [Leaf("flies", 1)])), "note")
    assert tree == Tree.parse("(S (NN time) (VB flies))")
    assert (tree.first, tree.note, tree.children[0].first) == (0, "note", 0)
    assert hash(tree) == hash(Tree.parse("(S (NN time) (VB flies))"))
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert not gc.is_tracked(tree)


@pytest.mark.parametrize("children", [(), (1,), ("a",), (None, Leaf("a", 0))])
def test_nodes_of_anything_do_no_harm(children: tuple[object, ...]) -> None:
    with pytest.raises((TypeError, AttributeError)):
        unchecked_tree("S", children)
    for kind in (int, dict, object, type, type(test_nodes_of_anything_do_no_harm), 3):
        with pytest.raises(TypeError):
            _native.build_leaf(kind, "a", 0)
        with pytest.raises(TypeError):
            _native.build_tree(kind, "a", (Leaf("a", 0),), None)
