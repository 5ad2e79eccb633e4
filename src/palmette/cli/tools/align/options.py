"""The options of `palmette train align` and of the commands that take a word aligner."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from palmette.cli.commands import utf8
from palmette.cli.tools.parallel_text import AlignmentTo as AlignmentTo
from palmette.cli.tools.parallel_text import FormatOption as FormatOption
from palmette.cli.tools.parallel_text import SourceFile as SourceFile
from palmette.cli.tools.parallel_text import TargetFile as TargetFile
from palmette.cli.tools.parallel_text import TrainFile as TrainFile


class Symmetrization(StrEnum):
    """How two directions become one alignment."""

    posterior = "posterior"
    intersection = "intersection"
    union = "union"
    grow_diag = "grow-diag"
    grow_diag_final = "grow-diag-final"
    grow_diag_final_and = "grow-diag-final-and"
    source = "source"
    target = "target"


PairsFile: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="[FILE]",
        help='Both sentences on a line, separated by a tab or |||; "-" is standard input. '
        "Or use --source and --target.",
    ),
]
Models: TypeAlias = Annotated[
    str,
    typer.Option(
        "--method",
        metavar="NAME",
        help="best, fast, or a list of models to train in turn, such as model1,hmm.",
    ),
]
Agreement: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--agreement/--no-agreement", help="Train the two directions to agree, for models that can."
    ),
]
SymmetrizationOption: TypeAlias = Annotated[
    Symmetrization,
    typer.Option("--symmetrization", help="How to combine the two directions into one alignment."),
]
OtherSymmetrization: TypeAlias = Annotated[
    Symmetrization | None,
    typer.Option(
        "--symmetrization",
        help="How to combine the two directions, or which one to use. [default: the model's]",
    ),
]
Threshold: TypeAlias = Annotated[
    float,
    typer.Option(
        "--threshold",
        metavar="P",
        min=0,
        max=1,
        help="Minimum posterior probability of a link, with --symmetrization posterior.",
    ),
]
OtherThreshold: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="P",
        min=0,
        max=1,
        help="Minimum posterior probability of a link, with --symmetrization posterior. [default: the model's]",
    ),
]
KeepCase: TypeAlias = Annotated[
    bool,
    typer.Option("--keep-case", help="Keep upper and lower case apart. [default: convert to lower case]"),
]
Spelling: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--spelling/--no-spelling",
        help="Prefer links between words with similar spelling.",
    ),
]
Prefix: TypeAlias = Annotated[
    str,
    typer.Option("--prefix", metavar="N[,M]", help="Use only the first N letters of each word; 0 uses all."),
]
SourceStems: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--source-stems",
        metavar="FILE",
        help="Stems or lemmas of source words: a word and its stem on each line (helps with small data).",
    ),
]
TargetStems: TypeAlias = Annotated[
    str | None,
    typer.Option("--target-stems", metavar="FILE", help="Stems or lemmas of target words, in the same form."),
]
PhrasesTo: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--phrases-to",
        metavar="FILE",
        help="Also write the phrase table of the training text to this file (Moses format).",
    ),
]
MaxLength: TypeAlias = Annotated[
    int,
    typer.Option(
        "--max-length",
        metavar="N",
        min=1,
        max=100,
        help="Maximum number of words in a phrase of a phrase table.",
    ),
]
Probabilities: TypeAlias = Annotated[
    bool, typer.Option("--probabilities", help="Write the probability of each link: 0-1:0.9321.")
]
KBest: TypeAlias = Annotated[
    int,
    typer.Option(
        "--kbest",
        metavar="K",
        min=1,
        help="Write the K best alignments: number of the pair ||| links ||| probability.",
    ),
]
Phrases: TypeAlias = Annotated[
    bool, typer.Option("--phrases", help="Write the phrase table of all pairs in Moses format.")
]
Draw: TypeAlias = Annotated[bool, typer.Option("--draw", help="Draw the grid of every pair.")]
GoldFile: TypeAlias = Annotated[
    str,
    typer.Option(
        "--gold", metavar="FILE", help="The gold links (Pharaoh format): 0-1 is sure, 0p1 is possible."
    ),
]
Compare: TypeAlias = Annotated[
    bool, typer.Option("--all", help="Also report the scores of all symmetrizations and of both directions.")
]
Words: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--word", metavar="WORD", help="A word whose translations to show; repeatable."),
]
Back: TypeAlias = Annotated[
    bool, typer.Option("--back", help="Look up --word in the target language and show source words.")
]
Top: TypeAlias = Annotated[
    int, typer.Option("--top", metavar="N", min=1, help="Number of translations to show for each word.")
]
LexicalTo: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--lexical-to",
        metavar="PREFIX",
        help="Write the lexical tables in Moses format: PREFIX.f2e, PREFIX.e2f.",
    ),
]
SourceSentence: TypeAlias = Annotated[
    str | None,
    typer.Argument(metavar="[SOURCE]", callback=utf8, help="The source sentence, with spaces between words."),
]
TargetSentence: TypeAlias = Annotated[
    str | None,
    typer.Argument(metavar="[TARGET]", callback=utf8, help="Its translation, with spaces between words."),
]
ExampleFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--file", metavar="FILE", help="Explain a pair of this file (or of --source and --target)."),
]
ExampleNumber: TypeAlias = Annotated[
    int, typer.Option("--number", metavar="N", min=1, help="The number of the pair in the file, from 1.")
]
OptionalGold: TypeAlias = Annotated[
    str | None,
    typer.Option("--gold", metavar="FILE", help="Gold links (Pharaoh format) to compare the grid with."),
]
SvgTo: TypeAlias = Annotated[
    str | None,
    typer.Option("--svg", metavar="FILE", help="Also write the grid to this file as an SVG image."),
]
Ascii: TypeAlias = Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters only.")]
