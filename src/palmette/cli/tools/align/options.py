"""The options of `palmette train align` and of the commands that take a word aligner."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from palmette.cli.commands import utf8
from palmette.tools.alignment.text import PairFormat


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


SourceFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--source", metavar="FILE", help="Sentences of the source language, one on each line."),
]
TargetFile: TypeAlias = Annotated[
    str | None, typer.Option("--target", metavar="FILE", help="Their translations, line by line.")
]
TrainFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--train", metavar="FILE", help="Or one file: both sentences on a line, a tab or ||| between."
    ),
]
PairsFile: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="[FILE]",
        help='Both sentences on a line, a tab or ||| between; "-" is standard input. Or --source and --target.',
    ),
]
FormatOption: TypeAlias = Annotated[
    PairFormat | None,
    typer.Option("--format", help="What is between the sentences of a line. [default: what most lines have]"),
]
Models: TypeAlias = Annotated[
    str,
    typer.Option("--method", metavar="NAME", help="best, fast, or models to train in turn: model1,hmm"),
]
Agreement: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--agreement/--no-agreement", help="Whether the two directions learn to agree, where they can."
    ),
]
SymmetrizationOption: TypeAlias = Annotated[
    Symmetrization, typer.Option("--symmetrization", help="How the two directions become one.")
]
OtherSymmetrization: TypeAlias = Annotated[
    Symmetrization | None,
    typer.Option(
        "--symmetrization", help="How the two directions become one, or one of them. [default: the model's]"
    ),
]
Threshold: TypeAlias = Annotated[
    float,
    typer.Option(
        "--threshold", metavar="P", min=0, max=1, help="Above which a link of 'posterior' is taken."
    ),
]
OtherThreshold: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--threshold",
        metavar="P",
        min=0,
        max=1,
        help="Above which a link of 'posterior' is taken. [default: the model's]",
    ),
]
KeepCase: TypeAlias = Annotated[
    bool, typer.Option("--keep-case", help="Tell words apart by their case. [default: all in small letters]")
]
Spelling: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--spelling/--no-spelling",
        help="Whether words that are spelt alike are more likely to be translations.",
    ),
]
Prefix: TypeAlias = Annotated[
    str,
    typer.Option("--prefix", metavar="N[,M]", help="Look at so many first letters only; 0 is all of them."),
]
SourceStems: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--source-stems", metavar="FILE", help="Lines of a word and its stem or lemma, for small data."
    ),
]
TargetStems: TypeAlias = Annotated[
    str | None, typer.Option("--target-stems", metavar="FILE", help="The same for the target language.")
]
AlignmentTo: TypeAlias = Annotated[
    str | None,
    typer.Option("--alignment-to", metavar="FILE", help="Also write the alignment of this text (Pharaoh)."),
]
PhrasesTo: TypeAlias = Annotated[
    str | None,
    typer.Option("--phrases-to", metavar="FILE", help="Also write the phrase table of this text (Moses)."),
]
MaxLength: TypeAlias = Annotated[
    int,
    typer.Option("--max-length", metavar="N", min=1, max=100, help="Words of a phrase in a phrase table."),
]
Probabilities: TypeAlias = Annotated[
    bool, typer.Option("--probabilities", help="Also the probability of each link: 0-1:0.9321.")
]
KBest: TypeAlias = Annotated[
    int,
    typer.Option(
        "--kbest",
        metavar="K",
        min=1,
        help="The K best alignments: number of the pair ||| links ||| probability.",
    ),
]
Phrases: TypeAlias = Annotated[
    bool, typer.Option("--phrases", help="Write the phrase table of all pairs, as Moses has it.")
]
Draw: TypeAlias = Annotated[bool, typer.Option("--draw", help="Draw the grid of every pair.")]
GoldFile: TypeAlias = Annotated[
    str,
    typer.Option("--gold", metavar="FILE", help="The right links (Pharaoh): 0-1 is sure, 0p1 is possible."),
]
Compare: TypeAlias = Annotated[
    bool, typer.Option("--all", help="Also the scores of all symmetrizations and of both directions.")
]
Words: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--word", metavar="WORD", help="Show its translations; may be given several times."),
]
Back: TypeAlias = Annotated[
    bool, typer.Option("--back", help="Words are of the target language: from target to source.")
]
Top: TypeAlias = Annotated[
    int, typer.Option("--top", metavar="N", min=1, help="How many translations of a word to show.")
]
LexicalTo: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--lexical-to",
        metavar="PREFIX",
        help="Write the lexical tables as Moses has them: PREFIX.f2e, PREFIX.e2f.",
    ),
]
SourceSentence: TypeAlias = Annotated[
    str | None,
    typer.Argument(metavar="[SOURCE]", callback=utf8, help="A sentence, its words between blanks."),
]
TargetSentence: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="[TARGET]", callback=utf8, help="Its translation.")
]
ExampleFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--file", metavar="FILE", help="Take a pair of a file. Or of --source and --target."),
]
ExampleNumber: TypeAlias = Annotated[
    int, typer.Option("--number", metavar="N", min=1, help="Which pair of the file, from 1.")
]
OptionalGold: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--gold", metavar="FILE", help="The right links (Pharaoh), which the grid is compared with."
    ),
]
SvgTo: TypeAlias = Annotated[
    str | None, typer.Option("--svg", metavar="FILE", help="Also write the grid as an SVG image.")
]
Ascii: TypeAlias = Annotated[bool, typer.Option("--ascii", help="Draw with plain characters only.")]
