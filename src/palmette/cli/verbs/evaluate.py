"""`palmette evaluate MODEL ...`: how well a model does on examples with answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from palmette.cli.model_command import model_command
from palmette.cli.options import AsJson, Jobs, ModelPath, Quiet
from palmette.cli.progress import Progress
from palmette.cli.report import print_json, print_lines
from palmette.cli.run import Run


def evaluate(
    work: Callable[..., Mapping[str, Any]],
    /,
    model: ModelPath,
    *,
    json: AsJson = False,
    n_jobs: Jobs = 1,
    quiet: Quiet = False,
    **own: Any,
) -> None:
    """Measure a model on examples with gold answers.

    Rates and scores are fractions between 0 and 1.
    """
    with Progress(quiet) as progress:
        report = work(Run(n_jobs=n_jobs, progress=progress), **own)
    (print_json if json else print_lines)(report)


command = model_command(
    evaluate,
    [
        "palmette evaluate en.palm test.conllu --json",
        "palmette evaluate en.palm --help    the options for this model",
    ],
)
