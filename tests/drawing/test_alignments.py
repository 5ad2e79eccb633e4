"""Grids of alignments."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from palmette.drawing.alignments import draw_alignment, draw_alignment_svg
from palmette.formats.pharaoh import GoldAlignment

SOURCE, TARGET = ["the", "old", "house"], ["das", "Haus"]
P = np.array([[0.9, 0.01], [0.3, 0.06], [0.0, 0.6]])


def test_symbols_say_how_likely() -> None:
    drawn = draw_alignment(SOURCE, TARGET, [(0, 0), (2, 1)], P)
    assert drawn.splitlines()[-3:] == ["  the  █ ·", "  old  ▒ ░", "house  · ▓"]


def test_gold() -> None:
    gold = GoldAlignment(frozenset({(1, 0)}), frozenset({(1, 0), (0, 0)}))
    drawn = draw_alignment(SOURCE, TARGET, [(0, 0), (2, 1)], P, gold=gold, ascii=True)
    assert drawn.splitlines()[-3:] == ["  the  # .", "  old  o -", "house  . x"]


def test_wide_and_combining_letters() -> None:
    lines = draw_alignment(["家", "e\u0301"], ["家", "x\u0301y"], [(0, 0)], ascii=True).splitlines()
    assert lines == ["       x\u0301", "    家 y", "家  #  .", " e\u0301  .  ."]


def test_svg() -> None:
    gold = GoldAlignment(frozenset({(1, 0)}), frozenset({(1, 0)}))
    root = ElementTree.fromstring(draw_alignment_svg(["a<b", "c", "\x1b"], TARGET, [(0, 0)], P, gold=gold))
    texts = ["".join(one.itertext()) for one in root.iter() if one.tag.endswith("text")]
    assert texts == ["a<b", "c", "\ufffd", "das", "Haus"]
    assert sum(one.tag.endswith("circle") for one in root.iter()) == 1


def test_nothing() -> None:
    assert draw_alignment([], [], []) == ""
    assert draw_alignment(["a"], [], []) == "a"
    ElementTree.fromstring(draw_alignment_svg([], [], []))


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="link 3-0 lies outside of 3 source and 2 target words"):
        draw_alignment(SOURCE, TARGET, [(3, 0)])
    with pytest.raises(ValueError, match="must be 3 × 2 probabilities"):
        draw_alignment(SOURCE, TARGET, [], P.T)
