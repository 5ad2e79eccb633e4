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
    typer.Option("--format", help="The format of the input. [default: follows from its name and content]"),
]
Treebank: TypeAlias = Annotated[
    str, typer.Option("--train", metavar="FILE", help="A treebank: CoNLL-U with heads and relations.")
]
DevTreebank: TypeAlias = Annotated[
    str | None,
    typer.Option("--dev", metavar="FILE", help="A treebank to choose the best pass by, and to stop early."),
]
Method: TypeAlias = Annotated[
    MethodName, typer.Option("--method", help="The best of all trees, or one built from left to right.")
]
Columns: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--columns",
        metavar="NAMES",
        help="What to look at beside words: of lemma,upos,xpos,feats. [default: those that are filled]",
    ),
]
WithTags: TypeAlias = Annotated[
    bool,
    typer.Option("--with-tags", help="A pipeline: train taggers too, so that plain text can be parsed."),
]
Jackknife: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--jackknife",
        metavar="K",
        min=0,
        help="Train on tags of K taggers that have not seen the sentence; 0: on those of the file. "
        "[default: 5 with --with-tags, else 0]",
    ),
]
TagLearner: TypeAlias = Annotated[
    str | None, typer.Option("--tag-learner", metavar="NAME", help="The learner of the taggers.")
]
SkipBad: TypeAlias = Annotated[
    bool, typer.Option("--skip-bad", help="Leave out sentences that are no trees, instead of an error.")
]
Search: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="An option of the search; may be given several times."),
]
ArcProbabilities: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--probabilities",
        help="Also the probability of each arc: ArcProb=… in MISC, or HeadProb=… for the estimate of a model "
        "without probabilities of trees.",
    ),
]
KBestTrees: TypeAlias = Annotated[
    int,
    typer.Option("--kbest", metavar="K", min=1, help="Write every sentence K times, with the K best trees."),
]
RiskTrees: TypeAlias = Annotated[
    bool, typer.Option("--minimum-risk", help="The tree with the most arcs expected to be right.")
]
KeepHeads: TypeAlias = Annotated[
    bool, typer.Option("--keep-heads", help="Heads that are in the input stay as they are.")
]
Unique: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--unique", metavar="RELATIONS", help="Relations that no word has twice below it, such as nsubj,obj."
    ),
]
Retag: TypeAlias = Annotated[
    bool, typer.Option("--retag", help="Predict tags anew, also where the input has some.")
]
Calibration: TypeAlias = Annotated[
    bool, typer.Option("--probabilities", help="Also how well the probabilities of arcs are calibrated.")
]
GoldTags: TypeAlias = Annotated[
    bool, typer.Option("--gold-tags", help="A pipeline: take the tags of the file, and do not predict them.")
]
Draw: TypeAlias = Annotated[bool, typer.Option("--draw", help="Draw the trees for a terminal.")]
Svg: TypeAlias = Annotated[bool, typer.Option("--svg", help="Draw the trees as SVG, in a page of HTML.")]
Treebanked: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help="A treebank with the right trees, in CoNLL-U.")
]
ExplainTags: TypeAlias = Annotated[
    bool, typer.Option("--tags", help="A pipeline: explain the tags, not the heads.")
]
Against: TypeAlias = Annotated[
    int | None,
    typer.Option("--against", metavar="N", min=0, help="With --token: why not this head? 0 is the root."),
]
