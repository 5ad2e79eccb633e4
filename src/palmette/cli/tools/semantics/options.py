"""The options of `semantics`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from palmette.cli.commands import utf8

TrainFile: TypeAlias = Annotated[
    str,
    typer.Option(
        "--train",
        metavar="FILE",
        help="Questions and answers, columns separated by tabs. A first line with the names question and "
        "denotation (or answer) says which; otherwise there are two columns.",
    ),
]
DatabaseFile: TypeAlias = Annotated[
    str,
    typer.Option(
        "--database",
        metavar="FILE",
        help="Facts: Prolog (*.pl), or lines with the name of a table and its values, separated by tabs.",
    ),
]
DevFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--dev", metavar="FILE", help="Questions and answers to choose the best pass by."),
]
TriggerFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--triggers",
        metavar="FILE",
        help="Lines with words, a tab, and the predicate they mean; - for words to pass over.",
    ),
]
Language: TypeAlias = Annotated[
    str, typer.Option("--language", metavar="CODE", help="Language of the general words: en or de.")
]
Questions: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="QUESTION|FILE",
        callback=utf8,
        help='A question, or a file with one on each line or in a column "question". "-" is standard input.',
    ),
]
GoldFile: TypeAlias = Annotated[str, typer.Argument(metavar="FILE", help="Questions with right answers.")]
Confidence: TypeAlias = Annotated[
    float,
    typer.Option(
        "--confidence",
        metavar="P",
        min=0.0,
        max=1.0,
        help="Say that the answer is not known where its probability is below P.",
    ),
]
Kbest: TypeAlias = Annotated[
    int, typer.Option("--kbest", metavar="K", min=1, help="Number of answers to each question.")
]
Draw: TypeAlias = Annotated[bool, typer.Option("--draw", help="Draw the tree of each answer.")]
Question: TypeAlias = Annotated[
    str, typer.Argument(metavar="QUESTION", callback=utf8, help="The question whose answer is explained.")
]
