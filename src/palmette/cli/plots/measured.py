"""What a model guesses on gold data, by the `guesses` command of its tool, layer by layer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from palmette.cli.progress import Progress
from palmette.cli.run import Run
from palmette.drawing.curves import Plot
from palmette.drawing.panels import Panels
from palmette.errors import UsageError
from palmette.evaluation.guesses import Guesses
from palmette.formats.model import ModelFile, with_article
from palmette.models import find_model
from palmette.tools.registry import tool_for, tools


def guesses(
    model: str, gold: str, n_jobs: int, quiet: bool, *, layer: str | None, probabilities: bool
) -> dict[str, Guesses]:
    """Return what a model guesses on a file with answers, by layer; "" is the layer of models that have one.

    layer: only this one. probabilities: whether they are needed; layers without any are left out.
    """
    file = ModelFile.load(find_model(model))
    tool = tool_for(file.kind)
    work = tool.command("guesses") if tool else None
    if work is None:
        able = ", ".join(one.name for one in tools() if one.command("guesses"))
        raise UsageError(f"{model}: holds {with_article(file.kind)}; this plot is for models of: {able}")
    with Progress(quiet) as progress:
        made = work(file, Run(n_jobs=n_jobs, progress=progress), gold, probabilities)
    if not isinstance(made, Mapping) and layer is not None:
        raise UsageError(f"--layer is for pipelines; {model} holds {with_article(file.kind)}")
    found: dict[str, Guesses] = dict(made) if isinstance(made, Mapping) else {"": made}
    found = {name: one for name, one in found.items() if len(one.gold)}
    if probabilities and isinstance(made, Mapping):
        found = {name: one for name, one in found.items() if one.probability is not None}
    if not found:
        raise ValueError(f"{gold}: there are no answers to compare with")
    if layer is None:
        return found
    if layer not in found:
        raise UsageError(f"--layer {layer}: the layers to compare are {', '.join(found)}")
    return {layer: found[layer]}


def panels(plots: Mapping[str, Plot]) -> Plot | Panels:
    """Return plots of layers side by side, each with the name of its layer; the plot itself of one."""
    named = [
        replace(plot, title=f"{plot.title}: {name}" if name else plot.title) for name, plot in plots.items()
    ]
    return named[0] if len(named) == 1 else Panels(tuple(named), named[0].title.partition(":")[0])
