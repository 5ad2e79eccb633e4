"""The options of `tokens`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer


class Newlines(StrEnum):
    """What a line end is."""

    space = "space"
    paragraph = "paragraph"
    sentence = "sentence"


class OutputFormat(StrEnum):
    """How sentences are written."""

    conllu = "conllu"
    lines = "lines"


Treebank: TypeAlias = Annotated[
    str,
    typer.Option("--train", metavar="FILE", help='Treebank, CoNLL-U with its text; "-" is standard input.'),
]
DevTreebank: TypeAlias = Annotated[
    str | None, typer.Option("--dev", metavar="FILE", help="Treebank to choose the best pass by.")
]
MinCount: TypeAlias = Annotated[
    int, typer.Option("--min-count", metavar="N", min=1, help="Leave out features that are rarer than this.")
]
LineEnds: TypeAlias = Annotated[
    Newlines | None,
    typer.Option(
        "--newlines",
        help="What ends a sentence besides its words: an empty line (paragraph), every line end (sentence), or "
        "neither (space). [default: the model's, paragraph]",
    ),
]
Presegmented: TypeAlias = Annotated[
    bool, typer.Option("--presegmented", help="Every line is one sentence: only find its tokens.")
]
Pretokenized: TypeAlias = Annotated[
    bool, typer.Option("--pretokenized", help="White space divides tokens: only find sentences and words.")
]
Probabilities: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--probabilities",
        help="Write how sure each token is, and that a sentence ends behind it or not: TokenProb=… and "
        "SentenceProb=… in MISC.",
    ),
]
Words: TypeAlias = Annotated[
    bool, typer.Option("--words/--no-words", help="Divide multiword tokens into words.")
]
To: TypeAlias = Annotated[
    OutputFormat,
    typer.Option("--to", help="CoNLL-U, or lines with the words of a sentence, separated by spaces."),
]
GoldTreebank: TypeAlias = Annotated[
    str, typer.Argument(metavar="TREEBANK", help='CoNLL-U with its text; "-" is standard input.')
]
Worst: TypeAlias = Annotated[
    int, typer.Option("--worst", metavar="N", min=0, help="Show the N sentences with the most wrong words.")
]
Text: TypeAlias = Annotated[
    str | None, typer.Argument(metavar="TEXT", help='The text to explain; "-" is standard input.')
]
TextFile: TypeAlias = Annotated[
    str | None, typer.Option("--file", metavar="FILE", help="A text file in place of TEXT.")
]
