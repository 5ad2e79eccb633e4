"""`palmette train align` and what follows: predict, evaluate, inspect, explain."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest

from palmette.cli import main
from palmette.cli.tools.align import input as align_input
from palmette.cli.tools.align.options import Symmetrization
from palmette.formats.model import ModelFile
from palmette.tools.alignment.aligner import Aligner
from palmette.tools.alignment.symmetrization import METHODS
from samples.aligned_text import made_pairs

pytestmark = pytest.mark.native

PAIRS = made_pairs(80)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pairs")
    lines = [(" ".join(e), " ".join(f)) for e, f in PAIRS]
    (path / "e").write_text("".join(f"{e}\n" for e, _ in lines))
    (path / "f").write_text("".join(f"{f}\n" for _, f in lines))
    (path / "pairs.tsv").write_text("".join(f"{e}\t{f}\n" for e, f in lines))
    (path / "pairs.txt.gz").write_bytes(gzip.compress("".join(f"{e} ||| {f}\n" for e, f in lines).encode()))
    (path / "gold").write_text("".join(" ".join(f"{k}-{k}" for k in range(len(e))) + "\n" for e, _ in PAIRS))
    return path


@pytest.fixture(scope="module")
def model(files: Path) -> Path:
    sides = ["--source", str(files / "e"), "--target", str(files / "f")]
    more = ["--alignment-to", str(files / "links"), "--phrases-to", str(files / "phrases.gz"), "-q"]
    assert main(["train", "align", *sides, *more, "-o", str(files / "m.palm")]) == 0
    return files / "m.palm"


def test_training(palmette, model: Path, files: Path, tmp_path: Path) -> None:
    loaded = Aligner.load(model)
    assert loaded.training_["pairs"] == len(PAIRS)
    assert (files / "links").read_text() == loaded.align(PAIRS).pharaoh()
    table = gzip.decompress((files / "phrases.gz").read_bytes()).decode()
    assert "house ||| Haus ||| " in table
    for name in ("pairs.tsv", "pairs.txt.gz"):
        assert palmette("train", "align", "--train", files / name, "-o", tmp_path / "x.palm").code == 0
        assert (tmp_path / "x.palm").read_bytes() == model.read_bytes()


def test_options(palmette, files: Path, tmp_path: Path) -> None:
    (tmp_path / "stems").write_text("books book\nhouses\thouse\n\n")
    options = (
        "--method model1,hmm --no-agreement --symmetrization union --threshold 0.4 --keep-case --prefix 5,6"
    )
    more = "--learner em --set n_iter=2 --set hmm.p0=0.3 --seed 3 --n-jobs 2 --about licence=CC0"
    stems = "--source-stems", tmp_path / "stems"
    train = "train", "align", "--train", files / "pairs.tsv", *options.split(), *more.split(), *stems
    assert palmette(*train, "-o", tmp_path / "m.palm").code == 0
    file = ModelFile.load(tmp_path / "m.palm")
    assert file.options["prefix"] == [5, 6]
    assert (file.options["symmetrization"], file.options["threshold"]) == ("union", 0.4)
    training = file.options["training"]
    assert (training["models"], training["licence"], len(training["passes"])) == (["model1", "hmm"], "CC0", 4)
    assert Aligner.load(tmp_path / "m.palm").translations("houses", 1)[0][0] == "Haus"


def test_predictions(palmette, model: Path, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = Aligner.load(model)
    assert palmette("predict", model, files / "pairs.tsv").out == loaded.align(PAIRS).pharaoh()
    sides = "--source", files / "e", "--target", files / "f"
    assert palmette("predict", model, *sides, "--probabilities").out == loaded.align(PAIRS).pharaoh(True)
    for name in METHODS:
        wanted = loaded.align(PAIRS, symmetrization=name).pharaoh()
        assert palmette("predict", model, *sides, "--symmetrization", name).out == wanted
    assert palmette("predict", model, *sides, "--threshold", "1").out == "\n" * len(PAIRS)
    first = palmette("predict", model, *sides, "--kbest", "2").out.splitlines()[:2]
    assert [line.split(" ||| ")[0] for line in first] == ["0", "0"]
    assert first[0].split(" ||| ")[1] == loaded.align(PAIRS).pharaoh().splitlines()[0]
    assert "house ||| Haus ||| " in palmette("predict", model, *sides, "--phrases", "--max-length", "1").out
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"the house ||| das Haus\n\n")))
    )
    assert palmette("predict", model).out == "0-0 1-1\n\n"


def test_a_piece_at_a_time(palmette, model: Path, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = palmette("predict", model, files / "pairs.tsv").out
    monkeypatch.setattr(align_input, "_BYTES_AT_ONCE", 100)
    assert palmette("predict", model, files / "pairs.tsv").out == whole
    assert palmette("predict", model, files / "pairs.txt.gz", "--format", "bars").out == whole
    assert palmette("predict", model, "--source", files / "e", "--target", files / "f").out == whole
    (files / "bad.tsv").write_text((files / "pairs.tsv").read_text() + "one part\n")
    assert "bad.tsv:81: 1 part between tabs" in palmette("predict", model, files / "bad.tsv").err


@pytest.mark.parametrize("piece", [10, 10**6])
@pytest.mark.parametrize(("n_source", "n_target"), [(79, 80), (80, 79), (80, 95), (0, 80), (80, 0)])
def test_files_of_different_length(
    palmette, model: Path, files: Path, tmp_path: Path, monkeypatch, piece: int, n_source: int, n_target: int
) -> None:
    monkeypatch.setattr(align_input, "_BYTES_AT_ONCE", piece)
    sides = []
    for name, n in (("e", n_source), ("f", n_target)):
        lines = (files / name).read_text().splitlines() * 2
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines[:n]))
        sides += [f"--{'source' if name == 'e' else 'target'}", tmp_path / name]
    for command in (("predict", model), ("train", "align", "-o", tmp_path / "m.palm")):
        result = palmette(*command, *sides)
        assert result.code == 1
        assert f"e: {n_source} lines, but {tmp_path / 'f'} has {n_target}:" in result.err


def test_evaluation(palmette, model: Path, files: Path) -> None:
    sides = "--source", files / "e", "--target", files / "f", "--gold", files / "gold"
    report = json.loads(palmette("evaluate", model, *sides, "--all", "--json").out)
    assert {"aer", "precision", "recall", "f1", "interval", "seconds"} <= set(report)
    assert report["aer"] < 0.1
    assert set(report["symmetrizations"]) == set(METHODS)
    assert "precision" in palmette("evaluate", model, files / "pairs.tsv", "--gold", files / "gold").out


def test_inspection(palmette, model: Path, tmp_path: Path) -> None:
    out = palmette(
        "inspect", model, "--word", "house", "--word", "zebra", "--lexical-to", tmp_path / "lex", "--json"
    ).out
    details = json.loads(out)["details"]
    assert next(iter(details["translations"]["house"])) == "haus"
    assert details["translations"]["zebra"] == {}
    assert details["perplexity"]["both"]["hmm"] > 1
    rows = [line.split(" ") for line in (tmp_path / "lex.f2e").read_text().splitlines()]
    assert max((float(p), word) for word, given, p in rows if given == "house")[1] == "haus"
    rows = [line.split(" ") for line in (tmp_path / "lex.e2f").read_text().splitlines()]
    assert max((float(p), word) for word, given, p in rows if given == "haus")[1] == "house"
    assert "house" in palmette("inspect", model, "--word", "Haus", "--back").out


def test_explanation(palmette, model: Path, files: Path, tmp_path: Path) -> None:
    out = palmette("explain", model, "the house", "das Haus", "--svg", tmp_path / "grid.svg").out
    assert "house – Haus" in out
    assert (tmp_path / "grid.svg").read_text().startswith("<svg")
    assert json.loads(palmette("explain", model, "the", "das", "--json").out)["source"] == ["the"]
    pair = "--file", files / "pairs.tsv", "--number", "3", "--gold", files / "gold", "--ascii"
    assert palmette("explain", model, *pair).out.isascii()
    assert "#" in palmette("explain", model, *pair).out
    assert (
        "#" in palmette("predict", model, files / "pairs.tsv", "--draw").out
        or "█" in palmette("predict", model, files / "pairs.tsv", "--draw").out
    )


def test_scores_of_two_files(palmette, model: Path, files: Path, tmp_path: Path) -> None:
    (tmp_path / "guess").write_text(palmette("predict", model, files / "pairs.tsv", "--probabilities").out)
    evaluated = json.loads(
        palmette("evaluate", model, files / "pairs.tsv", "--gold", files / "gold", "--json").out
    )
    report = json.loads(palmette("score", files / "gold", tmp_path / "guess", "--json").out)
    assert report == {name: evaluated[name] for name in report}
    (tmp_path / "short").write_text("0-0\n")
    assert "gold has 80 alignments and" in palmette("score", files / "gold", tmp_path / "short").err


def test_settings_change_the_learner_that_each_model_has(palmette, files: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.palm"
    train = ["train", "align", "--train", files / "pairs.tsv", "--method", "model1,hmm", "-q", "-o", out]
    assert palmette(*train, "--set", "prior=0.5", "--set", "hmm.n_iter=3").code == 0
    training = Aligner.load(out).training_
    assert training["learner"] is None
    assert training["options"] == {"model1": {"prior": "0.5"}, "hmm": {"prior": "0.5", "n_iter": "3"}}
    assert [one["number"] for one in training["passes"]] == [3, 6]  # EM and then VB in the second


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ("train align -o OUT", "give --source and --target, or one file"),
        ("train align --source E -o OUT", "give both --source and --target"),
        ("train align --source E --target F --train TSV -o OUT", "or one file, not both"),
        ("train align --source - --target - -o OUT", "cannot both be standard input"),
        ("train align --source E --target F --format tsv -o OUT", "A format is for pairs in one file"),
        ("train align --train E -o OUT", "e: no line has two sentences"),
        ("train align --train TSV --format bars -o OUT", "pairs.tsv:1: 1 part between |||"),
        ("train align --train MISSING -o OUT", "no such file"),
        ("train align --train EMPTY -o OUT", "not one sentence pair"),
        ("train align --train TSV --method model9 -o OUT", "no alignment model 'model9'"),
        (
            "train align --train TSV --learner crf -o OUT",
            "which an aligner does not offer: take one of the learners vb, em.",
        ),
        ("train align --train TSV --set x=1 -o OUT", "has no option 'x'"),
        ("train align --train TSV --set hmm.x=1 -o OUT", "'hmm' has no option 'x'"),
        (
            "train align --train TSV --set hmm.p0=2 -o OUT",
            "'p0' parameter must be a number in the range (0, 1)",
        ),
        ("train align --train TSV --set n_itr=1 -o OUT", "has no option 'n_itr': did you mean 'n_iter'?"),
        ("train align --train TSV --method fertility --set n_iter=1 -o OUT", "has no option 'n_iter'"),
        ("train align --train TSV --set model7.x=1 -o OUT", "not among the models"),
        ("train align --train TSV --prefix a -o OUT", "--prefix a: expected a number"),
        ("train align --train TSV --source-stems TSV3 -o OUT", "a line must have a word and its stem"),
        ("train align --train TSV --about x -o OUT", "--about x: expected KEY=VALUE"),
        ("predict MODEL TSV --kbest 2 --draw", "use only one of --kbest, --phrases and --draw"),
        ("predict MODEL TSV --kbest 2 --symmetrization union", "no k-th best of 'union'"),
        ("predict MODEL --source E --target F --format tsv", "--format applies to pairs in one file"),
        ("evaluate MODEL TSV --gold E", "e:1: "),
        ("evaluate MODEL TSV --gold EMPTY", "expected 80 alignments, one for each sentence pair; got 0"),
        ("evaluate MODEL TSV --gold FAR", "far:1: the link 99-0 in a pair of"),
        ("evaluate MODEL EMPTY --gold EMPTY", "expected sentence pairs to evaluate on"),
        ("explain MODEL one", "expected two sentences"),
        ("explain MODEL one two --file TSV", "not both"),
        ("explain MODEL --file TSV --number 99", "the file has 80 pairs; there is no pair 99"),
    ],
)
def test_bad_use(palmette, model: Path, files: Path, tmp_path: Path, arguments: str, fault: str) -> None:
    (tmp_path / "empty").write_text("")
    (tmp_path / "three").write_text("a b c\n")
    (tmp_path / "far").write_text("99-0\n" + "\n" * (len(PAIRS) - 1))
    known = {
        "OUT": tmp_path / "out.palm",
        "E": files / "e",
        "F": files / "f",
        "TSV": files / "pairs.tsv",
        "TSV3": tmp_path / "three",
        "EMPTY": tmp_path / "empty",
        "FAR": tmp_path / "far",
        "MISSING": tmp_path / "missing",
        "MODEL": model,
    }
    result = palmette(*(known.get(word, word) for word in arguments.split()))
    assert result.code != 0
    assert fault in result.err
    assert result.err.count("\n") == 1
    assert not (tmp_path / "out.palm").exists()


def test_all_symmetrizations_can_be_asked_for() -> None:
    assert tuple(Symmetrization) == METHODS


def test_a_gzip_file_that_ends_too_soon(palmette, model: Path, files: Path, tmp_path: Path) -> None:
    whole = (files / "pairs.txt.gz").read_bytes()
    (tmp_path / "pairs.gz").write_bytes(whole[: len(whole) // 2])
    result = palmette("predict", model, tmp_path / "pairs.gz")
    assert result.code == 1
    assert result.err.startswith(f"palmette: {tmp_path / 'pairs.gz'}: damaged gzip file")


@pytest.mark.parametrize("option", ["--alignment-to", "--phrases-to"])
def test_other_outputs_are_checked_before_training(
    palmette, option: str, files: Path, tmp_path: Path
) -> None:
    sides = ["--source", files / "missing", "--target", files / "f"]
    result = palmette("train", "align", *sides, option, tmp_path / "no" / "x", "-o", tmp_path / "m.palm")
    told = f"palmette: {tmp_path / 'no' / 'x'}: no such file or directory: make its folder first\n"
    assert (result.code, result.err) == (1, told)
