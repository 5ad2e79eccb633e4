"""`palmette learning-curve TOOL ...`: how a tool gets better with more examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from palmette.cli.experiments import (
    DevFolds,
    PlotFile,
    Processes,
    Reference,
    experiment,
    run_experiment,
    settings_of,
)
from palmette.cli.options import AsJson, HelpLearner, Learner, Quiet, Seed, Settings
from palmette.cli.progress import Progress

if TYPE_CHECKING:
    from palmette.cli.experiments import TrainedTool


def learning_curve(
    work: TrainedTool,
    /,
    *,
    sizes: Annotated[
        str,
        typer.Option(
            "--sizes",
            metavar="SIZES",
            help="How many examples to learn from: numbers, or shares such as 0.5 and 25%, between commas.",
        ),
    ] = "10%,20%,40%,70%,100%",
    folds: DevFolds = None,
    reference: Reference = None,
    plot: PlotFile = None,
    learner: Learner = None,
    help_learner: HelpLearner = None,
    settings: Settings = None,
    seed: Seed = 0,
    n_jobs: Processes = 1,
    json: AsJson = False,
    quiet: Quiet = False,
    **own: Any,
) -> None:
    """Train on more and more of the examples, and measure all models on the same other ones.

    A larger part holds the smaller ones. Measures on the dev set if there is one, and otherwise on folds.
    """
    from palmette.tools.experiments.learning_curve import LearningCurve
    from palmette.tools.experiments.learning_curve import learning_curve as draw

    numbers = sizes_of(sizes)
    with Progress(quiet, plain=True) as progress:
        run_experiment(
            work,
            settings_of(learner, settings, seed, progress),
            own,
            reference,
            n_jobs,
            plot,
            lambda material, jobs, told: draw(
                material, sizes=numbers, folds=folds, random_state=seed, n_jobs=jobs, callback=told
            ),
            lambda trials, measures, _: LearningCurve(trials, measures),
            json=json,
            title=f"{work.tool.name}: learning curve",
        )


def sizes_of(text: str) -> list[float]:
    """Return sizes as numbers of examples (whole numbers), or as shares (fractions).

    >>> sizes_of("100,0.5,25%,100%")
    [100, 0.5, 0.25, 1.0]
    """
    found: list[float] = []
    for size in text.split(","):
        try:
            if size.strip().endswith("%"):
                found.append(float(size.strip()[:-1]) / 100)
            else:
                found.append(float(size) if "." in size else int(size))
        except ValueError:
            raise typer.BadParameter(
                f"{size!r} is not a size: expected numbers or shares between commas, as in 100,25%,1.0",
                param_hint="'--sizes'",
            ) from None
    return found


command = experiment(
    learning_curve,
    "Measure a tool by the number of its examples: would more of them help?",
    [
        "palmette learning-curve tag --train train.conllu --dev dev.conllu --plot curve.svg",
        "palmette learning-curve depparse --train train.conllu --sizes 100,200,400,800 --folds 3",
    ],
)
