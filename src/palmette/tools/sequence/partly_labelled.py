"""Hidden Markov models from the labels of some sentences and EM on all others (CSC 448, §3.1).

The labelled sentences alone give an HMM by counting, P. It is the start; and N_g P, where N_g is how often the
labelled sentences use group g, is a Dirichlet prior that makes every labelled sentence count `label_weight` times:

    θ_k = (expected uses of k in all other sentences + label_weight · N_g P_k) / the sum over its group g

EM makes the text likelier. After a pass or two that makes labels worse (Merialdo 1994), so what is kept is chosen
by the accuracy on labels that were not learned from: weight, number of passes, and whether to make any at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from palmette.features.word_classes import WordClasses
from palmette.formats.corpus import Corpus
from palmette.learning.em import EM, Estimate, Floats
from palmette.learning.learner import Callback, Report
from palmette.learning.loop import History
from palmette.tools.sentences import Gold, transform
from palmette.tools.sequence.hidden_markov import HiddenChain
from palmette.tools.sequence.hmm import HMM, TaggedWords
from palmette.tools.sequence.hmm_parameters import parameters_of, tagger_model
from palmette.tools.sequence.model import SequenceModel, SequenceStructure

LABEL_WEIGHTS = (1.0, 10.0, 30.0, 100.0)
_PATIENCE = 3  # passes
_FOLDS = 5  # of the labelled sentences, for cross-validation without a dev set
_LEAST = 10  # labelled sentences for that

Quality = Callable[[SequenceModel], float]


@dataclass(frozen=True, eq=False)
class PartlyLearned:
    """A tagger with what it was chosen by. passes: 0 for that of the labels alone, whose score is `alone`.

    score, alone: accuracy on the dev set or on held-out labels; None if there was nothing to choose by.
    """

    model: SequenceModel
    runs: tuple[Estimate, ...]
    weight: float
    passes: int
    score: float | None = None
    alone: float | None = None

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C came."""
        return any(run.interrupted for run in self.runs)

    @property
    def history(self) -> tuple[Report, ...]:
        """The reports of all runs, one after the other; none if no pass was made."""
        return History(report for run in self.runs for report in run.history) if self.passes else ()


@dataclass(frozen=True, eq=False)
class PartlyLabelled:
    """Sentences of which some, `labelled`, have all their labels; names: of the states, which are the labels."""

    problem: HiddenChain
    corpus: Corpus
    names: Sequence[str]
    labelled: NDArray[np.int64]

    def learn(
        self,
        learner: EM,
        priors: Floats,
        *,
        label_weight: float | None = None,
        dev: Quality | None = None,
        callback: Callback | None = None,
    ) -> PartlyLearned:
        """Learn, and choose by `dev` or, without it, by cross-validation over the labelled sentences.

        label_weight: None for the best of `LABEL_WEIGHTS`. With too few labels for cross-validation, all passes of
        the learner are made.
        """
        weights = LABEL_WEIGHTS if label_weight is None else (label_weight,)
        if dev is not None:
            return self._chosen(learner, priors, weights, dev, callback)
        if len(self.labelled) < _LEAST:
            run = self._run(learner, priors, weights[0], callback)
            return PartlyLearned(tagger_model(self.problem, self.names, run), (run,), weights[0], run.passes)
        return self._cross_validated(learner, priors, weights, callback)

    @cached_property
    def counted(self) -> SequenceModel:
        """The tagger of the labelled sentences alone."""
        corpus = self.corpus.select(self.labelled.tolist())
        words, instances = WordClasses.fit(corpus)
        labels = self._labels(self.labelled)
        data = TaggedWords(words, instances, labels, len(self.names), self.problem.order)
        structure = SequenceStructure(tuple(self.names), self.problem.order)
        return SequenceModel(structure, words, HMM().weights(data))

    def _chosen(
        self,
        learner: EM,
        priors: Floats,
        weights: Sequence[float],
        quality: Quality,
        callback: Callback | None,
    ) -> PartlyLearned:
        alone = quality(self.counted)
        best = PartlyLearned(self.counted, (), weights[0], 0, alone, alone)
        runs: list[Estimate] = []
        for weight in weights:
            runs.append(self._run(learner, priors, weight, callback, quality))
            score = max((report.numbers["dev"] for report in runs[-1].history), default=-np.inf)
            if score > (best.score or 0.0):
                made = tagger_model(self.problem, self.names, runs[-1])
                best = replace(best, model=made, weight=weight, passes=runs[-1].passes, score=score)
            if runs[-1].interrupted:
                break
        return replace(best, runs=tuple(runs))

    def _cross_validated(
        self, learner: EM, priors: Floats, weights: Sequence[float], callback: Callback | None
    ) -> PartlyLearned:
        """The weight and the number of passes that get most labels of all folds right, then all labels."""
        alone, rights, total = 0.0, [np.zeros(1)] * len(weights), 0
        for fold in range(_FOLDS):
            held = self.labelled[fold::_FOLDS]
            found = self._without(held)._chosen(learner, priors, weights, self._quality(held), callback)
            if found.interrupted:
                return found
            tokens = len(self._tokens(held))
            alone, total = alone + tokens * (found.alone or 0.0), total + tokens
            for k, run in enumerate(found.runs):
                scores = tokens * np.array([report.numbers["dev"] for report in run.history])
                rights[k] = _sum(rights[k], scores)
        k = int(np.argmax([right.max() for right in rights]))
        score = float(rights[k].max())
        if score <= alone:
            return PartlyLearned(self.counted, (), weights[k], 0, alone / total, alone / total)
        passes = int(rights[k].argmax()) + 1
        run = self._run(replace(learner, n_iter=passes, tolerance=None), priors, weights[k], callback)
        model = tagger_model(self.problem, self.names, run)
        return PartlyLearned(model, (run,), weights[k], passes, score / total, alone / total)

    def _run(
        self,
        learner: EM,
        priors: Floats,
        weight: float,
        callback: Callback | None,
        quality: Quality | None = None,
    ) -> Estimate:
        start, uses = self._start
        here = np.zeros(len(self.problem.instances), dtype=bool)
        here[self.labelled] = True
        others = replace(self.problem, weights=np.where(here, 0, 1).astype(np.float32))

        def tell(report: Report) -> None:
            if callback is not None:
                callback(replace(report, numbers={"label_weight": weight, **report.numbers}))

        return learner.learn(
            others,
            start,
            priors=priors + weight * uses,
            dev=None if quality is None else lambda run: quality(tagger_model(self.problem, self.names, run)),
            patience=_PATIENCE,
            callback=tell,
        )

    @cached_property
    def _start(self) -> tuple[Floats, Floats]:
        """The parameters of the labelled sentences alone, and how often these use each: N_g P_k."""
        start = parameters_of(self.counted, self.problem)
        groups = self.problem.groups
        here = np.zeros(len(self.problem.instances), dtype=np.float32)
        here[self.labelled] = 1
        with np.errstate(divide="ignore"):
            _, counts = replace(self.problem, weights=here).expected_counts(np.log(start))
        shares = start / np.maximum(np.bincount(groups, start), np.finfo(float).tiny)[groups]
        uses: Floats = np.bincount(groups, counts)[groups] * shares
        return start, uses

    def _without(self, held: NDArray[np.int64]) -> PartlyLabelled:
        """The same sentences without the labels of some."""
        tokens, labels, allowed = self._tokens(held), np.array(self.problem.labels), self.problem.allowed
        labels[tokens] = -1
        if allowed is not None:
            allowed = allowed.copy()
            allowed[tokens] = True
        problem = replace(self.problem, labels=labels, allowed=allowed)
        return replace(self, problem=problem, labelled=np.setdiff1d(self.labelled, held))

    def _quality(self, held: NDArray[np.int64]) -> Quality:
        corpus = self.corpus.select(held.tolist())
        return accuracy_on(corpus, Gold(self._labels(held), list(self.names), corpus.offsets))

    def _labels(self, sentences: NDArray[np.int64]) -> NDArray[np.int32]:
        assert self.problem.labels is not None
        return np.ascontiguousarray(self.problem.labels[self._tokens(sentences)])

    def _tokens(self, sentences: NDArray[np.int64]) -> NDArray[np.int64]:
        offsets = self.problem.instances.offsets
        return np.concatenate([np.arange(offsets[i], offsets[i + 1]) for i in sentences])


def accuracy_on(corpus: Corpus, gold: Gold) -> Quality:
    """Return what measures the share of right labels of a tagger."""

    def quality(model: SequenceModel) -> float:
        ids, _ = gold.as_ids(model.structure.visible)
        guess = model.decode(transform(model.features, corpus))
        return float((ids == guess)[gold.known].mean())

    return quality


def labelled_sentences(labels: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers of the sentences with at least one word whose labels are all known."""
    known = np.concatenate([[0], np.cumsum(labels >= 0)])
    lengths = np.diff(offsets)
    return np.flatnonzero((lengths > 0) & (np.diff(known[offsets]) == lengths))


def _sum(a: Floats, b: Floats) -> Floats:
    """The sum of two rows; the shorter goes on as it ends, since its training stopped there."""
    n = max(len(a), len(b))
    sums: Floats = np.pad(a, (0, n - len(a)), "edge") + np.pad(b, (0, n - len(b)), "edge")
    return sums
