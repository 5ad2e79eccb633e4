"""The program `palmette`: its verbs, each in a file of its own name."""

from __future__ import annotations

import os
from importlib import import_module
from typing import Annotated, Any

import typer

from palmette.cli.commands import SETTINGS, LazyGroup, epilog

# One line per command: palmette/cli/verbs/NAME.py, where `command` is what it does.
VERBS = (
    "train",
    "predict",
    "evaluate",
    "convert",
    "inspect",
    "explain",
    "draw",
    "plot",
    "trace",
    "score",
    "tune",
    "select",
    "cross-validate",
    "learning-curve",
    "search",
    "models",
    "serve",
    "deduce",
    "grammar",
    "demo",
)


COMPLETION = "_PALMETTE_COMPLETE"


class Verbs(LazyGroup):
    def names(self) -> list[str]:
        return list(VERBS)

    def build(self, name: str) -> Any:
        return import_module(f"palmette.cli.verbs.{name.replace('-', '_')}").command


app = typer.Typer(cls=Verbs, context_settings=SETTINGS, rich_markup_mode=None)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"palmette {version('palmette')}")
        raise typer.Exit


@app.callback(
    epilog=epilog(
        [
            "palmette train --help      the tools that can be trained",
            "palmette inspect en.palm   what is in a model",
            "palmette models            the models that come with Palmette",
            "palmette convert --list    the formats that can be converted",
        ]
    )
)
def palmette(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit."),
    ] = False,
) -> None:
    """Structured prediction for language: taggers, parsers, aligners and more.

    Commands read a file, or standard input for "-", and write to standard output. Input files may be
    compressed with gzip.
    """


def run(arguments: list[str]) -> int:
    """Run a command line and return its exit code; errors are raised."""
    program: Any = typer.main.get_command(app)
    try:
        if os.environ.get(COMPLETION):  # a shell asks how a command line can go on
            program._main_shell_completion({}, "palmette", COMPLETION)
        with program.make_context("palmette", arguments) as context:
            program.invoke(context)
    except typer.Exit as end:
        return end.exit_code
    except SystemExit as end:  # the options and answers for completion end so
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    except typer.Abort as abort:
        raise KeyboardInterrupt from abort
    return 0
