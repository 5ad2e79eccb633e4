"""Glossaries: longest matches, case, and what is wrong with a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmette.errors import FormatError
from palmette.tools.translation.glossary import Glossary, read_phrases
from palmette.tools.translation.known import Fixed


def spans(glossary: Glossary, text: str) -> list[tuple[int, int, str]]:
    return [(one.begin, one.end, " ".join(one.target)) for one in glossary.known(text.split()).fixed]


def test_the_longest_term_wins_from_left_to_right() -> None:
    glossary = Glossary([("a b", "AB"), ("b c d", "BCD"), ("c", "C"), ("a", "A")])
    assert spans(glossary, "a b c d a") == [(0, 2, "AB"), (2, 3, "C"), (4, 5, "A")]
    assert spans(glossary, "b c d c") == [(0, 3, "BCD"), (3, 4, "C")]
    assert spans(glossary, "") == []
    assert len(glossary) == 4


def test_case() -> None:
    glossary = Glossary([("Bank", "bank"), ("bank", "bench"), ("konto", "account"), ("USB", "USB bus")])
    assert spans(glossary, "Bank bank BANK Konto usb USB") == [
        (0, 1, "bank"),
        (1, 2, "bench"),
        (2, 3, "bench"),
        (3, 4, "account"),
        (5, 6, "USB bus"),
    ]


def test_alternatives_and_inclusive_terms() -> None:
    glossary = Glossary([("a", "x"), ("a", "y"), ("a", "x")], exclusive=False)
    assert glossary.known(["a"]).fixed == (Fixed(0, 1, ("x",), False), Fixed(0, 1, ("y",), False))


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text("# terms\nHaus\thouse\r\n\naltes Haus\told house\n")
    assert spans(Glossary.read(path), "altes Haus Haus") == [(0, 2, "old house"), (2, 3, "house")]
    cut = Glossary.read(path, source=list, target=str.split)
    assert spans(cut, "H a u s") == [(0, 4, "house")]
    path.write_text("x y\n\nz z\n")
    assert read_phrases(path) == [("x", "y"), ("z", "z")]


@pytest.mark.parametrize("line", ["Haus", "Haus\t", "\thouse", "a\tb\tc"])
def test_a_broken_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "terms.tsv"
    path.write_text(f"x\ty\n{line}\n")
    with pytest.raises(FormatError, match=r"terms\.tsv:2: expected a term, a tab and its translation"):
        Glossary.read(path)


def test_a_term_has_words() -> None:
    with pytest.raises(ValueError, match="must have words"):
        Glossary([("a", " ")])
