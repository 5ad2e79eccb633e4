"""The options of `rules`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from palmette.cli.commands import utf8

TrainFiles: TypeAlias = Annotated[
    list[str],
    typer.Option("--train", metavar="FILE", help='CoNLL-U or text; "-" is standard input; repeatable.'),
]
ParserName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--parser",
        metavar="MODEL",
        help="A dependency parser with taggers for text without trees, such as en.",
    ),
]
WordNetFolder: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--wordnet", metavar="DIR", help="A WordNet folder (data.noun, …), whose antonyms are marked."
    ),
]
Paths: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PATHS",
        callback=utf8,
        help="Paths as they read, such as 'X solves Y', or a file with a path on each line; \"-\" is standard "
        "input.",
    ),
]
Many: TypeAlias = Annotated[
    int, typer.Option("--top", metavar="N", min=1, help="Number of paths for each path.")
]
All: TypeAlias = Annotated[bool, typer.Option("--all", help="The neighbours of all paths.")]
Text: TypeAlias = Annotated[
    bool, typer.Option("--text", help="Write a page of text for each path, with the words of its slots.")
]
Html: TypeAlias = Annotated[bool, typer.Option("--html", help="Write an HTML page about one path.")]


class MeasureName(StrEnum):
    """How paths are compared."""

    mean = "mean"
    sum = "sum"


Measure: TypeAlias = Annotated[
    MeasureName | None,
    typer.Option(
        "--measure",
        help="Geometric mean of the similarities of both slots, or sum over words of the other slot. [default: "
        "the model's]",
    ),
]
PairsFile: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="PAIRS", help="Lines with two paths and a value of people, separated by tabs."),
]
OnePath: TypeAlias = Annotated[
    str, typer.Argument(metavar="PATH", callback=utf8, help="The first path, such as 'X solves Y'.")
]
OtherPath: TypeAlias = Annotated[
    str | None,
    typer.Argument(metavar="PATH", callback=utf8, help="The second path. [default: the most similar one]"),
]
ShownPath: TypeAlias = Annotated[
    str | None, typer.Option("--rule", metavar="PATH", help="Show a path: its words, its neighbours.")
]
