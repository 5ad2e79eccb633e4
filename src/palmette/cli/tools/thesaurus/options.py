"""The options of `thesaurus`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from palmette.cli.commands import utf8

TrainFiles: TypeAlias = Annotated[
    list[str],
    typer.Option("--train", metavar="FILE", help='CoNLL-U or text; "-" is standard input; repeatable.'),
]
ParserName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--parser",
        metavar="MODEL",
        help="A dependency parser with taggers for text without trees, such as en. Without it, the contexts of "
        "such text are the words nearby.",
    ),
]
WordNetFolder: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--wordnet", metavar="DIR", help="A WordNet folder (data.noun, …), whose antonyms are marked."
    ),
]
Words: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="WORDS",
        callback=utf8,
        help='Words, or a file with a word on each line; "-" is standard input.',
    ),
]
Many: TypeAlias = Annotated[
    int, typer.Option("--top", metavar="N", min=1, help="Number of words for each word.")
]
All: TypeAlias = Annotated[bool, typer.Option("--all", help="The neighbours of all words.")]
Clusters: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--clusters",
        metavar="N",
        min=1,
        help="Divide the words, or the 500 most frequent ones, into N clusters.",
    ),
]
Draw: TypeAlias = Annotated[
    bool, typer.Option("--draw", help="Draw the hierarchy of the words, or of the 50 most frequent ones.")
]


class MeasureName(StrEnum):
    """How words are compared."""

    lin = "lin"
    cosine = "cosine"
    set_cosine = "set-cosine"
    dice = "dice"
    jaccard = "jaccard"
    vectors = "vectors"


class VectorFormat(StrEnum):
    """How dense vectors are written."""

    text = "text"
    npz = "npz"


Measure: TypeAlias = Annotated[
    MeasureName | None,
    typer.Option("--measure", help="Measure of similarity. [default: the model's]"),
]
WriteVectors: TypeAlias = Annotated[
    VectorFormat | None,
    typer.Option("--vectors", help="Write the dense vectors: as text, as word2vec does, or as a .npz file."),
]
PairsFile: TypeAlias = Annotated[
    str,
    typer.Argument(metavar="PAIRS", help="Lines with two words and a value of people, separated by tabs."),
]
OneWord: TypeAlias = Annotated[str, typer.Argument(metavar="WORD", callback=utf8, help="The first word.")]
OtherWord: TypeAlias = Annotated[
    str | None,
    typer.Argument(metavar="WORD", callback=utf8, help="The second word. [default: the most similar one]"),
]
ShownWord: TypeAlias = Annotated[
    str | None, typer.Option("--word", metavar="WORD", help="Show the contexts of a word.")
]
