"""`palmette train TOOL ...`: from examples to a model file."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
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
from palmette.cli.training.options import (
    CheckpointEvery,
    ClusterAddress,
    MemoryLimit,
    Mixing,
    MixingName,
    Resume,
    Shards,
    local_workers,
    spread,
    tool_of,
)
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
    cluster: ClusterAddress = None,
    shards: Shards = None,
    mixing: Mixing = MixingName.uniform,
    checkpoint_every: CheckpointEvery = None,
    resume: Resume = False,
    memory_limit: MemoryLimit = None,
    quiet: Quiet = False,
    **own: Any,
) -> None:
    """Train a model and save it."""
    from palmette.cli.training.checkpoints import Checkpoints
    from palmette.cli.training.memory import limited
    from palmette.course import follow
    from palmette.formats.model import check_target

    chosen = parse_settings(settings)
    getattr(work, "check_target", check_target)(output)
    check_not_read(output, own.values())
    with Progress(quiet, plain=True) as progress, ExitStack() as stack:
        run = Run(learner, chosen, seed, n_jobs, progress)
        about = {
            "tool": work.__module__,
            "learner": learner,
            "settings": chosen,
            "seed": seed,
            "options": own,
        }
        if cluster is not None:
            about["shards"] = {"shards": shards, "mixing": mixing.value}
        checkpoints = Checkpoints(output, about, checkpoint_every, progress)
        stack.enter_context(checkpoints.named())
        stack.enter_context(limited(memory_limit, tool_of(work), own, local_workers(cluster)))
        course = checkpoints.course(resume=resume)
        stack.enter_context(follow(course))
        shared = stack.enter_context(
            spread(
                cluster,
                work,
                run,
                own,
                course,
                output=output,
                shards=shards,
                mixing=mixing,
                progress=progress,
            )
        )
        model = work(run, **own)
        if shared is not None and not shared.used:
            raise UsageError("this training has no learner that works on a cluster: remove --cluster")
        model.save(output)
        progress.note(f"saved {output} ({human_size(output.stat().st_size)})")
        if not progress.interrupted:
            checkpoints.remove()
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
