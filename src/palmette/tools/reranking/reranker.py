"""Rerankers: of the candidates of a first model, the one that a second, global model likes best.

    F(x) = argmax over y in the n best of x of  w · Φ(x, y)

Φ may look at all of an output, since there are few. In dual form it is that of a kernel (all subtrees of a tree,
all fragments of a tagged sequence) and w is a sum over supports; in primal form it is written out, and any learner
learns its weights. The log-probability of the first model is one feature more, with weight √β. Kernel Methods;
Clark 2013.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from palmette.evaluation.candidates import (
    ChoiceScores,
    compare_choices,
    expected_losses,
    guess_measure,
    measured,
)
from palmette.features.candidate_features import Extractor
from palmette.features.kernels.composition import with_log_probability
from palmette.features.kernels.kernel import Kernel
from palmette.features.kernels.positive import check_positive
from palmette.features.kernels.saving import is_built_in
from palmette.formats.candidates import Candidates, Output, Reals
from palmette.formats.files import Source
from palmette.formats.model import ModelFile
from palmette.formats.nbest import NBestFile
from palmette.learning.capabilities import SUMS, Capabilities
from palmette.learning.learner import Callback, Learner
from palmette.messages import logged
from palmette.models import find_model
from palmette.parameters import require_int, require_number
from palmette.tools.answers import Answers
from palmette.tools.estimator import Estimator
from palmette.tools.explanation import Explanation
from palmette.tools.probabilities import trained_for_probabilities
from palmette.tools.ranked import Ranked
from palmette.tools.reranking.defaults import default_kernel, default_learner
from palmette.tools.reranking.dual_steps import DUAL
from palmette.tools.reranking.explanation import explain_choice
from palmette.tools.reranking.given_lists import (
    TOO_LARGE,
    Again,
    LearnableLists,
    Lists,
    TrainingRecord,
    lists_of_kind,
    lists_with,
    read_lists,
)
from palmette.tools.reranking.known import Known, allowed_places, chosen_from
from palmette.tools.reranking.model import DualModel, PrimalModel, Templates, train_dual, train_primal
from palmette.tools.reranking.reranker_file import KIND, SavedReranker, load_reranker, reranker_file
from palmette.tools.training_record import training_record

_DUAL_BETA = 0.01
MAX_SIZE = 5000  # nodes of a tree or words of a sequence
_SEEN = 60  # outputs on which your own kernel is checked to be an inner product


class Reranker(Estimator):
    """A tool that chooses among candidates, with the interface of scikit-learn.

    learner: of dual form a perceptron with a margin unless given, voted for trees; of primal form MIRA. kernel:
    of outputs, for dual form; features: `TreeTemplates`, `SequenceTemplates` or a function of the outputs of one
    input, for primal form. With neither it is a kernel: all subtrees of trees, normalised; fragments of tagged
    sequences of up to three words. beta: the weight of the first model's log-probability, β L(x) L(y) in the
    kernel; None: 0.01, or 1 in primal form. prior: what w is for L to begin with, so that only the first model's
    mistakes are learned from. min_count: features must distinguish candidates in this many lists. measure:
    "brackets", "spans" or "labels", which make F1; None: what suits the outputs. max_size: nodes of a tree, or
    words of a sequence. The time for an output grows with the square of its size, so a list with a larger one is
    not learned from and keeps the first model's order, with a warning.

    >>> from palmette.learning.perceptron import Perceptron
    >>> words = [(("time", "NN"), ("flies", label)) for label in ("NNS", "VBZ")]
    >>> lists = [Candidates(words, [-0.5, -0.9], gold=words[1])]
    >>> reranker = Reranker(Perceptron(n_iter=5)).fit(lists)
    >>> reranker.predict(lists)[0] == words[1]
    True
    """

    kind = KIND
    base_: ModelFile | None = None

    def __init__(
        self,
        learner: Learner | None = None,
        *,
        kernel: Kernel | None = None,
        features: Templates | Extractor | None = None,
        beta: float | None = None,
        prior: float = 0.0,
        min_count: int = 2,
        measure: str | None = None,
        max_size: int = MAX_SIZE,
        n_jobs: int | None = None,
    ) -> None:
        self.learner = learner
        self.kernel = kernel
        self.features = features
        self.beta = beta
        self.prior = prior
        self.min_count = min_count
        self.measure = measure
        self.max_size = max_size
        self.n_jobs = n_jobs

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return "a reranker in dual form" if self.features is None else "a reranker with features"

    @property
    def offers(self) -> Capabilities:
        """What lists offer in primal form, or in dual form without features; see `Estimator.offers`."""
        return DUAL if self.features is None else SUMS | {"pairs"}

    # Training

    def fit(
        self,
        X: Lists,
        y: Sequence[Output] | None = None,
        *,
        dev: Lists | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Train on lists of candidates whose right outputs are known, or are y.

        X: lists, the path of a file of them, or an `NBestFile`, which is not kept in memory: in dual form it is
        read again in every pass. Where the right output is not among the candidates, those of the highest F1 take
        its place; `training_` says how often. dev: lists to choose the best pass by, the F1 of its choices; of
        a voted perceptron with features those of the mean weights.
        """
        self._check()
        callback = logged(callback, self.kind)
        self.check_learner()
        streamed = isinstance(X, NBestFile) and self.features is None and y is None
        measure, lists = self._lists(X, y, streamed)
        self.measure_ = measure
        record = TrainingRecord()
        chosen: Any = LearnableLists(lists, record) if streamed else list(LearnableLists(lists, record))
        if not streamed and not chosen:
            raise ValueError(
                "There is no list of candidates to learn from, with at least one candidate each."
            )
        score = None if dev is None else self._dev_score(dev, record)
        learner = self._learner()
        if self.features is not None:
            trained = train_primal(
                learner,
                self.features,
                chosen,
                beta=self._beta,
                prior=self.prior,
                min_count=self.min_count,
                dev=score,
                callback=callback,
            )
        else:
            kernel = self.kernel if self.kernel is not None else default_kernel(measure)
            self.kernel_ = kernel
            if not is_built_in(kernel):
                some = itertools.islice((output for given in chosen for output in given.outputs[:2]), _SEEN)
                check_positive(kernel.gram(list(some)))
            trained = train_dual(
                learner,
                with_log_probability(kernel, self._beta),
                chosen,
                prior=self.prior,
                dev=score,
                callback=callback,
            )
        if not record.lists:
            raise ValueError(
                "There is no list of candidates to learn from, with at least one candidate each."
            )
        self.model_: DualModel | PrimalModel = trained.model
        self.history_, self.interrupted_ = trained.history, trained.interrupted
        self.training_ = training_record(learner, trained, record) | record.facts()
        return self

    # Choosing

    def choose(
        self, X: Lists, *, known: Known | None = None, minimum_risk: bool | None = None, first: int = 1
    ) -> list[int | None]:
        """Return the place of the best candidate of every list; None of one without candidates.

        known: for every list the places, from 0, of the candidates that may be chosen, or None for all; the others
        are left out, as if they were not in the list.

        minimum_risk: the candidate with the fewest mistakes expected, by the probabilities of all, or that of the
        highest score; None: the former, unless the first model gave no log-probabilities in training.
        first: the number of the first list, for messages.
        """
        lists = list(read_lists(X))
        places = allowed_places(lists, known, first)
        rows = self._worth(map(chosen_from, lists, places), minimum_risk, first)
        return [None if not len(row) else own[int(np.argmax(row))] for row, own in zip(rows, places)]

    def scores(self, X: Lists) -> list[Reals]:
        """Return the scores of all candidates of every list; of a voted perceptron, their parts of the votes.

        ValueError for a list with an output larger than `max_size`.
        """
        return [self._fitted.scores(given, self._jobs) for given in self._of_size(X)]

    def predict_proba(self, X: Lists) -> list[Reals]:
        """Return the probabilities of the candidates of every list.

        They are the softmax of the scores, in units of the first log-probability. A model that knows nothing
        else gives the first model's own, made to sum to one; a voted perceptron the mean of those of all sums
        that vote.
        """
        return Answers(self._fitted.probabilities(given, self._jobs) for given in self._of_size(X))

    @property
    def probabilities_from(self) -> str | None:
        """Say what the probabilities are: "model", "scores", or None where there are none.

        See `palmette.tools.probabilities`.
        """
        if not self._fitted.has_probabilities:
            return None
        return "model" if trained_for_probabilities(self.training_.get("learner")) else "scores"

    def predict(
        self, X: Lists, *, known: Known | None = None, minimum_risk: bool | None = None, first: int = 1
    ) -> list[Output | None]:
        """Return the best output of every list; None of one without candidates. Options: those of `choose`."""
        lists = list(read_lists(X))
        chosen = self.choose(lists, known=known, minimum_risk=minimum_risk, first=first)
        return Answers(None if k is None else given.outputs[k] for given, k in zip(lists, chosen))

    def rank(self, X: Lists, *, minimum_risk: bool | None = None, first: int = 1) -> list[Candidates]:
        """Every list from best to worst, with scores in place of the log-probabilities.

        With `minimum_risk`, as in `choose`, a score is how many mistakes are expected, below zero.
        """
        lists = list(read_lists(X))
        found = []
        for given, scores in zip(lists, self._worth(lists, minimum_risk, first)):
            order = np.argsort(-scores, kind="stable")
            counts = None if given.counts is None else given.counts[order]
            outputs = [given.outputs[k] for k in order.tolist()]
            found.append(Candidates(outputs, scores[order], given.gold, counts))
        return found

    def kbest(
        self, X: Lists, k: int, *, known: Known | None = None, minimum_risk: bool | None = None
    ) -> list[list[Ranked[Output]]]:
        """Return the k best candidates of every list, best first, with their scores and log-probabilities.

        known, minimum_risk: as in `choose`; by risk, a score is how many mistakes are expected, below zero. A
        list with an output larger than `max_size` keeps the first model's order and log-probabilities.
        """
        require_int("k", k, 1)
        lists = list(read_lists(X))
        lists = list(map(chosen_from, lists, allowed_places(lists, known)))
        found: list[list[Ranked[Output]]] = []
        for given, scores in zip(lists, self._worth(lists, minimum_risk)):
            likely: list[Any] = given.log_probabilities.tolist()
            if given.size <= self.max_size and not self._fitted.has_probabilities:
                likely = [None] * len(given)
            elif given.size <= self.max_size:
                with np.errstate(divide="ignore"):
                    likely = np.log(self._fitted.probabilities(given, self._jobs)).tolist()
            order = np.argsort(-scores, kind="stable")[:k].tolist()
            found.append([Ranked(given.outputs[i], float(scores[i]), likely[i]) for i in order])
        return Answers(found)

    def explain(
        self, given: Candidates, *, rival: int | None = None, minimum_risk: bool | None = None
    ) -> Explanation:
        """Why one candidate of a list is chosen and not another: the first model's choice, or the runner-up.

        rival: the place of the candidate to compare with. minimum_risk: as in `choose`; the mistakes that are
        expected are then told as well.
        """
        by_risk = self._by_risk(minimum_risk)
        (known,) = self._of_size([given])
        worth = self._worth_by(self._fitted, known, by_risk)
        return Explanation((explain_choice(self._fitted, given, worth, rival, by_risk),), noun="choices")

    # Measuring

    def evaluate(
        self, X: Lists, y: Sequence[Output] | None = None, *, minimum_risk: bool | None = None
    ) -> ChoiceScores:
        """F1 of the first model, of the choices, and of the best candidates; with a paired bootstrap.

        minimum_risk: as in `choose`.
        """
        assert self._fitted is not None  # or it says that it is not trained
        lists = list(measured(self._of_size(lists_with(X, y)), self.measure_))
        for number, given in enumerate(lists, 1):
            if given.gold is None and given.counts is None:
                raise ValueError(f"List {number} has no right output to compare with.")
        return compare_choices(lists, self.choose(lists, minimum_risk=minimum_risk))

    def score(self, X: Lists, y: Sequence[Output] | None = None) -> float:
        """F1 of the choices."""
        return self.evaluate(X, y).f1

    # Files

    def save(self, path: Source) -> None:
        """Write a model file."""
        self.to_model().save(path)

    def to_model(
        self, *, fingerprint: str = "", about: Mapping[str, Any] | None = None, base: ModelFile | None = None
    ) -> ModelFile:
        """What `save` writes. base: the first model, to be kept in the same file."""
        training = {**getattr(self, "training_", {}), **(about or {})}
        kept = base if base is not None else self.base_
        return reranker_file(SavedReranker(self._fitted, self.measure_, training, kept), fingerprint)

    @classmethod
    def load(cls, path: Source) -> Self:
        """The reranker of a model file."""
        return cls.from_model(ModelFile.load(find_model(path)))

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The reranker of a model file that is open already; `base_` is the first model, if the file has it."""
        saved = load_reranker(file)
        model = saved.model
        reranker = cls(measure=saved.measure)
        if isinstance(model, PrimalModel):
            reranker.features, reranker.beta = model.templates, model.map.beta
        reranker.model_, reranker.measure_ = model, saved.measure
        reranker.training_, reranker.base_ = dict(saved.training), saved.base
        reranker.history_, reranker.interrupted_ = (), False
        return reranker

    # Inside

    def _worth(self, X: Lists, minimum_risk: bool | None, first: int = 1) -> list[Reals]:
        """What candidates are chosen by: their scores, or the mistakes expected of them, below zero."""
        by_risk = self._by_risk(minimum_risk)
        found = []
        too_large = 0
        for number, given in enumerate(self._of_kind(X, first), first):
            if given.size > self.max_size:
                too_large += 1
                found.append(given.log_probabilities)
            else:
                try:
                    found.append(self._worth_by(self._fitted, given, by_risk))
                except ValueError as error:
                    raise ValueError(f"List {number}: {error}") from error
        if too_large:
            warnings.warn(
                f"{too_large:,} of {len(found):,} lists have outputs of more than {self.max_size:,} nodes or "
                "words and keep the first model's order: set max_size to rank them",
                stacklevel=3,
            )
        return found

    def _of_size(self, X: Lists) -> Iterator[Candidates]:
        """The lists; ValueError for one with an output that is too large."""
        for number, given in enumerate(self._of_kind(X), 1):
            if given.size > self.max_size:
                raise ValueError(
                    f"List {number} has an output of {given.size:,} nodes or words, and the bound is "
                    f"{self.max_size:,}: set max_size to raise it."
                )
            yield given

    def _of_kind(self, X: Lists, first: int = 1) -> Iterator[Candidates]:
        """The lists; ValueError for one with other outputs than those that were learned from."""
        assert self._fitted is not None  # or it says that it is not trained
        return lists_of_kind(X, first, trees=self.measure_ == "brackets")

    def _worth_by(self, model: DualModel | PrimalModel, given: Candidates, by_risk: bool) -> Reals:
        if not by_risk:
            return model.scores(given, self._jobs)
        return -expected_losses(given, model.probabilities(given, self._jobs), self.measure_)

    def _by_risk(self, minimum_risk: bool | None) -> bool:
        usual = self._fitted.has_probabilities and self.training_.get("probabilities", False)
        return usual if minimum_risk is None else minimum_risk

    def default_learner(self) -> Learner:
        return default_learner(getattr(self, "measure_", "brackets"), dual=self.features is None)

    @property
    def _beta(self) -> float:
        usual = _DUAL_BETA if self.features is None else 1.0
        return usual if self.beta is None else self.beta

    def _check(self) -> None:
        if self.kernel is not None and self.features is not None:
            raise ValueError("A reranker has a kernel (dual form) or features (primal form), not both.")
        if self.kernel is not None and not isinstance(self.kernel, Kernel):
            raise TypeError(f"The 'kernel' parameter must be a kernel. Got {self.kernel!r}.")
        if self.features is not None and not (callable(self.features) or hasattr(self.features, "names")):
            raise TypeError(
                f"The 'features' parameter must be templates or a function. Got {self.features!r}."
            )
        require_number("beta", self._beta, 0)
        require_number("prior", self.prior, 0)
        if self.features is not None and self.prior and not self._beta:
            raise ValueError("With features the prior is the weight of one that beta=0 takes away.")
        require_int("min_count", self.min_count, 1)
        require_int("max_size", self.max_size, 1)

    def _lists(
        self, X: Lists, y: Sequence[Output] | None, streamed: bool
    ) -> tuple[str, Iterable[Candidates]]:
        """What is compared, and the lists with their counts; if streamed, a new loop reads them again."""
        given: Iterable[Candidates] = X if streamed else list(lists_with(X, y))  # type: ignore[assignment]
        measure = self.measure if self.measure is not None else guess_measure(given)
        again = Again(lambda: measured(self._bounded(given), measure))
        return measure, again if streamed else iter(again)

    def _bounded(self, lists: Iterable[Candidates]) -> Iterator[Candidates]:
        return (given if given.size <= self.max_size else TOO_LARGE for given in lists)

    def _dev_score(self, dev: Lists, record: TrainingRecord) -> Callable[[DualModel | PrimalModel], float]:
        lists = [given for given in measured(self._bounded(read_lists(dev)), self.measure_) if len(given)]
        if not lists or any(given.counts is None for given in lists):
            raise ValueError("The dev set must have lists of candidates with their right outputs.")

        def score(model: DualModel | PrimalModel) -> float:
            chosen = [int(np.argmax(self._worth_by(model, given, record.probabilities))) for given in lists]
            return compare_choices(lists, chosen, n_resamples=1).f1

        return score

    @property
    def _fitted(self) -> DualModel | PrimalModel:
        try:
            return self.model_
        except AttributeError:
            raise ValueError("This Reranker is not trained yet: call fit first.") from None
