"""`palmette explain MODEL ...`: why a model says what it says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from palmette.cli.model_command import model_command
from palmette.cli.options import AsJson, ModelPath
from palmette.cli.progress import Progress
from palmette.cli.report import print_json, printable
from palmette.cli.run import Run


def explain(
    work: Callable[..., Any],
    /,
    model: ModelPath,
    *,
    json: AsJson = False,
    **own: Any,
) -> None:
    """Explain why a model predicts what it predicts for an input.

    What is explained, and the further options, depend on the kind of the model.
    """
    with Progress() as progress:
        found = work(Run(progress=progress), **own)
    if json:
        print_json(found.to_dict())
    else:
        for line in str(found).split("\n"):
            print(printable(line))


command = model_command(
    explain,
    [
        'palmette explain en "Time flies like an arrow"',
        "palmette explain en.palm --help     the options for this model",
    ],
)
