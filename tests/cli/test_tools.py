"""The four verbs, with a tool registered in one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from palmette.formats.model import ModelFile
from palmette.tools import Tool, register, registry
from samples import toy_tool

pytestmark = pytest.mark.usefixtures("toy")


@pytest.fixture
def trained(palmette, text: Path, tmp_path: Path) -> Path:
    assert palmette("train", "count", "--train", text, "-o", tmp_path / "c.palm") == (0, "", "")
    return tmp_path / "c.palm"


def test_training_saves_a_model_with_what_was_asked(palmette, text: Path, tmp_path: Path) -> None:
    options = "--learner mira --set l2=0.5 --set averaged=true --set how=sgd --seed 7 --n-jobs 2 -q --lower"
    path = tmp_path / "c.palm"
    assert palmette("train", "count", "--train", text, *options.split(), "-o", path) == (0, "", "")
    model = ModelFile.load(path, "word counter")
    assert model.options == {
        "learner": "mira",
        "settings": {"l2": 0.5, "averaged": True, "how": "sgd"},
        "seed": 7,
        "n_jobs": 2,
    }
    assert dict(zip(model.table("words"), model.arrays["counts"])) == {"a": 3, "rose": 3, "is": 2}


def test_the_help_of_a_tool_shows_its_own_options_and_the_common_ones(palmette) -> None:
    code, out, err = palmette("train", "count", "--help")
    assert (code, err) == (0, "")
    for part in (
        "Count words.",
        "--train",
        "--lower",
        "--output",
        "--learner",
        "--set KEY=VALUE",
        "--seed",
        "--n-jobs",
    ):
        assert part in out
    assert "Examples:\n    palmette train count --train text.txt -o x.palm" in out
    assert out.index("--lower") < out.index("--learner")
    assert "Count the words of a text." in palmette("train", "--help").out


def test_predicting(palmette, trained: Path, text: Path, tmp_path: Path) -> None:
    (tmp_path / "new.txt").write_text("a lily is")
    want = "a\tcommon\nlily\trare\nis\tcommon\n"
    assert palmette("predict", trained, tmp_path / "new.txt") == (0, want, "")
    assert palmette("predict", trained, tmp_path / "new.txt", "-o", tmp_path / "out.txt") == (0, "", "")
    assert (tmp_path / "out.txt").read_text() == want
    assert palmette(
        "predict", "-o", "-", "--n-jobs=2", trained, tmp_path / "new.txt", "--at-least", 3
    ).out.startswith("a\tcommon\nlily\trare\nis\trare")


def test_a_failed_prediction_leaves_no_file(palmette, trained: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"\xff")
    code, out, err = palmette("predict", trained, tmp_path / "bad.txt", "-o", tmp_path / "out.txt")
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert not (tmp_path / "out.txt").exists()


def test_evaluating(palmette, trained: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("a lily is a lily")
    code, out, err = palmette("evaluate", "--json", trained, "--gold", tmp_path / "gold.txt")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"known": 0.6, "tokens": 5}
    assert palmette("evaluate", trained, "--gold", tmp_path / "gold.txt").out == "known   0.6000\ntokens  5\n"


def test_inspecting_adds_what_the_tool_knows(palmette, trained: Path) -> None:
    assert json.loads(palmette("inspect", trained, "--json", "--top", 2).out)["details"] == {
        "rose": 2,
        "a": 3,
    }
    assert "details\n  a  3" in palmette("inspect", trained).out


def test_the_help_of_a_model_shows_the_options_of_its_tool(palmette, trained: Path) -> None:
    assert "--at-least" in palmette("predict", trained, "--help").out
    assert "--gold" in palmette("evaluate", trained, "--help").out
    assert "--top" in palmette("inspect", trained, "--help").out
    assert "--at-least" not in palmette("predict", "--help").out


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("train count", "Missing option '--train'"),
        ("train count --train x", "Missing option '-o' / '--output'"),
        ("train count --train x -o y --set l2", "'l2' is not KEY=VALUE"),
        ("train count --train x -o y --set a=1 --set a=2", "'a' is set twice"),
        ("train count --train x -o y --n-jobs 0", "or -1 for all processors. Got 0"),
        ("train count --train x -o y --seed -1", "'--seed'"),
        ("train coutn", "unknown tool 'coutn': did you mean 'count'? (palmette train --help shows how)"),
        ("train xyz", "unknown tool 'xyz': expected one of count"),
        ("train", "expected palmette train TOOL, where TOOL is one of count"),
        ("train --train x", "expected palmette train TOOL, where TOOL is one of count"),
        ("predict", "Missing argument 'MODEL'"),
        ("predict --at-least 3 c.palm", "No such option: --at-least"),
        ("evaluate {model}", "Missing option '--gold'"),
        ("evaluate {model} --glod x", "No such option: --glod"),
        ("inspect {model} extra", "unexpected extra argument"),
    ],
)
def test_commands_written_wrongly(palmette, trained: Path, arguments: str, sentence: str) -> None:
    code, out, err = palmette(*arguments.format(model=trained).split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("palmette: ")
    assert sentence in err


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("", "s a directory"),
        ("no/x.palm", "no such file or directory"),
        ("x.palm.gz", "cannot be gzipped"),
    ],
)
def test_a_target_that_cannot_be_is_refused_before_training(
    palmette, text: Path, tmp_path: Path, target: str, sentence: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(toy_tool, "read_bytes", lambda path: pytest.fail("it trained"))
    code, out, err = palmette("train", "count", "--train", text, "-o", tmp_path / target)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert sentence in err


def test_a_verb_the_tool_lacks(palmette, trained: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(toy_tool, "evaluate")
    code, _, err = palmette("evaluate", trained)
    assert code == 1
    assert "holds a word counter, but the tool 'count' does not evaluate" in err


def test_names_and_kinds_are_registered_once() -> None:
    for name, kind in [("count", "other"), ("other", "word counter")]:
        with pytest.raises(ValueError, match="is taken by 'count'"):
            register(Tool(name, kind, "", "samples.toy_tool"))


def test_a_tool_may_work_with_several_kinds(no_tools: None) -> None:
    registry.register(Tool("parse", "parser", "Trees.", "samples.toy_tool", also=("pipeline",)))
    assert registry.tool_for("pipeline") is registry.tool_for("parser") is registry.tool_named("parse")
    with pytest.raises(ValueError, match="is taken by 'parse'"):
        registry.register(Tool("line", "pipeline", "Lines.", "samples.toy_tool"))
