"""Taggers without labels: states of a hidden Markov model, found by EM or variational Bayes in plain text.

    GEN   a state for every word (`Chain`, order 1 or 2)        Φ   the word, and the states before
    w     logarithms of probabilities, by `learning/em.py` from the expected counts of `hidden_markov.py`

What is known helps: labels of some sentences (`partly_labelled.py`) or tokens, a dictionary of what a word may be,
or a first tagger. What comes out is a tagger like others; it labels new sentences, unknown words by suffixes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from palmette.evaluation.clusters import ClusterScores, evaluate_clusters
from palmette.features.instances import Instances
from palmette.features.word_classes import WordClasses
from palmette.features.word_hashes import KnownWords, used_words
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.given import listed_labels
from palmette.learning.capabilities import Capabilities
from palmette.learning.em import EM, VB, Estimate, Floats
from palmette.learning.learner import Callback, Report
from palmette.messages import logged
from palmette.parameters import Options, option, require_number
from palmette.tools.sentences import (
    Gold,
    Labels,
    Sentences,
    as_corpus,
    given_pair,
    given_sentences,
    transform,
)
from palmette.tools.sequence.hidden_markov import HiddenChain, allowed_states
from palmette.tools.sequence.hmm_parameters import parameters_of, tagger_model
from palmette.tools.sequence.partly_labelled import PartlyLabelled, Quality, accuracy_on, labelled_sentences
from palmette.tools.sequence.state_labels import label_counts, labels_of_states, with_labels
from palmette.tools.sequence.tagger import Tagger
from palmette.tools.sequence.tokens import cut, words_of
from palmette.tools.training_record import training_record

STATES = 45


@dataclass(frozen=True, kw_only=True)
class InductionOptions(Options):
    """How the search for states starts, and what it prefers, beside the options of the learner."""

    emission_prior: float = option(
        0.01, "Dirichlet parameter of the words of a state under VB; below 1: few words of a state", above=0
    )
    noise: float = option(0.1, "how random the start is; near 0, it is near the frequencies of words", low=0)
    initial: str = option(
        "random",
        "how the start is made; spectral: from the moments of the text",
        choices=("random", "spectral"),
    )
    restarts: int = option(1, "number of starts, of which the one with the best objective is kept", low=1)

    def check(self) -> None:
        """Check that noise is for a random start."""
        if self.initial != "random" and self.noise != InductionOptions.noise:
            raise ValueError("A spectral start has no noise: leave out 'noise', or take initial='random'.")


class TagInducer(Tagger):
    """States for the words of plain text.

    learner: `VB()`, the default, or `EM()`. n_states: None is 45, or as many as there are labels where some are
    given. order: how many states before a state sees, 1 or 2. emission_prior: the Dirichlet parameter of words
    under VB; the learner's `prior` is that of states. Below one, they prefer few words of a state and few states
    after one. What works is few words of a state (0.01) and any state after any (10, for a hundred thousand
    words and 45 states). noise: how random the start is; near the frequencies of words (0.1), EM and VB find
    better states than far from them (1). initial: "random", or "spectral" for a start from the moments of the
    text (`spectral_start.py`), without noise. restarts: the number of starts; the best by its objective is kept;
    `runs_` has all. label_weight: how many times each labelled sentence counts; None is chosen.

    >>> text = [["the", "dog", "barks"], ["a", "cat", "sleeps"], ["the", "cat", "barks"]] * 20
    >>> inducer = TagInducer(n_states=3).fit(text)
    >>> [len(set(labels)) for labels in inducer.predict([["a", "dog", "sleeps"]])]
    [3]
    """

    kind = "induced tagger"

    def __init__(
        self,
        learner: EM | None = None,
        *,
        n_states: int | None = None,
        order: int = 1,
        emission_prior: float = InductionOptions.emission_prior,
        noise: float = InductionOptions.noise,
        initial: str = InductionOptions.initial,
        restarts: int = InductionOptions.restarts,
        label_weight: float | None = None,
        column: str | int | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(None, column=column, order=order, n_jobs=n_jobs)
        self.learner: Any = learner
        self.n_states = n_states
        self.emission_prior = emission_prior
        self.noise = noise
        self.initial = initial
        self.restarts = restarts
        self.label_weight = label_weight
        self.random_state = random_state

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return "a tagger without labels"

    @property
    def offers(self) -> Capabilities:
        """What hidden states offer learners; see `Estimator.offers`."""
        return frozenset({"expectations"})

    def fit(  # type: ignore[override]
        self,
        X: Sentences,
        y: Labels | None = None,
        *,
        labelled: Sentences | tuple[Sentences, Labels] | None = None,
        dev: Sentences | tuple[Sentences, Labels] | None = None,
        dictionary: Mapping[str, Sequence[str]] | None = None,
        start: Tagger | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Learn from sentences; the labels in a `Corpus` are not looked at.

        y: what is known of the labels, as for `Tagger.fit`: None where nothing is. labelled: more sentences, with
        labels. dictionary: what each word may be; other words may be anything. start: a tagger by the learner
        `HMM` to start from, with its labels for states. callback: gets a `Report` after every pass of every start,
        which `numbers["start"]` counts.

        If all labels of some sentences are known, and there are no states but the labels, these sentences are the
        start, and the accuracy on `dev`, or cross-validation over them, decides how many passes are made: none, if
        passes make it worse.
        """
        self.check_learner()
        InductionOptions(
            emission_prior=self.emission_prior,
            noise=self.noise,
            initial=self.initial,
            restarts=self.restarts,
        )
        corpus, known, columns = self._given(X, y, labelled)
        words, instances = WordClasses.fit(corpus)
        gold = None if known is None else Gold.of_lists(known)
        names = self._names(gold, dictionary, start)
        problem = self._problem(words, instances, names, gold, dictionary)
        partly = None if start is not None else self._partly(problem, corpus, names)
        if self.initial != "random" and (partly is not None or start is not None):
            raise ValueError("The labels or the tagger given are the start: leave out 'initial'.")
        callback = logged(callback, self.kind)
        if partly is not None:
            self._fit_partly(partly, None if dev is None else self._dev_quality(dev, names), callback)
        elif dev is not None:
            raise ValueError(
                "A dev set chooses how far to go from labelled sentences, and there is none with all labels."
                if start is None
                else "A dev set chooses how far to go from labelled sentences: leave it out with a given start."
            )
        else:
            given = None if start is None else parameters_of(start.model_, problem)
            self.runs_ = self._learn(problem, given, callback)
            best = max(self.runs_, key=lambda run: run.history[-1].numbers["objective"])
            self._set_model(tagger_model(problem, names, best), None)
            self.history_, self.interrupted_ = best.history, any(run.interrupted for run in self.runs_)
            self.training_ = training_record(None, best, instances)
            self.training_ |= {"learner": type(self._learner()).__name__, "starts": len(self.runs_)}
            self.training_ |= {"objective": best.history[-1].numbers["objective"]}
        self.known_words_ = KnownWords.of(used_words(corpus.column(words_of(corpus))))
        self.training_["columns"] = columns
        return self

    def label_states(self, X: Sentences, y: Labels | None = None) -> Self:
        """Give every state the label that it meets most often in labelled sentences; `predict` then gives labels.

        With many states this is a tagger from few labels. Several states may share a label.
        """
        given = given_sentences(X)
        gold = Tagger._gold(self, given, listed_labels(y))
        if not gold.known.any():
            raise ValueError("The sentences that label the states have no labels.")
        structure = replace(self._fitted.structure, hidden=1)
        model = replace(self._fitted, structure=structure)
        instances = transform(model.features, given)
        gold.check(instances.offsets)
        labels = gold.labels
        ids, _ = gold.as_ids(labels)
        counts = label_counts(model.probabilities(instances, self._jobs), ids, len(labels))
        self.model_ = with_labels(model, labels, labels_of_states(counts))
        self.training_["labelled_sentences"] = len(instances)
        return self

    def evaluate(
        self, X: Sentences, y: Labels | None = None, *, predicted: Column | None = None
    ) -> ClusterScores:
        """How well the states match the right labels: many-to-one, one-to-one, V-measure; accuracy of labels."""
        scores = super().evaluate(X, y, predicted=predicted)
        return evaluate_clusters(scores.confusion.T, list(scores.names), list(scores.names))

    def score(self, X: Sentences, y: Labels | None = None) -> float:
        """Accuracy, if states have labels; many-to-one accuracy otherwise."""
        scores = self.evaluate(X, y)
        return scores.many_to_one if scores.accuracy is None else scores.accuracy

    def likeliest_words(self, n: int) -> dict[str, dict[str, float]]:
        """For every state its n likeliest words with their probabilities."""
        features = self._fitted.features
        assert isinstance(features, WordClasses)
        table = np.exp(self._fitted.rows[: len(features.words)].astype(np.float64))
        order = np.argsort(-table, axis=0, kind="stable")[:n]
        return {
            state: {features.words[i]: float(table[i, y]) for i in order[:, y].tolist()}
            for y, state in enumerate(self._fitted.structure.labels)
        }

    # Inside

    def _given(
        self, X: Sentences, y: Labels | None, labelled: Any
    ) -> tuple[Corpus, Sequence[Sequence[Any]] | None, list[str] | None]:
        """All sentences, what is known of their labels, and the columns of the text."""
        given = given_sentences(X)
        corpus, known = as_corpus(given), listed_labels(y)
        if corpus is None:
            raise ValueError("States are found for words: give it words, not features.")
        columns = list(given.names) if isinstance(given, Corpus) else None
        if labelled is None:
            return corpus, known, columns
        more, labels = given_pair(labelled)
        few = as_corpus(more)
        if few is None:
            raise ValueError("Labelled sentences must have words, not features.")
        told = Tagger._gold(self, few if labels is None else more, labels)
        told.check(few.offsets)
        strings = [*told.strings, None]
        text = [cut(part.column(words_of(part)).values(), part.offsets) for part in (corpus, few)]
        nothing = [[None] * len(sentence) for sentence in text[0]]
        there = nothing if known is None else list(known)
        both = [*there, *cut([strings[k] for k in told.ids.tolist()], told.offsets)]
        return Corpus.from_columns({words_of(corpus): [*text[0], *text[1]]}), both, columns

    def _partly(self, problem: HiddenChain, corpus: Corpus, names: list[str]) -> PartlyLabelled | None:
        """The sentences with all their labels as what to start from; None without any, or with other states."""
        if problem.labels is None:
            return None
        few = labelled_sentences(problem.labels, problem.instances.offsets)
        used = np.unique(problem.labels[problem.labels >= 0])
        if not len(few) or len(used) < len(names):
            return None
        return PartlyLabelled(replace(problem, n_jobs=self._jobs), corpus, names, few)

    def _fit_partly(self, partly: PartlyLabelled, dev: Quality | None, callback: Callback | None) -> None:
        if self.restarts != 1:
            raise ValueError("Labelled sentences are one start: leave out 'restarts'.")
        if self.label_weight is not None:
            require_number("label_weight", self.label_weight, 0)
        learner = EM() if self.learner is None else self._learner()
        found = partly.learn(
            learner,
            self._priors(partly.problem, learner),
            label_weight=self.label_weight,
            dev=dev,
            callback=callback,
        )
        self.runs_ = list(found.runs)
        self._set_model(found.model, None)
        self.history_, self.interrupted_ = found.history, found.interrupted
        self.training_ = training_record(None, found, partly.problem.instances)
        self.training_ |= {
            "learner": type(learner).__name__,
            "passes": found.passes,
            "dev_score": found.score,
        }
        self.training_ |= {"labelled_sentences": len(partly.labelled), "labels_alone": found.alone}
        self.training_ |= {"label_weight": found.weight if found.passes else None}

    def _dev_quality(self, dev: Any, names: list[str]) -> Quality:
        X, y = given_pair(dev)
        corpus = as_corpus(X)
        if corpus is None:
            raise ValueError("A dev set must have words, not features.")
        gold = Tagger._gold(self, corpus if y is None else X, y)
        gold.check(corpus.offsets)
        if not gold.known.any():
            raise ValueError("The dev set has no labels.")
        return accuracy_on(corpus, gold)

    def _priors(self, problem: HiddenChain, learner: EM) -> Floats:
        return problem.priors(learner.prior, self.emission_prior if learner.bayesian else learner.prior)

    def default_learner(self) -> Any:
        return VB(prior=10.0, n_iter=100)

    def _names(
        self, gold: Gold | None, dictionary: Mapping[str, Sequence[str]] | None, start: Tagger | None
    ) -> list[str]:
        """The labels that are known, and names for the other states."""
        labels = list(start.classes_) if start is not None else []
        labels += [] if gold is None else gold.labels
        labels += [label for may in (dictionary or {}).values() for label in may]
        known = list(dict.fromkeys(labels))
        n = self.n_states if self.n_states is not None else len(known) or STATES
        if not isinstance(n, int) or isinstance(n, bool) or n < max(1, len(known)):
            raise ValueError(
                f"There must be a whole number of states, at least one and one for every label. Got {n!r}"
                + (f", and {len(known)} labels." if known else ".")
            )
        width = len(str(n))
        more = (f"S{i:0{width}}" for i in range(1, n + len(known) + 1))
        fresh = [name for name in more if name not in known]
        return known + fresh[: n - len(known)]

    def _problem(
        self,
        words: WordClasses,
        instances: Instances,
        names: list[str],
        gold: Gold | None,
        dictionary: Mapping[str, Sequence[str]] | None,
    ) -> HiddenChain:
        ids: NDArray[np.int32] | None = None
        allowed: NDArray[np.bool_] | None = None
        if gold is not None:
            gold.check(instances.offsets)
            ids, allowed = gold.as_ids(tuple(names))
        if dictionary:
            place = {name: k for k, name in enumerate(names)}
            empty = next((word for word, may in dictionary.items() if not may), None)
            if empty is not None:
                raise ValueError(f"The dictionary has no label for {empty!r}: leave the word out.")
            numbers = {word: [place[label] for label in may] for word, may in dictionary.items()}
            may_be = allowed_states(numbers, words, instances, len(names))
            allowed = may_be if allowed is None else allowed & may_be
            if ids is not None:  # a label that is known overrules the dictionary
                known = ids >= 0
                allowed[known] = False
                allowed[known, ids[known]] = True
        return HiddenChain(words, instances, len(names), self.order or 1, ids, allowed)

    def _start(self, problem: HiddenChain, random_state: int) -> Floats:
        """Parameters to begin with."""
        if self.initial == "random":
            return problem.random_start(random_state, self.noise)
        from palmette.tools.sequence.spectral_start import spectral_start

        return spectral_start(problem, random_state)

    def _learn(self, problem: HiddenChain, given: Floats | None, callback: Callback | None) -> list[Estimate]:
        learner: EM = self._learner()
        n = self.restarts
        if given is not None and n > 1:
            raise ValueError("A given start is one start: leave out 'restarts'.")
        priors = self._priors(problem, learner)
        threads = min(self._jobs, n)
        shared = replace(problem, n_jobs=max(1, self._jobs // threads))

        def run(number: int) -> Estimate:
            def tell(report: Report) -> None:
                if callback is not None:
                    callback(replace(report, numbers={"start": number + 1, **report.numbers}))

            start = self._start(shared, self.random_state + number) if given is None else given
            return learner.learn(shared, start, priors=priors, callback=tell)

        if threads == 1:
            return [run(number) for number in range(n)]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(run, range(n)))
