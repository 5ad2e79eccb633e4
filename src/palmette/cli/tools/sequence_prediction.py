"""Tagging a file, batch by batch: what `palmette predict` does with taggers."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

import numpy as np

from palmette.cli.run import Run
from palmette.cli.tools.sequence_input import TokenBatch, TokenReader
from palmette.cli.tools.sequence_output import MISC, Target, written
from palmette.features import FeatureMap
from palmette.features.saving import AnyMap
from palmette.formats.conllu import NAMES, fill_conllu
from palmette.formats.corpus import Corpus, SentenceLines
from palmette.formats.model import ModelFile
from palmette.tools.spans import SpanTagger
from palmette.tools.tagger import Tagger


class SpanFormat(StrEnum):
    """How spans are printed."""

    tsv = "tsv"
    json = "json"


Kind = TypeVar("Kind", bound=Tagger)


def loaded(kind: type[Kind], model: ModelFile, run: Run) -> Kind:
    """The tagger of a model, for this run."""
    tagger = kind.from_model(model)
    tagger.n_jobs = run.n_jobs
    return tagger


def language_of(training: Mapping[str, Any], named: str | None) -> str:
    """The language of text: as named, or as the model was told in training, or English."""
    known = training.get("language")
    return named or (known if isinstance(known, str) and known else "en")


def tagged(
    tagger: Tagger,
    reader: TokenReader,
    target: Target,
    *,
    probabilities: bool,
    kbest: int,
    minimum_risk: bool,
) -> Iterator[bytes]:
    """The file again, its labels predicted, as the options say."""
    if kbest > 1:
        if probabilities or minimum_risk:
            raise ValueError(
                "--kbest gives whole sequences, and goes with neither --probabilities nor --minimum-risk"
            )
        return kbest_predictions(tagger, reader, target, kbest)
    return predictions(tagger, reader, target, probabilities=probabilities, minimum_risk=minimum_risk)


def target_for(tagger: Tagger, column: str | int | None, append: bool) -> Target:
    """Where the labels of a tagger go."""
    trained, columns = tagger.training_.get("column"), tagger.training_.get("columns")
    return Target(
        column,
        trained if isinstance(trained, str) else None,
        columns if isinstance(columns, list) else [],
        "Span" if isinstance(tagger, SpanTagger) else "Tag",
        append,
    )


def predictions(
    tagger: Tagger, reader: TokenReader, target: Target, *, probabilities: bool, minimum_risk: bool
) -> Iterator[bytes]:
    """The file again, its labels predicted.

    Where CoNLL-U only gets one column filled, only what templates look at is read, and the text copied around it.
    """
    if not probabilities and target.conllu_column() != MISC:
        reader.columns = needed_columns(tagger.model_.features)
    for batch in reader:
        labels = tagger.predict_column(batch.corpus, minimum_risk=minimum_risk)
        if batch.words_only:
            yield fill_conllu(batch.data, target.conllu_column(), labels)
            continue
        likely = tagger.confidence(batch.corpus, labels) if probabilities else None
        yield written(target.fill(batch, labels, likely), batch)


def needed_columns(features: AnyMap) -> set[str] | None:
    """The columns of CoNLL-U that templates look at; None if that cannot be told by their names."""
    if not isinstance(features, FeatureMap):
        return None
    columns = {source.column or "form" for source in features.templates.sources}
    named = {column for column in columns if isinstance(column, str) and column in NAMES}
    return named if named == columns else None


def kbest_predictions(tagger: Tagger, reader: TokenReader, target: Target, k: int) -> Iterator[bytes]:
    """Every sentence k times, with comments that give the rank and the probability of its labels."""
    for batch in reader:
        found = tagger.kbest(batch.corpus, k)
        likely = [[f"# log_probability = {p:.4f}" for _, p in ranked] for ranked in found]
        labelled = target.fill(
            TokenBatch(repeated(batch.corpus, likely), batch.format, batch.separator, b""),
            Corpus.from_columns({"y": [labels for ranked in found for labels, _ in ranked]}).column("y"),
            None,
        )
        yield written(labelled, batch, separator="\t")


def repeated(corpus: Corpus, notes: Sequence[Sequence[str]]) -> Corpus:
    """Every sentence as often as it has notes, each with its comments, its rank from 1 on, and a note."""
    comments, offsets = [], [0]
    for i, ranked in enumerate(notes):
        for rank, note in enumerate(ranked, 1):
            comments += [*corpus.comments.of(i), f"# kbest = {rank}", note]
            offsets.append(len(comments))
    chosen = corpus.select([i for i, ranked in enumerate(notes) for _ in ranked])
    return with_comments(chosen, SentenceLines(np.array(offsets, dtype=np.int64), comments))


def with_comments(corpus: Corpus, comments: SentenceLines) -> Corpus:
    """The corpus with other comments."""
    return Corpus(
        corpus.columns,
        corpus.offsets,
        heads=corpus.heads,
        comments=comments,
        extras=corpus.extras,
        extra_after=corpus.extra_after,
    )


def span_lines(tagger: SpanTagger, reader: TokenReader, format: SpanFormat) -> Iterator[bytes]:
    """A line for every span: sentence, first and last token, all counted from 1, type, probability, words."""
    before = 0
    if format is SpanFormat.tsv:
        yield b"sentence\tfirst\tlast\ttype\tprobability\twords\n"
    for batch in reader:
        lines = []
        forms = batch.corpus.column("form" if "form" in batch.corpus.names else 0)
        for i, found in enumerate(tagger.spans(batch.corpus), 1):
            base = int(batch.corpus.offsets[i - 1])
            for span in found:
                words = " ".join(forms[base + t] for t in range(span.begin, span.end))
                row: dict[str, Any] = {
                    "sentence": before + i,
                    "first": span.begin + 1,
                    "last": span.end,
                    "type": span.type,
                    "probability": round(span.probability, 4),
                    "words": words,
                }
                lines.append(
                    "\t".join(map(str, row.values())) if format is SpanFormat.tsv else json.dumps(row)
                )
        before += len(batch.corpus)
        yield "".join(f"{line}\n" for line in lines).encode()
