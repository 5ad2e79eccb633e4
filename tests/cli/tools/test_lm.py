"""`palmette train lm` and what follows: predict, evaluate, inspect."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from palmette.cli import main
from palmette.formats.files import read_bytes
from palmette.formats.model import ModelFile, fingerprint
from palmette.tools.lm.model import LanguageModel
from samples.lm_text import random_text

pytestmark = pytest.mark.native

TEXT = "\n".join(random_text(80, "abcdefghijkl", seed=2)) + "\n"


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "t.txt"
    path.write_text(TEXT)
    return path


@pytest.fixture(scope="module")
def model(text: Path) -> Path:
    path = text.with_name("m.palm")
    assert main(["train", "lm", "--train", str(text), "--order", "3", "-o", str(path), "-q"]) == 0
    return path


def test_training(model: Path, text: Path) -> None:
    file = ModelFile.load(model, "language model")
    assert file.fingerprint == fingerprint(text.read_bytes())
    assert file.options["order"] == 3
    assert file.options["smoothing"] == "modified-kneser-ney"


def test_options(palmette, text: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.palm"
    options = "--order 4 --smoothing kneser-ney --set discount=0.5 --prune 0,0,1 --layout trie --quantize 6"
    more = "--n-jobs 2 --max-words 5 --keep-counts --about licence=CC0"
    assert palmette("train", "lm", "--train", text, *options.split(), *more.split(), "-o", out).code == 0
    file = ModelFile.load(out)
    assert (file.options["layout"], file.options["quantize"], file.options["prune"]) == ("trie", 6, [0, 0, 1])
    assert file.options["discount"] == 0.5
    assert file.options["about"] == {"licence": "CC0"}
    assert len(LanguageModel.load(out).words) == 8


def test_standard_input_and_warnings(palmette, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"one two\none\n"))))
    result = palmette("train", "lm", "--train", "-", "-o", tmp_path / "m.palm")
    assert result.code == 0
    assert "no line has n-grams of 5 words: the order of the model is 4" in result.err
    assert "using 0.5, 1 and 1.5" in result.err


def test_scores(palmette, model: Path, text: Path) -> None:
    loaded, lines = LanguageModel.load(model), TEXT.removesuffix("\n").split("\n")
    out = palmette("predict", model, text).out
    assert [float(line) for line in out.splitlines()] == pytest.approx(loaded.score_batch(lines), abs=1e-5)
    first = palmette("predict", model, text, "--words").out.split("\n\n")[1].splitlines()
    assert [row.split("\t")[0] for row in first] == [*lines[1].split(), "</s>"]
    best = palmette("predict", model, text, "--next", "2").out.splitlines()[:2]
    assert [row.split("\t")[0] for row in best] == [word for word, _ in loaded.next_word(lines[0], 2)]
    assert palmette("predict", model, "--sample", "3", "--seed", "5").out.splitlines() == loaded.sample(
        3, random_state=5
    )


def test_evaluation(palmette, model: Path, text: Path, tmp_path: Path) -> None:
    report = json.loads(palmette("evaluate", model, text, "--json").out)
    assert report["perplexity"] == pytest.approx(LanguageModel.load(model).perplexity(TEXT.splitlines()))
    assert {"perplexity", "perplexity_known", "oov", "tokens", "seconds"} <= set(report)
    assert "perplexity" in palmette("evaluate", model, text).out
    assert json.loads(palmette("inspect", model, "--json").out)["details"]["order"] == 3
    palmette("train", "lm", "--train", text, "--smoothing", "kneser-ney", "-o", tmp_path / "kn.palm")
    (tmp_path / "new.txt").write_text("zzz a\n")
    report = json.loads(palmette("evaluate", tmp_path / "kn.palm", tmp_path / "new.txt", "--json").out)
    assert report["perplexity"] is None  # it is infinite
    assert report["perplexity_known"] > 0


def test_arpa_and_mixtures(palmette, model: Path, text: Path, tmp_path: Path) -> None:
    arpa, again, both = tmp_path / "m.arpa.gz", tmp_path / "again.palm", tmp_path / "both.palm"
    assert palmette("predict", model, "--arpa", "-o", arpa).code == 0
    assert palmette("train", "lm", "--arpa", arpa, "-o", again).code == 0
    assert palmette("predict", again, text).out == palmette("predict", model, text).out
    assert palmette("train", "lm", "--mix", model, "--mix", again, "--dev", text, "-o", both).code == 0
    assert ModelFile.load(both).options["weights"] == pytest.approx([0.5, 0.5])
    assert palmette("train", "lm", "--arpa", arpa, "--entropy", "0.001", "-o", both).code == 0
    assert sum(LanguageModel.load(both).sizes) < sum(LanguageModel.load(model).sizes)


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["train", "lm", "-o", "OUT"], "expected exactly one of --train, --arpa and --mix"),
        (
            ["train", "lm", "--train", "TEXT", "--dev", "TEXT", "-o", "OUT"],
            "--dev needs --mix",
        ),
        (["train", "lm", "--train", "TEXT", "--learner", "crf", "-o", "OUT"], "has no learner"),
        (
            ["train", "lm", "--train", "TEXT", "--set", "x=1", "-o", "OUT"],
            "A language model has no option 'x': it has discount, concentration",
        ),
        (
            ["train", "lm", "--train", "TEXT", "--prune", "a", "-o", "OUT"],
            "--prune a: expected whole numbers",
        ),
        (
            ["train", "lm", "--train", "EMPTY", "-o", "OUT"],
            "no text: a language model needs at least one word",
        ),
        (["train", "lm", "--train", "MISSING", "-o", "OUT"], "no such file"),
        (["train", "lm", "--arpa", "TEXT", "-o", "OUT"], "t.txt:2: expected"),
        (["predict", "MODEL", "TEXT", "--words", "--next", "2"], "use only one of"),
        (["evaluate", "MODEL", "EMPTY"], "no text to evaluate on"),
    ],
)
def test_mistakes(
    palmette, model: Path, text: Path, tmp_path: Path, arguments: list[str], fault: str
) -> None:
    (tmp_path / "empty.txt").write_text("")
    names = {
        "OUT": tmp_path / "out.palm",
        "TEXT": text,
        "MODEL": model,
        "EMPTY": tmp_path / "empty.txt",
        "MISSING": tmp_path / "missing.txt",
    }
    result = palmette(*(names.get(argument, argument) for argument in arguments))
    assert result.code in (1, 2)
    assert fault in result.err
    assert result.err.count("\n") == 1
    assert not (tmp_path / "out.palm").exists()


@pytest.mark.parametrize("name", ["m.arpa", "m.arpa.gz"])
def test_a_model_saved_as_arpa(palmette, name: str, model: Path, text: Path, tmp_path: Path) -> None:
    line = ["train", "lm", "--train", text, "--order", "3"]
    assert palmette(*line, "-o", tmp_path / "m.palm").code == 0
    assert palmette(*line, "-o", tmp_path / name).code == 0
    assert read_bytes(tmp_path / name).startswith(b"\\data\\")
    assert palmette("convert", tmp_path / "m.palm", tmp_path / f"2{name}").code == 0
    assert read_bytes(tmp_path / name) == read_bytes(tmp_path / f"2{name}")
    assert palmette("convert", tmp_path / name, tmp_path / "again.palm").code == 0
    scores = [palmette("predict", tmp_path / file, text).out for file in ("m.palm", "again.palm")]
    assert scores[0] == scores[1]
    LanguageModel.load(tmp_path / "m.palm").save(tmp_path / f"3{name}")
    assert read_bytes(tmp_path / name) == read_bytes(tmp_path / f"3{name}")


def test_arpa_files_are_easy_to_find(palmette) -> None:
    for line in (["train", "lm", "--help"], ["convert", "--help"], ["convert", "--list"]):
        assert "arpa" in palmette(*line).out


def test_conversions_of_models_that_cannot_be(palmette, model: Path, text: Path, tmp_path: Path) -> None:
    assert "no such file" in palmette("train", "lm", "--train", text, "-o", tmp_path / "no" / "x.arpa").err
    assert (
        "does not apply to language models"
        in palmette("convert", model, tmp_path / "x.arpa", "--lenient").err
    )
    assert palmette("convert", text, tmp_path / "x.arpa").code == 1


def test_explain(palmette, model: Path, text: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = json.loads(palmette("explain", model, "a b zz", "--json").out)["words"]
    loaded = LanguageModel.load(model)
    assert sum(row["margin"] for row in said) == pytest.approx(loaded.score("a b zz"), abs=1e-5)
    for row in said:
        assert sum(part["amount"] for part in row["contributions"]) == pytest.approx(row["margin"], abs=1e-5)
    assert "p(<unk>)" in palmette("explain", model, "a b zz", "--token", 3).out
    third = TEXT.split("\n")[2]
    assert palmette("explain", model, "--file", text, "--line", 3).out == str(loaded.explain(third)) + "\n"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a b\n")))
    assert palmette("explain", model, "-").out == str(loaded.explain("a b")) + "\n"
    for wrong in ([], ["a", "--file", text], ["a", "--token", 9], ["--file", text, "--line", 999]):
        done = palmette("explain", model, *wrong)
        assert done.code == (1 if {"--token", "--line"} & {*wrong} else 2)
        assert done.err.startswith("palmette: ")
