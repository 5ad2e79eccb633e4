"""The example answers questions in two languages with the same code."""

from __future__ import annotations

from pathlib import Path

import pytest

from palmette import SemanticParser

pytestmark = pytest.mark.native

EXAMPLES = Path(__file__).parents[3] / "examples" / "semantics"


def read(name: str) -> tuple[list[str], list[str]]:
    lines = (EXAMPLES / name).read_text(encoding="utf-8").splitlines()[1:]
    questions, answers = zip(*(line.split("\t") for line in lines))
    return list(questions), list(answers)


@pytest.mark.parametrize(("language", "database"), [("en", "planets.tsv"), ("de", "planeten.tsv")])
def test_two_languages(language: str, database: str) -> None:
    parser = SemanticParser(EXAMPLES / database, language=language)
    parser.fit(*read(f"questions_{language}_train.tsv"))
    assert parser.score(*read(f"questions_{language}_test.tsv")) >= 0.85
