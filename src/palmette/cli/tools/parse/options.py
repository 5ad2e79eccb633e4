"""The options of `parse`, beside those that it shares with other tools."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer


class TreeFormat(StrEnum):
    """How trees are written."""

    brackets = "brackets"
    discbracket = "discbracket"
    export = "export"


class PhraseInput(StrEnum):
    """What a constituency parser reads."""

    conllu = "conllu"
    columns = "columns"
    text = "text"
    tokens = "tokens"
    brackets = "brackets"
    discbracket = "discbracket"
    export = "export"


Treebank: TypeAlias = Annotated[
    str, typer.Option("--train", metavar="FILE", help="A treebank: brackets, discbracket or export.")
]
DevTreebank: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dev",
        metavar="FILE",
        help="A treebank on which features choose the best pass, latent and plcfrs the best round, and "
        "combined its weights. Methods that count do not use it.",
    ),
]
MethodName: TypeAlias = Annotated[
    str, typer.Option("--method", metavar="NAME", help="The parsing method, one of those listed above.")
]
Functions: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--functions",
        metavar="PATTERN",
        help="How labels hold functions: label-function (NP-SBJ), function+label (SUBJ+np), or none. "
        "[default: detected]",
    ),
]
KeepFunctions: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--keep-functions", help="Learn labels with functions (NP-SBJ); they are stripped by default."
    ),
]
SkipBad: TypeAlias = Annotated[
    bool,
    typer.Option("--skip-bad", help="Skip trees that cannot be read or learnt instead of stopping."),
]
InputName: TypeAlias = Annotated[
    str, typer.Argument(metavar="INPUT", help='Text, tokens, CoNLL-U or trees; "-" is standard input.')
]
InputFormat: TypeAlias = Annotated[
    PhraseInput | None,
    typer.Option(
        "--format",
        help="The format of the input; tokens is one sentence per line, split at spaces. "
        "[default: detected from name and content]",
    ),
]
OutputFormat: TypeAlias = Annotated[
    TreeFormat | None,
    typer.Option(
        "--to", help="The output format. [default: brackets, or discbracket for discontinuous trees]"
    ),
]
KBest: TypeAlias = Annotated[
    int,
    typer.Option(
        "--kbest", metavar="K", min=1, help="Write the K best trees, one per line after its log-probability."
    ),
]
Probabilities: TypeAlias = Annotated[
    bool, typer.Option("--probabilities", help="Write the probability of each bracket: NP/0.93.")
]
MinimumRisk: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--minimum-risk/--most-probable",
        help="Choose the tree with the most brackets expected to be right, or the most probable tree. "
        "[default: depends on the model]",
    ),
]
KeepBrackets: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--keep-brackets", help="Keep the brackets of the input in the tree; the label X matches any label."
    ),
]
KeepTags: TypeAlias = Annotated[
    bool, typer.Option("--keep-tags", help="Keep the tags of the input (XPOS in CoNLL-U).")
]
GoldTags: TypeAlias = Annotated[
    bool, typer.Option("--gold-tags", help="Give the parser the gold tags of the words.")
]
Oracle: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--oracle", metavar="K", min=1, help="Report the F1 of always choosing the best of the K best trees."
    ),
]
Treebanked: TypeAlias = Annotated[str, typer.Argument(metavar="FILE", help="A treebank with gold trees.")]
BracketName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--bracket", metavar="LABEL:I-J", help="Explain only this bracket over words I to J, counted from 1."
    ),
]
