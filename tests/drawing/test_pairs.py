"""Two trees side by side, in a terminal and as an image."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from palmette.drawing.canvas import TooLargeError
from palmette.drawing.pairs import draw_pair, draw_pair_svg
from palmette.grammars.synchronous.grammar import SynchronousGrammar
from palmette.trees.tree import Tree

SOURCE, TARGET = Tree.parse("(S (NP il) (VP ne (V va) pas))"), Tree.parse("(S (NP he) (VP not (V go)))")
LINKS = [(0, 0), (1, 1), (2, 2), (3, 3)]
SPACE = "{http://www.w3.org/2000/svg}"


def test_side_by_side() -> None:
    rows = draw_pair(SOURCE, TARGET, LINKS).split("\n")
    assert rows[-1].split() == "il ne va pas he not go".split()
    assert "NP²" in rows[4]
    assert rows[4].count("NP²") == 2
    low = draw_pair(SOURCE, TARGET, LINKS, width=20, ascii=True)
    assert low.isascii()
    assert low.count("V_4") == 2
    assert max(map(len, low.split("\n"))) <= 20


def test_an_image_has_a_line_for_each_link_in_its_colour() -> None:
    image = ElementTree.fromstring(draw_pair_svg(SOURCE, TARGET, LINKS))
    texts = [one.text for one in image.iter(f"{SPACE}text")]
    assert sorted(texts) == sorted("S NP il VP ne V va pas S NP he VP not V go".split())
    curves = [one for one in image.iter(f"{SPACE}path") if one.get("stroke-dasharray")]
    assert len(curves) == 4
    fills = {one.text: one.get("fill") for one in image.iter(f"{SPACE}text")}
    assert [curve.get("stroke") for curve in curves] == [fills[name] for name in ("S", "NP", "VP", "V")]
    words = [
        float(str(one.get("y")))
        for one in image.iter(f"{SPACE}text")
        if one.text in ("il", "pas", "he", "go")
    ]
    assert len(set(words)) == 1  # both sentences on one line


def test_bad_links_and_large_drawings() -> None:
    for draw in (draw_pair, draw_pair_svg):
        with pytest.raises(ValueError, match="outside of trees with 4 and 4 nodes"):
            draw(SOURCE, TARGET, [(0, 4)])
        with pytest.raises(TooLargeError):
            draw(SOURCE, TARGET, LINKS, max_cells=20)


@pytest.mark.native
def test_a_derivation_shows_itself() -> None:
    grammar = SynchronousGrammar("S -> A1 B2 , B2 A1\nA -> a , x\nB -> b , ε\nB -> c , y", weighted=True)
    best = grammar.parse(["a", "c"]).best()
    assert best is not None
    assert best.links() == [(0, 0), (1, 2), (2, 1)]
    assert best.draw().count("²") == 2
    assert best._repr_svg_() == best.svg()
    one_sided = grammar.parse(["a", "b"]).best()
    assert one_sided is not None
    assert one_sided.links() == [(0, 0), (1, 1)]  # B has no words on the target side
