"""The options that `tag` and `spans` share, each written once."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from palmette.cli.commands import utf8
from palmette.cli.tools.neural import Scorer
from palmette.cli.tools.sequence.input import InputFormat


class SpanFormat(StrEnum):
    """How spans are printed."""

    tsv = "tsv"
    json = "json"


TrainFile: TypeAlias = Annotated[
    str, typer.Option("--train", metavar="FILE", help="Training sentences with labels: CoNLL-U or columns.")
]
DevFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dev", metavar="FILE", help="Labelled sentences to choose the best pass and to stop early."
    ),
]
StartModel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--start",
        metavar="MODEL",
        help="Continue training from this model; keeps its features, labels and layers.",
    ),
]
ColumnName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--column",
        metavar="NAME",
        help="The column of the labels: its name, or its index (0 is the first, -1 the last).",
    ),
]
FormatName: TypeAlias = Annotated[
    InputFormat | None,
    typer.Option("--format", help="The format of the files. [default: detected from name and content]"),
]
TemplateSet: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--templates",
        metavar="NAME|FILE",
        help="Feature templates: pos, ner, chunk, generic, or a file (also in CRF++ or Wapiti syntax).",
    ),
]
LabelOrder: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--order",
        metavar="N",
        min=0,
        max=3,
        help="Number of previous labels that each label depends on. [default: 1]",
    ),
]
AutomatonText: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--automaton",
        metavar="TEXT|FILE",
        help="Let labels see the state of an automaton that reads them, and predict only what it accepts: "
        "@at-most(K), @count(K), @no-repeat, @brackets(D,OPEN,CLOSE), @scheme(NAME), an expression over labels, "
        "several joined by &, or a file with a line STATE LABEL STATE per step.",
    ),
]
MinCount: TypeAlias = Annotated[
    int, typer.Option("--min-count", metavar="N", min=1, help="Drop features seen fewer than N times.")
]
HashBits: TypeAlias = Annotated[
    int | None,
    typer.Option("--hash-bits", metavar="N", min=1, max=30, help="Hash features into 2^N buckets."),
]
Gazetteers: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--gazetteer", metavar="NAME=FILE", help="A list of names, one per line; repeatable."),
]
ClusterFiles: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--clusters",
        metavar="NAME=FILE",
        help="Word clusters, one word per line: cluster and word (Brown), or word and cluster.",
    ),
]
Compact: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--compact/--full",
        help="Save rounded weights without negligible ones, or all weights and feature names in a file "
        "many times larger.",
    ),
]
About: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--about",
        metavar="KEY=VALUE",
        help="A fact to save in the model, such as licence or source; language=CODE chooses the tokenizer.",
    ),
]
ScorerName: TypeAlias = Annotated[
    Scorer,
    typer.Option(
        "--scorer",
        help="Scores by features with weights, or by a network, which is trained with torch and predicts without.",
    ),
]
Input: TypeAlias = Annotated[
    str, typer.Argument(metavar="INPUT", help='CoNLL-U, columns or text; "-" is standard input.')
]
Language: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--language",
        metavar="CODE",
        help="The language of the tokenizer, for text. [default: the model's, or en]",
    ),
]
Lines: TypeAlias = Annotated[
    bool, typer.Option("--lines", help="End a sentence at every line break of a text.")
]
Append: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--append", help="Column files: add the labels as a new last column and keep the existing ones."
    ),
]
KeepLabels: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--keep-labels",
        help="Keep the labels that the input has; find the best ones for the tokens that have _.",
    ),
]
Probabilities: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--probabilities",
        help="Write the probability of each label: Prob=… in MISC, or an additional column.",
    ),
]
KBest: TypeAlias = Annotated[
    int,
    typer.Option(
        "--kbest", metavar="K", min=1, help="Write every sentence K times, with the K best labellings."
    ),
]
MinimumRisk: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--minimum-risk",
        help="Choose each label by its probability (least expected error), not the best sequence.",
    ),
]
Search: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--search",
        metavar="NAME[=N]",
        help="How to look for the best labels: viterbi, dijkstra, astar (exact); weighted-astar=2, "
        "constant-astar=2, top-k=8, beam=5 (may miss them). Reports how many states were extended. "
        "[default: viterbi, in batches]",
    ),
]
GoldFile: TypeAlias = Annotated[str, typer.Argument(metavar="FILE", help="Sentences with gold labels.")]
Top: TypeAlias = Annotated[int, typer.Option("--top", metavar="N", min=0, help="Number of features to show.")]
Text: TypeAlias = Annotated[
    str | None,
    typer.Argument(metavar="TEXT", callback=utf8, help='The sentence to explain; "-" is standard input.'),
]
SentenceFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--file", metavar="FILE", help="Explain a sentence of this file: CoNLL-U, columns or text."),
]
SentenceNumber: TypeAlias = Annotated[
    int, typer.Option("--sentence", metavar="N", min=1, help="The number of the sentence, from 1.")
]
TokenNumber: TypeAlias = Annotated[
    int | None, typer.Option("--token", metavar="N", min=1, help="Explain only this token, counted from 1.")
]


def column_of(name: str | None) -> str | int | None:
    """Return a column as given on the command line; a number is an index."""
    return int(name) if name is not None and name.removeprefix("-").isdecimal() else name
