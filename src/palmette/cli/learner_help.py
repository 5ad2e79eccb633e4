"""`palmette train TOOL --help-learner NAME`: the options of a learner, from its table."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import typer

from palmette.errors import UsageError
from palmette.learning.registry import LEARNERS, check_name, learner_class, learner_names
from palmette.parameters import shown

_WIDTH = 100
_FAMILIES: Mapping[str, tuple[str, ...]] = {
    "align": ("expectations",),
    "induce": ("expectations",),
    "classify": ("linear", "kernel", "memory", "occurrences", "splits"),
}


def show_learner(ctx: Any, name: str) -> None:
    """Print the options of a learner and end the command; BadParameter if the tool has no such learner."""
    try:
        if ctx.info_name == "lm":
            raise UsageError("a language model is counted and has no learners")
        if ctx.info_name == "translate":
            raise UsageError("a translator is tuned and has no learners; --tuning NAME says how")
        check_name(name, learner_names(*_FAMILIES.get(ctx.info_name, ("linear",))))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    typer.echo("\n".join(learner_lines(name, LEARNERS[name].summary)))
    raise typer.Exit


def learner_lines(name: str, summary: str) -> Iterator[str]:
    """Return the help of a learner: for each option what it takes, its default and its meaning."""
    yield f"{name}: {summary}"
    yield ""
    yield "Options, with --set NAME=VALUE:"
    described = learner_class(name).describe()
    width = max(len(one.name) for one in described) + 4
    for one in described:
        facts = f"{one.takes} [default: {shown(one.default)}]"
        yield f"  {one.name}".ljust(width) + facts
        yield from textwrap.wrap(one.help, _WIDTH, initial_indent=" " * width, subsequent_indent=" " * width)
    yield ""
    yield "The defaults are those of the learner; a tool or a method may set others."
