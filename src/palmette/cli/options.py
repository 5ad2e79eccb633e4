"""The options that commands share, each written once."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _threads(wanted: int) -> int:
    if wanted == -1:
        return cores()
    if wanted < 1:
        raise typer.BadParameter(f"it must be at least 1, or -1 for all processors; got {wanted}")
    return wanted


def parse_settings(pairs: Sequence[str] | None) -> dict[str, Any]:
    """The settings of --set: numbers, true, false and null as in JSON, everything else as it stands.

    >>> parse_settings(["l2=0.5", "averaged=true", "method=sgd"])
    {'l2': 0.5, 'averaged': True, 'method': 'sgd'}
    """
    settings: dict[str, Any] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise typer.BadParameter(f"{pair!r} is not KEY=VALUE, as in l2=0.5", param_hint="'--set'")
        if key in settings:
            raise typer.BadParameter(f"{key!r} is set twice", param_hint="'--set'")
        try:
            settings[key] = json.loads(value)
        except (ValueError, RecursionError):
            settings[key] = value
    return settings


ModelPath: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL", help="A model file (*.palm), or a model that comes with Palmette (palmette models)."
    ),
]
ModelOutput: TypeAlias = Annotated[
    Path, typer.Option("-o", "--output", metavar="MODEL", help="Where to save the model (*.palm).")
]
Output: TypeAlias = Annotated[
    str, typer.Option("-o", "--output", metavar="FILE", help='Where to write; "-" is standard output.')
]
Learner: TypeAlias = Annotated[
    str | None,
    typer.Option("--learner", metavar="NAME", help="How weights are learnt. [default: the tool's choice]"),
]
Settings: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="An option of the learner; may be given several times."),
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="For everything random.")]
Jobs: TypeAlias = Annotated[
    int, typer.Option("--n-jobs", metavar="N", callback=_threads, help="Threads; -1 for all processors.")
]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="Show no progress and no warnings, only errors.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
