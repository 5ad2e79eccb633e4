"""The frame without any tool: help, version, and errors as one sentence."""

from __future__ import annotations

import errno
import gzip
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
from typer.testing import CliRunner

from palmette.cli import app as program
from palmette.cli import main
from palmette.cli.commands import command
from palmette.cli.errors import sentence
from palmette.errors import FormatError
from palmette.formats.model import ModelFile


def test_help(palmette) -> None:
    code, out, err = palmette("--help")
    assert (code, err) == (0, "")
    for verb in program.VERBS:
        assert f"  {verb} " in out
    assert palmette() == (0, out, "")


@pytest.mark.parametrize("verb", program.VERBS)
def test_every_verb_has_help_with_examples(palmette, verb: str) -> None:
    code, out, err = palmette(verb, "--help")
    assert (code, err) == (0, "")
    assert "Examples:" in out
    assert f"palmette {verb}" in out


def test_version(palmette) -> None:
    code, out, err = palmette("--version")
    assert (code, err) == (0, "")
    assert out.startswith("palmette 0.")


def test_a_command_is_a_function_and_one_line(palmette, monkeypatch: pytest.MonkeyPatch) -> None:
    def greet(name: str, loud: bool = False) -> None:
        """Greet someone."""
        print(name.upper() if loud else name)

    module = ModuleType("palmette.cli.verbs.greet")
    module.command = command(greet, ["palmette greet Zeno"])  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(program, "VERBS", (*program.VERBS, "greet"))
    assert palmette("greet", "Zeno", "--loud") == (0, "ZENO\n", "")
    assert "Greet someone." in palmette("--help").out
    assert "palmette greet Zeno" in palmette("greet", "--help").out


def test_typers_own_runner() -> None:
    result = CliRunner().invoke(program.app, ["inspect", "--help"])
    assert result.exit_code == 0
    assert "FILE" in result.output


@pytest.mark.usefixtures("no_tools")
def test_without_its_tool_a_model_can_only_be_inspected(palmette, model: Path) -> None:
    for verb in ("predict", "evaluate"):
        code, out, err = palmette(verb, model, "input", "--json")
        assert (code, out) == (1, "")
        assert "x.palm: holds an oracle, but no tool for that is installed (installed: none yet)" in err
    assert palmette("inspect", model).code == 0


def test_inspecting(palmette, model: Path) -> None:
    code, out, err = palmette("inspect", model)
    assert (code, err) == (0, "")
    lines = [line.split(maxsplit=1) for line in out.splitlines()]
    assert ["kind", "oracle"] in lines
    assert ["l2", "0.12345678"] in lines
    assert ["nested", '{"a":[1,null,true]}'] in lines
    assert ["weights", "float32  2 × 3 (24 B)"] in lines
    assert ["bias", "float64  one number (8 B)"] in lines
    assert ["none", "0"] in lines
    assert "\x1b" not in out
    assert f"labels  6: 'NOUN', '\\x1b[2J', '{'x' * 19}…', 'd', 'e', …" in out


def test_inspecting_for_programs(palmette, model: Path) -> None:
    report = json.loads(palmette("inspect", model, "--json").out)
    assert report["kind"] == "oracle"
    assert report["bytes"] == model.stat().st_size
    assert report["arrays"]["weights"] == {"dtype": "float32", "shape": [2, 3], "bytes": 24}
    assert report["strings"]["none"] == {"length": 0, "first": []}
    assert report["options"]["name"] == "é"
    assert ModelFile.load(model).palmette_version == report["palmette_version"]


def test_files_that_are_not_models(palmette, tmp_path: Path) -> None:
    for name, data in {"empty": b"", "text": b"a b c\n" * 9, "packed": gzip.compress(b"x")}.items():
        (tmp_path / name).write_bytes(data)
    for name in ("empty", "text", "packed", ".", "missing"):
        for verb in ("inspect", "predict", "evaluate"):
            code, out, err = palmette(verb, tmp_path / name)
            assert (code, out, err.count("\n")) == (1, "", 1)
            assert err.startswith(f"palmette: {tmp_path / name}: ")


def test_unknown_commands(palmette) -> None:
    assert palmette("inspct") == (
        2,
        "",
        "palmette: unknown command 'inspct': did you mean 'inspect'? (palmette --help shows how)\n",
    )
    assert palmette("--frobnicate").code == 2


@pytest.mark.parametrize(
    ("error", "want"),
    [
        (FormatError("odd", path="x", line=3), "x:3: odd"),
        (ValueError("two\nlines"), "two lines"),
        (ValueError("a key \x1b[2J"), "a key \\x1b[2J"),
        (FileNotFoundError(errno.ENOENT, "No such file or directory", "x"), "x: no such file or directory"),
        (OSError(errno.ENOSPC, "No space left on device"), "standard output: no space left on device"),
        (OSError("plain"), "plain"),
        (MemoryError("for 3 GB"), "not enough memory for 3 GB"),
        (
            ModuleNotFoundError("no", name="torch"),
            "this needs the Python package 'torch', which is not installed",
        ),
    ],
)
def test_errors_become_sentences(error: Exception, want: str) -> None:
    assert sentence(error) == want


def raising(error: BaseException):
    def run(arguments: list[str]) -> int:
        raise error

    return run


def test_faults_of_our_own_say_so(palmette, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PALMETTE_DEBUG", raising=False)
    monkeypatch.setattr(program, "run", raising(KeyError("x")))
    code, _, err = palmette("inspect")
    assert code == 1
    assert "internal error, KeyError: 'x'; this is a bug in Palmette" in err
    monkeypatch.setenv("PALMETTE_DEBUG", "1")
    with pytest.raises(KeyError):
        main(["inspect"])


def test_interrupts(palmette, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "run", raising(KeyboardInterrupt()))
    assert palmette("inspect") == (130, "", "palmette: interrupted\n")


def test_a_wrong_choice_is_said_in_plain_words(palmette) -> None:
    code, _, err = palmette(*"train tag --train x -o y --scorer neral".split())
    assert code == 2
    assert err.startswith("palmette: Invalid value for '--scorer': 'neral' is not one of 'linear', 'neural'")
