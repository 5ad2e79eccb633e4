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
        help="Lists of candidates; with --base the trees or labelled sentences of the first model.",
    ),
]
DevLists: TypeAlias = Annotated[
    str | None,
    typer.Option("--dev", metavar="FILE", help="The same, to choose the best pass and settings by."),
]
Gold: TypeAlias = Annotated[
    str | None,
    typer.Option("--gold", metavar="FILE", help="The right trees, one for each list, where lists have none."),
]
Base: TypeAlias = Annotated[
    BaseTool | None,
    typer.Option("--base", help="Train the first model too, on folds and on everything, and keep it."),
]
Method: TypeAlias = Annotated[
    str | None, typer.Option("--method", metavar="NAME", help="How a first model of --base parse parses.")
]
Column: TypeAlias = Annotated[
    str | None,
    typer.Option("--column", metavar="NAME", help="The column of the labels, for --base spans and tag."),
]
Lenient: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--lenient", help="With --base spans: read labels that break their scheme as conlleval does."
    ),
]
Folds: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--folds", metavar="N", min=2, help="Parts of the training data, with --base. [default: 10]"
    ),
]
HowMany: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--candidates", metavar="K", min=1, help="Candidates of a sentence, with --base. [default: 50]"
    ),
]
KeepLists: TypeAlias = Annotated[
    str | None,
    typer.Option("--lists-to", metavar="FILE", help="Also write the lists that were made, with --base."),
]
Features: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--features",
        metavar="GROUPS",
        help='Primal form: groups of features with commas between, or "all". [default: dual form, a kernel]',
    ),
]
Decay: TypeAlias = Annotated[
    str | None,
    typer.Option("--decay", metavar="NUMBERS", help="λ of the kernel; of several, the best on the dev set."),
]
Beta: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--beta",
        metavar="NUMBERS",
        help="The weight of the first model's log-probability; of several, the best on the dev set. "
        "[default: 0.01, in primal form 1]",
    ),
]
Prior: TypeAlias = Annotated[
    str,
    typer.Option(
        "--prior",
        metavar="NUMBERS",
        help="The weight of that log-probability to begin with; of several, the best on the dev set.",
    ),
]
Stream: TypeAlias = Annotated[
    bool, typer.Option("--stream", help="Read the lists anew in every pass; they need not fit the memory.")
]
MaxSize: TypeAlias = Annotated[
    int,
    typer.Option(
        "--max-size",
        metavar="N",
        min=1,
        help="Largest output to rank, in nodes of a tree or words of a sequence. A list with a larger one is not "
        "learned from, and keeps the first model's order.",
    ),
]
Source: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help='Lists of candidates; sentences, if the model has its first model. "-" is standard input.',
    ),
]
GoldSource: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="Lists with their right outputs; trees or labelled sentences, if the model has its first model.",
    ),
]
Ranked: TypeAlias = Annotated[
    bool, typer.Option("--ranked", help="All candidates in their new order, after their new scores.")
]
MinimumRisk: TypeAlias = Annotated[
    bool | None,
    typer.Option(
        "--minimum-risk/--best-score",
        help="The candidate with the fewest mistakes expected, by the probabilities of all, or the highest score. "
        "[default: what suits the model]",
    ),
]
ListNumber: TypeAlias = Annotated[
    int, typer.Option("--list", metavar="N", min=1, help="Which list or sentence of the file, from 1.")
]
Rival: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--rival", metavar="N", min=1, help="The candidate to compare with. [default: the first model's]"
    ),
]
