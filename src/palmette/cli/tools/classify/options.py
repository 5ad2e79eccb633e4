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
        help="Examples with labels, one on a line, columns between tabs; between label and text a space will do.",
    ),
]
DevFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--dev", metavar="FILE", help="Examples to measure by, and to choose the best pass."),
]
ColumnKinds: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="KIND,KIND,…",
        help="What each column is: label, text, raw, tree, string, symbol, word, number, or - for none. "
        "[default: label,text]",
    ),
]
ParserModel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--parser",
        metavar="MODEL",
        help="A constituency parser for the texts (palmette train parse); it becomes part of the model.",
    ),
]
InputFile: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help="Lines as for training, the label may be missing; a line without a tab is a text without its "
        'label. "-": standard input.',
    ),
]
GoldFile: TypeAlias = Annotated[str, typer.Argument(metavar="FILE", help="Examples with the right labels.")]
Append: TypeAlias = Annotated[
    bool, typer.Option("--append", help="Write the lines of the input, with the label as one more column.")
]
Probabilities: TypeAlias = Annotated[
    bool, typer.Option("--probabilities", help="Also the probability of the label, as one more column.")
]
Line: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="LINE",
        callback=utf8,
        help="An example as in a file: columns with tabs between, with or without the label.",
    ),
]
ExampleFile: TypeAlias = Annotated[
    str | None, typer.Option("--file", metavar="FILE", help="Take an example of a file.")
]
ExampleNumber: TypeAlias = Annotated[
    int, typer.Option("--example", metavar="N", min=1, help="Which line of the file.")
]
