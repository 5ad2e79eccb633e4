from xml.etree import ElementTree

import pytest
from hypothesis import given

from palmette.drawing import draw, draw_svg, text_width
from palmette.formats.discbracket import read_discbrackets
from palmette.trees import Leaf, Tree
from shared_data import real_file
from tree_data import tower, trees

pytestmark = pytest.mark.native


def lines(text):
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def test_time_flies_like_an_arrow():
    tree = Tree.parse("(S (NP (NN time)) (VP (VBZ flies) (PP (IN like) (NP (DT an) (NN arrow)))))")
    want = """
        S
  ┌─────┴─────┐
  │           VP
  │      ┌────┴────┐
  │      │         PP
  │      │     ┌───┴───┐
  NP     │     │       NP
  │      │     │    ┌──┴──┐
  NN    VBZ    IN   DT    NN
  │      │     │    │     │
 time  flies  like  an  arrow
"""
    assert lines(draw(tree)) == lines(want)


def test_plain_ascii():
    tree = Tree.parse("(S (NP (NN time)) (VP (VBZ flies)))")
    want = """
     S
  +--+---+
  NP     VP
  |      |
  NN    VBZ
  |      |
 time  flies
"""
    assert lines(draw(tree, ascii=True)) == lines(want)


def test_branches_that_cross_do_not_meet():
    tree = Tree.parse("(S (VP (WP 0=What) (VBN 3=done)) (VBZ 1=is) (RB 2=now))", positions=True)
    want = """
          S
        ┌─┼──┐
        │ VP │
  ┌─────│─┴──│────┐
  WP   VBZ   RB  VBN
  │     │    │    │
 What   is  now  done
"""
    assert lines(draw(tree)) == lines(want)


def test_two_nodes_in_each_other_stand_on_two_levels():
    tree = Tree.parse("(S (A 0=a 2=c) (B 1=b 3=d))", positions=True)
    rows = draw(tree).split("\n")
    assert [row.strip()[0] for row in rows if row.strip()[0].isalpha()] == ["S", "A", "a"]
    assert sum("B" in row and "A" not in row for row in rows) == 1


def test_long_labels_widen_what_is_below():
    rows = draw(Tree.parse("(NP-SBJ-WITH-A-LONG-LABEL (A a) (ANOTHER-LONG-ONE b))")).split("\n")
    assert rows[0].strip() == "NP-SBJ-WITH-A-LONG-LABEL"
    assert rows[2].split() == ["A", "ANOTHER-LONG-ONE"]


def test_wide_characters_take_two_columns():
    assert text_width("時間") == 4
    assert text_width("e\u0301") == 1
    rows = draw(Tree.parse("(S (N 時間) (V 飛ぶ))")).split("\n")
    assert rows[-1].split() == ["時間", "飛ぶ"]
    assert text_width(rows[-1]) >= text_width(rows[-3])


def is_legible(tree):
    """Every word is in the last row, in order, and every label is somewhere above."""
    *above, last = draw(tree).split("\n")
    assert last.split() == tree.words
    text = "\n".join(above)
    assert all(node.label in text for node in tree.preorder())


@given(trees(discontinuous=False))
def test_random_continuous_trees_are_drawn_whole(tree):
    *_, last = draw(tree).split("\n")
    assert last.replace(" ", "") == "".join(tree.words)
    ElementTree.fromstring(draw_svg(tree))


@given(trees())
def test_random_trees_are_drawn_with_their_words_in_order(tree):
    *_, last = draw(tree).split("\n")
    assert last.replace(" ", "") == "".join(tree.words)
    assert not set(draw(tree, ascii=True)) & set("│─┌┐└┘├┤┬┴┼")


def test_real_discontinuous_trees():
    for tree in read_discbrackets(real_file("disc_nl_alpino/dev.discbracket"))[:100]:
        is_legible(tree)


def test_a_deep_tree():
    assert draw(tower(10_000)).count("A") == 10_000
    assert draw_svg(tower(10_000)).count("<text") == 10_001


def test_svg_is_xml_with_escaped_text():
    tree = Tree("<&>", [Leaf("a<b", 0), Leaf('"\x00\ud800', 1)])
    root = ElementTree.fromstring(draw_svg(tree))
    space = "{http://www.w3.org/2000/svg}"
    assert sorted(text.text for text in root.iter(space + "text")) == ['"��', "<&>", "a<b"]
    assert root.find(space + "title").text.startswith("a<b")


def test_a_notebook_shows_the_drawing():
    tree = Tree.parse("(S (NP time) (VP flies))")
    assert tree._repr_svg_() == draw_svg(tree)
