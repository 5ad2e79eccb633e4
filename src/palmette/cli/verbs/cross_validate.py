"""`palmette cross-validate TOOL ...`: how well a tool does on examples that it has not seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from palmette.cli.experiments import (
    Folds,
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


def cross_validate(
    work: TrainedTool,
    /,
    *,
    folds: Folds = 5,
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
    """Train on all folds of the examples but one, measure on that one, and so on in turn.

    Prints the measures of every fold, their mean, and their standard deviation. An example is a sentence, a pair,
    a line or a document; --seed shuffles them.
    """
    from palmette.tools.experiments.cross_validation import CrossValidation
    from palmette.tools.experiments.cross_validation import cross_validate as validate

    with Progress(quiet, plain=True) as progress:
        run_experiment(
            work,
            settings_of(learner, settings, seed, progress),
            own,
            reference,
            n_jobs,
            plot,
            lambda material, jobs, told: validate(
                material, folds=folds, random_state=seed, n_jobs=jobs, callback=told
            ),
            lambda trials, measures, _: CrossValidation(trials, measures),
            json=json,
            title=f"{work.tool.name}: {folds} folds",
        )


command = experiment(
    cross_validate,
    "Measure a tool on folds of its examples: train on all but one, measure on that one, and so on.",
    [
        "palmette cross-validate tag --train train.conllu --folds 10 --n-jobs 2",
        "palmette cross-validate spans --train names.txt --learner perceptron --json",
        "palmette cross-validate align --source text.en --target text.de --reference links.txt",
    ],
)
