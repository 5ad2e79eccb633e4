"""Experiments on the command line: `palmette VERB TOOL ...`, with all options of `palmette train TOOL`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from palmette.cli import signals
from palmette.cli.commands import SETTINGS, LazyGroup, epilog, joined
from palmette.cli.commands import command as make_command
from palmette.cli.options import parse_settings
from palmette.cli.progress import Progress
from palmette.cli.report import Table, print_json
from palmette.cli.run import Run
from palmette.errors import UsageError
from palmette.formats.files import check_writable, write_atomically
from palmette.messages import counted
from palmette.tools.registry import Tool, tool_named, tools

Folds: TypeAlias = Annotated[
    int, typer.Option("--folds", metavar="K", min=2, help="Number of folds of the examples.")
]
DevFolds: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--folds",
        metavar="K",
        min=2,
        help="Measure on this many folds of the examples. [default: 5; with a dev set, measure on that]",
    ),
]
Reference: TypeAlias = Annotated[
    str | None,
    typer.Option("--reference", metavar="FILE", help="For align: the right links of all pairs, a line each."),
]
PlotFile: TypeAlias = Annotated[
    Path | None, typer.Option("--plot", metavar="FILE", help="Also write a plot as an SVG image.")
]
Processes: TypeAlias = Annotated[
    int, typer.Option("--n-jobs", metavar="N", help="Number of trainings at a time; -1 uses all processors.")
]


class TrainedTool(partial[Any]):
    """The training function of a tool, which knows its tool."""

    tool: Tool


class Experiments(LazyGroup):
    """The tools that an experiment can work on. frame: what it does, see `commands.joined`."""

    noun = "tool"
    frame: Callable[..., Any]
    lines: Sequence[str] = ()

    def names(self) -> list[str]:
        return [tool.name for tool in tools()]

    def build(self, name: str) -> Any:
        tool = tool_named(name)
        work = tool.command("train") if tool else None
        if tool is None or work is None:
            raise UsageError(f"the tool {name!r} cannot be trained")
        made = TrainedTool(work)
        made.tool = tool
        made.__doc__ = self.frame.__doc__
        made.hidden = getattr(work, "hidden", ())  # type: ignore[attr-defined]
        made.__signature__ = _without(work, inspect.signature(self.frame).parameters)  # type: ignore[attr-defined]
        return make_command(joined(self.frame, made), [line for line in self.lines if f" {name} " in line])

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Tools"):
            formatter.write_dl([(tool.name, tool.summary) for tool in tools()])


def _without(work: Callable[..., Any], taken: Collection[str]) -> inspect.Signature:
    """The signature of a training function without the options that the experiment has itself, such as --folds."""
    signature = inspect.signature(work)
    kept = [one for one in signature.parameters.values() if one.name not in taken]
    return signature.replace(parameters=kept)


def experiment(frame_function: Callable[..., Any], summary: str, examples: Sequence[str]) -> Any:
    """Return the command of an experiment. summary: of the group's help."""

    class Group(Experiments):
        frame = staticmethod(frame_function)
        lines = examples

    app = typer.Typer(cls=Group, add_completion=False, context_settings=SETTINGS, rich_markup_mode=None)
    shown = [*examples, "palmette train TOOL --help    what the options of a tool mean"]
    app.callback(help=summary, subcommand_metavar="TOOL [OPTIONS]", epilog=epilog(shown))(lambda: None)
    return typer.main.get_command(app)


def run_experiment(
    work: TrainedTool,
    run: Run,
    own: dict[str, Any],
    reference: str | None,
    n_jobs: int,
    plot: Path | None,
    begin: Callable[..., Any],
    of_part: Callable[..., Any],
    *,
    json: bool,
    title: str,
) -> Any:
    """Do an experiment, with progress, and print its table or JSON; return the result.

    begin(material, n_jobs, callback): does it. of_part(trials, measures, lower_is_better): the result of those
    trainings that were done when Ctrl-C came.
    """
    from palmette.cli.file_material import file_material
    from palmette.threads import n_threads
    from palmette.tools.experiments.search import named
    from palmette.tools.experiments.trials import Interrupted, Trial, names_of

    processes = n_threads(n_jobs)
    if plot is not None:
        if plot.suffix != ".svg":
            raise UsageError(f"--plot writes SVG: expected a name that ends in .svg. Got {plot}.")
        check_writable(plot)
    material = file_material(work.tool, run, own, reference)

    def told(trial: Trial) -> None:
        settings = f"{named(trial.settings)}  " if trial.settings else ""
        where = f"fold {trial.fold}  " if trial.tested else ""
        main = names_of(material, [trial])[0]
        measured = f"{main} {trial.measures[main]:.4f}  {trial.seconds:.1f} s"
        run.progress.note(f"{settings}{where}{counted(trial.size, 'example')}  {measured}")

    run.progress.note(counted(len(material), "example"))
    try:
        found = begin(material, processes, told)
    except Interrupted as stopped:
        run.progress.interrupt(str(stopped))
        if not stopped.trials:
            raise typer.Exit(signals.exit_code()) from None
        found = of_part(stopped.trials, names_of(material, stopped.trials), material.lower_is_better)
    if json:
        print_json(
            {
                "tool": work.tool.name,
                "measure": found.measures[0],
                "examples": len(material),
                **found.to_dict(),
            }
        )
    else:
        Table(found.rows()).show()
    if plot is not None:
        with write_atomically(plot) as file:
            file.write(found.plot(title).svg().encode())
    if run.progress.interrupted:
        raise typer.Exit(signals.exit_code())
    return found


def settings_of(learner: str | None, settings: list[str] | None, seed: int, progress: Progress) -> Run:
    """The run of every training."""
    return Run(learner, parse_settings(settings), seed, 1, progress)
