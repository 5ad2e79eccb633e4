"""Tagging a file, batch by batch: what `palmette predict` does with taggers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from palmette.cli.report import json_line
from palmette.cli.run import Run, restored
from palmette.cli.tools.sequence.input import TokenBatch, TokenReader
from palmette.cli.tools.sequence.options import SpanFormat
from palmette.cli.tools.sequence.output import MISC, Target, written
from palmette.errors import UsageError
from palmette.formats.column import Column
from palmette.formats.conllu import NAMES, fill_conllu
from palmette.formats.corpus import Corpus, SentenceLines
from palmette.formats.model import ModelFile
from palmette.messages import counted
from palmette.tools.sequence.searching import ChainSearch, Searched, SearchTotals
from palmette.tools.sequence.tagger import Tagger
from palmette.tools.sequence.tokens import cut

if TYPE_CHECKING:
    from palmette.cli.tools.sequence.kept_labels import Kept
    from palmette.tools.sequence.model import SequenceModel
    from palmette.tools.sequence.span_tagger import Span, SpanTagger


Kind = TypeVar("Kind", bound=Tagger)


def loaded(kind: type[Kind], model: ModelFile, run: Run) -> Kind:
    """The tagger of a model, for this run."""
    tagger: Kind = restored(kind, model, n_jobs=run.n_jobs)
    return tagger


def tagged(
    tagger: Tagger,
    reader: TokenReader,
    target: Target,
    *,
    probabilities: bool,
    kbest: int,
    minimum_risk: bool,
    search: str | None,
    run: Run,
    keep: bool = False,
) -> Iterator[bytes]:
    """The file again with predicted labels, or an object for every sentence, as the options say."""
    if kbest > 1 and (probabilities or minimum_risk):
        raise UsageError("--kbest cannot be combined with --probabilities or --minimum-risk")
    if search is not None and (kbest > 1 or minimum_risk):
        raise UsageError("--search cannot be combined with --kbest or --minimum-risk")
    labeller = Labeller(
        tagger, minimum_risk, None if search is None else ChainSearch.of(search), target if keep else None
    )
    if run.jsonl:
        found: Iterator[bytes] = map(json_line, _objects(labeller, reader, probabilities, kbest))
    elif kbest > 1:
        found = kbest_predictions(labeller, reader, target, kbest)
    else:
        found = predictions(labeller, reader, target, probabilities=probabilities)
    return found if search is None else _counted(found, labeller, run)


@dataclass
class Labeller:
    """A tagger with the way in which it is to find labels, and the sums of what its searches looked at.

    keep: where the input has labels that are to be kept.
    """

    tagger: Tagger
    minimum_risk: bool = False
    search: ChainSearch | None = None
    keep: Target | None = None
    totals: SearchTotals = field(default_factory=SearchTotals)

    def known(self, batch: TokenBatch) -> Kept | None:
        """The labels that are to be kept, if any are."""
        if self.keep is None:
            return None
        from palmette.cli.tools.sequence.kept_labels import kept_labels

        return kept_labels(batch, self.keep)

    def labels(self, corpus: Corpus, known: Kept | None = None) -> tuple[Column, list[Searched] | None]:
        """Return the labels of all tokens, and what the search found in every sentence, if there is one."""
        if self.search is None and known is not None:
            rows = self.tagger.predict(corpus, minimum_risk=self.minimum_risk, known=known)
            return Column.of(label for row in rows for label in row), None
        if self.search is None:
            return self.tagger.predict_column(corpus, minimum_risk=self.minimum_risk), None
        found = self.tagger.search(corpus, self.search, known=known)
        self.totals.add(found)
        return Column.of(label for one in found for label in one.output), found


def _counted(found: Iterator[bytes], labeller: Labeller, run: Run) -> Iterator[bytes]:
    """Say after the last piece how many states the search extended."""
    yield from found
    totals = labeller.totals
    run.progress.warn(
        f"{labeller.search}: {counted(totals.states, 'state')} extended in "
        f"{counted(totals.sentences, 'sentence')}, "
        f"{totals.exact:,} of them certainly the best"
    )


def target_for(tagger: Tagger, column: str | int | None, append: bool) -> Target:
    """Where the labels of a tagger go."""
    trained, columns = tagger.training_.get("column"), tagger.training_.get("columns")
    return Target(
        column,
        trained if isinstance(trained, str) else None,
        columns if isinstance(columns, list) else [],
        "Span" if tagger.kind == "span tagger" else "Tag",
        append,
    )


def predictions(
    labeller: Labeller, reader: TokenReader, target: Target, *, probabilities: bool
) -> Iterator[bytes]:
    """The file again, its labels predicted.

    Where CoNLL-U only gets one column filled, only what templates look at is read, and the text copied around it.
    """
    tagger = labeller.tagger
    if not probabilities and labeller.keep is None and target.conllu_column() != MISC:
        reader.columns = needed_columns(tagger.model_)
    for batch in reader:
        known = labeller.known(batch)
        labels, _ = labeller.labels(batch.corpus, known)
        if batch.words_only:
            yield fill_conllu(batch.data, target.conllu_column(), labels)
            continue
        likely = None
        if probabilities:
            likely = _confidence(tagger, batch, labels, known)
        yield written(target.fill(batch, labels, likely), batch)


def _confidence(tagger: Tagger, batch: TokenBatch, labels: Column, known: Kept | None) -> NDArray[np.float32]:
    if known is None:
        return tagger.confidence(batch.corpus, labels)
    from palmette.cli.tools.sequence.kept_labels import confidence_given

    return confidence_given(tagger, batch, labels, known)


def needed_columns(model: SequenceModel) -> set[str] | None:
    """The columns of CoNLL-U that a model looks at; None if that cannot be told by their names."""
    columns = model.columns
    if columns is None:
        return None
    named = {column for column in columns if isinstance(column, str) and column in NAMES}
    return named if named == columns else None


def kbest_predictions(labeller: Labeller, reader: TokenReader, target: Target, k: int) -> Iterator[bytes]:
    """Every sentence k times, with comments that give the rank and the probability of its labels."""
    for batch in reader:
        found = labeller.tagger.kbest(batch.corpus, k, known=labeller.known(batch))
        likely = [[f"# log_probability = {p:.4f}" for _, _, p in ranked] for ranked in found]
        labelled = target.fill(
            TokenBatch(repeated(batch.corpus, likely), batch.format, batch.separator, b""),
            Corpus.from_columns({"y": [labels for ranked in found for labels, _, _ in ranked]}).column("y"),
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


def _objects(
    labeller: Labeller, reader: TokenReader, probabilities: bool, k: int
) -> Iterator[dict[str, Any]]:
    """What JSON lines have of every sentence."""
    from palmette.tools.sequence.span_tagger import SpanTagger

    tagger, before = labeller.tagger, 0
    for batch in reader:
        corpus = batch.corpus
        forms = words_by_sentence(corpus)
        known = labeller.known(batch)
        found: list[dict[str, Any]]
        if k > 1:
            found = [
                {
                    "kbest": [
                        {"log_probability": p, "tokens": tokens(words, label=labels)}
                        for labels, _, p in ranked
                    ]
                }
                for words, ranked in zip(forms, tagger.kbest(corpus, k, known=known))
            ]
        else:
            column, searched = labeller.labels(corpus, known)
            labels = cut(column.values(), corpus.offsets)
            likely: list[list[float] | None] = [None] * len(corpus)
            if probabilities:
                sure = _confidence(tagger, batch, column, known).astype(float).round(4).tolist()
                likely = list(cut(sure, corpus.offsets))
            found = [
                {"tokens": tokens(words, label=own, probability=p)}
                for words, own, p in zip(forms, labels, likely)
            ]
            for one, result in zip(found, searched or ()):
                one |= {"states_touched": result.states_touched, "exact": result.exact}
            if isinstance(tagger, SpanTagger):
                for words, one, spans in zip(forms, found, tagger.spans_of(corpus, column)):
                    one["spans"] = [_span(span, words[span.begin : span.end]) for span in spans]
        for i, one in enumerate(found):
            yield {**identity(corpus, i, before), **one}
        before += len(corpus)


def words_by_sentence(corpus: Corpus) -> list[list[str]]:
    """The words of every sentence."""
    return list(cut(corpus.column("form" if "form" in corpus.names else 0).values(), corpus.offsets))


def identity(corpus: Corpus, i: int, before: int) -> dict[str, Any]:
    """What a JSON object says first of a sentence: its number from 1, and its name and text if it has them."""
    notes = corpus[i].metadata
    return {"sentence": before + i + 1, "sent_id": notes.get("sent_id"), "text": notes.get("text")}


def tokens(words: Sequence[str], **values: Sequence[Any] | None) -> list[dict[str, Any]]:
    """The tokens of a sentence for JSON: number, token, and what each has by name."""
    given = {name: value for name, value in values.items() if value is not None}
    rows = zip(*given.values()) if given else ((),) * len(words)
    return [
        {"number": number, "token": word, **dict(zip(given, row))}
        for number, (word, row) in enumerate(zip(words, rows), 1)
    ]


def _span(span: Span, words: Sequence[str]) -> dict[str, Any]:
    return {
        "first": span.begin + 1,
        "last": span.end,
        "type": span.type,
        "probability": round(span.probability, 4),
        "words": " ".join(words),
    }


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
                words = [forms[base + t] for t in range(span.begin, span.end)]
                row = {"sentence": before + i, **_span(span, words)}
                tabbed = "\t".join(map(str, row.values())) + "\n"
                lines.append(tabbed.encode() if format is SpanFormat.tsv else json_line(row))
        before += len(batch.corpus)
        yield b"".join(lines)
