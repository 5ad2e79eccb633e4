"""Annotating a file, batch by batch: what `palmette predict` does with models that fill columns of CoNLL-U."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from palmette.cli.report import json_line
from palmette.cli.run import Run
from palmette.cli.tools.sequence.input import TokenReader
from palmette.cli.tools.sequence.output import decimals, with_note
from palmette.cli.tools.sequence.prediction import identity, repeated, tokens, words_by_sentence
from palmette.errors import UsageError
from palmette.formats.column import Column
from palmette.formats.conllu import NAMES, format_conllu
from palmette.formats.corpus import Corpus
from palmette.tools.sequence.tokens import cut


class Annotator(Protocol):
    """A model that fills columns."""

    @property
    def filled(self) -> Sequence[str]:
        """The columns."""

    def annotate(self, corpus: Corpus) -> Corpus:
        """The corpus with the columns."""

    def confidence(self, corpus: Corpus) -> dict[str, NDArray[np.float32]]:
        """The probability of the values of each column."""

    def kbest(self, corpus: Corpus, k: int) -> list[list[tuple[list[tuple[str, ...]], float]]]:
        """For every sentence its k best: the values of every word, and the log-probability."""


def annotated(
    annotator: Annotator, reader: TokenReader, *, probabilities: bool, kbest: int, run: Run
) -> Iterator[bytes]:
    """The file again in CoNLL-U with the columns filled, or an object for every sentence."""
    if kbest > 1 and probabilities:
        raise UsageError("--kbest cannot be combined with --probabilities")
    before = 0
    for batch in reader:
        corpus = in_conllu(batch.corpus)
        notes: dict[str, Column] = {}
        corpus = _kbest(annotator, corpus, kbest) if kbest > 1 else annotator.annotate(corpus)
        if probabilities:
            for name, p in annotator.confidence(corpus).items():
                notes[name] = decimals(p)
        if run.jsonl:
            yield from map(json_line, _objects(annotator.filled, corpus, notes, before))
        else:
            for name, values in notes.items():
                corpus = with_note(corpus, f"{name.capitalize()}Prob", values)
            yield format_conllu(corpus)
        before += len(corpus)


def in_conllu(corpus: Corpus) -> Corpus:
    """Sentences with the columns of CoNLL-U only; the first columns of other files are form, upos and feats."""
    if "form" in corpus.names and "column2" not in corpus.names:
        kept = {name: column for name, column in corpus.columns.items() if name in NAMES}
        return corpus if len(kept) == len(corpus.names) else corpus.only({name: name for name in kept})
    return corpus.only(dict(zip(("form", "upos", "feats"), corpus.names)))


def _kbest(annotator: Annotator, corpus: Corpus, k: int) -> Corpus:
    found = annotator.kbest(corpus, k)
    notes = [[f"# log_probability = {p:.4f}" for _, p in ranked] for ranked in found]
    several = repeated(corpus, notes)
    rows = [word for ranked in found for words, _ in ranked for word in words]
    columns = {name: Column.of(row[k] for row in rows) for k, name in enumerate(annotator.filled)}
    return several.with_columns(columns)


def _objects(
    names: Sequence[str], corpus: Corpus, notes: dict[str, Column], before: int
) -> Iterator[dict[str, Any]]:
    forms = words_by_sentence(corpus)
    values = {name: cut(corpus.column(name).values(), corpus.offsets) for name in names}
    likely = {
        f"{name}_probability": cut([float(p) for p in column.values()], corpus.offsets)
        for name, column in notes.items()
    }
    for i, words in enumerate(forms):
        own = {name: rows[i] for name, rows in (values | likely).items()}
        comments = [
            line for line in corpus.comments.of(i) if line.startswith(("# kbest", "# log_probability"))
        ]
        facts = {
            key.strip("# "): float(value) for key, _, value in (line.partition(" = ") for line in comments)
        }
        yield {**identity(corpus, i, before), **facts, "tokens": tokens(words, **own)}
