"""Sentiment: the polarity of a document, from the sentences that say what its author thinks.

    F(x) = argmax over polarities y of  w · Φ(e, y)      e = the sentences on one side of a minimum cut of x

Two stages: sentences are subjective or objective, chosen together (`extracts`), and a classifier sees those that
are subjective. CSC 448, §22; Pang and Lee 2004.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from numpy.typing import NDArray

from palmette.evaluation.tagging import TaggingScores
from palmette.formats.files import Source
from palmette.formats.given import listed
from palmette.formats.model import ModelFile
from palmette.learning.capabilities import Capabilities, check_fit
from palmette.learning.loop import Callback, Pass, Report, run_passes
from palmette.learning.naive_bayes import NaiveBayes
from palmette.messages import logged
from palmette.tools.classification.classifier import Classifier
from palmette.tools.classification.examples import plain
from palmette.tools.classification.model import Reals
from palmette.tools.estimator import Estimator
from palmette.tools.explanation import Explanation
from palmette.tools.pipeline_file import load_kind
from palmette.tools.ranked import Ranked
from palmette.tools.sentiment.documents import Document
from palmette.tools.sentiment.explanation import document_decision
from palmette.tools.sentiment.extracts import Extract, Subjectivity
from palmette.tools.sentiment.model import (
    KIND,
    Known,
    SentimentModel,
    cut_all,
    document_reader,
    item_reader,
    items_of,
    load_sentiment,
    sentiment_file,
)
from palmette.tools.sentiment.options import SentimentOptions


class Sentiment(Estimator):
    """A classifier of documents by their subjective sentences, with the interface of scikit-learn.

    A document is a text, which is cut into sentences by rules, or a list of its sentences: strings, or lists of
    words. learner: of polarity, any learner of `Classifier`; `NaiveBayes()` by default. subjectivity: sentences
    and their labels, "subjective" and "objective"; None: all sentences stay. sentence_learner: of sentences,
    `NaiveBayes(alpha=0.3)` by default. options: see `SentimentOptions`.

    >>> sentences = ["i love it", "i love films", "i hate it", "he meets her", "he meets ann", "she meets him"]
    >>> kinds = ["subjective"] * 3 + ["objective"] * 3
    >>> reviews = ["He meets a girl. I love it!", "She flies to Paris. I hate it."]
    >>> sentiment = Sentiment(subjectivity=(sentences, kinds), options={"strength": 0}).fit(reviews, ["+", "-"])
    >>> sentiment.predict(["He meets her in Paris. I love it."])
    ['+']
    >>> sentiment.extracts(["He meets her in Paris. I love it."])[0].text
    'I love it .'
    """

    kind = KIND
    one_label_per_item = True

    def __init__(
        self,
        learner: Any = None,
        *,
        subjectivity: tuple[Iterable[Any], Iterable[str]] | None = None,
        sentence_learner: Any = None,
        options: Mapping[str, Any] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.subjectivity = subjectivity
        self.sentence_learner = sentence_learner
        self.options = options
        self.n_jobs = n_jobs

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return "sentiment"

    @property
    def offers(self) -> Capabilities:
        """What classifiers offer learners; see `Estimator.offers`."""
        return Classifier().offers

    def default_learner(self) -> Any:
        return NaiveBayes()

    def _has_parameters(self, name: str) -> bool:
        return name in ("learner", "sentence_learner")

    # Training

    def fit(
        self,
        X: Iterable[Any],
        y: Iterable[Any],
        *,
        dev: tuple[Iterable[Any], Iterable[Any]] | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Train on documents X of polarities y.

        dev: documents and polarities to choose the cut by: its reach, strength and shape, where the options do not
        give them. callback: gets a `Report` for every cut that is tried. Ctrl-C keeps the best one so far.
        """
        learner = self._learner()
        options = SentimentOptions.of(dict(self.options or {}), "Sentiment")
        reader = document_reader(options)
        documents, labels = reader.documents(X), listed(y, "Polarities")
        _check_pairs(documents, labels)
        if not documents:
            raise ValueError("There are no examples to learn from.")
        held_out: tuple[list[Document], Sequence[Any]] | None = None
        if dev is not None:
            held_out = reader.documents(dev[0]), listed(dev[1], "Polarities")
            _check_pairs(*held_out)
            if not held_out[0]:
                raise ValueError("There are no dev documents to measure by.")
        subjectivity = self._subjectivity(options)

        def passes() -> Iterator[Pass[SentimentModel]]:
            p = None if subjectivity is None else subjectivity.probabilities(documents)
            choose = held_out is not None and subjectivity is not None
            cuts = list(options.cuts(dev=choose))
            for number, cut in enumerate(cuts, 1):
                extracts = cut_all(documents, p, cut, options.sentences)
                classifier = Classifier(learner, reader=item_reader(options))
                classifier.fit(items_of(documents, extracts), labels)
                model = SentimentModel(classifier, subjectivity, replace(options, **cut.get_params()))
                numbers = {"reach": cut.reach, "strength": cut.strength, "kept": _kept(documents, extracts)}
                last = number == len(cuts)
                yield Pass(numbers if subjectivity else {}, lambda model=model: model, last)  # type: ignore[misc]

        def score(model: SentimentModel) -> float:
            assert held_out is not None
            guess = model.polarity.predict(items_of(held_out[0], model.extracts(held_out[0])))
            return sum(bool(one == plain(gold)) for one, gold in zip(guess, held_out[1])) / len(guess)

        found = run_passes(passes(), score=score if held_out else None, callback=logged(callback, self.kind))
        if found.result is None:
            raise KeyboardInterrupt
        self.model_ = found.result
        self.history_: tuple[Report, ...] = found.history
        self.interrupted_ = found.interrupted
        self.training_: dict[str, Any] = {
            "learner": type(learner).__name__,
            "documents": len(documents),
            "sentences": sum(len(document.sentences) for document in documents),
            "subjectivity": None
            if subjectivity is None
            else {key: subjectivity.classifier.training_[key] for key in ("learner", "examples")},
            "kept": _kept(documents, self.model_.extracts(documents)),
            "dev_score": max((one.numbers["dev"] for one in found.history), default=None)
            if held_out
            else None,
            "interrupted": found.interrupted,
        }
        return self

    def _subjectivity(self, options: SentimentOptions) -> Subjectivity | None:
        if self.subjectivity is None:
            return None
        if not isinstance(self.subjectivity, list | tuple) or len(self.subjectivity) != 2:
            raise ValueError("The 'subjectivity' parameter must be sentences and their labels.")
        reader = item_reader(options)
        items = reader.read(listed(self.subjectivity[0], "Sentences"))
        labels = [str(label) for label in listed(self.subjectivity[1], "Labels")]
        if len(items) != len(labels):
            raise ValueError(
                f"There must be one label for every sentence. Got {len(labels)} for {len(items)}."
            )
        learner = NaiveBayes(alpha=0.3) if self.sentence_learner is None else self.sentence_learner
        check_fit(learner, self.offers, "sentences")
        return Subjectivity.train(learner, items, labels, reader, options.stays, options.folds)

    # Prediction

    def extracts(
        self, X: Iterable[Any], *, n: int | None = None, known: Known | None = None
    ) -> list[Extract]:
        """Return every document with its cut.

        n: keep this number of sentences, the most subjective ones. known: for every document None, or for every
        sentence whether it must stay (True) or go (False), or None.
        """
        model = self._fitted
        return model.extracts(model.reader.documents(X), n, known)

    def keeping(self, n: int | None) -> Self:
        """Return the same model with extracts of n sentences; None: of the cheapest cut."""
        made = type(self).from_model(self.to_model())
        made.model_ = replace(self._fitted, options=replace(self._fitted.options, sentences=n))
        made.n_jobs = self.n_jobs
        return made

    def predict(self, X: Iterable[Any], *, known: Known | None = None) -> list[Any]:
        """Return the polarity of every document. known: as in `extracts`."""
        return self._fitted.polarity.predict(self._items(X, known))

    def predict_proba(self, X: Iterable[Any], *, known: Known | None = None) -> Reals:
        """Return the probability of every polarity of `classes_`, as `Classifier.predict_proba` does."""
        return self._fitted.polarity.predict_proba(self._items(X, known))

    def kbest(self, X: Iterable[Any], k: int, *, known: Known | None = None) -> list[list[Ranked[Any]]]:
        """Return the k best polarities of every document, best first."""
        return self._fitted.polarity.kbest(self._items(X, known), k)

    @property
    def probabilities_from(self) -> str | None:
        """Say what the probabilities are; see `Classifier.probabilities_from`."""
        return self._fitted.polarity.probabilities_from

    @property
    def classes_(self) -> NDArray[Any]:
        """The polarities."""
        return self._fitted.polarity.classes_

    def explain(self, document: Any, *, known: Sequence[bool | None] | None = None) -> Explanation:
        """Explain the polarity of a document: its cut, and what every sentence added against the runner-up."""
        model = self._fitted
        (one,) = model.reader.documents([document])
        (cut,) = model.extracts([one], known=[known])
        return Explanation((document_decision(model.polarity, one, cut),), "documents")

    def score(self, X: Iterable[Any], y: Iterable[Any]) -> float:
        """The part of the documents whose polarity is right."""
        return self._fitted.polarity.score(self._items(X), y)

    def evaluate(
        self, X: Iterable[Any], y: Iterable[Any], *, predicted: Sequence[Any] | None = None
    ) -> TaggingScores:
        """Accuracy, precision and recall of every polarity; a document counts as a token."""
        guess = self.predict(X) if predicted is None else predicted
        return self._fitted.polarity.evaluate([], y, predicted=guess)

    def _items(self, X: Iterable[Any], known: Known | None = None) -> list[Any]:
        model = self._fitted
        documents = model.reader.documents(X)
        return items_of(documents, model.extracts(documents, known=known))

    # Files

    def save(self, path: Source) -> None:
        """Write a model file."""
        self.to_model().save(path)

    def to_model(self, *, fingerprint: str = "", about: Mapping[str, Any] | None = None) -> ModelFile:
        """Return what `save` writes. fingerprint: of the training data; about: further facts for its users."""
        return sentiment_file(self._fitted, {**self.training_, **(about or {})}, fingerprint)

    @classmethod
    def load(cls, path: Source) -> Self:
        """The sentiment of a model file."""
        return cls.from_model(load_kind(path, cls.kind))

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The sentiment of a model file that is open already; FormatError if it is damaged."""
        model, training = load_sentiment(file)
        made = cls(options=model.options.to_dict())
        made.model_, made.training_ = model, training
        made.history_, made.interrupted_ = (), False
        return made

    @property
    def _fitted(self) -> SentimentModel:
        if not hasattr(self, "model_"):
            raise ValueError("This Sentiment is not trained yet: call fit, or load a model.")
        return self.model_


def _check_pairs(documents: Sequence[Any], labels: Sequence[Any]) -> None:
    if len(documents) != len(labels):
        raise ValueError(
            f"There must be one polarity for every document. Got {len(labels)} for {len(documents)}."
        )


def _kept(documents: Sequence[Document], extracts: Sequence[Extract]) -> float:
    """The part of the words that stay."""
    total = sum(sum(document.lengths) for document in documents)
    kept = sum(
        length
        for document, one in zip(documents, extracts)
        for length, stay in zip(document.lengths, one.stays)
        if stay
    )
    return kept / max(total, 1)
