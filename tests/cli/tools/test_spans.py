"""`palmette train spans` and what follows."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from palmette.cli import main
from palmette.formats.columns import parse_columns
from palmette.tools.sequence.span_tagger import SpanTagger
from samples.sequences import NER

pytestmark = pytest.mark.native


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("data") / "train.tsv"
    path.write_text(NER)
    return path


@pytest.fixture(scope="module")
def model(data: Path) -> Path:
    path = data.parent / "ner.palm"
    assert main(["train", "spans", "--train", str(data), "--set", "l2=0.1", "-o", str(path)]) == 0
    return path


def test_training(palmette, data: Path, tmp_path: Path) -> None:
    out = tmp_path / "m.palm"
    assert palmette("train", "spans", "--train", data, "--dev", data, "--scheme", "iob2", "-o", out).code == 0
    tagger = SpanTagger.load(out)
    assert tagger.scheme == "IOB2"
    assert tagger.training_["dev_score"] == 1.0
    assert "--scheme" in palmette("train", "spans", "--help").out


def test_predicting(palmette, model: Path, data: Path, tmp_path: Path) -> None:
    assert palmette("predict", model, data).out == NER
    (tmp_path / "in.tsv").write_text(NER.replace("B-", "x").replace("I-", "x"))
    assert palmette("predict", model, tmp_path / "in.tsv").out == NER
    appended = palmette("predict", model, data, "--append").out
    assert appended.startswith("Jack\tB-PER\tB-PER\nLondon\tI-PER\tI-PER\n")
    likely = palmette("predict", model, data, "--probabilities").out.split("\n")
    p = SpanTagger.load(model).spans(parse_columns(NER))[0][0].probability
    assert likely[0] == f"Jack\tB-PER\t{p:.4f}"
    assert likely[1] == f"London\tI-PER\t{p:.4f}"
    assert palmette("predict", model, data, "--minimum-risk").out == NER


def test_text_and_conllu_get_notes(
    palmette, model: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Jack London went to Paris.")))
    out = palmette("predict", model).out
    assert "1\tJack\t_\t_\t_\t_\t_\t_\t_\tSpan=B-PER\n2\tLondon\t_\t_\t_\t_\t_\t_\t_\tSpan=I-PER\n" in out
    (tmp_path / "x.conllu").write_text(out)
    assert palmette("predict", model, tmp_path / "x.conllu").out == out  # notes are replaced, not added


def test_tags_of_the_second_column_are_looked_at(palmette, tmp_path: Path) -> None:
    rows = "".join(line.replace("\t", "\tTAG\t") + "\n" for line in NER.split("\n")[:-1])
    (tmp_path / "three.tsv").write_text(rows)
    for name in ("chunk", "ner", "generic"):
        arguments = ["--train", tmp_path / "three.tsv", "--templates", name, "-o", tmp_path / "m.palm"]
        assert palmette("train", "spans", "--full", *arguments).code == 0
        assert "column2[0]=TAG" in SpanTagger.load(tmp_path / "m.palm").model_.features.names()
    assert palmette("predict", tmp_path / "m.palm", tmp_path / "three.tsv").out == rows


def test_lists_of_spans(palmette, model: Path, data: Path) -> None:
    tsv = palmette("predict", model, data, "--spans", "tsv").out.split("\n")
    assert tsv[0] == "sentence\tfirst\tlast\ttype\tprobability\twords"
    assert [line.split("\t")[:4] for line in tsv[1:3]] == [["1", "1", "2", "PER"], ["1", "5", "5", "LOC"]]
    rows = [json.loads(line) for line in palmette("predict", model, data, "--spans", "json").out.splitlines()]
    assert [row["words"] for row in rows] == [
        "Jack London",
        "Paris",
        "Paris Hilton",
        "London",
        "Anna",
        "Jack",
        "New York City",
    ]
    assert rows[-1]["sentence"] == 3
    assert all(0 < row["probability"] <= 1 for row in rows)


def test_k_best(palmette, model: Path, data: Path) -> None:
    out = palmette("predict", model, data, "--kbest", 2).out
    assert out.startswith("# kbest = 1\n# log_probability = -")
    assert out.count("# kbest = 2") == 3
    assert "S-" not in out  # in the scheme of the data


def test_evaluating(palmette, model: Path, data: Path) -> None:
    report = json.loads(palmette("evaluate", model, data, "--json").out)
    assert {"f1", "precision", "recall", "tokens", "seconds", "f1_interval"} <= set(report)
    assert (report["f1"], report["accuracy"], report["tokens"]) == (1.0, 1.0, 17)
    assert report["types"]["LOC"]["gold"] == 3
    assert "LOC" in palmette("evaluate", model, data).out


def test_inspecting_and_explaining(palmette, model: Path, data: Path) -> None:
    details = json.loads(palmette("inspect", model, "--json").out)["details"]
    assert details["scheme"] == "IOBES"
    assert "S-LOC" in details["top_features"]
    shown = palmette("explain", model, "--file", data, "--token", 1).out
    assert shown.startswith("1  Jack  B-PER")


def test_labels_that_break_their_scheme(palmette, data: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.tsv").write_text(NER + "a\tO\nb\tI-PER\n\n")
    out = tmp_path / "m.palm"
    where = f"{tmp_path / 'bad.tsv'}:22: I-PER cannot follow O in IOB2"
    for arguments in (["--train", tmp_path / "bad.tsv"], ["--train", data, "--dev", tmp_path / "bad.tsv"]):
        code, _, err = palmette("train", "spans", *arguments, "-o", out)
        assert (code, err.count("\n")) == (1, 1)
        assert where in err
        assert not out.exists()
    assert palmette("train", "spans", "--train", tmp_path / "bad.tsv", "--lenient", "-o", out).code == 0
    assert palmette("evaluate", out, tmp_path / "bad.tsv").code == 0
