"""The options of `palmette predict`, `evaluate`, `explain` and `inspect` with a translator."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from palmette.cli.commands import utf8


class Risk(StrEnum):
    """Over what the expected BLEU of a translation is."""

    list = "list"
    graph = "graph"


class Unknown(StrEnum):
    """What becomes of unknown words."""

    copy = "copy"
    drop = "drop"
    mark = "mark"


TextFile: TypeAlias = Annotated[
    str, typer.Argument(metavar="[FILE]", help='Sentences, one on each line; "-" is standard input.')
]
KBest: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--kbest",
        metavar="K",
        min=1,
        help="Write the K best translations with features (Moses format). Default: the best, as plain text.",
    ),
]
Distinct: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--distinct/--all", help="With --kbest: different words, or all derivations, also of the same words."
    ),
]
Alignment: TypeAlias = Annotated[
    bool, typer.Option("--alignment", help="Write ||| and the word alignment behind every translation.")
]
Graph: TypeAlias = Annotated[
    bool, typer.Option("--graph", help="Write the search graph of every sentence, as JSON on a line.")
]
MinimumRisk: TypeAlias = Annotated[
    Risk | None,
    typer.Option(
        "--minimum-risk", help="Choose by expected BLEU, over the 100 best or over the search graph."
    ),
]
Probabilities: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--probabilities",
        help="Write three columns: probability of the translation, translation, probabilities of its words.",
    ),
]
GlossaryFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--glossary", metavar="FILE", help="Terms and their translations, with a tab between."),
]
Markup: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--markup", help='Lines have tags with translations: <x translation="a house">ein Haus</x>.'
    ),
]
Inclusive: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--inclusive", help="Terms and tags only add translations. [default: they replace those of the model]"
    ),
]
ForbidFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--forbid", metavar="FILE", help="Phrases that no translation may contain, one on each line."
    ),
]
ForcedFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--forced",
        metavar="FILE",
        help="Given translations, one for each line: write ln p, score and phrases of each.",
    ),
]
UnknownWords: TypeAlias = Annotated[
    Unknown | None,
    typer.Option("--unknown", help="What becomes of unknown words. [default: the model's, copy]"),
]
RawText: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--raw/--tokenized", help="Whether the text is raw, in and out. [default: as in the training]"
    ),
]
TreesFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--trees",
        metavar="FILE",
        help="Methods that translate trees: trees of source sentences in brackets, in place of a parser's.",
    ),
]
Draw: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--draw", help="Draw the phrases of every translation and how they cross, or both trees of its rules."
    ),
]
SearchSettings: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="KEY=VALUE", help="Set an option of the search, such as stack=200; repeatable."
    ),
]
SourceFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--source", metavar="FILE", help="Sentences to translate, one on each line."),
]
TargetFiles: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--target", metavar="FILE", help="Their references; repeatable, for several references."),
]
PairsFile: TypeAlias = Annotated[
    str | None,
    typer.Argument(metavar="[FILE]", help="Sentence and reference on a line; or use --source and --target."),
]
Metrics: TypeAlias = Annotated[
    str, typer.Option("--metrics", metavar="NAMES", help="What is measured: of bleu, chrf, ter.")
]
Resamples: TypeAlias = Annotated[
    int,
    typer.Option("--bootstrap", metavar="N", min=0, help="Samples for intervals of 95 %; 0: no intervals."),
]
SentenceText: TypeAlias = Annotated[
    str | None,
    typer.Argument(metavar="[SENTENCE]", callback=utf8, help="The sentence to translate and explain."),
]
SentenceFile: TypeAlias = Annotated[
    str | None, typer.Option("--file", metavar="FILE", help="Explain a sentence of this file.")
]
SentenceNumber: TypeAlias = Annotated[
    int, typer.Option("--number", metavar="N", min=1, help="The number of the sentence in the file, from 1.")
]
Svg: TypeAlias = Annotated[
    str | None,
    typer.Option("--svg", metavar="FILE", help="Also write the drawing to this file as an SVG image."),
]
Ascii: TypeAlias = Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters only.")]
Phrase: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--phrase", metavar="TEXT", help="Show the translations of a source phrase; repeatable."),
]
Top: TypeAlias = Annotated[
    int, typer.Option("--top", metavar="N", min=1, help="Number of translations to show for each phrase.")
]
TableTo: TypeAlias = Annotated[
    str | None, typer.Option("--table-to", metavar="FILE", help="Write the phrase table (Moses format).")
]
ReorderingTo: TypeAlias = Annotated[
    str | None,
    typer.Option("--reordering-to", metavar="FILE", help="Write the reordering table (Moses format)."),
]
LmTo: TypeAlias = Annotated[
    str | None,
    typer.Option("--lm-to", metavar="FILE", help="Write the language model (.palm, or .arpa as text)."),
]
WeightsTo: TypeAlias = Annotated[
    str | None, typer.Option("--weights-to", metavar="FILE", help="Write the weights, one on each line.")
]
