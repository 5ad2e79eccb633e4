"""The commands of `morphology` and `lemmas`: files in, CoNLL-U out, and one sentence for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from palmette.cli import main
from palmette.formats import read_conllu

pytestmark = pytest.mark.native

EXAMPLES = Path(__file__).parents[2] / "examples" / "morphology"
TRAIN, TEST, WORDS = (str(EXAMPLES / name) for name in ("train.conllu", "test.conllu", "words.tsv"))


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    folder = tmp_path_factory.mktemp("models")
    morphology, lemmas = str(folder / "m.palm"), str(folder / "l.palm")
    assert (
        main(
            [
                "train",
                "morphology",
                "--train",
                TRAIN,
                "--lexicon",
                WORDS,
                "--constrain",
                "-o",
                morphology,
                "--quiet",
            ]
        )
        == 0
    )
    assert main(["train", "lemmas", "--train", TRAIN, "--dictionary", WORDS, "-o", lemmas, "--quiet"]) == 0
    return morphology, lemmas


def test_text_becomes_conllu(
    models: tuple[str, str], tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    text, tagged = tmp_path / "text.txt", tmp_path / "tagged.conllu"
    text.write_text("These berries found the geese.\n", encoding="utf-8")
    assert main(["predict", models[0], str(text), "-o", str(tagged)]) == 0
    assert main(["predict", models[1], str(tagged), "-o", str(tmp_path / "all.conllu")]) == 0
    sentence = read_conllu(tmp_path / "all.conllu")[0]
    assert list(sentence["upos"]) == ["DET", "NOUN", "VERB", "DET", "NOUN", "PUNCT"]
    assert list(sentence["lemma"]) == ["this", "berry", "find", "the", "goose", "."]
    assert sentence["feats"][1] == "Number=Plur"


def test_json_and_k_best(models: tuple[str, str], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["predict", models[0], TEST, "--jsonl", "--probabilities"]) == 0
    first = json.loads(capsysbinary.readouterr().out.splitlines()[0])
    assert {"upos", "feats", "upos_probability"} <= first["tokens"][0].keys()
    assert main(["predict", models[1], TEST, "--kbest", "2"]) == 0
    out = capsysbinary.readouterr().out.decode()
    assert "# kbest = 2" in out
    assert "# log_probability = " in out


def test_measures(models: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", models[0], TEST, "--json"]) == 0
    scores = json.loads(capsys.readouterr().out)
    assert scores["upos"] == scores["feats"] == 1.0
    assert main(["evaluate", models[1], TEST, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["accuracy"] > 0.98


def test_what_is_missing_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = tmp_path / "bare.conllu"
    bare.write_text(
        "1\tBees\t_\tNOUN\t_\t_\t_\t_\t_\t_\n2\tsee\tsee\tVERB\t_\t_\t_\t_\t_\t_\n\n", encoding="utf-8"
    )
    assert main(["train", "morphology", "--train", str(bare), "-o", str(tmp_path / "m.palm")]) == 0
    assert "has no xpos and no feats: the model will not predict them" in capsys.readouterr().err
    assert main(["train", "lemmas", "--train", str(bare), "-o", str(tmp_path / "l.palm")]) == 0
    told = capsys.readouterr().err
    assert "1 of 2 words have no lemma" in told
    assert "has no feats" in told


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["train", "morphology", "--train", TRAIN, "--constrain"], "--constrain needs --lexicon"),
        (["train", "morphology", "--train", TRAIN, "--column", "lemma"], "expected upos, xpos, feats"),
        (
            ["train", "lemmas", "--train", TRAIN, "--dictionary", TRAIN],
            "expected form, lemma, upos and feats",
        ),
    ],
)
def test_wrong_options(
    command: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "model.palm"
    assert main([*command, "-o", str(target)]) != 0
    told = capsys.readouterr().err.strip().splitlines()[-1]
    assert told.startswith("palmette: ")
    assert message in told
    assert not target.exists()


def test_untagged_words_are_told_of(
    models: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = tmp_path / "text.txt"
    text.write_text("The bees see.\n", encoding="utf-8")
    assert main(["predict", models[1], str(text)]) == 0
    assert "the input has no upos" in capsys.readouterr().err
