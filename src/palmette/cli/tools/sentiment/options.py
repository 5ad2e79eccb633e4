"""The options of `sentiment`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from palmette.cli.commands import utf8

_COLUMNS = (
    "Four columns separated by tabs: label, document, number and words of a sentence, a line for each sentence. "
    "Two columns: label and text, a line for each document."
)
TrainFile: TypeAlias = Annotated[
    str, typer.Option("--train", metavar="FILE", help=f"Labelled documents. {_COLUMNS}")
]
DevFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--dev", metavar="FILE", help="Labelled documents to choose the cut by, if it is not set."),
]
SubjectivityFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--subjectivity",
        metavar="FILE",
        help="Sentences with the labels subjective and objective: label, tab, words. Without it, all sentences "
        "count.",
    ),
]
SentenceLearner: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--sentence-learner",
        metavar="NAME",
        help="The learner of subjective sentences, with its usual options. [default: naive-bayes]",
    ),
]
Documents: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help="Documents as for training, where the label may be missing: three columns, or one text on each line. "
        '"-" is standard input.',
    ),
]
GoldFile: TypeAlias = Annotated[str, typer.Argument(metavar="FILE", help="Documents with gold labels.")]
Sentences: TypeAlias = Annotated[
    int | None,
    typer.Option("--sentences", metavar="N", min=1, help="Keep the N most subjective sentences."),
]
ExtractOnly: TypeAlias = Annotated[
    bool, typer.Option("--extract", help="Write the sentences that stay instead of the labels.")
]
Probabilities: TypeAlias = Annotated[
    bool, typer.Option("--probabilities", help="Write the probability of the label as an additional column.")
]
Text: TypeAlias = Annotated[
    str | None,
    typer.Argument(
        metavar="TEXT", callback=utf8, help="The document to explain; sentences are found by rules."
    ),
]
ExampleFile: TypeAlias = Annotated[
    str | None, typer.Option("--file", metavar="FILE", help="Explain a document of this file.")
]
ExampleNumber: TypeAlias = Annotated[
    int,
    typer.Option("--document", metavar="N", min=1, help="The number of the document in the file, from 1."),
]
Keep: TypeAlias = Annotated[
    list[int] | None,
    typer.Option("--keep", metavar="N", min=1, help="A sentence that must stay, from 1; repeatable."),
]
Drop: TypeAlias = Annotated[
    list[int] | None,
    typer.Option("--drop", metavar="N", min=1, help="A sentence that must go, from 1; repeatable."),
]
