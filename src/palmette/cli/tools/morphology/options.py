"""The options that `morphology` and `lemmas` have beside those of taggers."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

TreebankFile: TypeAlias = Annotated[
    str, typer.Option("--train", metavar="FILE", help="Training sentences in CoNLL-U.")
]
DevFile: TypeAlias = Annotated[
    str | None, typer.Option("--dev", metavar="FILE", help="Sentences in CoNLL-U to choose the best pass.")
]
LexiconFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--lexicon",
        metavar="FILE",
        help='Words with their analyses: form, lemma, upos and feats, with tabs between them; "_" is unknown.',
    ),
]
Constrain: TypeAlias = Annotated[
    bool, typer.Option("--constrain", help="Give words of the lexicon only analyses that agree with it.")
]
Columns: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--column",
        metavar="NAME",
        help="A column to predict: upos, xpos or feats; repeatable. [default: all]",
    ),
]
DictionaryFile: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dictionary",
        metavar="FILE",
        help='Words whose lemmas are known: form, lemma, upos and feats, with tabs between them; "_" fits any.',
    ),
]
Templates: TypeAlias = Annotated[
    str | None,
    typer.Option("--templates", metavar="FILE", help="Feature templates in place of the tool's own."),
]
ScriptCount: TypeAlias = Annotated[
    int,
    typer.Option(
        "--min-count", metavar="N", min=1, help="Drop edit scripts of fewer than N different words."
    ),
]
KeptColumns: TypeAlias = Annotated[
    list[str] | None,
    typer.Option("--keep", metavar="NAME", help="A column whose values in the input stay; repeatable."),
]
KeepLemmas: TypeAlias = Annotated[
    bool, typer.Option("--keep", help='Keep the lemmas of the input, and fill those that are "_".')
]
