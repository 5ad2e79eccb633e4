"""Expressions over the letters of words in templates: against Python's, from training to a file, and bad ones."""

from __future__ import annotations

import re
import time
from itertools import product
from pathlib import Path

import pytest

from palmette.errors import FormatError
from palmette.features import Templates
from palmette.features.word_expressions import compiled
from palmette.formats.corpus import Corpus
from palmette.tools.sequence.tagger import Tagger

pytestmark = pytest.mark.native


@pytest.mark.parametrize(
    "text",
    [
        r"[A-Z].*",
        r"\d{2,3}",
        r"(?:a|B)+1?",
        r"[^a]\w*",
        r"(?i)ab*",
        r"a|B1|",
        r"[\]a]+",
        r"\.|a?",
        "(a(B|1))*",
    ],
)
def test_words_match_as_in_python(text: str) -> None:
    expression, pattern = compiled(f"/{text}/"), re.compile(text, re.DOTALL)
    for n in range(5):
        for word in map("".join, product("aB1.", repeat=n)):
            assert expression.matches(word) == bool(pattern.fullmatch(word)), word


def test_no_expression_takes_exponential_time() -> None:
    began = time.process_time()
    for text in ("(a+)+b", "(a|a)*b", "(a?){100}a{100}b"):
        assert not compiled(f"/{text}/").matches("a" * 2000)
    assert time.process_time() - began < 5


def test_templates_with_expressions() -> None:
    corpus = Corpus.from_columns({"form": [["The", "USA", "a/b"]], "pos": [["DT", "NNP", "X"]]})
    templates = Templates("/[A-Z]+|x/[0]\npos./N.*/[0..1]|/[A-Z].*/[-1]  # a comment\n/a\\/b/[0]\ny")
    assert templates.label_order == 1
    feature_map, _ = templates.extract(corpus)
    inside = {name for name in feature_map.names() if "_B" not in name}  # without those beyond the sentence
    assert inside == {"/[A-Z]+|x/[0]=1", "pos./N.*/[0]|/[A-Z].*/[-1]=1|1", "/a\\/b/[0]=1"}


def test_a_tagger_keeps_its_expressions(tmp_path: Path) -> None:
    X, y = [["Rome", "is", "old"], ["an", "Oslo"]] * 5, [["N", "V", "V"], ["V", "N"]] * 5
    tagger = Tagger(templates="/[A-Z].*/[0]\ny").fit(X, y)
    tagger.save(tmp_path / "t.palm")
    new = [["Bern", "was", "Paris"]]
    assert Tagger.load(tmp_path / "t.palm").predict(new) == tagger.predict(new) == [["N", "V", "N"]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("/(a/[0]", "a parenthesis is not closed"),
        ("/*a/[0]", "'*' is not expected there"),
        ("/[z-a]/[0]", "is not a class of letters"),
        ("/(?=a)b/[0]", "has no meaning there"),
        (r"/(a)\1/[0]", "has no meaning"),
        ("/a{3,2}/[0]", "does not say how often"),
        ("/abc[0]", "without an end"),
        ("/abc/", "has no offset"),
    ],
)
def test_bad_expressions_are_refused_in_a_sentence(text: str, message: str) -> None:
    with pytest.raises(FormatError, match=re.escape(message)):
        Templates(f"w[0]\n{text}")
