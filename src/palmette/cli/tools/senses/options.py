"""The options of `senses`."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

from palmette.cli.commands import utf8

_FILE = (
    "Lines of form, lemma, part of speech and senses (| between several, _ for none), an empty line after "
    "each sentence; or a lexical sample with the header word, id, sense, head_index, tokens, pos."
)
TrainFile: TypeAlias = Annotated[
    str | None, typer.Option("--train", metavar="FILE", help=f"Sentences with senses. {_FILE}")
]
DevFile: TypeAlias = Annotated[
    str | None,
    typer.Option("--dev", metavar="FILE", help="Sentences with senses on which methods with rounds stop."),
]
Method: TypeAlias = Annotated[
    str, typer.Option("--method", metavar="NAME", help="The method; see the list above.")
]
WordNetFolder: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--wordnet",
        metavar="FOLDER",
        help="The folder of WordNet's database (/usr/share/wordnet of the Debian package wordnet-base).",
    ),
]
InventoryFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--inventory",
        metavar="FILE",
        help="Senses of your own: word, part of speech, sense and definition, separated by tabs. Without it and "
        "--wordnet, the senses are those of the training text.",
    ),
]
TaggerModel: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--tagger",
        metavar="MODEL",
        help="A tagger whose tags are features, such as en; it is saved in the model. [default: the parts of "
        "speech of the file]",
    ),
]
SeedFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--seeds", metavar="FILE", help="For --method bootstrap: sense, tab, seed words on each line."
    ),
]
UnlabelledFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--unlabelled",
        metavar="FILE",
        help="Sentences without senses, for the methods bootstrap, self-training and co-training.",
    ),
]
LinkMapping: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--links",
        metavar="FILE",
        help="The training file is text with [[target|word]] links, and this file has target, tab, sense.",
    ),
]
Sentences: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        help='Sentences as for training, whose senses are not read, or text. "-" is standard input.',
    ),
]
KBest: TypeAlias = Annotated[
    int,
    typer.Option(
        "--kbest", metavar="K", min=1, help="Write every sentence K times, with the K best choices of senses."
    ),
]
Language: TypeAlias = Annotated[
    str, typer.Option("--language", metavar="CODE", help="Language of text, for its sentences and words.")
]
GoldFile: TypeAlias = Annotated[str, typer.Argument(metavar="FILE", help="Sentences with gold senses.")]
Sentence: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="SENTENCE",
        callback=utf8,
        help="Words between spaces, each with its part of speech behind a slash: river/NOUN bank/NOUN.",
    ),
]
