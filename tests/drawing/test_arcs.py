"""Arcs above words: whole drawings by hand, and what must hold of any."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.drawing.arcs import draw_arcs, draw_arcs_svg
from palmette.drawing.canvas import text_width
from palmette.formats.conllu import read_conllu
from palmette.trees.dependency_tree import DependencyTree
from samples.corpora import real_file

pytestmark = pytest.mark.native

EATING = DependencyTree(
    [2, 0, 4, 2],
    ["nsubj", "root", "det", "obj"],
    "Birds eat the worms".split(),
    "NOUN VERB DET NOUN".split(),
)
HEARING = DependencyTree([2, 4, 4, 0, 7, 7, 2, 4], None, "A hearing is scheduled on the issue today".split())


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def test_with_tags() -> None:
    want = """
          root
           │┌───obj────┐
  ┌─nsubj─┐││   ┌─det─┐│
  ▼       │▼│   ▼     │▼
Birds     eat  the   worms
 NOUN     VERB DET    NOUN
"""
    assert lines(draw_arcs(EATING)) == lines(want)


def test_plain_ascii() -> None:
    want = """
          root
           |+---obj----+
  +-nsubj-+||   +-det-+|
  v       |v|   v     |v
Birds     eat  the   worms
 NOUN     VERB DET    NOUN
"""
    assert lines(draw_arcs(EATING, ascii=True)) == lines(want)


def test_arcs_that_cross_do_not_meet() -> None:
    want = """
                root
      ┌──────────│──────────────┐
      │          │┌─────────────│─────┐
     ┌│─────────┐││    ┌───────┐│     │
┌───┐││   ┌─────┤││    │   ┌───┤│     │
▼   │▼│   ▼     │▼│    ▼   ▼   │▼     ▼
A hearing is scheduled on the issue today
"""
    assert lines(draw_arcs(HEARING)) == lines(want)


def test_labels_step_aside_for_lines() -> None:
    tree = DependencyTree(HEARING.heads, "det nsubj aux root case det nmod advmod".split(), HEARING.forms)
    want = """
                  root
        ┌──────────│nmod────────────┐
        │          │┌───────advmod──│─────┐
       ┌│─nsubj───┐││    ┌──case───┐│     │
┌─det─┐││   ┌─aux─┤││    │   ┌─det─┤│     │
▼     │▼│   ▼     │▼│    ▼   ▼     │▼     ▼
A   hearing is scheduled on the   issue today
"""
    assert lines(draw_arcs(tree)) == lines(want)


def test_too_wide_comes_as_a_list() -> None:
    want = """
2 eat  VERB  root
├─ 1 Birds  NOUN  nsubj
└─ 4 worms  NOUN  obj
   └─ 3 the  DET  det
"""
    assert lines(draw_arcs(EATING, width=20)) == lines(want)
    assert draw_arcs(EATING, width=26) == draw_arcs(EATING)
    assert "`- 3 the" in draw_arcs(EATING, width=20, ascii=True)
    assert draw_arcs(DependencyTree([2, 1]), width=1) == "1 <- 2  1\n2 <- 1  2"


def test_small_and_strange_graphs() -> None:
    assert draw_arcs(DependencyTree([])) == ""
    assert draw_arcs(DependencyTree([0], ["root"], ["Go"])) == "root\n ▼\n Go"
    assert draw_arcs(DependencyTree([-1], None, ["Go"])).split() == ["Go"]
    assert draw_arcs(DependencyTree([1], ["loop"], ["Go"])).split() == ["Go"]
    two = draw_arcs(DependencyTree([0, 0], ["root", "root"], ["a", "b"]))
    assert lines(two)[0].split() == ["root", "root"]
    assert "\x1b" not in draw_arcs(DependencyTree([0], ["\x1b[2J"], ["\x1b[2J"]))


@st.composite
def labelled(draw: st.DrawFn) -> DependencyTree:
    n = draw(st.integers(0, 9))
    text = st.text(st.sampled_from("abé時<&\"'\u0301\x07"), min_size=1, max_size=9)
    words = st.lists(text, min_size=n, max_size=n)
    heads = draw(st.lists(st.integers(-1, n + 1), min_size=n, max_size=n))
    return DependencyTree(heads, draw(words), draw(words), draw(st.none() | words))


@given(labelled())
def test_any_graph_can_be_drawn(tree: DependencyTree) -> None:
    drawn = draw_arcs(tree)
    arrows = sum(arc.head != arc.word for arc in tree.arcs)
    assert drawn.count("▼") == arrows
    rows = drawn.split("\n")
    if len(tree):
        words = rows[-1 if tree.tags is None else -2]
        forms = ["".join(c if c.isprintable() else "�" for c in form) for form in tree.forms or ()]
        assert words.split() == forms
    assert draw_arcs(tree, width=max(map(text_width, rows)) + 20) == drawn
    ElementTree.fromstring(draw_arcs_svg(tree))
    draw_arcs(tree, width=1)


def test_every_label_of_a_projective_tree_is_whole() -> None:
    corpus = read_conllu(real_file("ud_en_ewt/test.conllu.gz"))[:200]
    for tree in map(DependencyTree.of, corpus):
        if tree.is_projective:
            above = draw_arcs(tree).rsplit("\n", 3)[0]
            for label in tree.labels or ():
                assert label in above
            assert len(draw_arcs(tree).split("\n")) <= tree.depth * 12 + 5


def test_svg() -> None:
    tree = DependencyTree([2, 0], ["<nsubj>", "root"], ["<script>", "&amp;"], ["A", "B"])
    image = draw_arcs_svg(tree)
    root = ElementTree.fromstring(image)
    texts = [node.text for node in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["<nsubj>", "root", "<script>", "A", "&amp;", "B"]
    assert "<script" not in image
    assert "currentColor" in image
    assert root.get("viewBox") is not None
    assert tree._repr_svg_() == image
    assert str(tree) == draw_arcs(tree)


def test_drawings_have_a_largest_size():
    n = 2_000
    flat = DependencyTree([0] + [1] * (n - 1), ["root"] + ["dep"] * (n - 1), [f"w{i}" for i in range(n)])
    assert draw_arcs(flat).count("\n") == n - 1  # a list
    with pytest.raises(ValueError, match="max_cells"):
        draw_arcs_svg(flat)
    chain = DependencyTree(list(range(n)), ["root"] + ["dep"] * (n - 1), [f"w{i}" for i in range(n)])
    assert draw_arcs_svg(chain).count("<text") == 2 * n
    with pytest.raises(ValueError, match=r"2,000 words is too deep .* raise max_cells"):
        draw_arcs(chain, max_cells=5_000)
