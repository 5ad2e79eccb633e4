"""A trained model of sentiment, and its file.

options   options: see `SentimentOptions`; calibration: slope and offset, if there is a classifier of sentences;
          training
parts     polarity, and subjectivity if there is one: classifiers
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from palmette.formats.given import listed_rows
from palmette.formats.model import ModelFile
from palmette.messages import counted
from palmette.structures.minimum_cut import MinimumCut
from palmette.tools.classification.classifier import Classifier
from palmette.tools.classification.item_reader import Item, ItemReader
from palmette.tools.sentiment.documents import Document, DocumentReader
from palmette.tools.sentiment.extracts import Extract, Reals, Subjectivity, extract
from palmette.tools.sentiment.options import SentimentOptions

KIND = "sentiment model"
# For every document: for every sentence whether it must stay or go, or None; or None for all.
Known = Iterable[Sequence[bool | None] | None]


@dataclass(frozen=True, eq=False)
class SentimentModel:
    """The classifier of polarity, and what chooses the sentences that it sees: all, without `subjectivity`."""

    polarity: Classifier
    subjectivity: Subjectivity | None
    options: SentimentOptions

    @property
    def cut(self) -> MinimumCut:
        """The cut, with what a dev set chose."""
        (found,) = self.options.cuts(dev=False)
        return found

    @property
    def reader(self) -> DocumentReader:
        """What makes documents."""
        return document_reader(self.options)

    def extracts(
        self, documents: Sequence[Document], n: int | None = None, known: Known | None = None
    ) -> list[Extract]:
        """Return the extract of every document."""
        if self.subjectivity is None:
            p: list[Reals] | None = None
        else:
            p = self.subjectivity.probabilities(documents)
        return cut_all(documents, p, self.cut, self.options.sentences if n is None else n, known)


def cut_all(
    documents: Sequence[Document],
    p: Sequence[Reals] | None,
    cut: MinimumCut,
    n: int | None = None,
    known: Known | None = None,
) -> list[Extract]:
    """Return the extracts of documents whose sentences have probabilities; without any, all sentences stay."""
    sides = [None] * len(documents) if known is None else listed_rows(known, "The known sides")
    if len(sides) != len(documents):
        raise ValueError(
            f"Expected known sides of {counted(len(documents), 'document')}, one list for each. Got {len(sides)}."
        )
    for i, (document, row) in enumerate(zip(documents, sides), 1):
        if row is not None and len(row) != len(document.sentences):
            raise ValueError(
                f"Document {i} has {counted(len(document.sentences), 'sentence')} and known sides for {len(row)}."
            )
    if p is None:
        return [_whole(document, row) for document, row in zip(documents, sides)]
    return [extract(document, own, cut, n, row) for document, own, row in zip(documents, p, sides)]


def _whole(document: Document, known: Sequence[bool | None] | None) -> Extract:
    stays = [known is None or known[i] is not False for i in range(len(document.sentences))]
    return Extract(document.sentences, stays, [1.0] * len(stays), 0.0)


def items_of(documents: Sequence[Document], extracts: Sequence[Extract]) -> list[Item]:
    """Return what the classifier of polarity sees."""
    return [document.item(one.stays) for document, one in zip(documents, extracts)]


def item_reader(options: SentimentOptions) -> ItemReader:
    """Return what makes features of sentences."""
    return ItemReader(
        ("label", "text"), ngrams=options.ngrams, lower=options.lower, language=options.language
    )


def document_reader(options: SentimentOptions) -> DocumentReader:
    """Return what makes documents."""
    return DocumentReader(item_reader(options))


def sentiment_file(model: SentimentModel, training: Mapping[str, Any], fingerprint: str) -> ModelFile:
    """Return the content of a model file. All weights are in it: the small ones of a document are many."""
    own = model.subjectivity
    options: dict[str, Any] = {"options": model.options.to_dict(), "training": dict(training)}
    if own is not None:
        options["calibration"] = [own.slope, own.offset]
    file = ModelFile(KIND, options, {}, {}, fingerprint)
    file = file.put("polarity", model.polarity.to_model())
    return file if own is None else file.put("subjectivity", own.classifier.to_model())


def load_sentiment(file: ModelFile) -> tuple[SentimentModel, dict[str, Any]]:
    """The model of a file, and the facts of its training; FormatError if it is damaged."""
    file.require_kind(KIND)
    given, training, calibration = (file.options.get(name) for name in ("options", "training", "calibration"))
    if not isinstance(given, dict) or not isinstance(training, dict):
        raise file.damaged("its options or its training are not described")
    with file.restoring():
        options = SentimentOptions.of(given, "A sentiment model")
        polarity, sentences = file.part("polarity"), file.part("subjectivity")
        if polarity is None:
            raise ValueError("it has no classifier of polarity")
        subjectivity = None
        if sentences is not None:
            classifier = Classifier.from_model(sentences)
            if not isinstance(calibration, list) or not all(map(_is_number, calibration)):
                raise ValueError("its calibration is not two numbers")
            slope, offset = map(float, calibration)
            if len(classifier.classes_.tolist()) != 2 or options.stays not in classifier.classes_.tolist():
                raise ValueError(f"its sentences do not have two labels, one of them {options.stays!r}")
            subjectivity = Subjectivity(classifier, options.stays, slope, offset)
        model = SentimentModel(Classifier.from_model(polarity), subjectivity, options)
        for part in (model.polarity, subjectivity.classifier if subjectivity else model.polarity):
            if part.reader_ is None or part.reader_.columns != ("label", "text"):
                raise ValueError("one of its classifiers does not take texts")
    return model, training


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
