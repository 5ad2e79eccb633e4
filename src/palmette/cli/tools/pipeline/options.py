"""The options of `pipeline`, beside those that it shares with taggers and parsers."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from palmette.cli.tools.depparse.options import MethodName
from palmette.cli.tools.sequence.input import InputFormat
from palmette.errors import UsageError

if TYPE_CHECKING:
    from palmette.tools.pipeline.reading import Reading


class OutputFormat(StrEnum):
    """What a pipeline writes."""

    conllu = "conllu"
    json = "json"
    columns = "columns"


class NewlineName(StrEnum):
    """What a line break of a text means."""

    space = "space"
    sentence = "sentence"
    paragraph = "paragraph"


Treebanks: TypeAlias = Annotated[
    list[str],
    typer.Option("--train", metavar="FILE", help="A treebank in CoNLL-U; repeatable, all are learned from."),
]
DevTreebank: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dev", metavar="FILE", help="A treebank to choose the best pass and to measure each step."
    ),
]
Entities: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--entities", metavar="FILE", help="Sentences with names: columns, the last one labels such as B-PER."
    ),
]
EntitiesDev: TypeAlias = Annotated[
    str | None,
    typer.Option("--entities-dev", metavar="FILE", help="Such sentences to measure the names on."),
]
Lexicon: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--lexicon", metavar="FILE", help="Known words, a line each: form TAB lemma TAB upos TAB feats."
    ),
]
Constrain: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--constrain", help="Give words of --lexicon only analyses that agree with it, where one is known."
    ),
]
Dictionary: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dictionary",
        metavar="FILE",
        help='Known words that come before all that was learned: form TAB lemma TAB upos TAB feats, "_" fits any.',
    ),
]
Without: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--without",
        metavar="STEPS",
        help="Steps to leave out, from tokens,words,morphology,lemmas,parser,entities. Without tokens, rules cut "
        "the text.",
    ),
]
Only: TypeAlias = Annotated[
    str | None,
    typer.Option("--only", metavar="STEPS", help="Train only these steps; --start gives the others."),
]
Use: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--use",
        metavar="MODEL",
        help="A trained model that takes the place of a step, or a pipeline whose steps are taken; repeatable.",
    ),
]
Start: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--start",
        metavar="MODEL",
        help="A pipeline whose steps stay, except those of --only. Without --only, its graph-based parser and "
        "its taggers go on learning from the treebank, beginning with their weights.",
    ),
]
Language: TypeAlias = Annotated[
    str | None,
    typer.Option("--language", metavar="CODE", help="The language, such as hu; saved in the model."),
]
Method: TypeAlias = Annotated[
    MethodName | None,
    typer.Option("--method", help="The parser's method. [default: the treebank decides]"),
]
Jackknife: TypeAlias = Annotated[
    int,
    typer.Option(
        "--jackknife",
        metavar="K",
        min=0,
        help="Train later steps on predictions of K models of the earlier ones, each trained without the "
        "sentences at hand; 0 uses gold.",
    ),
]
Newlines: TypeAlias = Annotated[
    NewlineName | None,
    typer.Option(
        "--newlines",
        help="What ends at a line break of a text: nothing (space), a sentence, or at an empty line a paragraph. "
        "[default: paragraph]",
    ),
]
Presegmented: TypeAlias = Annotated[
    bool, typer.Option("--presegmented", help="Every line of the text is one sentence.")
]
Pretokenized: TypeAlias = Annotated[
    bool,
    typer.Option("--pretokenized", help="White space divides the tokens of the text, nothing else does."),
]
From: TypeAlias = Annotated[
    InputFormat | None,
    typer.Option(
        "--from", "--format", help="The format of the input. [default: detected from name and content]"
    ),
]
To: TypeAlias = Annotated[OutputFormat, typer.Option("--to", help="The format of the output.")]
Keep: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--keep",
        metavar="COLUMNS",
        help="Keep what the input has in these columns, from lemma,upos,xpos,feats,head,deprel,entity.",
    ),
]
KeepHeads: TypeAlias = Annotated[
    bool, typer.Option("--keep-heads", hidden=True, help="The same as --keep head, which takes its place.")
]
Probabilities: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--probabilities", help="Write the probability of every layer: TokenProb=…, UposProb=… etc. in MISC."
    ),
]
GoldTokens: TypeAlias = Annotated[
    bool, typer.Option("--gold-tokens", help="Begin with the words of the file, and not with its text.")
]
Worst: TypeAlias = Annotated[
    int, typer.Option("--worst", metavar="N", min=0, help="Number of the worst sentences to show.")
]
StepName: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--step",
        metavar="NAME",
        help="The step to explain: parser, lemmas, morphology, entities. [default: parser, or the last one]",
    ),
]


def reading_of(newlines: NewlineName | None, lines: bool, presegmented: bool, pretokenized: bool) -> Reading:
    """What the options say about a text."""
    if lines and newlines is not None:
        raise UsageError("--lines is --newlines sentence: use only one of them")
    meaning = "sentence" if lines else None if newlines is None else newlines.value
    return {"newlines": meaning, "presegmented": presegmented, "pretokenized": pretokenized}


def names_of(text: str | None) -> tuple[str, ...]:
    """The names in a list with commas."""
    return tuple(name.strip() for name in (text or "").split(",") if name.strip())
