"""Hebrew and Arabic in images: words go from right to left, and letters are drawn in their order."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable
from types import ModuleType

import pytest

from palmette.drawing import draw_labels_svg, raster
from palmette.drawing.arcs import draw_arcs_svg
from palmette.drawing.trees import draw_svg
from palmette.trees.dependency_tree import DependencyTree
from palmette.trees.tree import Leaf, Tree

HEBREW, GERMAN = ["הכלב", "ישן", "בגינה"], ["Hund", "schläft", "draußen"]


def tree(words: list[str]) -> str:
    a, b, c = words
    return draw_svg(Tree.parse(f"(S (NP (N {a})) (VP (V {b}) (PP (P {c}))))"))


def crossing(words: list[str]) -> str:
    a, b, c = words
    return draw_svg(Tree("S", [Tree("NP", [Leaf(a, 0), Leaf(c, 2)]), Tree("V", [Leaf(b, 1)])]))


def arcs(words: list[str]) -> str:
    return draw_arcs_svg(DependencyTree([2, 0, 2], ["nsubj", "root", "obl"], words))


def labels(words: list[str]) -> str:
    return draw_labels_svg(words, {"names": ["B-PER", "O", "B-LOC"]})


def places(image: str, texts: list[str]) -> list[float]:
    found = {text: float(x) for x, text in re.findall(r'<text x="([-0-9.e+]+)"[^>]*>([^<]*)</text>', image)}
    return [found[text] for text in texts]


@pytest.mark.parametrize("draw", [tree, crossing, arcs, labels], ids=lambda draw: draw.__name__)
def test_words_go_from_right_to_left(draw: Callable[[list[str]], str]) -> None:
    for words, backwards in ((HEBREW, True), (GERMAN, False)):
        image = draw(words)
        found = places(image, words)
        assert found == sorted(found, reverse=backwards)
        width = float(re.findall(r' width="([0-9.]+)"', image)[0])
        xs = [float(x) for x in re.findall(r'<(?:text|rect) x="([-0-9.e+]+)"', image)]
        assert 0 < min(xs) <= max(xs) < width


def test_labels_stay_with_their_words() -> None:
    first, last = places(labels(HEBREW), ["PER", "LOC"])
    assert first > last
    assert places(labels(HEBREW), ["PER", "LOC"]) == places(labels(HEBREW), [HEBREW[0], HEBREW[2]])


def test_letters_that_join_are_not_left_to_cairosvg(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = ModuleType("cairosvg")
    fake.svg2png = lambda data, **options: b"by CairoSVG"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "cairosvg", fake)
    monkeypatch.setattr(raster, "find_spec", lambda name: object())
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}" if name == "chromium" else None)
    monkeypatch.setattr(raster, "_by_program", lambda program, path, svg: program.encode())
    assert raster.png(arcs(GERMAN)) == b"by CairoSVG"
    assert raster.png(arcs(HEBREW)) == b"chromium"
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert raster.png(arcs(GERMAN)) == b"by CairoSVG"
    with pytest.raises(raster.RasterError, match="Hebrew"):
        raster.png(arcs(HEBREW))
