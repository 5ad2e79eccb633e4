"""`palmette train pipeline` and what follows: predict, evaluate, inspect, explain."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from palmette import Pipeline
from palmette.formats.columns import parse_columns
from palmette.formats.conllu import parse_conllu, read_conllu

pytestmark = pytest.mark.native

DATA = Path(__file__).parents[3] / "examples" / "pipelines"
GO_ON = ["train", "pipeline", "--train", str(DATA / "train.conllu"), "-q"]
TRAIN = [*GO_ON, "--jackknife", "2", "--method", "graph"]
TEXT = "Ana va al mercado. El perro de Luis corre a Lima!\n"


@pytest.fixture(scope="module")
def model(pipeline_of_names: Path) -> Path:
    return pipeline_of_names


@pytest.fixture
def text(tmp_path: Path) -> Path:
    (tmp_path / "text.txt").write_text(TEXT)
    return tmp_path / "text.txt"


def test_text_becomes_conllu(palmette, model: Path, text: Path) -> None:
    code, out, _ = palmette("predict", model, text)
    assert code == 0
    assert out == Pipeline.load(model)(TEXT).to_conllu()


def test_json_and_columns(palmette, model: Path, text: Path) -> None:
    document = Pipeline.load(model)(TEXT)
    found = json.loads(palmette("predict", model, text, "--to", "json").out)
    assert found == json.loads(document.to_json())
    assert [one["text"] for one in found["entities"]] == ["Ana", "Luis", "Lima"]
    lines = [json.loads(line) for line in palmette("predict", model, text, "--jsonl").out.splitlines()]
    assert [entity for one in lines for entity in one.pop("entities")] == found["entities"]
    assert lines == found["sentences"]
    rows = parse_columns(palmette("predict", model, text, "--to", "columns").out.encode())
    assert rows[0][0] == [token.text for token in document.sentences[0]]
    assert rows[0][-1] == [token.entity or "O" for token in document.sentences[0]]
    assert "use only one of" in palmette("predict", model, text, "--to", "json", "--draw").err


def test_probabilities_of_every_layer(palmette, model: Path, text: Path) -> None:
    want = Pipeline.load(model)(TEXT, probabilities=True)
    assert {"token", "sentence", "arc", "deprel", "entity"} < want.probabilities.keys()
    found = palmette("predict", model, text, "--probabilities")
    assert found.out == want.to_conllu()
    assert found.err == ""
    document = json.loads(palmette("predict", model, text, "--probabilities", "--to", "json").out)
    assert document == json.loads(want.to_json())
    assert "arc" in document["sentences"][0]["tokens"][0]["probabilities"]
    (first, *_) = palmette("predict", model, text, "--probabilities", "--to", "columns").out.splitlines()
    notes = first.split("\t")[-1]
    assert [part.partition("=")[0] for part in notes.split("|")] == [
        f"{layer.capitalize()}Prob" for layer in want.probabilities
    ]
    told = palmette("predict", model, text, "--probabilities", "--kbest", 2).err
    assert "--kbest cannot be combined with --probabilities" in told


def test_what_the_input_has_is_kept_if_asked(palmette, model: Path, tmp_path: Path) -> None:
    gold = (DATA / "test.conllu").read_text()
    (tmp_path / "x.conllu").write_text(gold.replace("\tNOUN\t", "\tX\t"))
    tags = parse_conllu(palmette("predict", model, tmp_path / "x.conllu").out).column("upos").values()
    assert "X" not in tags
    kept = palmette("predict", model, tmp_path / "x.conllu", "--from", "conllu", "--keep", "upos,head,deprel")
    found, want = parse_conllu(kept.out), read_conllu(DATA / "test.conllu")
    assert "X" in found.column("upos").values()
    assert found.heads is not None
    assert found.heads.tolist() == want.heads.tolist()
    assert found.column("deprel").values() == want.column("deprel").values()
    assert "A column to keep is one of" in palmette("predict", model, "-", "--keep", "form").err


def test_a_renamed_option_goes_on_working_and_says_what_to_use(palmette, model: Path, tmp_path: Path) -> None:
    """CONTRIBUTING.md, "Releases": 0.2.0 had --keep-heads for `en`."""
    (tmp_path / "x.conllu").write_text((DATA / "test.conllu").read_text())
    new = palmette("predict", model, tmp_path / "x.conllu", "--from", "conllu", "--keep", "head,upos")
    old = palmette(
        "predict", model, tmp_path / "x.conllu", "--from", "conllu", "--keep", "upos", "--keep-heads"
    )
    assert (old.code, old.out) == (0, new.out)
    assert "--keep-heads is deprecated and goes in version 0.4: use --keep head" in old.err
    assert "deprecated" not in new.err
    assert "--keep-heads" not in palmette("predict", model, "--help").out


def test_more_of_the_parser(palmette, model: Path, text: Path) -> None:
    assert "# kbest = 2" in palmette("predict", model, text, "--kbest", 2).out
    assert "nsubj" in palmette("predict", model, text, "--draw").out
    assert "<svg" in palmette("predict", model, text, "--svg").out
    assert palmette("predict", model, text, "--minimum-risk", "--unique", "nsubj").code == 0
    assert "has no option" in palmette("predict", model, text, "--set", "wings=2").err


def test_measures(palmette, model: Path) -> None:
    report = json.loads(palmette("evaluate", model, DATA / "test.conllu", "--json").out)
    scores = Pipeline.load(model).evaluate(DATA / "test.conllu")
    for name in "tokens sentences words upos ufeats lemmas uas las clas mlas blex".split():
        assert report[name] == scores.f1(name) > 0.5, name
    assert report["seconds"] > 0
    assert report["worst_by"] == "LAS"
    given = json.loads(palmette("evaluate", model, DATA / "test.conllu", "--json", "--gold-tokens").out)
    assert given["words"] == 1
    assert given["las"] > report["las"] - 0.2
    shown = palmette("evaluate", model, DATA / "test.conllu", "--worst", 2).out
    assert "confused" in shown
    assert shown.count("mistakes: ") <= 2


def test_inspect_and_explain(palmette, model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    details = json.loads(palmette("inspect", model, "--json").out)["details"]
    assert {"parser", "entities"} <= details["steps"].keys()
    english = json.loads(palmette("inspect", "en", "--json").out)["details"]["steps"]
    assert english["morphology"]["looks at"] == "form; hears the taggers for upos, which count 1"
    assert details["training"]["language"] == "es"
    assert "corre" in palmette("explain", model, "Ana corre.", "--token", 2).out
    assert palmette("explain", model, "Ana corre.", "--step", "entities").code == 0
    assert "no step 'wings'" in palmette("explain", model, "Ana corre.", "--step", "wings").err
    assert "no token 9" in palmette("explain", model, "Ana corre.", "--token", 9).err
    assert "needs --token" in palmette("explain", model, "Ana corre.", "--against", 2).err
    assert palmette("explain", model, "Ana corre.", "--token", 1, "--against", 0).code == 0
    assert "there is no sentence 7" in palmette("explain", model, "Ana corre.", "--sentence", 7).err
    by_file = palmette("explain", model, "--file", DATA / "test.conllu", "--sentence", 2)
    assert by_file.code == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    assert palmette("predict", model).out == ""


def test_steps_one_by_one(palmette, model: Path, tmp_path: Path) -> None:
    target = tmp_path / "m.palm"
    again = palmette(*TRAIN, "--start", model, "--only", "parser", "-o", target)
    assert again.code == 0
    assert Pipeline.load(target).model_.names == Pipeline.load(model).model_.names
    assert palmette(*GO_ON, "--start", model, "-o", target).code == 0  # goes on with what can
    assert Pipeline.load(target).model_.names == Pipeline.load(model).model_.names
    tagger = tmp_path / "tags.palm"
    assert palmette("train", "tag", "--train", DATA / "train.conllu", "-q", "-o", tagger).code == 0
    assert palmette(*TRAIN, "--use", tagger, "--without", "lemmas,parser", "-o", target).code == 0
    assert (
        "--start takes a pipeline"
        in palmette(*TRAIN, "--start", tagger, "--only", "lemmas", "-o", target).err
    )
    assert "a learner of its own" in palmette(*TRAIN, "--learner", "crf", "-o", target).err
    assert "The steps of a pipeline are" in palmette(*TRAIN, "--without", "wings", "-o", target).err


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "no sentences"),
        ("1\ta\t_\t_\t_\t_\t2\tx\t_\t_\n2\tb\t_\t_\t_\t_\t1\tx\t_\t_\n\n", "go round in a circle"),
        ("1 a\n", ":1: "),
        ("(S (NP a))\n", "trees of phrases"),
    ],
)
def test_bad_treebanks(palmette, tmp_path: Path, content: str, told: str) -> None:
    (tmp_path / "x.conllu").write_text(content)
    code, _, err = palmette("train", "pipeline", "--train", tmp_path / "x.conllu", "-o", tmp_path / "m.palm")
    assert code != 0
    assert told in err
    assert "Traceback" not in err
    assert not (tmp_path / "m.palm").exists()


def test_bad_text(palmette, model: Path, tmp_path: Path) -> None:
    (tmp_path / "x.txt").write_bytes(b"a\0b")
    code, _, err = palmette("predict", model, tmp_path / "x.txt")
    assert code != 0
    assert "NUL byte" in err
    (tmp_path / "x.txt").write_text("x" * 200_000)
    assert palmette("predict", model, tmp_path / "x.txt").code == 0
