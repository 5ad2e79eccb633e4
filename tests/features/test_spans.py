"""What a parser of phrases sees of words."""

from palmette._native import hash_text
from palmette.features.spans import SpanViews


def test_rare_words_are_seen_as_classes() -> None:
    views = SpanViews({"dog": 3, "barking": 1}, rare=1)
    assert views.known("dog", 2) == "dog"
    assert views.known("barking", 2) == "UNK-LC-ing"
    assert views.known("Barking", 0) == "UNK-INITC-KNOWNLC-ing"
    assert views.known("Barking", 1) == "UNK-CAPS-ing"


def test_the_columns_are_those_of_token_views() -> None:
    seen = SpanViews({"dogs": 2, "bark": 2}).of([["dogs", "bark"], ["bark"]], [["NNS", "VBP"], ["CD"]])
    assert len(seen) == 2
    assert seen.column("lemma").tolist() == [hash_text(word) for word in ("dogs", "bark", "bark")]
    assert seen.column("xpos").tolist() == [hash_text(tag) for tag in ("NNS", "VBP", "CD")]
    assert seen.column("upos").tolist() == [0, hash_text("V"), 0]
    without = SpanViews({}).of([["dogs"]], None)
    assert without.column("xpos").tolist() == [0]
