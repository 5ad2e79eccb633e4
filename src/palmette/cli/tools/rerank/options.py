"""The options of `rerank`, beside those that it shares with other tools."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer


class BaseTool(StrEnum):
    """Whose outputs are reranked."""

    parse = "parse"
    spans = "spans"
    tag = "tag"


TrainLists: TypeAlias = Annotated[
    str,
    typer.Option(
        "--train",
        metavar="FILE",
        help="Lists of candidates; with --base, trees or labelled sentences for the first model.",
    ),
]
DevLists: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dev", metavar="FILE", help="The same kind of data, to choose the best pass and settings."
    ),
]
Gold: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--gold", metavar="FILE", help="The gold trees, one for each list, if the lists do not contain them."
    ),
]
Base: TypeAlias = Annotated[
    BaseTool | None,
    typer.Option(
        "--base", help="Train the first model too, on folds and on all data, and save it in the model."
    ),
]
Method: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--method", metavar="NAME", help="The parsing method of the first model, with --base parse."
    ),
]
Column: TypeAlias = Annotated[
    str | None,
    typer.Option("--column", metavar="NAME", help="The column of the labels, with --base spans or tag."),
]
Lenient: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--lenient", help="Read labels that break their scheme as conlleval does, with --base spans."
    ),
]
Folds: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--folds", metavar="N", min=2, help="Number of folds of the training data, with --base. [default: 10]"
    ),
]
HowMany: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--candidates",
        metavar="K",
        min=1,
        help="Number of candidates for each sentence, with --base. [default: 50 trees, or 20 sequences of labels]",
    ),
]
KeepLists: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--lists-to", metavar="FILE", help="Also write the lists of candidates to this file, with --base."
    ),
]
Features: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--features",
        metavar="GROUPS",
        help='Use the primal form with these groups of features, separated by commas, or "all". '
        "[default: dual form, a kernel]",
    ),
]
Decay: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--decay",
        metavar="NUMBERS",
        help="Decay λ of the kernel; of several values, the dev set chooses the best.",
    ),
]
Beta: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--beta",
        metavar="NUMBERS",
        help="Weight of the first model's log-probability; of several values, the dev set chooses the best. "
        "[default: 0.01, in primal form 1]",
    ),
]
Prior: TypeAlias = Annotated[
    str,
    typer.Option(
        "--prior",
        metavar="NUMBERS",
        help="Initial weight of that log-probability; of several values, the dev set chooses the best.",
    ),
]
Choose: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--choose/--no-choose",
        help="Compare a few settings by cross-validation over the training data, with lists that are made again "
        "for it (with --base, this trains 12 further first models), and train with the best. [default: if no "
        "learner or setting is given]",
    ),
]
Stream: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--stream", help="Read the lists again in every pass, so that they need not fit into memory."
    ),
]
MaxSize: TypeAlias = Annotated[
    int,
    typer.Option(
        "--max-size",
        metavar="N",
        min=1,
        help="Largest output to rank, in nodes of a tree or words of a sequence. Lists with a larger one are not "
        "used for training and keep the first model's order.",
    ),
]
Source: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help='Lists of candidates, or sentences if the model contains its first model. "-" is standard input.',
    ),
]
GoldSource: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Lists with gold outputs, or gold trees or labelled sentences if the model contains its first model.",
    ),
]
Ranked: TypeAlias = Annotated[
    bool, typer.Option("--ranked", help="Write all candidates in their new order, each after its new score.")
]
MinimumRisk: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--minimum-risk/--best-score",
        help="Choose the candidate with the fewest expected mistakes, or the one with the highest score. "
        "[default: depends on the model]",
    ),
]
ListNumber: TypeAlias = Annotated[
    int,
    typer.Option(
        "--list", metavar="N", min=1, help="The number of the list or sentence in the file, from 1."
    ),
]
Rival: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--rival",
        metavar="N",
        min=1,
        help="The candidate to compare with, counted from 1. [default: the first model's choice]",
    ),
]
