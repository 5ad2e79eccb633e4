"""Help: -h everywhere, examples that parse, completion of the shell."""

from __future__ import annotations

import re
import shlex
from functools import partial
from typing import Any

import pytest
import typer

from palmette.cli import app as program
from palmette.cli.commands import LazyGroup, joined
from palmette.cli.commands import command as make_command
from palmette.cli.verbs.evaluate import evaluate
from palmette.cli.verbs.explain import explain
from palmette.cli.verbs.inspect import inspect
from palmette.cli.verbs.predict import predict
from palmette.cli.verbs.train import train
from palmette.tools.registry import Tool, tools

FRAMES = {"train": train, "predict": predict, "evaluate": evaluate, "inspect": inspect, "explain": explain}
COMMANDS = [
    (tool, verb)
    for tool in tools()
    for verb in FRAMES
    if tool.command(verb) is not None and tool.examples(verb)
]


def command_of(tool: Tool, verb: str) -> Any:
    """The command that a verb becomes for a tool, without a model."""
    work = tool.command(verb)
    assert work is not None
    if verb == "train":
        return make_command(joined(FRAMES[verb], work))

    return make_command(joined(FRAMES[verb], partial(work, None)))


def words_of(example: str, verb: str) -> list[str]:
    """The words after the verb, without redirections and the remark at the end."""
    command = next(part for part in reversed(example.split(" | ")) if f"palmette {verb} " in part)
    command = re.split(r"\s{2,}| > ", command)[0]
    return shlex.split(command)[2:]


@pytest.mark.parametrize(("tool", "verb"), COMMANDS, ids=lambda one: getattr(one, "name", one))
def test_examples_have_options_that_exist(tool: Tool, verb: str) -> None:
    command = command_of(tool, verb)
    for example in tool.examples(verb):
        parts = [part for part in example.split(" | ") if f"palmette {verb} " in part]
        if not parts:
            continue
        words = words_of(example, verb)
        arguments = words[1:] if verb == "train" else words
        context = command.make_context(verb, list(arguments), resilient_parsing=False)
        assert context.params, example


@pytest.mark.parametrize("verb", [verb for verb in program.VERBS if verb != "train"])
def test_examples_of_verbs(verb: str) -> None:
    command = program.Verbs(name="palmette").build(verb)
    known = {name for option in command.params for name in option.opts + option.secondary_opts}
    tools_know = {
        name
        for tool in tools()
        if verb in FRAMES and tool.command(verb)
        for option in command_of(tool, verb).params
        for name in option.opts + option.secondary_opts
    }
    for line in (command.epilog or "").splitlines():
        for part in line.split(" | "):
            if f"palmette {verb} " not in part:
                continue
            options = {word.partition("=")[0] for word in words_of(part, verb) if re.match(r"--?[a-z]", word)}
            assert options <= known | tools_know | {"--help"}, line


@pytest.mark.parametrize("verb", program.VERBS)
def test_help_by_one_letter(palmette, verb: str) -> None:
    assert palmette(verb, "-h") == palmette(verb, "--help")
    assert palmette("-h") == palmette("--help")


def test_help_of_tools_by_one_letter(palmette) -> None:
    assert palmette("train", "tag", "-h") == palmette("train", "tag", "--help")
    code, out, err = palmette("predict", "en", "-h")
    assert (code, err) == (0, "")
    assert out == palmette("predict", "en", "--help").out
    assert "--newlines" in out  # what a pipeline of text takes
    assert "--keep-heads" not in out  # and nothing that it refuses


def completed(palmette, monkeypatch: pytest.MonkeyPatch, line: str) -> list[str]:
    words = line.split(" ")
    monkeypatch.setenv("_PALMETTE_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    code, out, _ = palmette("x")
    assert code == 0
    return out.split()


def test_completion(palmette, monkeypatch: pytest.MonkeyPatch) -> None:
    assert completed(palmette, monkeypatch, "palmette pre") == ["predict"]
    assert completed(palmette, monkeypatch, "palmette train de") == ["depparse"]
    assert completed(palmette, monkeypatch, "palmette predict --line") == ["--line-buffered"]
    assert completed(palmette, monkeypatch, "palmette predict en --keep") == ["--keep"]
    assert completed(palmette, monkeypatch, "palmette --inst") == ["--install-completion"]


def test_names_are_completed_without_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    class Group(LazyGroup):
        def names(self) -> list[str]:
            return ["one", "other"]

        def build(self, name: str) -> Any:
            raise AssertionError

    group = Group(name="g")
    context = typer.Context(group)
    assert [item.value for item in group.shell_complete(context, "ot")] == ["other"]
