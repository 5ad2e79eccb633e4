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
    typer.Option("--dev", metavar="FILE", help="A treebank to choose the best pass or setting by."),
]
MethodName: TypeAlias = Annotated[
    str, typer.Option("--method", metavar="NAME", help="How trees are found, one of those below.")
]
Functions: TypeAlias = Annotated[
    bool, typer.Option("--functions", help="Learn functional tags too (NP-SBJ), which are else taken off.")
]
SkipBad: TypeAlias = Annotated[
    bool,
    typer.Option("--skip-bad", help="Leave out trees that cannot be read or learnt, instead of an error."),
]
InputName: TypeAlias = Annotated[
    str, typer.Argument(metavar="INPUT", help='Text, tokens, CoNLL-U or trees; "-" is standard input.')
]
InputFormat: TypeAlias = Annotated[
    PhraseInput | None,
    typer.Option(
        "--format",
        help="The format of the input; tokens: a sentence on each line, cut at spaces. "
        "[default: told from name and content]",
    ),
]
OutputFormat: TypeAlias = Annotated[
    TreeFormat | None,
    typer.Option("--to", help="How trees are written. [default: brackets, or discbracket if there are gaps]"),
]
KBest: TypeAlias = Annotated[
    int,
    typer.Option(
        "--kbest", metavar="K", min=1, help="The K best trees, one on a line after its log-probability."
    ),
]
Probabilities: TypeAlias = Annotated[
    bool, typer.Option("--probabilities", help="Also the probability of each bracket: NP/0.93.")
]
MinimumRisk: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--minimum-risk/--most-probable",
        help="The tree with the most brackets expected to be right, or the most probable. "
        "[default: what suits the model]",
    ),
]
KeepBrackets: TypeAlias = Annotated[
    bool,
    typer.Option("--keep-brackets", help="Brackets of the input must be in the tree; X is any label."),
]
KeepTags: TypeAlias = Annotated[
    bool, typer.Option("--keep-tags", help="Tags of the input stay as they are (of CoNLL-U: XPOS).")
]
GoldTags: TypeAlias = Annotated[
    bool, typer.Option("--gold-tags", help="Give the parser the right tags of the words.")
]
Oracle: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--oracle", metavar="K", min=1, help="Also F1 if the best of the K best trees were always chosen."
    ),
]
Treebanked: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="A treebank with the right trees.")
]
BracketName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--bracket", metavar="LABEL:I-J", help="Explain only this bracket over words I to J, counted from 1."
    ),
]
