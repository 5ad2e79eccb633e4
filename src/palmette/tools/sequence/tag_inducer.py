"""Taggers without labels: states of a hidden Markov model, found by EM or variational Bayes in plain text.

    GEN   a state for every word (`Chain`, order 1 or 2)        Φ   the word, and the states before
    w     logarithms of probabilities, by `learning/em.py` from the expected counts of `hidden_markov.py`

What is known helps: labels of some tokens, a dictionary of what a word may be, or a first tagger. What comes out
is a tagger like others; it labels new sentences, unknown words by their suffixes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
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
from palmette.learning.em import EM, VB, Estimate, Floats
from palmette.learning.learner import Callback, Report
from palmette.messages import logged
from palmette.tools.sentences import Gold, Labels, Sentences, as_corpus, given_sentences
from palmette.tools.sequence.emissions import emissions
from palmette.tools.sequence.hidden_markov import HiddenChain, Tables, allowed_states
from palmette.tools.sequence.model import SequenceModel, SequenceStructure
from palmette.tools.sequence.tagger import Tagger, words_of
from palmette.tools.training_record import training_record

STATES = 45
_ALPHA, _BACKING, _ABSTRACTION = 0.01, 0.5, 5.0  # of classes of unknown words, as in `tools/sequence/hmm.py`


class TagInducer(Tagger):
    """States for the words of plain text.

    learner: `VB()`, the usual, or `EM()`. n_states: None is 45, or as many as there are labels where some are
    given. order: how many states before a state sees, 1 or 2. emission_prior: the Dirichlet parameter of words
    under VB; the learner's `prior` is that of states. Below one, they prefer few words of a state and few states
    after one. What works is few words of a state (0.0001) and any state after any (10, for a hundred thousand
    words and 45 states). noise: how random the start is; near the frequencies of words (0.1), EM and VB find
    better states than far from them (1). restarts: so many starts, of which that with the best objective is kept;
    `runs_` has all.

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
        emission_prior: float = 0.0001,
        noise: float = 0.1,
        restarts: int = 1,
        column: str | int | None = None,
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(None, column=column, order=order, n_jobs=n_jobs)
        self.learner: Any = learner
        self.n_states = n_states
        self.emission_prior = emission_prior
        self.noise = noise
        self.restarts = restarts
        self.random_state = random_state

    def fit(  # type: ignore[override]
        self,
        X: Sentences,
        y: Labels | None = None,
        *,
        dictionary: Mapping[str, Sequence[str]] | None = None,
        start: Tagger | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Learn from sentences; the labels in a `Corpus` are not looked at.

        y: what is known of the labels, as for `Tagger.fit`: None where nothing is. dictionary: what each word may
        be; other words may be anything. start: a tagger by the learner `HMM` to start from, with its labels for
        states. callback: gets a `Report` after every pass of every start, which `numbers["start"]` counts.
        """
        given_X = given_sentences(X)
        corpus = as_corpus(given_X)
        if corpus is None:
            raise ValueError("States are found for words: give it words, not features.")
        words, instances = WordClasses.fit(corpus)
        known = listed_labels(y)
        gold = None if known is None else Gold.of_lists(known)
        names = self._names(gold, dictionary, start)
        problem = self._problem(words, instances, names, gold, dictionary)
        given = None if start is None else _parameters_of(start, problem)
        self.runs_ = self._learn(problem, given, logged(callback, self.kind))
        best = max(self.runs_, key=lambda run: run.history[-1].numbers["objective"])
        weights = problem.chain_weights(_logs(best.weights), _classes(problem, best))
        self._set_model(SequenceModel(SequenceStructure(tuple(names), self.order or 1), words, weights), None)
        self.history_, self.interrupted_ = best.history, any(run.interrupted for run in self.runs_)
        self.known_words_ = KnownWords.of(used_words(corpus.column(words_of(corpus))))
        self.training_ = training_record(None, best, instances)
        self.training_ |= {"learner": type(self._em()).__name__, "starts": len(self.runs_)}
        self.training_ |= {"objective": best.history[-1].numbers["objective"]}
        self.training_["columns"] = list(given_X.names) if isinstance(given_X, Corpus) else None
        return self

    def evaluate(
        self, X: Sentences, y: Labels | None = None, *, predicted: Column | None = None
    ) -> ClusterScores:
        """How well the states match the right labels: many-to-one, one-to-one, V-measure."""
        scores = super().evaluate(X, y, predicted=predicted)
        return evaluate_clusters(scores.confusion.T, list(scores.names), list(scores.names))

    def score(self, X: Sentences, y: Labels | None = None) -> float:
        """Many-to-one accuracy."""
        return self.evaluate(X, y).many_to_one

    def likeliest_words(self, n: int) -> dict[str, dict[str, float]]:
        """For every state its n likeliest words with their probabilities."""
        features = self._fitted.features
        assert isinstance(features, WordClasses)
        table = np.exp(self._fitted.rows[: len(features.words)].astype(np.float64))
        order = np.argsort(-table, axis=0, kind="stable")[:n]
        return {
            state: {features.words[i]: float(table[i, y]) for i in order[:, y].tolist()}
            for y, state in enumerate(self.classes_)
        }

    # Inside

    def _default_learner(self) -> Any:
        return VB(prior=10.0, n_iter=100)

    def _em(self) -> EM:
        learner = self._default_learner() if self.learner is None else self.learner
        if not isinstance(learner, EM):
            raise ValueError(f"States are found by EM or VB. Got {type(learner).__name__}.")
        return learner

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

    def _learn(self, problem: HiddenChain, given: Floats | None, callback: Callback | None) -> list[Estimate]:
        learner = self._em()
        n = self.restarts
        if not isinstance(n, int) or isinstance(n, bool) or n < 1:
            raise ValueError(f"There must be at least one start. Got {n!r}.")
        if given is not None and n > 1:
            raise ValueError("A given start is one start: leave out 'restarts'.")
        priors = problem.priors(
            learner.prior, self.emission_prior if isinstance(learner, VB) else learner.prior
        )
        threads = min(self._jobs, n)
        shared = replace(problem, n_jobs=max(1, self._jobs // threads))

        def run(number: int) -> Estimate:
            def tell(report: Report) -> None:
                if callback is not None:
                    callback(replace(report, numbers={"start": number + 1, **report.numbers}))

            start = shared.random_start(self.random_state + number, self.noise) if given is None else given
            return learner.learn(shared, start, priors=priors, callback=tell)

        if threads == 1:
            return [run(number) for number in range(n)]
        with ThreadPoolExecutor(threads) as pool:
            return list(pool.map(run, range(n)))


def _logs(weights: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        logs: Floats = np.log(weights)
    return logs


def _classes(problem: HiddenChain, found: Estimate) -> Floats:
    """log P(class of unknown words | state), from the expected counts of the words of the class."""
    counts = problem.tables(found.counts).emissions
    used = counts > 1e-6
    symbols, states = (ids.astype(np.int32) for ids in np.nonzero(used))
    table = emissions(
        problem.words, symbols, states, counts[used], problem.n_states, _ALPHA, _BACKING, _ABSTRACTION
    )
    return _logs(table[problem.n_symbols :])


def _parameters_of(start: Tagger, problem: HiddenChain) -> Floats:
    """The parameters of an HMM tagger, for the words of other text."""
    model = start.model_
    K = problem.n_states
    if not isinstance(model.features, WordClasses) or model.structure.order != problem.order:
        raise ValueError(f"The start must be a tagger by the learner HMM of the order {problem.order}.")
    if len(model.structure.labels) != K:
        raise ValueError("A given start has its own states: no more can be added.")
    types = Corpus.from_columns({model.features.column or "form": [[word] for word in problem.words.words]})
    rows, bos = model.rows, model.features.bos
    known = model.features.transform(types)
    tables = [np.exp(model.ngrams(h).reshape(-1, K).astype(np.float64)) for h in range(1, problem.order + 1)]
    end = np.exp(rows[bos + 1].astype(np.float64))
    on = 1 - end
    transitions = tables[0] / on[:, None]
    longer = tables[1] * np.tile(transitions, (K, 1)) if problem.order == 2 else np.zeros((0, K))
    emitted = np.exp(rows[known.attributes[known.rows[:-1]]].astype(np.float64))
    return Tables(
        emitted, np.exp(rows[bos].astype(np.float64)), np.stack([on, end]), transitions, longer
    ).flat
