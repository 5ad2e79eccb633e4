"""Extracts: which sentences of a document say what its author thinks, chosen together by a minimum cut.

A classifier of single sentences gives each a margin m between the class that stays and the other. Its probability
is 1 / (1 + e^−(a m + b)), where a and b are fitted to margins of sentences that the classifier was not trained on
(Platt 1999): probabilities of naive Bayes are too near to 0 and 1, and other learners have none. A sentence that
goes costs its probability, one that stays the rest, and neighbours like to go together (`MinimumCut`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.structures.minimum_cut import MinimumCut
from palmette.tools.classification.classifier import Classifier
from palmette.tools.sentiment.documents import Document

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Extract:
    """A document with its cut.

    stays: which sentences are in the extract. probabilities: that each sentence is subjective. cost: of the cut.
    """

    sentences: Sequence[str]
    stays: Sequence[bool]
    probabilities: Sequence[float]
    cost: float

    @property
    def text(self) -> str:
        """The sentences that stay."""
        return " ".join(sentence for sentence, stay in zip(self.sentences, self.stays) if stay)


@dataclass(frozen=True, eq=False)
class Subjectivity:
    """A classifier of sentences, and how its margins become probabilities."""

    classifier: Classifier
    stays: str
    slope: float
    offset: float

    @classmethod
    def train(
        cls, learner: Any, items: Sequence[Any], labels: Sequence[str], reader: Any, stays: str, folds: int
    ) -> Subjectivity:
        """Train on sentences; margins of each part come from a classifier of the other parts."""
        _check(labels, stays)
        parts = np.zeros(len(labels), dtype=np.int64)
        for label in sorted(set(labels)):  # every part has sentences of both classes
            of = [i for i, one in enumerate(labels) if one == label]
            parts[of] = np.arange(len(of)) % folds
        margins = np.zeros(len(labels))
        gold = np.array([label == stays for label in labels])
        for part in range(folds):
            train, held_out = (np.flatnonzero(of).tolist() for of in (parts != part, parts == part))
            if not held_out or len(set(gold[train].tolist())) < 2:
                continue
            classifier = Classifier(learner, reader=reader)
            classifier.fit([items[i] for i in train], [labels[i] for i in train])
            margins[held_out] = _margins(classifier, [items[i] for i in held_out], stays)
        slope, offset = fit_sigmoid(margins, gold)
        return cls(Classifier(learner, reader=reader).fit(items, labels), stays, slope, offset)

    def probabilities(self, documents: Sequence[Document]) -> list[Reals]:
        """Return the probability of every sentence of every document that it is subjective."""
        items = [item for document in documents for item in document.items]
        if not items:
            return [np.zeros(0) for _ in documents]
        margins = _margins(self.classifier, items, self.stays)
        p = 1 / (1 + np.exp(-np.clip(self.slope * margins + self.offset, -500, 500)))
        ends = np.cumsum([len(document.items) for document in documents])
        return np.split(p, ends[:-1])


def extract(
    document: Document, p: Reals, cut: MinimumCut, n: int | None, known: Sequence[bool | None] | None
) -> Extract:
    """Return the extract of a document: the cheapest cut, or n sentences; the likeliest one if it were empty.

    known: for every sentence whether it must stay or go, or None.
    """
    costs = np.stack([p, 1 - p], axis=1)
    stays = cut.best(costs, known=known).stays if n is None else cut.first(costs, n, known=known)
    may = np.array([known is None or known[i] is not False for i in range(len(p))], dtype=bool)
    if len(p) and not stays.any() and may.any():
        stays[np.where(may, p, -1.0).argmax()] = True
    return Extract(document.sentences, stays.tolist(), p.tolist(), cut.cost(costs, stays))


def fit_sigmoid(margins: Reals, gold: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the a ≥ 0 and b that make 1 / (1 + e^−(a m + b)) likeliest, with the smoothed targets of Platt.

    >>> a, b = fit_sigmoid(np.array([-2.0, -1.0, 1.0, 2.0] * 50), np.array([False, True, False, True] * 50))
    >>> 0.1 < a < 0.5, abs(b) < 0.01
    (True, True)
    """
    from scipy.optimize import minimize

    many = int(gold.sum())
    target = np.where(gold, (many + 1) / (many + 2), 1 / (len(gold) - many + 2))
    scale = max(float(np.abs(margins).mean()), 1e-12)
    x = margins / scale

    def loss(ab: Reals) -> tuple[float, Reals]:
        z = ab[0] * x + ab[1]
        p = 1 / (1 + np.exp(-np.clip(z, -500, 500)))
        value = float((np.logaddexp(0, z) - target * z).sum())
        return value, np.array([((p - target) * x).sum(), (p - target).sum()])

    found = minimize(
        loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B", bounds=[(0, None), (None, None)]
    )
    return float(found.x[0]) / scale, float(found.x[1])


def _margins(classifier: Classifier, items: Sequence[Any], stays: str) -> Reals:
    scores = classifier.decision_function(items)
    at = classifier.classes_.tolist().index(stays)
    return np.asarray(scores[:, at] - scores[:, 1 - at])


def _check(labels: Sequence[str], stays: str) -> None:
    found = sorted(set(map(str, labels)))
    if len(found) != 2:
        names = ", ".join(found[:5])
        raise ValueError(
            f"Sentences must have two labels, such as subjective and objective. Got {len(found)}: {names}."
        )
    if stays not in found:
        raise ValueError(
            f"The sentences that stay have the label {stays!r}, and the labels are {found[0]} and {found[1]}: "
            "set the option 'stays'."
        )
