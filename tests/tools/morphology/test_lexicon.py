"""Lexicons of users: files, rows, what agrees."""

from pathlib import Path

import pytest

from palmette.errors import FormatError
from palmette.tools.morphology import Entry, Lexicon
from palmette.tools.morphology.features import attributes, normalized


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text(
        "# a comment\nflies\tfly\tNOUN\tNumber=Plur\n\nflies\tfly\tVERB\nBonn\tBonn\n", encoding="utf-8"
    )
    lexicon = Lexicon.read(path)
    assert list(lexicon.of("flies")) == [
        Entry("flies", "fly", "NOUN", "Number=Plur"),
        Entry("flies", "fly", "VERB", "_"),
    ]
    assert lexicon.of("Flies") == lexicon.of("flies")
    assert lexicon.of("bonn") == ()
    assert len(lexicon) == 3


@pytest.mark.parametrize(("text", "line"), [("word\n", 1), ("a\tb\n\tb\n", 2), ("a\tb\tc\td\te\n", 1)])
def test_bad_lines_are_named(tmp_path: Path, text: str, line: int) -> None:
    path = tmp_path / "words.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(FormatError, match=rf"words.tsv:{line}: expected form, lemma, upos and feats"):
        Lexicon.read(path)


def test_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "words.tsv"
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(FormatError, match="no entries"):
        Lexicon.read(path)


def test_rows_and_wrong_rows() -> None:
    found = Lexicon.given([("a", "b", "X", "B=2|A=1")])
    assert found is not None
    assert found.of("a")[0].feats == "A=1|B=2"
    for wrong in ([("a", 3)], ["abc"], [()]):
        with pytest.raises(TypeError, match="rows of form, lemma, upos and feats"):
            Lexicon.given(wrong)  # type: ignore[arg-type]


def test_features() -> None:
    assert attributes("A=1|B") == {"A": "1", "B": ""}
    assert normalized("b=1|A=2|b=1") == "A=2|b=1"
    assert normalized("_") == "_"
