"""Sentences with their places: all of the text is in the corpus, in one piece or in many."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from palmette.formats.conllu import format_conllu, parse_conllu
from palmette.tools.text.segmented import escape, segment, unescape
from palmette.tools.text.tokenizer import Tokenizer

PIECES = "a B Mr. etc. U.S. don't . , ! ? ( ) 3 4.5 | \\ \\n 好 。 J.".split()
SPACES = [" ", " ", " ", "\n", "\n\n", "\r\n", "\n \n", "\t", "\u00a0", "\u2028", "  "]
texts = st.lists(st.sampled_from(PIECES + SPACES), max_size=30).map("".join)
spaced = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(SPACES)), max_size=20).map(
    lambda pairs: "".join(word + space for word, space in pairs)
)


def rebuilt(corpus):
    """The text of a corpus, from its forms and from MISC alone."""
    text = ""
    for form, misc in zip(corpus.column("form").values(), corpus.column("misc").values()):
        notes = dict(note.partition("=")[::2] for note in misc.split("|") if note != "_")
        token = unescape(notes["SpacesInToken"]) if "SpacesInToken" in notes else form
        after = "" if notes.get("SpaceAfter") == "No" else unescape(notes.get("SpacesAfter", "\\s"))
        text += unescape(notes.get("SpacesBefore", "")) + token + after
    return text


@given(texts)
@settings(deadline=None)
def test_the_text_can_be_rebuilt(text):
    found = list(Tokenizer().segmented([text]))
    assert "".join(rebuilt(one.corpus) for one in found) == (text if text.strip() else "")
    for one in found:
        again = parse_conllu(format_conllu(one.corpus))
        assert again.column("misc").values() == one.corpus.column("misc").values()


@given(spaced, st.data())
@settings(deadline=None)
def test_pieces_have_the_sentences_and_places_of_the_whole(text, data):
    cuts = sorted(data.draw(st.sets(st.sampled_from([m.end() for m in re.finditer(r"\s", text)] or [0]))))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)])]
    whole, parts = list(Tokenizer().segmented([text])), list(Tokenizer().segmented(pieces))
    for name in ("begins", "ends"):
        want, have = ([n for one in each for n in getattr(one, name).tolist()] for each in (whole, parts))
        assert have == want
    assert "".join(rebuilt(one.corpus) for one in parts) == "".join(rebuilt(one.corpus) for one in whole)
    want, have = ([c for one in each for c in one.corpus.comments.lines] for each in (whole, parts))
    assert have == want
    for one in parts:
        forms = [text[a:b] for a, b in zip(one.begins.tolist(), one.ends.tolist())]
        assert forms == one.corpus.column("form").values()


def test_white_space_inside_tokens_is_kept():
    found = segment("3\n000 km", [0, 6], [5, 8], [0, 2], base=10, first=7, paragraphs=[False])
    assert found.corpus.column("form").values() == ["3 000", "km"]
    assert found.corpus.column("misc").values() == ["SpacesInToken=3\\n000", "SpaceAfter=No"]
    assert found.corpus.comments.lines == ["# sent_id = 7", "# text = 3 000 km"]
    assert found.begins.dtype == np.int64
    assert found.ends.tolist() == [15, 18]


@pytest.mark.parametrize("text", ["", " \t\r\n", "\\s", "a|b\\p\\\\n"])
def test_escapes_are_inverted(text):
    assert unescape(escape(text)) == text
    assert not re.search(r"[ \t\r\n|]", escape(text))


def test_spaces_without_end_take_no_memory():
    held = list(Tokenizer().segmented(" " * 1000 for _ in range(100)))
    assert held == []
    (one,) = Tokenizer().segmented([*(" " * 1000 for _ in range(100)), "a"])
    assert one.begins.tolist() == [100_000]
