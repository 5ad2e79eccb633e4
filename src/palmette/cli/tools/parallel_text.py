"""Parallel text on the command line: the options of all tools that read sentences with their translations."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from palmette.errors import UsageError
from palmette.formats.files import is_standard
from palmette.tools.alignment.text import PairFormat

SourceFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--source", metavar="FILE", help="Sentences of the source language, one on each line."),
]
TargetFile: TypeAlias = Annotated[
    str | None, typer.Option("--target", metavar="FILE", help="Their translations, one on each line.")
]
TrainFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--train",
        metavar="FILE",
        help="One file instead of two: both sentences on a line, separated by a tab or |||.",
    ),
]
FormatOption: TypeAlias = Annotated[
    PairFormat | None,
    typer.Option(
        "--format",
        help="The separator between the two sentences of a line. [default: the one that most lines have]",
    ),
]
AlignmentTo: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--alignment-to",
        metavar="FILE",
        help="Also write the alignment of the training text to this file (Pharaoh format).",
    ),
]


def pair_files(source: str | None, target: str | None, file: str | None) -> tuple[str, str | None]:
    """The files of --source and --target, or the one file; ValueError for both, or none."""
    if (source is None) != (target is None):
        raise UsageError("give both --source and --target, or one file with both sentences on each line")
    if source is None:
        if file is None:
            raise UsageError("give --source and --target, or one file with both sentences on each line")
        return file, None
    if file not in (None, "-"):
        raise UsageError("give either --source and --target or one file, not both")
    if is_standard(source) and is_standard(target or ""):
        raise UsageError("--source and --target cannot both be standard input")
    return source, target
