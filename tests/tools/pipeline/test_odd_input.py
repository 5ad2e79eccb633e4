"""Odd treebanks and odd text: the right result, or one sentence that says what is wrong and where."""

from __future__ import annotations

import re
import tracemalloc
from pathlib import Path

import pytest

from palmette import Pipeline
from palmette.cli import main
from palmette.formats.conllu import parse_conllu, read_conllu

GARDEN = Path(__file__).parents[2] / "data" / "garden"
TEXT = "".join((GARDEN / "train.conllu").read_text().partition("\n\n")[:2]) + "\n\n".join(
    (GARDEN / "train.conllu").read_text().split("\n\n")[1:30]
)


@pytest.fixture(scope="module")
def nlp() -> Pipeline:
    return Pipeline(without=["parser", "lemmas"]).fit(parse_conllu(TEXT.encode() + b"\n\n"))


def without(*columns: int) -> str:
    """The treebank without these columns, counted from 0."""
    rows = [line.split("\t") for line in TEXT.split("\n")]
    return "\n".join(
        "\t".join("_" if k in columns and len(row) == 10 else field for k, field in enumerate(row))
        for row in rows
    )


def trained(text: str, *without: str) -> tuple[Pipeline, str]:
    notes: list[str] = []
    made = Pipeline(without=["parser", *without], jackknife=0)
    return made.fit(parse_conllu(text.encode() + b"\n\n"), note=notes.append), "\n".join(notes)


def test_a_treebank_without_text_has_that_of_its_spaces() -> None:
    spaced = re.sub(r"(?m)^# text = .*\n", "", TEXT)
    glued = re.sub(r"_(\n\d+\t[.!?]\t)", r"SpaceAfter=No\1", spaced)
    assert glued.count("SpaceAfter=No") >= 29
    made, notes = trained(glued, "lemmas")
    assert "29 of 30 sentences" in notes or "`# text`" in notes
    document = made("Anna sleeps. Ben sings!")
    found = [[(token.text, token.start) for token in sentence] for sentence in document.sentences]
    assert found == [[("Anna", 0), ("sleeps", 5), (".", 11)], [("Ben", 13), ("sings", 17), ("!", 22)]]
    apart, _ = trained(spaced, "lemmas")
    assert [token.text for token in apart("Anna sleeps .")] == ["Anna", "sleeps", "."]


def test_text_that_differs_from_the_forms_is_told() -> None:
    _, notes = trained(re.sub(r"(?m)^# text = ", "# text = XX ", TEXT), "lemmas")
    assert "`# text` that differs from the forms" in notes


def test_what_is_missing_is_told() -> None:
    made, notes = trained(without(2, 5))
    assert "the treebank has no lemmas" in notes
    assert "the treebank has no feats" in notes
    assert {token.lemma for token in made("Anna sleeps")} == {None}


def test_a_column_with_few_values_is_enough() -> None:
    """Taggers that have not seen the sentence with the only features leave the column empty for the parser."""
    text = re.sub(r"^((?:[^\t\n]*\t){5})[^\t\n]+(?=(?:\t[^\t\n]*){4}$)", r"\1_", TEXT, flags=re.M)
    row = next(line for line in text.split("\n") if line.count("\t") == 9)
    fields = row.split("\t")
    fields[5] = "Polarity=Neg"
    made = Pipeline().fit(parse_conllu(text.replace(row, "\t".join(fields), 1).encode() + b"\n\n"))
    assert "parser" in made.model_.names
    assert {token.head for token in made("Anna sleeps.")} >= {0}


def test_one_sentence_is_enough() -> None:
    """Every step learns from it, and says again what it has seen."""
    sentence = parse_conllu((TEXT.split("\n\n")[1] + "\n\n").encode())
    notes: list[str] = []
    made = Pipeline().fit(sentence, note=notes.append)
    assert made.model_.names == ("upos", "morphology", "lemmas", "parser")
    document = made(sentence[0].metadata["text"])
    assert [token.text for token in document] == sentence[0]["form"]
    assert [token.upos for token in document] == sentence[0]["upos"]
    assert [token.lemma for token in document] == sentence[0]["lemma"]
    assert sentence.heads is not None
    assert [token.head for token in document] == sentence.heads.tolist()


def test_a_cycle_is_found_before_anything_is_learned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tmp_path / "bad.conllu"
    bad.write_text("1\ta\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tb\t_\tX\t_\t_\t1\tdep\t_\t_\n\n" + TEXT)
    assert main(["train", "pipeline", "--train", str(bad), "-o", str(tmp_path / "m.palm")]) == 1
    told = capsys.readouterr().err
    assert "bad.conllu:1: the heads go round in a circle" in told
    assert "tokens" not in told


def test_mixed_scripts_and_a_million_characters_without_a_space(nlp: Pipeline) -> None:
    mixed = "Привет мир, 你好世界 hello مرحبا بالعالم! שלום."
    assert "".join(token.text for token in nlp(mixed)) == mixed.replace(" ", "")
    found = nlp("你好" * 500_000)
    assert sum(len(token.text) for token in found) == 1_000_000


def test_a_step_that_is_not_there(nlp: Pipeline) -> None:
    with pytest.raises(ValueError, match="no step 'parser': it has upos, morphology"):
        nlp.step("parser")


def test_memory_does_not_grow_with_the_text(nlp: Pipeline) -> None:
    lines = [f"{sentence.metadata['text']}\n" for sentence in read_conllu(GARDEN / "train.conllu")]

    def peak(times: int) -> int:
        tracemalloc.start()
        n = sum(len(document) for document in nlp.stream(line for _ in range(times) for line in lines))
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert n > 700 * times
        return found

    peak(1)  # what is made once
    few, many = peak(15), peak(60)
    assert many < 1.3 * few


@pytest.mark.parametrize("text", [None, b"Time flies."])
def test_what_is_not_a_text(nlp: Pipeline, text: object) -> None:
    with pytest.raises(TypeError, match=f"A text must be a string.* Got {type(text).__name__}"):
        nlp(text)
