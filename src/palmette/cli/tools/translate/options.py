"""The options of `palmette train translate`; those of the commands that take a translator are beside it."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from palmette.cli.tools.parallel_text import AlignmentTo as AlignmentTo
from palmette.cli.tools.parallel_text import FormatOption as FormatOption
from palmette.cli.tools.parallel_text import SourceFile as SourceFile
from palmette.cli.tools.parallel_text import TargetFile as TargetFile
from palmette.cli.tools.parallel_text import TrainFile as TrainFile


class Casing(StrEnum):
    """What is done about capital letters of raw text."""

    truecase = "truecase"
    small = "lower"
    keep = "keep"


class Tuning(StrEnum):
    """How weights are tuned."""

    mert = "mert"
    pro = "pro"
    mira = "mira"
    risk = "risk"
    perceptron = "perceptron"
    none = "none"


DevSource: TypeAlias = Annotated[
    str | None,
    typer.Option("--dev-source", metavar="FILE", help="Sentences to tune the weights on, one on each line."),
]
DevTarget: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--dev-target",
        metavar="FILE",
        help="Their reference translations; repeatable, for several references.",
    ),
]
DevFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--dev", metavar="FILE", help="One file instead of two: sentence and reference on a line."),
]
MethodName: TypeAlias = Annotated[
    str,
    typer.Option("--method", metavar="NAME", help="phrase, hiero, string-to-tree or tree-to-string."),
]
TuningOption: TypeAlias = Annotated[
    Tuning, typer.Option("--tuning", help="How weights are tuned on the dev text; none keeps the start.")
]
HeldOut: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--held-out",
        metavar="N",
        min=0,
        help="Training pairs to tune on where no dev text is given. [default: a twentieth, from 50 to 1000]",
    ),
]
LmFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--lm",
        metavar="FILE",
        help="A language model of the target language, .palm or ARPA. [default: from the target sentences]",
    ),
]
AlignmentFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--alignment", metavar="FILE", help="The alignment of the training text (Pharaoh format)."),
]
TableFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="FILE",
        help="A phrase table, or a rule table (Moses or Joshua format); nothing is extracted then.",
    ),
]
ReorderingFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--reordering", metavar="FILE", help="Its lexicalised reordering table (Moses format)."),
]
WeightsFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--weights",
        metavar="FILE",
        help="Start weights: a name and a number on each line. With --tuning none they are final.",
    ),
]
TreesFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--trees",
        metavar="FILE",
        help="Methods with syntax: trees of the sentences in brackets, one on each line; an empty line for none.",
    ),
]
ParserFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--parser",
        metavar="MODEL",
        help="Methods with syntax: a model of `palmette train parse`, which makes the trees.",
    ),
]
DevTreesFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dev-trees",
        metavar="FILE",
        help="tree-to-string without --parser: trees of the source sentences of the dev text, as for --trees.",
    ),
]
TableTo: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--table-to",
        metavar="FILE",
        help="Also write the table (Moses format; rules over trees as Joshua has them).",
    ),
]
ReorderingTo: TypeAlias = Annotated[
    str | None,
    typer.Option("--reordering-to", metavar="FILE", help="Also write the reordering table (Moses format)."),
]
LmTo: TypeAlias = Annotated[
    str | None,
    typer.Option("--lm-to", metavar="FILE", help="Also write the language model (.palm or .arpa)."),
]
Raw: TypeAlias = Annotated[
    bool,
    typer.Option("--raw", help="The text is raw: tokenize it, learn its case, and write raw translations."),
]
SourceLanguage: TypeAlias = Annotated[
    str, typer.Option("--source-language", metavar="CODE", help="The language of the tokenizer, with --raw.")
]
TargetLanguage: TypeAlias = Annotated[
    str, typer.Option("--target-language", metavar="CODE", help="The same for the target language.")
]
CasingOption: TypeAlias = Annotated[
    Casing,
    typer.Option("--casing", help="With --raw: learn the usual case of words, use lower case, or keep it."),
]
