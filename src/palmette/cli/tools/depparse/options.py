"""The options of `depparse`, beside those that it shares with the taggers."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer


class MethodName(StrEnum):
    """How trees are found."""

    graph = "graph"
    transition = "transition"


class TreeInput(StrEnum):
    """What a dependency parser reads."""

    conllu = "conllu"
    text = "text"


FormatName: TypeAlias = Annotated[
    TreeInput | None,
    typer.Option("--format", help="The format of the input. [default: detected from name and content]"),
]
Treebank: TypeAlias = Annotated[
    str, typer.Option("--train", metavar="FILE", help="A treebank: CoNLL-U with heads and relations.")
]
DevTreebank: TypeAlias = Annotated[
    str | None,
    typer.Option("--dev", metavar="FILE", help="A treebank to choose the best pass and to stop early."),
]
Method: TypeAlias = Annotated[
    MethodName,
    typer.Option(
        "--method", help="graph finds the best of all trees; transition builds one from left to right."
    ),
]
Columns: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="NAMES",
        help="Input columns besides the words, from lemma,upos,xpos,feats. [default: all that are filled]",
    ),
]
WithTags: TypeAlias = Annotated[
    bool,
    typer.Option("--with-tags", help="Train taggers too and save a pipeline, which can parse plain text."),
]
Jackknife: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--jackknife",
        metavar="K",
        min=0,
        help="Train on tags predicted by K taggers, each trained without the sentence; 0 uses the file's tags. "
        "[default: 5 with --with-tags, else 0]",
    ),
]
TagLearner: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--tag-learner", metavar="NAME", help="The learner of the taggers. [default: the taggers' own]"
    ),
]
Start: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--start",
        metavar="MODEL",
        help="Continue training from this model: a graph-based one, or with --scorer neural one with a network; "
        "keeps its columns and options.",
    ),
]
SkipBad: TypeAlias = Annotated[
    bool,
    typer.Option("--skip-bad", help="Skip sentences whose heads do not form a tree instead of stopping."),
]
Search: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Set an option of the search; repeatable."),
]
ArcProbabilities: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--probabilities",
        help="Write the probability of each arc: ArcProb=… in MISC, or HeadProb=… (an estimate) if the model "
        "has no probabilities of trees.",
    ),
]
KBestTrees: TypeAlias = Annotated[
    int,
    typer.Option("--kbest", metavar="K", min=1, help="Write every sentence K times, with the K best trees."),
]
RiskTrees: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--minimum-risk",
        help="Choose the tree with the most arcs expected to be right, not the best-scoring tree.",
    ),
]
KeepHeads: TypeAlias = Annotated[
    bool, typer.Option("--keep-heads", help="Keep the heads that the input already has.")
]
Unique: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--unique",
        metavar="RELATIONS",
        help="Relations that may occur only once among the dependents of a word, such as nsubj,obj.",
    ),
]
Retag: TypeAlias = Annotated[
    bool, typer.Option("--retag", help="Predict all tags again, even if the input has some.")
]
Calibration: TypeAlias = Annotated[
    bool, typer.Option("--probabilities", help="Report how well the probabilities of arcs are calibrated.")
]
GoldTags: TypeAlias = Annotated[
    bool, typer.Option("--gold-tags", help="Pipelines: use the tags of the file instead of predicting them.")
]
Draw: TypeAlias = Annotated[bool, typer.Option("--draw", help="Draw the trees as text.")]
Svg: TypeAlias = Annotated[bool, typer.Option("--svg", help="Draw the trees as SVG in an HTML page.")]
Treebanked: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="A treebank with gold trees, in CoNLL-U.")
]
ExplainTags: TypeAlias = Annotated[
    bool, typer.Option("--tags", help="Pipelines: explain the tags, not the heads.")
]
Against: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--against", metavar="N", min=0, help="Explain why --token does not have this head; 0 is the root."
    ),
]
