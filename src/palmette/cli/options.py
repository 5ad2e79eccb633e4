"""The options that commands share, each written once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from palmette.threads import n_threads


def _threads(wanted: int) -> int:
    try:
        return n_threads(wanted)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _help_learner(ctx: typer.Context, name: str | None) -> None:
    if name is not None:
        from palmette.cli.learner_help import show_learner

        show_learner(ctx, name)


_WORDS = {
    "True": True,
    "true": True,
    "False": False,
    "false": False,
    "None": None,
    "none": None,
    "null": None,
}


def parse_settings(pairs: Sequence[str] | None) -> dict[str, Any]:
    """Return the settings of --set: numbers and lists as in JSON, everything else as it is written.

    True, true, False, false, None, none and null are what they are in Python and JSON.

    >>> parse_settings(["l2=0.5", "average=true", "method=sgd", "projective=none"])
    {'l2': 0.5, 'average': True, 'method': 'sgd', 'projective': None}
    """
    settings: dict[str, Any] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise typer.BadParameter(f"{pair!r} is not KEY=VALUE, as in l2=0.5", param_hint="'--set'")
        if key in settings:
            raise typer.BadParameter(f"{key!r} is set twice", param_hint="'--set'")
        try:
            settings[key] = _WORDS[value] if value in _WORDS else json.loads(value)
        except (ValueError, RecursionError):
            settings[key] = value
    return settings


ModelPath: TypeAlias = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL", help="A model file (*.palm), or the name of a model from `palmette models`."
    ),
]
ModelOutput: TypeAlias = Annotated[
    Path, typer.Option("-o", "--output", metavar="MODEL", help="The model file to write (*.palm).")
]
Output: TypeAlias = Annotated[
    str, typer.Option("-o", "--output", metavar="FILE", help='The file to write; "-" is standard output.')
]
Learner: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--learner",
        metavar="NAME",
        help="The learner; --help-learner NAME shows its options. [default: depends on the tool]",
    ),
]
HelpLearner: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--help-learner",
        metavar="NAME",
        is_eager=True,
        callback=_help_learner,
        help="Show the options of a learner and exit.",
    ),
]
Settings: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Set an option of the learner or the method; repeatable."
    ),
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Random seed.")]
Jobs: TypeAlias = Annotated[
    int,
    typer.Option(
        "--n-jobs", metavar="N", callback=_threads, help="Number of threads; -1 uses all processors."
    ),
]
Quiet: TypeAlias = Annotated[
    bool, typer.Option("--quiet", "-q", help="Hide progress and warnings; print only errors.")
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
