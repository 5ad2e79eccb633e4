"""Blocks: whatever the pieces, the same paragraphs; memory is bounded."""

from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.tools.tokens import blocks as module
from palmette.tools.tokens.blocks import blocks, gathered

texts = st.lists(st.sampled_from(["a", "b c", "\n", "\n\n", " ", "\n \n", "dddddd"]), max_size=20).map(
    "".join
)


def taken(pieces, newlines):
    """Paragraphs and parts of long ones with their places; a part is taken but for its last two characters."""
    found = []
    for block in blocks(pieces, newlines):
        if block.whole:
            begin = 0
            for end in block.ends:
                found.append((block.base + begin, block.text[begin:end]))
                begin = end
            assert begin == len(block.text)
        else:
            block.used = len(block.text) - 2
            found.append((block.base, block.text[: block.used]))
    return found


@given(texts, st.data(), st.sampled_from(sorted(module.NEWLINES)))
@settings(deadline=None, max_examples=300)
def test_blocks_do_not_depend_on_pieces(text, data, newlines):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)])]
    with patch.object(module, "LONGEST", 8), patch.object(module, "AT_ONCE", 12):
        whole, parts = taken([text], newlines), taken(pieces, newlines)
    assert [one for one in parts if one[1].strip()] == [one for one in whole if one[1].strip()]
    for place, piece in whole:
        assert text[place : place + len(piece)] == piece


@pytest.mark.parametrize(
    ("newlines", "want"),
    [("space", ["a\nb\n\nc"]), ("paragraph", ["a\nb\n\n", "c"]), ("sentence", ["a\n", "b\n", "\n", "c"])],
)
def test_what_ends_a_paragraph(newlines, want):
    assert [piece for _, piece in taken(["a\nb\n\nc"], newlines)] == want


def test_small_pieces_are_gathered():
    with patch.object(module, "AT_ONCE", 4):
        assert list(gathered(["ab", "c", "d", "e"])) == ["abcd", "e"]
