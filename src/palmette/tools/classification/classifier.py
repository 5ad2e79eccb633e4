"""Classifiers: a class for every item.

    F(x) = argmax over classes y of  w · Φ(x, y)

What Φ is decides the learner: features that are written down (any learner of sequences, on chains of one
place), the features of a kernel (`KernelSVM`, `KernelPerceptron`), or none, where examples are remembered
(`NearestNeighbours`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.evaluation.tagging import TaggingScores, evaluate_tags
from palmette.features.kernels.kernel import Kernel
from palmette.formats.files import Source
from palmette.formats.given import listed
from palmette.formats.model import ModelFile
from palmette.learning.capabilities import LINEAR, SUMS, AnyLearner, Capabilities, check_given
from palmette.learning.kernel_examples import plain_item
from palmette.learning.kernel_svm import KernelSVM
from palmette.learning.loglinear import CRF
from palmette.learning.loop import Callback, Report
from palmette.messages import logged
from palmette.parameters import require_int
from palmette.tools.answers import Answers
from palmette.tools.classification.classifier_file import classifier_file, load_classifier
from palmette.tools.classification.examples import (
    accuracy,
    are_texts,
    check_measurable,
    checked_weights,
    classes_of,
    count,
    listed_items,
    plain,
    read_items,
)
from palmette.tools.classification.explanation import class_decision, only_class
from palmette.tools.classification.families import FAMILIES, model_class
from palmette.tools.classification.item_reader import ItemReader, item_text
from palmette.tools.classification.known import Known, conditioned, restricted
from palmette.tools.classification.model import KIND, ClassExamples, ClassModel, Reals
from palmette.tools.estimator import Estimator
from palmette.tools.explanation import Explanation
from palmette.tools.pipeline_file import load_kind
from palmette.tools.probabilities import trained_for_probabilities
from palmette.tools.ranked import Ranked


class Classifier(Estimator):
    """A classifier with the interface of scikit-learn.

    learner: how it is trained: `KernelSVM`, `KernelPerceptron`, `NearestNeighbours`, or any linear learner
    (`CRF`, which is log-linear here, `Perceptron`, `MIRA`, `StructuredSVM`, …). None is KernelSVM() with a
    kernel, or a reader of trees or strings, and CRF() otherwise. kernel: of the first two,
    `TreeKernel().normalized` for example; the items are what the kernel takes. None is `reader.kernel()`. reader:
    how rows of fields become items (`ItemReader`), as on the command line. None: texts, strings or lists of words,
    become the words and pairs of words of `ItemReader(("label", "text"))` unless there is a kernel; other items
    are what the learner or the kernel takes. n_jobs: threads, -1 for all processors; None leaves it to the
    learner.

    `reader_` is the reader in use, or None. A model file keeps it, so that a classifier takes everywhere what it
    was trained on; an item that it cannot read is a ValueError.

    >>> classifier = Classifier().fit(["a good film", "a bad film", "good fun"], ["+", "-", "+"])
    >>> classifier.predict(["a bad book", "good"])
    ['-', '+']
    """

    kind = KIND

    def __init__(
        self,
        learner: AnyLearner | None = None,
        *,
        kernel: Kernel | None = None,
        reader: ItemReader | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.kernel = kernel
        self.reader = reader
        self.n_jobs = n_jobs

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return "a classifier"

    @property
    def offers(self) -> Capabilities:
        """What single labels offer linear learners, and the other families; see `Estimator.offers`."""
        return SUMS | {"history", "pairs"} | (FAMILIES.keys() - {LINEAR})

    # Training

    def fit(
        self,
        X: Iterable[Any],
        y: Iterable[Any],
        *,
        sample_weight: ArrayLike | None = None,
        dev: tuple[Iterable[Any], Iterable[Any]] | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Train on items X of classes y.

        sample_weight: one number per item. dev: items and classes to choose the best pass by. A learner says what
        it takes of the two (`learner.takes`). callback: gets a `Report` after every pass.
        """
        learner = self._learner()
        check_given(learner, self.offers, sample_weight=sample_weight, dev=dev)
        callback = logged(callback, self.kind)
        items, labels = listed_items(X), listed(y, "Classes")
        if len(labels) != count(items):
            raise ValueError(f"There must be one class for every item. Got {len(labels)} for {count(items)}.")
        if not labels:
            raise ValueError("There are no examples to learn from.")
        classes = classes_of(labels)
        place = {label: i for i, label in enumerate(classes)}
        ids = np.array([place[plain(label)] for label in labels], dtype=np.int32)
        weights = checked_weights(sample_weight, len(ids))
        family = model_class(learner.family)
        reader = self._reader(family, items)
        kernel = self._kernel(family, learner, reader)
        items = read_items(reader, items)
        score = None
        if dev is not None:
            held_out = read_items(reader, listed_items(dev[0])), listed(dev[1], "Classes")
            check_measurable(*held_out)
            score = partial(accuracy, classes=classes, X=held_out[0], y=held_out[1])
        examples = ClassExamples(items, ids, len(classes), weights, kernel, score)
        trained = family.train(learner, examples, callback)
        self._set_model(trained.model, classes, reader, trained.history, trained.interrupted)
        settings = {name: plain(value) for name, value in learner.get_params().items() if name != "n_jobs"}
        self.training_ = {
            "learner": type(learner).__name__,
            "settings": settings,
            "examples": len(ids),
            "passes": len(trained.history),
            "interrupted": trained.interrupted,
        }
        return self

    def _reader(self, family: type[ClassModel], items: Any) -> ItemReader | None:
        """Return the reader to use: the given one, or that of texts for models that do not see rows."""
        if self.reader is not None and not isinstance(self.reader, ItemReader):
            raise TypeError(f"The 'reader' parameter must be an ItemReader. Got {self.reader!r:.60}.")
        if self.reader is not None:
            return self.reader.seen_as(family.sees)
        texts = family.sees != "rows" and self.kernel is None and are_texts(items)
        return ItemReader(("label", "text")) if texts else None

    def _kernel(
        self, family: type[ClassModel], learner: AnyLearner, reader: ItemReader | None
    ) -> Kernel | None:
        """Return the kernel to use: the given one, or that of the reader; None for models that see none."""
        name = type(learner).__name__
        if self.kernel is not None and not isinstance(self.kernel, Kernel):
            raise TypeError(f"The 'kernel' parameter must be a kernel. Got {self.kernel!r}.")
        if family.sees != "kernel":
            if self.kernel is not None:
                raise ValueError(f"A kernel is for KernelSVM and KernelPerceptron, not for {name}.")
            return None
        if self.kernel is None and reader is None:
            raise ValueError(f"{name} needs a kernel: Classifier({name}(), kernel=…).")
        return reader.kernel() if self.kernel is None and reader is not None else self.kernel

    # Prediction

    def predict(self, X: Iterable[Any], *, known: Known | None = None) -> list[Any]:
        """Return the class of every item.

        known: for every item its class, the classes that it may have, or None for any.
        """
        model, items = self._fitted, self._items(X)
        scores = model.scores(items, self._jobs)
        best = model.best(restricted(scores, known, self._classes)).tolist()
        return [self._classes[i] for i in best]

    def decision_function(self, X: Iterable[Any]) -> Reals:
        """Return a score of every class of `classes_` for every item: the highest wins.

        Of SVMs of pairs of more than two classes, how many a class wins and, in less than one, by what; of k-NN,
        the votes.
        """
        return self._fitted.scores(self._items(X), self._jobs)

    def predict_proba(self, X: Iterable[Any], *, known: Known | None = None) -> Reals:
        """Return the probability of every class of `classes_`; shares of the votes for k-NN and voted perceptrons.

        known: as in `predict`; the probabilities are those given what is known.

        The probabilities of a linear model are the softmax of its scores. They are meant as such where its learner
        is `probabilistic` (CRF and its kin); by other learners they only order the classes. Kernel SVMs and kernel
        perceptrons that do not vote have none: ValueError.
        """
        return conditioned(self._fitted.probabilities(self._items(X), self._jobs), known, self._classes)

    @property
    def probabilities_from(self) -> str | None:
        """Say what the probabilities are: "model", "scores", "votes", or None where there are none.

        See `palmette.tools.probabilities`.
        """
        found = self._fitted.probabilities_from
        meant = found == "scores" and trained_for_probabilities(self.training_.get("learner"))
        return "model" if meant else found

    def kbest(self, X: Iterable[Any], k: int, *, known: Known | None = None) -> list[list[Ranked[Any]]]:
        """Return the k best classes of every item, best first, with their scores.

        Scores are those of `decision_function`; log-probabilities are there where `predict_proba` is. known: as in
        `predict`; classes that an item cannot have are left out.
        """
        require_int("k", k, 1)
        model, items = self._fitted, self._items(X)
        scores = restricted(model.scores(items, self._jobs), known, self._classes)
        likely: Reals | None = None
        if model.probabilities_from is not None:
            with np.errstate(divide="ignore"):
                likely = np.log(conditioned(model.probabilities(items, self._jobs), known, self._classes))
        ranked: list[list[Ranked[Any]]] = []
        for i, row in enumerate(scores):
            first = int(model.best(scores[i : i + 1])[0])  # of equal ones, that of `predict`
            order = sorted(range(len(row)), key=lambda c: (-row[c], c != first, c))
            ranked.append(
                [
                    Ranked(self._classes[c], float(row[c]), None if likely is None else float(likely[i, c]))
                    for c in order[:k]
                    if row[c] > -np.inf
                ]
            )
        return Answers(ranked)

    def explain(self, item: Any) -> Explanation:
        """Explain the class of an item: the features or fragments that decided against the runner-up.

        The margin is the difference of the scores that `decision_function` gives, but for SVMs of pairs of more
        than two classes and voted perceptrons: the extra fact `margin_of` says what it is there.
        """
        model = self._fitted
        (item,) = self._items([item])
        scores = model.scores([item], self._jobs)
        label = int(model.best(scores)[0])
        text = item_text(item) if self.reader_ is not None else str(plain_item(item))
        if model.n_classes == 1:
            return Explanation((only_class(text, self._classes[0]),), "items")
        rest = scores.copy()
        rest[0, label] = -np.inf
        other = int(model.best(rest)[0])
        reasons = model.reasons(item, label, other)
        if self.reader_ is not None and model.sees == "features":
            feature = self.reader_.feature
            named = {model.renamed(name, feature): amount for name, amount in reasons.amounts.items()}
            reasons = dataclasses.replace(reasons, amounts=named)
        two = float(scores[0, label]), float(scores[0, other])
        decision = class_decision(text, self._classes[label], self._classes[other], reasons, two)
        return Explanation((decision,), "items")

    def score(self, X: Iterable[Any], y: Iterable[Any]) -> float:
        """The part of the items whose class is right."""
        return accuracy(self._fitted, self._classes, self._items(X), listed(y, "Classes"))

    def evaluate(
        self, X: Iterable[Any], y: Iterable[Any], *, predicted: Sequence[Any] | None = None
    ) -> TaggingScores:
        """Accuracy, precision and recall of every class, and what is confused; an item counts as a token."""
        gold = listed(y, "Classes")
        guess = self.predict(X) if predicted is None else predicted
        if len(guess) != len(gold):
            raise ValueError(f"There must be one class for every item. Got {len(gold)} for {len(guess)}.")
        known = list(map(str, self._classes))
        return evaluate_tags(
            [[str(plain(one))] for one in gold], [[str(one)] for one in guess], known_labels=known
        )

    # Files

    def save(self, path: Source, *, compact: bool = True) -> None:
        """Write a model file. compact=False keeps every weight of a linear classifier in full."""
        self.to_model(compact=compact).save(path)

    def to_model(
        self, *, compact: bool = False, fingerprint: str = "", about: Mapping[str, Any] | None = None
    ) -> ModelFile:
        """Return what `save` writes. fingerprint: of the training data; about: further facts for its users."""
        training = {**self.training_, **(about or {})}
        return classifier_file(
            self._fitted, self._classes, self.reader_, training, fingerprint, compact=compact
        )

    @classmethod
    def load(cls, path: Source) -> Self:
        """The classifier of a model file."""
        return cls.from_model(load_kind(path, cls.kind))

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The classifier of a model file that is open already; FormatError if it is damaged."""
        saved = load_classifier(file)
        made = cls(reader=saved.reader)
        made._set_model(saved.model, saved.classes, saved.reader)
        made.training_ = dict(saved.training)
        return made

    # scikit-learn

    def default_learner(self) -> Any:
        with_kernel = self.kernel is not None or (self.reader is not None and self.reader.wants_kernel)
        return KernelSVM() if with_kernel else CRF()

    one_label_per_item = True

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes in order, as an array, which is what the scorers of scikit-learn look for."""
        kinds = {isinstance(label, str) for label in self._classes}
        return np.array(self._classes, dtype=object if len(kinds) > 1 else None)

    @property
    def _fitted(self) -> ClassModel:
        if not hasattr(self, "model_"):
            raise ValueError("This Classifier is not trained yet: call fit, or load a model.")
        return self.model_

    def _set_model(
        self,
        model: ClassModel,
        classes: list[Any],
        reader: ItemReader | None,
        history: tuple[Report, ...] = (),
        interrupted: bool = False,
    ) -> None:
        self.model_, self._classes = model, classes
        self.reader_ = reader
        self.history_, self.interrupted_ = history, interrupted

    def _items(self, X: Any) -> Any:
        """What the model takes, of what was given."""
        assert self._fitted is not None  # or it says that it is not trained
        return read_items(self.reader_, listed_items(X))
