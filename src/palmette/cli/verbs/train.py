"""`palmette train TOOL ...`: from examples to a model file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from palmette.cli import signals
from palmette.cli.commands import SETTINGS, LazyGroup, epilog, joined
from palmette.cli.commands import command as make_command
from palmette.cli.options import (
    HelpLearner,
    Jobs,
    Learner,
    ModelOutput,
    Quiet,
    Seed,
    Settings,
    parse_settings,
)
from palmette.cli.progress import Progress
from palmette.cli.report import human_size
from palmette.cli.run import Run
from palmette.errors import UsageError
from palmette.formats.files import check_not_read
from palmette.tools.registry import tool_named, tools


def train(
    work: Callable[..., Any],
    /,
    *,
    output: ModelOutput,
    learner: Learner = None,
    help_learner: HelpLearner = None,
    settings: Settings = None,
    seed: Seed = 0,
    n_jobs: Jobs = 1,
    quiet: Quiet = False,
    **own: Any,
) -> None:
    """Train a model and save it."""
    from palmette.formats.model import check_target

    chosen = parse_settings(settings)
    getattr(work, "check_target", check_target)(output)
    check_not_read(output, own.values())
    with Progress(quiet, plain=True) as progress:
        model = work(Run(learner, chosen, seed, n_jobs, progress), **own)
        model.save(output)
        progress.note(f"saved {output} ({human_size(output.stat().st_size)})")
    if progress.interrupted:
        raise typer.Exit(signals.exit_code())  # so that scripts can tell


class TrainableTools(LazyGroup):
    noun = "tool"

    def names(self) -> list[str]:
        return [tool.name for tool in tools()]

    def build(self, name: str) -> Any:
        tool = tool_named(name)
        work = tool.command("train") if tool else None
        if tool is None or work is None:
            raise UsageError(
                f"the tool {name!r} cannot be trained; palmette train --help lists those that can"
            )
        return make_command(joined(train, work), tool.examples("train"))

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Tools"):  # from the registry alone: no tool is imported
            formatter.write_dl([(tool.name, tool.summary) for tool in tools()])


_app = typer.Typer(cls=TrainableTools, add_completion=False, context_settings=SETTINGS, rich_markup_mode=None)


@_app.callback(
    subcommand_metavar="TOOL [OPTIONS]",
    epilog=epilog(
        ["palmette train --help         the tools", "palmette train TOOL --help    the options of one"]
    ),
)
def _train() -> None:
    """Train a tool on examples and save the model."""


command = typer.main.get_command(_app)
