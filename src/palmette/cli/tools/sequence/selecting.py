"""Sentences of token files and of text for `palmette select`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from palmette.cli.run import Run
from palmette.cli.selectable import Examples, Selectable
from palmette.cli.tools.sequence.input import InputFormat, TokenReader, language_of
from palmette.errors import UsageError
from palmette.formats.batches import Unit, units
from palmette.formats.columns import format_columns
from palmette.formats.conllu import NAMES, format_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile
from palmette.tools.annotation.selection import words_of

_AT_ONCE = 500  # sentences


def selectable(
    tool: Any,
    model: ModelFile,
    run: Run,
    predict: Callable[..., Iterable[bytes]],
    *,
    format: InputFormat | None,
    language: str | None,
    lines: bool,
    columns: bool | None = None,
) -> Selectable:
    """Return the sentences of files for a tool.

    predict: the tool's command. columns: whether sentences are written in columns; None if as the input has them.
    """
    written: list[InputFormat] = []
    spoken = language_of(tool.training_, language)

    def read(source: str) -> Iterator[Examples]:
        reader = TokenReader(source, format, language=spoken, lines=lines, reading=run.reading)
        for batch in reader:
            as_columns = batch.format is InputFormat.columns or columns is True
            if batch.format is InputFormat.columns and columns is False:
                raise UsageError(
                    f"{reader.path}: expected CoNLL-U or text, got columns; convert them with palmette convert"
                )
            as_columns = as_columns and batch.format is not InputFormat.conllu
            corpus = batch.corpus
            if as_columns and batch.format is InputFormat.text:
                corpus = corpus.only({"form": "form"})
            written[:] = [InputFormat.columns if as_columns else InputFormat.conllu]
            yield from examples(corpus, batch.separator if as_columns else None)

    def annotate(content: Any) -> Iterable[bytes]:
        named = written[0] if written else InputFormat.conllu
        return predict(model, run, source=content, format=named, probabilities=True)

    return Selectable(tool, read, annotate)


def examples(corpus: Corpus, separator: str | None = None) -> Iterator[Examples]:
    """The sentences of a corpus, some at a time. separator: of columns; None for CoNLL-U."""
    for at in range(0, len(corpus), _AT_ONCE):
        part = corpus.select(range(at, min(at + _AT_ONCE, len(corpus))))
        if separator is not None:
            content = format_columns(part, separator=separator)
        else:
            known = [name for name in part.names if name in NAMES]
            content = format_conllu(
                part if len(known) == len(part.names) else part.only(dict(zip(known, known)))
            )
        yield Examples(part, words_of(part), units(content, Unit.sentence), commented=separator is None)
