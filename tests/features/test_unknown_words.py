from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.features.unknown_words import unknown_class


@pytest.mark.parametrize(
    ("word", "position", "want"),
    [
        ("Palmettes", 0, "UNK-INITC-s"),
        ("Palmette", 3, "UNK-CAPS"),
        ("PALMETTE", 0, "UNK-CAPS"),
        ("trellising", 2, "UNK-LC-ing"),
        ("espaliered", 2, "UNK-LC-ed"),
        ("pruning-knife", 2, "UNK-LC-DASH"),
        ("1,234", 2, "UNK-NUM"),
        ("1990s", 2, "UNK-LC-NUM-s"),
        ("glass", 2, "UNK-LC"),
        ("?!", 2, "UNK"),
        ("ab", 1, "UNK-LC"),
    ],
)
def test_classes_by_hand(word, position, want):
    assert unknown_class(word, position) == want


def test_a_capital_at_the_beginning_of_a_known_word():
    assert unknown_class("Garden", 0, {"garden"}) == "UNK-INITC-KNOWNLC"
    assert unknown_class("Garden", 1, {"garden"}) == "UNK-CAPS"


@given(st.text(max_size=20), st.integers(0, 3))
def test_any_text_has_a_class(word, position):
    found = unknown_class(word, position)
    assert found.startswith("UNK")
    assert found == unknown_class(word, position)
    assert " " not in found
    assert len(found) < 40
