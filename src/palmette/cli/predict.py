"""`palmette predict MODEL ...`: what a model says of new input."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from palmette.cli.model_command import model_command
from palmette.cli.options import Jobs, ModelPath, Output, Quiet
from palmette.cli.progress import Progress
from palmette.cli.run import Run
from palmette.formats.files import write_atomically


def predict(
    work: Callable[..., Iterable[bytes]],
    /,
    model: ModelPath,
    *,
    output: Output = "-",
    n_jobs: Jobs = 1,
    quiet: Quiet = False,
    **own: Any,
) -> None:
    """Predict with a model.

    The model's kind says what is predicted, and which further options there are.
    """
    with Progress(quiet) as progress, write_atomically(output) as file:
        for piece in work(Run(n_jobs=n_jobs, progress=progress), **own):
            file.write(piece)


command = model_command(
    predict,
    [
        "palmette predict en.palm input.conllu > output.conllu",
        "palmette predict en.palm --help     the options for this model",
    ],
)
