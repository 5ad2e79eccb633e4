"""The options of `palmette train lm` and of the commands that take a language model."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer


class SmoothingName(StrEnum):
    """The smoothing method."""

    modified_kneser_ney = "modified-kneser-ney"
    kneser_ney = "kneser-ney"
    absolute_discounting = "absolute-discounting"
    katz = "katz"
    katz_absolute = "katz-absolute"
    dirichlet = "dirichlet"
    maximum_likelihood = "maximum-likelihood"


class Layout(StrEnum):
    """How a model lies in its file."""

    hashed = "hashed"
    trie = "trie"


class Errors(StrEnum):
    """What is done with bytes that are not UTF-8."""

    strict = "strict"
    replaced = "replace"


class Marks(StrEnum):
    """What is done with <s> and </s> in a text."""

    fail = "fail"
    skip = "skip"


TrainText: TypeAlias = Annotated[
    str | None,
    typer.Option("--train", metavar="FILE", help='Text, a sentence on each line; "-" is standard input.'),
]
ArpaFile: TypeAlias = Annotated[
    str | None, typer.Option("--arpa", metavar="FILE", help="Import an ARPA file instead of training.")
]
Mixed: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--mix", metavar="MODEL", help="A model to interpolate with others; repeatable."),
]
Dev: TypeAlias = Annotated[
    str | None, typer.Option("--dev", metavar="FILE", help="Held-out text that tunes the weights of --mix.")
]
Order: TypeAlias = Annotated[
    int, typer.Option("--order", metavar="N", min=1, max=9, help="Number of words in the longest n-grams.")
]
SmoothingOption: TypeAlias = Annotated[
    SmoothingName, typer.Option("--smoothing", help="The smoothing method.")
]
Prune: TypeAlias = Annotated[
    str,
    typer.Option(
        "--prune",
        metavar="N,N,...",
        help="Drop n-grams seen at most this often: a number for each order, the last for all longer ones.",
    ),
]
Entropy: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--entropy",
        metavar="X",
        help="Drop n-grams whose loss raises the perplexity by less than this fraction.",
    ),
]
VocabularyFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--vocabulary",
        metavar="FILE",
        help="The vocabulary, separated by white space; other words become <unk>.",
    ),
]
MaxWords: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--max-words", metavar="N", min=1, help="Limit the vocabulary to the N most frequent words."
    ),
]
MinCount: TypeAlias = Annotated[
    int,
    typer.Option(
        "--min-count", metavar="N", min=1, help="Limit the vocabulary to words seen at least N times."
    ),
]
LayoutOption: TypeAlias = Annotated[
    Layout, typer.Option("--layout", help="The layout of the file: hashed is faster, trie is smaller.")
]
Quantize: TypeAlias = Annotated[
    int,
    typer.Option(
        "--quantize", metavar="BITS", min=0, max=16, help="Bits for each probability; 0 keeps all 32."
    ),
]
KeepCounts: TypeAlias = Annotated[
    bool, typer.Option("--keep-counts", help="Save the counts in the file, so that text can be added later.")
]
ErrorsOption: TypeAlias = Annotated[
    Errors,
    typer.Option(
        "--errors", help="What to do with bytes that are not UTF-8: stop, or replace them by U+FFFD."
    ),
]
MarksOption: TypeAlias = Annotated[
    Marks, typer.Option("--marks", help="What to do with <s> and </s> in the text: stop, or ignore them.")
]
Memory: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="Memory limit, such as 500M or 2G; further counts go to disk. [default: no limit]",
    ),
]
Source: TypeAlias = Annotated[
    str, typer.Argument(metavar="[FILE]", help='Text, a sentence on each line; "-" is standard input.')
]
TestText: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help='Text, a sentence on each line; "-" is standard input.')
]
LineFile: TypeAlias = Annotated[
    str | None, typer.Option("--file", metavar="FILE", help="Explain a line of this file.")
]
LineNumber: TypeAlias = Annotated[
    int, typer.Option("--line", metavar="N", min=1, help="The number of the line, from 1.")
]
WordsFlag: TypeAlias = Annotated[bool, typer.Option("--words", help="Print the score of every word.")]
Next: TypeAlias = Annotated[
    int | None,
    typer.Option("--next", metavar="K", min=1, help="Print the K most likely next words after each line."),
]
Sample: TypeAlias = Annotated[
    int | None,
    typer.Option("--sample", metavar="N", min=1, help="Print N random sentences; no file is read."),
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="Random seed for --sample.")]
AsArpa: TypeAlias = Annotated[bool, typer.Option("--arpa", help="Print the model as an ARPA file.")]
