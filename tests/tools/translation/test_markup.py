"""Translations inside of the source text."""

from __future__ import annotations

import pytest

from palmette.errors import FormatError
from palmette.tools.translation.known import Fixed
from palmette.tools.translation.markup import read_markup


def test_tags_become_spans() -> None:
    words, known = read_markup(
        "das ist <np translation=\"a house||a home\">ein  Haus</np>, <x english='I &quot;see&quot;'>ja</x>"
    )
    assert words == ["das", "ist", "ein", "Haus", ",", "ja"]
    assert known.fixed == (
        Fixed(2, 4, ("a", "house")),
        Fixed(2, 4, ("a", "home")),
        Fixed(5, 6, ("I", '"see"')),
    )
    assert not read_markup('<x translation="a">b</x>', exclusive=False).known.fixed[0].exclusive


def test_text_without_tags() -> None:
    assert read_markup("a < b > c <3 && &lt;x&gt;") == (
        ["a", "<", "b", ">", "c", "<3", "&&", "<x>"],
        read_markup("").known,
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('<x translation="a">b', "<x> is not closed"),
        ("b</x>", "</x> closes no <x>"),
        ('<x translation="a">b</y>', "</y> closes no <y>"),
        ('<x translation="a"></x>', "no words of the sentence inside"),
        ('<x translation="a">b <y translation="c">d</y></x>', "cannot be nested"),
        ("<x>b</x>", "expected translation="),
        ('<x translation="">b</x>', "at least one word"),
        ('<x translation="a||">b</x>', "at least one word"),
        ('<x translation="a" prob="0.5">b</x>', "the model chooses among them"),
        ("<x translation=a>b</x>", "expected attributes"),
    ],
)
def test_broken_tags_are_named(line: str, why: str) -> None:
    with pytest.raises(FormatError, match=why) as caught:
        read_markup(line, path="in.txt", number=7)
    assert str(caught.value).startswith("in.txt:7: ")
