"""The options of `classify`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from palmette.cli.commands import utf8

TrainFile: TypeAlias = Annotated[
    str,
    typer.Option(
        "--train",
        metavar="FILE",
        help="Labelled examples, one per line, columns separated by tabs (label and text also by a space).",
    ),
]
DevFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dev", metavar="FILE", help="Labelled examples to measure accuracy and choose the best pass."
    ),
]
ColumnKinds: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="KIND,KIND,…",
        help="The type of each column: label, text, raw, tree, string, symbol, word, number, or - to ignore it. "
        "[default: label,text]",
    ),
]
ParserModel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--parser",
        metavar="MODEL",
        help="A constituency parser for the texts (palmette train parse); it is saved in the model.",
    ),
]
InputFile: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help="Lines as for training, where the label may be missing; a line without a tab is a text without "
        'label. "-" is standard input.',
    ),
]
GoldFile: TypeAlias = Annotated[str, typer.Argument(metavar="FILE", help="Examples with gold labels.")]
Append: TypeAlias = Annotated[
    bool,
    typer.Option("--append", help="Write the lines of the input with the label as an additional column."),
]
Probabilities: TypeAlias = Annotated[
    bool, typer.Option("--probabilities", help="Write the probability of the label as an additional column.")
]
Line: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="LINE",
        callback=utf8,
        help="The example to explain, as in a file: columns separated by tabs, with or without the label.",
    ),
]
ExampleFile: TypeAlias = Annotated[
    str | None, typer.Option("--file", metavar="FILE", help="Explain an example of this file.")
]
ExampleNumber: TypeAlias = Annotated[
    int, typer.Option("--example", metavar="N", min=1, help="The number of the line in the file, from 1.")
]
