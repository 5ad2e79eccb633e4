import re
from itertools import combinations
from xml.etree import ElementTree

import pytest
from hypothesis import given

from palmette.drawing.canvas import svg_width, text_width
from palmette.drawing.trees import draw, draw_svg
from palmette.formats.brackets import read_brackets
from palmette.formats.discbracket import read_discbrackets
from palmette.trees.tree import Leaf, Tree
from samples.corpora import real_file
from samples.dependency_treebank import tower, trees

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


def segments_and_boxes(tree):
    """The straight lines of an image, and the rectangle that each text takes."""
    root = ElementTree.fromstring(draw_svg(tree))
    space = "{http://www.w3.org/2000/svg}"
    numbers = re.findall(r"M([\d.]+) ([\d.]+)L([\d.]+) ([\d.]+)", root.find(space + "path").get("d"))
    lines = [tuple(map(float, four)) for four in numbers]
    boxes = []
    for text in root.iter(space + "text"):
        x, base = float(text.get("x")), float(text.get("y"))
        half = svg_width(text.text, 14, bold=text.get("font-weight") is not None) / 2
        boxes.append((x - half, base - 11, x + half, base + 3))
    return lines, boxes


def cross(a, b):
    """Whether two lines have a point in common other than their ends."""
    if a[:2] == b[:2]:
        return False

    def side(line, x, y):
        x1, y1, x2, y2 = line
        return (x2 - x1) * (y - y1) - (y2 - y1) * (x - x1)

    return side(a, *b[:2]) * side(a, *b[2:]) < -1e-6 and side(b, *a[:2]) * side(b, *a[2:]) < -1e-6


def touches(line, box):
    x1, y1, x2, y2 = line
    left, top, right, bottom = box
    for k in range(1, 20):
        x, y = x1 + (x2 - x1) * k / 20, y1 + (y2 - y1) * k / 20
        if left < x < right and top < y < bottom:
            return True
    return False


def is_clear(tree):
    """No lines cross each other or a text, and no texts overlap."""
    lines, boxes = segments_and_boxes(tree)
    assert len(lines) == len(boxes) - 1
    assert not any(cross(a, b) for a, b in combinations(lines, 2))
    assert not any(touches(line, box) for line in lines for box in boxes)
    for a, b in combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    assert min(box[0] for box in boxes) >= 0


@given(trees(discontinuous=False))
def test_images_of_continuous_trees_are_clear(tree):
    is_clear(tree)


def test_images_of_real_trees_are_clear():
    for tree in read_brackets(real_file("const_en_ptb/dev.mrg"))[:20]:
        is_clear(tree)


@pytest.mark.parametrize("drawn", [draw, draw_svg])
def test_drawings_have_a_largest_size(drawn):
    wide = Tree("S", [Leaf(f"word{i}", i) for i in range(2_000)])
    with pytest.raises(ValueError, match=r"at most 10,000 characters are drawn: raise max_cells"):
        drawn(wide, max_cells=10_000)
    assert "word1999" in drawn(wide)
    crossing = Tree("S", [Tree("A", [Leaf("a", i), Leaf("b", 3_999 - i)]) for i in range(2_000)])
    with pytest.raises(ValueError, match="max_cells"):
        drawn(crossing)
