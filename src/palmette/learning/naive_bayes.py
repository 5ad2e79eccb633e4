"""Naive Bayes: classes from the counts of their features, p(y, x) = P(y) Π_f P(f | y)^x_f.

CSC 448, §22; Carreras, "HMM": a chain of such choices is a hidden Markov model. With c_yf the weighted sum of
feature f over the items of class y, n_y the items, V features, and α added to every count:

    multinomial   log P(f | y) = log (c_yf + α) / (Σ_f c_yf + α V)
    bernoulli     p = (c_yf + α) / (n_y + 2 α) of features that are there or not; absent ones add log (1 − p)
    complement    − log of the multinomial estimate of all *other* classes (Rennie et al. 2003); no prior
    weighted      a linear classifier whose features are multiplied by their log-count ratio
                  r_f = log P(f | y) − log P(f | not y) (Wang and Manning 2012)

All of them are linear in x, so that they score and explain as linear classifiers do. A weight is less the mean of
its feature over the classes: this changes no margin and no probability. One pass over the counts.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import ChainProblem
from palmette.learning.capabilities import AnyLearner
from palmette.learning.learner import Learner
from palmette.parameters import option

Reals = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CountedItems:
    """Items with their classes, as naive Bayes counts them.

    items: a sparse matrix (CSR) of values, [items, features]. bias: the column that is 1 for every item, which is
    not counted and gets what belongs to no feature. weights: one for every item.
    """

    items: Any
    labels: NDArray[np.int32]
    n_classes: int
    bias: int
    weights: Reals | None = None

    def binary(self) -> CountedItems:
        """Return the same items with 1 for every value above zero, and without the others."""
        items = self.items.copy()
        items.data = (items.data > 0).astype(np.float64)
        items.eliminate_zeros()
        return CountedItems(items, self.labels, self.n_classes, self.bias, self.weights)

    def counts(self) -> tuple[Reals, Reals]:
        """Return the items of every class, [classes], and their summed features, [classes, features]."""
        from scipy.sparse import csr_array

        if self.items.nnz and self.items.data.min() < 0:
            raise ValueError(
                "Naive Bayes counts features, and one has a value below zero: take a learner such as crf."
            )
        n = len(self.labels)
        weights = np.ones(n) if self.weights is None else self.weights
        chosen = csr_array((weights, (self.labels, np.arange(n))), shape=(self.n_classes, n))
        features = (chosen @ self.items).toarray()
        features[:, self.bias] = 0
        members = np.bincount(self.labels, weights, minlength=self.n_classes)
        return members.astype(np.float64), features


@dataclass(frozen=True, kw_only=True)
class CountedLearner(AnyLearner):
    """A learner of weights from the counts of features by class."""

    family = "occurrences"
    takes = frozenset({"sample_weight"})

    alpha: float = option(1.0, "number added to every count", above=0)

    @property
    def binary(self) -> bool:
        """Whether a model sees only which features are there, and not their values."""
        return False

    def weights(self, data: CountedItems) -> Reals:
        """Return one weight for every feature and class, [features, classes]."""
        counted = data.binary() if self.binary else data
        found = self._weights(counted)
        return np.asarray(found - found.mean(axis=1, keepdims=True))

    @abstractmethod
    def _weights(self, data: CountedItems) -> Reals: ...

    def _shares(self, counts: Reals, bias: int) -> Reals:
        """log (c_f + α) / (Σ c + α V) in every row; zero for the bias."""
        smoothed = counts + self.alpha
        smoothed[:, bias] = 0
        total = smoothed.sum(axis=1, keepdims=True)
        smoothed[:, bias] = total[:, 0]
        return np.asarray(np.log(smoothed) - np.log(total))


@dataclass(frozen=True, kw_only=True)
class NaiveBayes(CountedLearner):
    """Naive Bayes with multinomial or Bernoulli features.

    Its probabilities are those of the model. Features are not independent, so they are mostly too near to 0 or 1.
    """

    probabilistic = True

    model: str = option(
        "multinomial",
        "what is counted: values, or which features are there",
        choices=("multinomial", "bernoulli"),
    )
    prior: str = option(
        "counts", "probabilities of the classes before an item is seen", choices=("counts", "uniform")
    )

    @property
    def binary(self) -> bool:
        """Whether features are there or not; so it is with `bernoulli`."""
        return self.model == "bernoulli"

    def _weights(self, data: CountedItems) -> Reals:
        items, counts = data.counts()
        if self.binary:
            p = (counts + self.alpha) / (items + 2 * self.alpha)[:, None]
            table = np.log(p) - np.log1p(-p)
            absent = np.log1p(-p)
            absent[:, data.bias] = 0
            table[:, data.bias] = absent.sum(axis=1)
        else:
            table = self._shares(counts, data.bias)
        if self.prior == "counts":
            with np.errstate(divide="ignore"):
                prior = np.log(items) - np.log(items.sum())
            # A class whose items all have the weight zero is never chosen before another one.
            table[:, data.bias] += np.maximum(prior, -1e4)
        return np.asarray(table.T)


@dataclass(frozen=True, kw_only=True)
class ComplementBayes(CountedLearner):
    """Complement naive Bayes: what speaks for a class is what is rare in all others.

    It is for classes of unequal sizes. Its scores do not mean log-probabilities.
    """

    normalize: bool = option(False, "divide the weights of a class by the sum of their absolute values")

    def _weights(self, data: CountedItems) -> Reals:
        _, counts = data.counts()
        table = -self._shares(counts.sum(axis=0) - counts, data.bias)
        if self.normalize:
            table /= np.abs(table).sum(axis=1, keepdims=True)
        return np.asarray(table.T)


@dataclass(frozen=True, kw_only=True)
class BayesWeighted(CountedLearner):
    """A linear classifier of features that are multiplied by their log-count ratios, one class against the rest.

    v minimises Σ loss + l2 · ‖v‖² on the multiplied features, and the weights are r · (β v + (1 − β) m) with m the
    mean of |v|: β = 0 is naive Bayes, up to the scale and the bias, and β = 1 the linear classifier.
    """

    loss: str = option("log", "loss of the linear classifier: logistic or hinge", choices=("log", "hinge"))
    l2: float = option(0.1, "weight of the squares of weights in the objective", above=0)
    beta: float = option(0.5, "share of the linear classifier; the rest is naive Bayes", low=0, high=1)
    binarize: bool = option(True, "look only at which features are there, and not at their values")
    random_state: int = option(0, "seed of the random numbers", low=0)

    @property
    def binary(self) -> bool:
        """Whether features are there or not, as `binarize` says."""
        return self.binarize

    def _weights(self, data: CountedItems) -> Reals:
        _, counts = data.counts()
        total = counts.sum(axis=0)
        if data.n_classes == 1:
            return np.zeros((len(total), 1))
        ratios = self._shares(counts, data.bias) - self._shares(total - counts, data.bias)
        ratios[:, data.bias] = 1
        two = data.n_classes == 2
        rows = [self._machine(data, ratios[y], y) for y in range(1 if two else 0, data.n_classes)]
        return np.stack([-rows[0] / 2, rows[0] / 2] if two else rows, axis=1)

    def _machine(self, data: CountedItems, ratios: Reals, y: int) -> Reals:
        """The weights of one class against the rest."""
        from palmette.learning.loglinear import CRF
        from palmette.learning.svm import StructuredSVM

        x, n = data.items, len(data.labels)
        learner: Learner = (
            CRF(l2=self.l2, method="lbfgs", features="all", random_state=self.random_state)
            if self.loss == "log"
            else StructuredSVM(l2=self.l2, n_iter=200, random_state=self.random_state)
        )
        problem = ChainProblem(
            np.arange(n + 1, dtype=np.int64), x.indptr.astype(np.int64), x.indices.astype(np.int32),
            (x.data * ratios[x.indices]).astype(np.float32), None, None, None,
            (data.labels == y).astype(np.int32), None,
            None if data.weights is None else data.weights.astype(np.float32),
            x.shape[1], 0, 2, 0, None, None, None,
        )  # fmt: skip
        learned = learner.learn(problem)
        if learned.interrupted:
            raise KeyboardInterrupt
        pairs = learned.weights.reshape(-1, 8)[:, :2].astype(np.float64)
        v = pairs[:, 1] - pairs[:, 0]
        others = np.arange(len(v)) != data.bias
        mean = float(np.abs(v[others]).mean()) if others.any() else 0.0
        mixed = np.where(others, self.beta * v + (1 - self.beta) * mean, v)
        return np.asarray(mixed * ratios)
