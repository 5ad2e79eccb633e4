"""Raw text: words of lines, usual spellings, and the way back to a line."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palmette.errors import FormatError
from palmette.tools.text.tokenizer import Tokenizer
from palmette.tools.translation.raw.casing import Truecaser
from palmette.tools.translation.raw.joining import Joiner
from palmette.tools.translation.raw.text import RawText
from palmette.tools.translation.raw.words import pieces

ENGLISH = [
    'She said "the house is old", and left.',
    "The cat doesn't sleep (yet); it's 3.5 km away.",
    "In Paris, a well-known man can't see the Eiffel Tower!",
    "Is this the cat's house? A man said so.",
    'A "good" day; the "best" one.',
]
JAPANESE = ["私は学生です。", "東京タワーへ行きました。", "彼は「はい」と言った。"]


def test_scripts_without_spaces_are_cut_into_characters() -> None:
    found = [piece.text for piece in pieces("私はIBMのパソコンを買った。กำลัง", Tokenizer("ja"))]
    assert found == ["私", "は", "IBM", "の", "パソコン", "を", "買", "っ", "た", "。", "กำ", "ลั", "ง"]


@given(st.text())
def test_pieces_are_the_line_without_white_space(line: str) -> None:
    assert "".join(piece.text for piece in pieces(line, Tokenizer("generic"))) == "".join(line.split())


@pytest.mark.parametrize(("language", "lines"), [("en", ENGLISH), ("ja", JAPANESE)])
def test_a_learned_text_comes_back(language: str, lines: list[str]) -> None:
    raw = RawText.learn(lines, lines, languages=(language, language))
    assert [raw.finished(raw.target.words(line)) for line in lines] == lines


def test_spellings() -> None:
    raw = RawText.learn(ENGLISH, ENGLISH, languages=("en", "en"))
    assert raw.source.words("The house") == ["the", "house"]
    assert raw.source.words("Paris sleeps") == ["Paris", "sleeps"]
    assert raw.source.words("THE HOUSE, PARIS") == ["the", "house", ",", "Paris"]
    assert raw.source.words("Zyxw is old. The cat") == ["Zyxw", "is", "old", ".", "the", "cat"]
    assert raw.finished(["3", "cats"]) == "3 cats"
    assert raw.finished(['"', "the", "cat", '"']) == '"The cat"'
    small = RawText.learn(["the cat", "a dog"], ["die katze", "ein hund"])
    assert not small.target.truecaser.capital
    assert small.finished(["die", "katze"]) == "die katze"
    assert Truecaser().usual([]) == []


def test_other_casings() -> None:
    lower = RawText.learn(ENGLISH, ENGLISH, casing="lower")
    assert lower.source.words("In Paris") == ["in", "paris"]
    assert lower.finished(["in", "paris"]) == "in paris"
    assert RawText.learn(ENGLISH, ENGLISH, casing="keep").source.words("In Paris") == ["In", "Paris"]
    with pytest.raises(ValueError, match="'casing' parameter must be one of"):
        RawText.learn(ENGLISH, ENGLISH, casing="upper")


def test_a_joiner_without_a_text() -> None:
    assert Joiner().join(["He", "said", ":", '"', "Go", "(", "now", ")", '"', "!"]) == 'He said: "Go (now)"!'
    assert Joiner().join(list("私は学生")) == "私は学生"
    assert Joiner().join([]) == ""


def test_a_file() -> None:
    raw = RawText.learn(ENGLISH, JAPANESE, languages=("en", "ja"))
    file = raw.to_model()
    again = RawText.from_model(file)
    assert again.source.words(ENGLISH[2]) == raw.source.words(ENGLISH[2])
    assert again.finished(raw.target.words(JAPANESE[1])) == JAPANESE[1]
    assert json.dumps(dict(file.options))
    for broken in (
        replace(file, options={}),
        replace(file, options={**file.options, "casing": ["x", "y"]}),
        replace(file, options={**file.options, "languages": ["", "de"]}),
        replace(file, arrays={"spaces": np.zeros((1, 2), "<i8")}),
        replace(file, arrays={"spaces": -1 - file.arrays["spaces"]}),
        replace(file, strings={}),
        replace(file, kind="tagger"),
    ):
        with pytest.raises(FormatError):
            RawText.from_model(broken)
