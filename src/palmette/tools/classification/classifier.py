"""Classifiers: a class for every item.

    F(x) = argmax over classes y of  w · Φ(x, y)

What Φ is decides the learner: features that are written down (any learner of sequences, on chains of one
place), the features of a kernel (`KernelSVM`, `KernelPerceptron`), or none, where examples are remembered
(`NearestNeighbours`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.evaluation.tagging import TaggingScores, evaluate_tags
from palmette.features.kernels.kernel import Kernel, Prepared
from palmette.formats.files import Source
from palmette.formats.given import check_many, is_path, listed
from palmette.formats.model import ModelFile
from palmette.learning.capabilities import SUMS, Capabilities, check_fit
from palmette.learning.kernel_examples import KernelExamples, plain_item
from palmette.learning.kernel_perceptron import KernelPerceptron
from palmette.learning.kernel_svm import KernelSVM
from palmette.learning.learner import Callback, Learner, Report
from palmette.learning.loglinear import CRF
from palmette.learning.neighbours import NearestNeighbours, Rows
from palmette.messages import logged
from palmette.tools.classification.classifier_file import classifier_file, load_classifier
from palmette.tools.classification.explanation import ClassDecision
from palmette.tools.classification.item_reader import ItemReader, item_text
from palmette.tools.classification.kernel_model import KernelModel
from palmette.tools.classification.linear_model import LinearModel, train_linear
from palmette.tools.classification.memory_model import MemoryModel
from palmette.tools.classification.model import KIND, ClassModel, Reals
from palmette.tools.estimator import Estimator
from palmette.tools.explanation import Explanation
from palmette.tools.pipeline_file import load_kind

AnyLearner = Learner | KernelSVM | KernelPerceptron | NearestNeighbours


class Classifier(Estimator):
    """A classifier, in the manner of scikit-learn.

    learner: how it is trained: `KernelSVM`, `KernelPerceptron`, `NearestNeighbours`, or any linear learner
    (`CRF`, which is log-linear here, `Perceptron`, `MIRA`, `StructuredSVM`, …). None is KernelSVM() with a
    kernel and CRF() without. kernel: of the first two, `TreeKernel().normalized` for example; the items are
    what the kernel takes. reader: how rows of fields become items (`ItemReader`), as on the command line. None:
    texts, strings or lists of words, become the words and pairs of words of `ItemReader(("label", "text"))`
    where the learner is linear; other items are what the learner or the kernel takes. n_jobs: threads, -1 for
    all processors; None leaves it to the learner.

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
        """What single labels offer linear learners; see `Estimator.offers`."""
        return SUMS | {"history"}

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

        sample_weight: one number per item, for linear learners and SVMs. dev: items and classes to choose the
        best pass of a linear learner by. callback: gets a `Report` after every pass.
        """
        learner = self._learner()
        callback = logged(callback, self.kind)
        items, labels = _listed(X), listed(y, "Classes")
        if len(labels) != _count(items):
            raise ValueError(
                f"There must be one class for every item. Got {len(labels)} for {_count(items)}."
            )
        if not labels:
            raise ValueError("There are no examples to learn from.")
        classes = _classes(labels)
        place = {label: i for i, label in enumerate(classes)}
        ids = np.array([place[_plain(label)] for label in labels], dtype=np.int32)
        weights = _weights(sample_weight, len(ids))
        if self.reader is not None and not isinstance(self.reader, ItemReader):
            raise TypeError(f"The 'reader' parameter must be an ItemReader. Got {self.reader!r:.60}.")
        if self.kernel is not None and not isinstance(self.kernel, Kernel):
            raise TypeError(f"The 'kernel' parameter must be a kernel. Got {self.kernel!r}.")
        history: tuple[Report, ...] = ()
        interrupted = False
        if dev is not None and not isinstance(learner, Learner):
            raise ValueError(
                f"{type(learner).__name__} has no passes to choose from: 'dev' is for linear learners."
            )
        reader = self.reader
        if reader is None and isinstance(learner, Learner) and _are_texts(items):
            reader = ItemReader(("label", "text"))
        items = _read(reader, items)
        held_out = None
        if dev is not None:
            held_out = _read(reader, _listed(dev[0])), listed(dev[1], "Classes")
            _check_measurable(*held_out)
        if weights is not None and not isinstance(learner, Learner | KernelSVM):
            raise ValueError(f"{type(learner).__name__} takes no 'sample_weight'.")
        model: ClassModel
        if isinstance(learner, KernelSVM | KernelPerceptron):
            model = self._dual(learner, items, ids, len(classes), weights, callback)
        elif self.kernel is not None:
            raise ValueError(
                f"A kernel is for KernelSVM and KernelPerceptron, not for {type(learner).__name__}."
            )
        elif isinstance(learner, NearestNeighbours):
            model = MemoryModel(learner.learn(Rows.of(items), ids, len(classes)))
        else:
            score = None if held_out is None else lambda made: _accuracy(made, classes, *held_out)
            narrow = None if weights is None else weights.astype(np.float32)
            model, learned = train_linear(
                learner, items, ids, len(classes), sample_weight=narrow, dev=score, callback=callback
            )
            history, interrupted = learned.history, learned.interrupted
        self._set_model(model, classes, reader, history, interrupted)
        settings = {name: _plain(value) for name, value in learner.get_params().items() if name != "n_jobs"}
        self.training_ = {
            "learner": type(learner).__name__,
            "settings": settings,
            "examples": len(ids),
            "passes": len(history),
            "interrupted": interrupted,
        }
        return self

    def _dual(
        self,
        learner: KernelSVM | KernelPerceptron,
        items: Any,
        ids: NDArray[np.int32],
        n_classes: int,
        weights: Reals | None,
        callback: Callback | None,
    ) -> KernelModel:
        if self.kernel is None:
            raise ValueError(
                f"{type(learner).__name__} needs a kernel: Classifier({type(learner).__name__}(), kernel=…)."
            )
        examples = KernelExamples.of(
            self.kernel, items, ids, n_classes, cache_mb=learner.cache_mb, n_jobs=learner.n_jobs
        )
        if isinstance(learner, KernelSVM):
            return KernelModel(learner.learn(examples, weights), n_classes)

        def told(number: int, mistakes: int) -> None:
            if callback is not None:
                callback(Report(number, 0.0, {"mistakes": mistakes}, True))

        return KernelModel(learner.learn(examples, told), n_classes)

    # Prediction

    def predict(self, X: Iterable[Any]) -> list[Any]:
        """The class of every item."""
        return [self.classes_[i] for i in self._best(X)]

    def decision_function(self, X: Iterable[Any]) -> Reals:
        """Return a score of every class of `classes_` for every item: the highest wins.

        Of SVMs of pairs of more than two classes, how many a class wins and, in less than one, by what; of k-NN,
        the votes.
        """
        return self._fitted.scores(self._items(X), self._jobs)

    def predict_proba(self, X: Iterable[Any]) -> Reals:
        """Return the probability of every class of `classes_`; shares of the votes for k-NN and voted perceptrons.

        The probabilities of a linear model are the softmax of its scores. They are meant as such where its learner
        is `probabilistic` (CRF and its kin); by other learners they only order the classes. Kernel SVMs and kernel
        perceptrons that do not vote have none: ValueError.
        """
        return self._fitted.probabilities(self._items(X), self._jobs)

    def explain(self, item: Any) -> Explanation[ClassDecision]:
        """Explain the class of an item: the features or fragments that decided against the runner-up.

        The margin is the difference of the scores that `decision_function` gives, but for SVMs of pairs of more
        than two classes and voted perceptrons: `ClassDecision.margin_of` says what it is there.
        """
        model = self._fitted
        (item,) = self._items([item])
        scores = model.scores([item], self._jobs)
        label = int(model.best(scores)[0])
        text = item_text(item) if self.reader_ is not None else str(plain_item(item))
        if model.n_classes == 1:
            return Explanation((ClassDecision(text, self.classes_[0], None, None),), "items")
        rest = scores.copy()
        rest[0, label] = -np.inf
        other = int(model.best(rest)[0])
        reasons = model.reasons(item, label, other)
        if self.reader_ is not None and isinstance(model, LinearModel):
            named = {self.reader_.feature(name): amount for name, amount in reasons.amounts.items()}
            reasons = dataclasses.replace(reasons, amounts=named)
        two = float(scores[0, label]), float(scores[0, other])
        decision = ClassDecision.of(text, self.classes_[label], self.classes_[other], reasons, two)
        return Explanation((decision,), "items")

    def score(self, X: Iterable[Any], y: Iterable[Any]) -> float:
        """The part of the items whose class is right."""
        return _accuracy(self._fitted, self.classes_, self._items(X), listed(y, "Classes"))

    def evaluate(
        self, X: Iterable[Any], y: Iterable[Any], *, predicted: Sequence[Any] | None = None
    ) -> TaggingScores:
        """Accuracy, precision and recall of every class, and what is confused; an item counts as a token."""
        gold = listed(y, "Classes")
        guess = self.predict(X) if predicted is None else predicted
        if len(guess) != len(gold):
            raise ValueError(f"There must be one class for every item. Got {len(gold)} for {len(guess)}.")
        known = list(map(str, self.classes_))
        return evaluate_tags(
            [[str(_plain(one))] for one in gold], [[str(one)] for one in guess], known_labels=known
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
            self._fitted, self.classes_, self.reader_, training, fingerprint, compact=compact
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

    def _default_learner(self) -> Any:
        return CRF() if self.kernel is None else KernelSVM()

    def _learner(self) -> AnyLearner:
        learner: AnyLearner = self._default_learner() if self.learner is None else self.learner
        check_fit(
            learner,
            self.offers,
            self.where,
            also=(KernelSVM, KernelPerceptron, NearestNeighbours),
        )
        if self.n_jobs is None or isinstance(learner, NearestNeighbours):
            return learner
        return dataclasses.replace(learner, n_jobs=self._jobs)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags

        tags = super().__sklearn_tags__()
        tags.estimator_type = "classifier"
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = True
        return tags

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
        self.model_, self.classes_ = model, classes
        self.reader_ = reader
        self.history_, self.interrupted_ = history, interrupted

    def _best(self, X: Iterable[Any]) -> list[int]:
        model = self._fitted
        found: list[int] = model.best(model.scores(self._items(X), self._jobs)).tolist()
        return found

    def _items(self, X: Any) -> Any:
        """What the model takes, of what was given."""
        assert self._fitted is not None  # or it says that it is not trained
        return _read(self.reader_, _listed(X))


def _listed(X: Any) -> Any:
    if is_path(X) or (hasattr(X, "tocsr") and X.ndim != 2):
        raise TypeError(
            f"Items must be a list of items. Got one {type(X).__name__}; an ItemReader makes items of lines."
        )
    if hasattr(X, "tocsr"):
        rows = X.tocsr()
        if not rows.has_canonical_format:  # a column stands twice in a row
            rows = rows.copy()
            rows.sum_duplicates()
        return rows
    if isinstance(X, Prepared):
        return X
    check_many(X, "Items")
    return X if isinstance(X, np.ndarray) else list(listed(X, "Items"))


def _read(reader: ItemReader | None, items: Any) -> Any:
    if reader is None:
        return items
    if hasattr(items, "tocsr") or isinstance(items, Prepared):
        raise ValueError(
            f"This classifier takes rows of the columns {','.join(reader.columns)}. "
            f"Got {type(items).__name__} instead."
        )
    return reader.read(items)


def _are_texts(items: Any) -> bool:
    """Whether items are texts: strings, or lists of words."""
    if hasattr(items, "tocsr") or isinstance(items, Prepared) or not len(items):
        return False
    return all(
        isinstance(item, str) or (isinstance(item, list) and all(isinstance(word, str) for word in item))
        for item in items
    ) and any(len(item) for item in items)


def _count(items: Any) -> int:
    return int(items.shape[0]) if hasattr(items, "tocsr") else len(items)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _classes(labels: Sequence[Any]) -> list[Any]:
    found = {_plain(label) for label in labels}
    for label in found:
        if not isinstance(label, str | int | bool):
            raise ValueError(f"A class must be a string or a whole number. Got {label!r} instead.")
    return sorted(found, key=lambda label: (isinstance(label, str), label))


def _weights(sample_weight: ArrayLike | None, n: int) -> Reals | None:
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"'sample_weight' must be {n} finite numbers of at least 0, one per item.")
    return weights


def _accuracy(model: ClassModel, classes: Sequence[Any], X: Any, y: Sequence[Any]) -> float:
    _check_measurable(X, y)
    best = model.best(model.scores(X, 1)).tolist()
    right = sum(bool(classes[i] == _plain(gold)) for i, gold in zip(best, y))
    return right / len(best)


def _check_measurable(X: Any, y: Sequence[Any]) -> None:
    if _count(X) != len(y):
        raise ValueError(f"There must be one class for every item. Got {len(y)} for {_count(X)}.")
    if not len(y):
        raise ValueError("There are no items to measure by.")
