"""The options of `palmette train lm` and of the commands that take a language model."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeAlias

import typer


class SmoothingName(StrEnum):
    """How counts are smoothed."""

    modified_kneser_ney = "modified-kneser-ney"
    kneser_ney = "kneser-ney"
    absolute_discounting = "absolute-discounting"
    katz = "katz"
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
    str | None, typer.Option("--arpa", metavar="FILE", help="Take an ARPA file in place of training.")
]
Mixed: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option("--mix", metavar="MODEL", help="Mix this model with others; may be given several times."),
]
Dev: TypeAlias = Annotated[
    str | None, typer.Option("--dev", metavar="FILE", help="Held-out text that tunes the weights of --mix.")
]
Order: TypeAlias = Annotated[
    int, typer.Option("--order", metavar="N", min=1, max=9, help="Words in the longest n-grams.")
]
SmoothingOption: TypeAlias = Annotated[
    SmoothingName, typer.Option("--smoothing", help="How counts are smoothed.")
]
Prune: TypeAlias = Annotated[
    str,
    typer.Option(
        "--prune",
        metavar="N,N,...",
        help="Leave out n-grams that occur no more often than this, by order; the last is for all longer ones.",
    ),
]
Entropy: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--entropy",
        metavar="X",
        help="Leave out n-grams that raise the perplexity by less than this fraction.",
    ),
]
VocabularyFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--vocabulary", metavar="FILE", help="The known words, between white space; others are <unk>."
    ),
]
MaxWords: TypeAlias = Annotated[
    int | None, typer.Option("--max-words", metavar="N", min=1, help="Know this many of the commonest words.")
]
MinCount: TypeAlias = Annotated[
    int, typer.Option("--min-count", metavar="N", min=1, help="Know words that occur at least as often.")
]
LayoutOption: TypeAlias = Annotated[
    Layout, typer.Option("--layout", help="hashed is faster, trie is smaller.")
]
Quantize: TypeAlias = Annotated[
    int, typer.Option("--quantize", metavar="BITS", min=0, max=16, help="Bits of a probability; 0 is all 32.")
]
KeepCounts: TypeAlias = Annotated[
    bool, typer.Option("--keep-counts", help="Keep the counts in the file, so that text can be added.")
]
ErrorsOption: TypeAlias = Annotated[
    Errors, typer.Option("--errors", help="Bytes that are not UTF-8 stop the training, or become U+FFFD.")
]
MarksOption: TypeAlias = Annotated[
    Marks, typer.Option("--marks", help="<s> and </s> in the text stop the training, or are passed over.")
]
Memory: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="Use no more than this, as in 500M or 2G; counts wait on disk. [default: no limit]",
    ),
]
Source: TypeAlias = Annotated[
    str, typer.Argument(metavar="[FILE]", help='Text, a sentence on each line; "-" is standard input.')
]
TestText: TypeAlias = Annotated[
    str, typer.Argument(metavar="FILE", help='Text, a sentence on each line; "-" is standard input.')
]
WordsFlag: TypeAlias = Annotated[bool, typer.Option("--words", help="Print the score of every word.")]
Next: TypeAlias = Annotated[
    int | None,
    typer.Option("--next", metavar="K", min=1, help="Print the K likeliest words after each line."),
]
Sample: TypeAlias = Annotated[
    int | None,
    typer.Option("--sample", metavar="N", min=1, help="Print N random sentences; no file is read."),
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="For --sample.")]
AsArpa: TypeAlias = Annotated[bool, typer.Option("--arpa", help="Print the model as an ARPA file.")]
