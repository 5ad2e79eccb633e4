"""The options that `tag` and `spans` share, each written once."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from palmette.cli.commands import utf8
from palmette.cli.tools.sequence.input import InputFormat

TrainFile: TypeAlias = Annotated[
    str, typer.Option("--train", metavar="FILE", help="Sentences with labels: CoNLL-U or columns.")
]
DevFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--dev", metavar="FILE", help="Sentences to choose the best pass by, and to stop early."),
]
StartModel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--start",
        metavar="MODEL",
        help="Go on from the weights of this model, with its features and labels.",
    ),
]
ColumnName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--column",
        metavar="NAME",
        help="The column of the labels: its name, or its place from 0, from -1 backwards.",
    ),
]
FormatName: TypeAlias = Annotated[
    InputFormat | None,
    typer.Option("--format", help="The format of the files. [default: told from name and content]"),
]
TemplateSet: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--templates",
        metavar="NAME|FILE",
        help="What to look at: pos, ner, chunk, generic, or a file of templates (also of CRF++ and Wapiti).",
    ),
]
LabelOrder: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--order", metavar="N", min=0, max=3, help="How many previous labels a label sees. [default: 1]"
    ),
]
MinCount: TypeAlias = Annotated[
    int, typer.Option("--min-count", metavar="N", min=1, help="Leave out features that come less often.")
]
HashBits: TypeAlias = Annotated[
    int | None,
    typer.Option("--hash-bits", metavar="N", min=1, max=30, help="Hash features into so many bits."),
]
Gazetteers: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--gazetteer", metavar="NAME=FILE", help="A list of names, one per line; may be given several times."
    ),
]
ClusterFiles: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--clusters",
        metavar="NAME=FILE",
        help="Word clusters: on each line a cluster and a word, as of Brown, or a word and a cluster.",
    ),
]
Compact: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--compact/--full",
        help="Keep the weights that matter, rounded; or all weights and the names of all features, in a file "
        "that is many times larger.",
    ),
]
About: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--about",
        metavar="KEY=VALUE",
        help="A fact to keep in the model, as licence, source, description; language=CODE is used for text.",
    ),
]
Input: TypeAlias = Annotated[
    str, typer.Argument(metavar="INPUT", help='CoNLL-U, columns or text; "-" is standard input.')
]
Language: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--language", metavar="CODE", help="For cutting text into tokens. [default: the model's, or en]"
    ),
]
Lines: TypeAlias = Annotated[bool, typer.Option("--lines", help="Every line of a text ends a sentence.")]
Append: TypeAlias = Annotated[
    bool, typer.Option("--append", help="Columns: add the labels as a last column, and keep those there.")
]
Probabilities: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--probabilities", help="Also the probability of each label: Prob=… in MISC, or one more column."
    ),
]
KBest: TypeAlias = Annotated[
    int,
    typer.Option(
        "--kbest", metavar="K", min=1, help="Write every sentence K times, with the K best labellings."
    ),
]
MinimumRisk: TypeAlias = Annotated[
    bool,
    typer.Option("--minimum-risk", help="The labels with the least expected error, not the best sequence."),
]
GoldFile: TypeAlias = Annotated[str, typer.Argument(metavar="FILE", help="Sentences with the right labels.")]
Top: TypeAlias = Annotated[int, typer.Option("--top", metavar="N", min=0, help="How many features to show.")]
Text: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="TEXT", callback=utf8, help='A sentence; "-" is standard input.')
]
SentenceFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--file", metavar="FILE", help="Take a sentence of a file: CoNLL-U, columns, text."),
]
SentenceNumber: TypeAlias = Annotated[
    int, typer.Option("--sentence", metavar="N", min=1, help="Which sentence of the file or text.")
]
TokenNumber: TypeAlias = Annotated[
    int | None, typer.Option("--token", metavar="N", min=1, help="Explain only this token.")
]


def column_of(name: str | None) -> str | int | None:
    """A column as it is named on the command line: a number is a place."""
    return int(name) if name is not None and name.removeprefix("-").isdecimal() else name
