"""Drawings of translations: lines, levels, lists where there is no room, and images."""

from __future__ import annotations

from itertools import permutations
from xml.etree import ElementTree

import pytest

from palmette.drawing.canvas import TooLargeError
from palmette.drawing.phrases import Link, _boxes, _routes, draw_phrases, draw_phrases_svg

SOURCE = "ich habe gestern das alte Haus gesehen .".split()
TARGET = "yesterday I saw the old house .".split()
PHRASES = [
    Link(0, 1, 1, 2),
    Link(1, 2, 2, 2),
    Link(2, 3, 0, 1),
    Link(3, 6, 3, 6),
    Link(6, 7, 2, 3),
    Link(7, 8, 6, 7),
]


def test_a_sentence() -> None:
    assert draw_phrases(SOURCE, TARGET, PHRASES).split("\n") == [
        "ich  habe  gestern  das alte Haus  gesehen  .",
        "└┬┘  └──┘  └──┬──┘  └──────┬────┘  └──┬──┘  └┬┘",
        " └──────────┐ │  ┌─────────│──────────┘      │",
        "    ┌───────│─┘  │         │         ┌───────┘",
        "┌───┴───┐  ┌┴┐  ┌┴┐  ┌─────┴─────┐  ┌┴┐",
        "yesterday  I    saw  the old house  .",
    ]
    assert draw_phrases(SOURCE, TARGET, PHRASES, ascii=True).isascii()
    assert draw_phrases([], [], []).strip() == ""


def test_a_list_where_there_is_no_room() -> None:
    assert draw_phrases(SOURCE, TARGET, PHRASES, width=20).split("\n")[:3] == [
        "3-3  gestern → yesterday",
        "1-1  ich → I",
        "2-2  habe →",
    ]
    with pytest.raises(TooLargeError):
        draw_phrases(SOURCE, TARGET, PHRASES, max_cells=10)


@pytest.mark.parametrize("order", list(permutations(range(5))))
def test_no_two_lines_share_an_upright(order: tuple[int, ...]) -> None:
    links = [Link(i, i + 1, j, j + 1) for i, j in enumerate(order)]
    above = _boxes(list("abcde"), [link[:2] for link in links])
    below = _boxes(["AA", "B", "CCCC", "D", "E"], [link[2:] for link in links])
    routes = _routes(above, below)
    columns = [column for route in routes for column in {route.above, route.below}]
    assert len(columns) == len(set(columns))
    for route, a, b in zip(routes, above, below):
        assert a[0] <= route.above < a[1]
        assert b[0] <= route.below < b[1]
    for one, two in permutations([route for route in routes if route.level], 2):
        if one.level == two.level:
            assert max(one.above, one.below) < min(two.above, two.below) or max(two.above, two.below) < min(
                one.above, one.below
            )


def test_an_image() -> None:
    image = draw_phrases_svg(["<a>", "b"], ["&", "c"], [Link(0, 1, 1, 2), Link(1, 2, 0, 1)])
    root = ElementTree.fromstring(image)
    space = "{http://www.w3.org/2000/svg}"
    assert [text.text for text in root.iter(f"{space}text")] == ["<a>", "b", "&", "c"]
    assert len(list(root.iter(f"{space}path"))) == 2
    dropped = draw_phrases_svg(["a"], [], [Link(0, 1, 0, 0)])
    assert "<path" not in dropped


@pytest.mark.parametrize("bad", [Link(0, 3, 0, 1), Link(1, 1, 0, 1), Link(0, 1, 1, 3), Link(0, 1, 1, 0)])
def test_phrases_lie_inside(bad: Link) -> None:
    with pytest.raises(ValueError, match="lies outside"):
        draw_phrases(["a", "b"], ["A", "B"], [bad])


def test_phrases_do_not_overlap() -> None:
    with pytest.raises(ValueError, match="share target words"):
        draw_phrases(["a", "b"], ["A"], [Link(0, 1, 0, 1), Link(1, 2, 0, 1)])
