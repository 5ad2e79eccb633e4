"""Taggers: a label for every token (parts of speech, morphology, any column).

    F(x) = argmax over label sequences y of  w · Φ(x, y)

GEN is a chain over the labels, Φ comes from templates over the words and columns (or from the caller's own
features), and any learner finds w.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.errors import FormatError
from palmette.features import Instances, Templates
from palmette.features.resources import UserFunction
from palmette.features.saving import AnyMap
from palmette.features.word_classes import WordClasses
from palmette.features.word_hashes import KnownWords, used_words
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.files import Source
from palmette.formats.given import listed_labels, naming
from palmette.formats.model import ModelFile
from palmette.learning.capabilities import SUMS, Capabilities
from palmette.learning.votes import no_single_score
from palmette.messages import logged
from palmette.parameters import require_int
from palmette.tools.answers import Answers
from palmette.tools.pipeline_file import load_kind
from palmette.tools.probabilities import trained_for_probabilities
from palmette.tools.sentences import (
    Gold,
    Labels,
    Listed,
    Sentences,
    as_corpus,
    fit_features,
    given_pair,
    given_sentences,
    transform,
)
from palmette.tools.sequence.file import load_sequence_model
from palmette.tools.sequence.fitted import FittedTagger
from palmette.tools.sequence.model import SequenceModel, SequenceStructure, TokenScores
from palmette.tools.sequence.tokens import UNLABELLED, cut, label_column, words_of
from palmette.tools.training_record import (
    load_known_words,
    saved_training,
    training_record,
)

if TYPE_CHECKING:
    from palmette.evaluation.tagging import TaggingScores
    from palmette.features.network.options import Neural
    from palmette.learning.learner import Callback, Learner, Score
    from palmette.structures.automata import Given
    from palmette.structures.chain import Chain
    from palmette.structures.chain_scores import ChainScores
    from palmette.structures.chain_search import ChainSearch
    from palmette.tools.explanation import Explanation
    from palmette.tools.ranked import Ranked
    from palmette.tools.sequence.known_labels import Agreeing
    from palmette.tools.sequence.searching import Searched


class Tagger(FittedTagger):
    """A tagger with the interface of scikit-learn.

    learner: how it is trained; None is CRF(). templates: what it looks at: a `Templates`, its text, or the name of
    a default set ("pos", "ner", "chunk", "generic"); None takes the tool's own set. column: which column of a
    corpus holds the labels, by name or place; None is `upos` if there is one, and the last column if not. order:
    how many previous labels a label sees; None takes it from the templates. min_count: rarer attributes are left
    out. hash_bits: features are hashed into that many bits. n_jobs: threads, -1 for all processors; None leaves it
    to the learner. automaton: a label also sees the state of an automaton that reads the labels, and only those
    sequences that it accepts are predicted: an `Automaton`, a table {state: {label: next state}}, or a text such
    as "@at-most(3)" or an expression over labels. scorer: a `Neural`, for scores by a network in the place of
    features and weights; its loss is then in the place of a learner.

    >>> tagger = Tagger().fit([["Time", "flies"], ["Fruit", "flies"]], [["NOUN", "VERB"], ["NOUN", "NOUN"]])
    >>> tagger.predict([["Time", "flies"]])
    [['NOUN', 'VERB']]
    """

    kind = "tagger"
    task = "pos"

    def __init__(
        self,
        learner: Learner | None = None,
        *,
        templates: Templates | str | None = None,
        column: str | int | None = None,
        order: int | None = None,
        min_count: int = 1,
        hash_bits: int | None = None,
        n_jobs: int | None = None,
        automaton: Given | None = None,
        scorer: Neural | None = None,
    ) -> None:
        self.learner = learner
        self.scorer = scorer
        self.templates = templates
        self.column = column
        self.order = order
        self.automaton = automaton
        self.min_count = min_count
        self.hash_bits = hash_bits
        self.n_jobs = n_jobs

    @property
    def where(self) -> str:
        """What a learner is for, in messages."""
        return f"a {self.kind}"

    @property
    def offers(self) -> Capabilities:
        """All that chains of labels have; see `Estimator.offers`."""
        return SUMS | {"history", "counts", "latent"}

    # Training

    def fit(
        self,
        X: Sentences,
        y: Labels | None = None,
        *,
        dev: Sentences | tuple[Sentences, Labels] | None = None,
        sample_weight: ArrayLike | None = None,
        callback: Callback | None = None,
        warm_start: bool = False,
    ) -> Self:
        """Train on sentences X with labels y; a `Corpus` or the path of a file brings its own labels.

        A label may be None (not known) or a set (one of these): so partly labelled data trains too. dev: sentences
        to choose the best pass by; `sample_weight`: one number per sentence; callback: gets a `Report` after every
        pass; warm_start: go on from the weights of the last fit, with its features.
        """
        self.check_learner()
        with naming(X):
            held_out = None if dev is None else given_pair(dev)
            self._fit(
                given_sentences(X), listed_labels(y), held_out, sample_weight, callback, warm_start=warm_start
            )
        return self

    def _fit(
        self,
        X: Listed,
        y: Sequence[Sequence[Any]] | None,
        dev: tuple[Listed, Sequence[Any] | None] | None,
        sample_weight: ArrayLike | None,
        callback: Callback | None,
        *,
        warm_start: bool,
    ) -> None:
        if self.scorer is not None:
            from palmette.tools.sequence.network import check_scorer, fit_network

            check_scorer(self, self.scorer, sample_weight=sample_weight)
            previous = getattr(self, "model_", None) if warm_start else None
            fit_network(self, self.scorer, X, y, dev, callback, start=previous)
            return
        from palmette.tools.sequence.training import Examples, check_warm_start, train_sequences

        learner: Learner = self._learner()
        previous = getattr(self, "model_", None) if warm_start else None
        gold = self._gold(X, y)
        corpus = as_corpus(X)
        rows = X if corpus is None else corpus
        if previous is None:
            features, instances = self._fit_features(rows, X, learner)
            structure = self._structure(gold.labels, learner)
        else:
            features, structure = previous.features, previous.structure
            check_warm_start(learner, previous, gold)
            instances = transform(features, rows)
        score = None if dev is None else lambda made: self._dev_score(features, made, dev)
        model, learned = train_sequences(
            learner,
            Examples(structure, features, instances, gold, sample_weight),
            start=previous,
            automaton=self.automaton,
            dev=score,
            callback=logged(callback, self.kind),
        )
        self._set_model(model, learned)
        self.training_ = training_record(learner, learned, instances)
        self._set_facts(X, corpus, y is None)

    def _set_facts(self, X: Listed, corpus: Corpus | None, own_labels: bool) -> None:
        """What else a tagger keeps of its training data."""
        words = None if corpus is None else used_words(corpus.column(words_of(corpus)))
        self.known_words_ = None if words is None else KnownWords.of(words)
        self.training_["columns"] = list(X.names) if isinstance(X, Corpus) else None
        self.training_["column"] = self.label_column(X) if isinstance(X, Corpus) and own_labels else None

    # Prediction

    def predict(
        self,
        X: Sentences,
        *,
        minimum_risk: bool = False,
        known: Labels | None = None,
        search: str | ChainSearch | None = None,
    ) -> list[list[str]]:
        """The labels of every sentence: of the best sequence, or those with the fewest expected errors.

        known: what is known of the labels, in the form of y: a label, a set of those that may be there, or None
        for every token. The best of the sequences that agree with it is found; ValueError if there is none.
        search: how to look for the best sequence, such as "astar" or "beam=5"; see `search`.
        """
        if search is not None:
            if minimum_risk:
                raise ValueError(
                    "minimum_risk needs sums over all labels: it cannot be combined with 'search'."
                )
            return Answers(one.output for one in self.search(X, search, known=known))
        column, offsets = self._predicted(given_sentences(X), minimum_risk, listed_labels(known))
        return Answers(cut(np.array(column.strings, dtype=object)[column.ids].tolist(), offsets))

    def predict_column(self, X: Sentences, *, minimum_risk: bool = False) -> Column:
        """The same as one column for all tokens in a row: no Python object is made for a token."""
        return self._predicted(given_sentences(X), minimum_risk)[0]

    def predict_proba(self, X: Sentences, *, known: Labels | None = None) -> list[NDArray[np.float32]]:
        """For every sentence an array [tokens, labels]: the probability of each label of `classes_`.

        known: as in `predict`; the probabilities are those given what is known.
        """
        p, offsets = self._probabilities(given_sentences(X), listed_labels(known))
        return Answers(np.split(p, offsets[1:-1])[: len(offsets) - 1])

    @property
    def probabilities_from(self) -> str:
        """Say what the probabilities are: "model", "scores" where the learner does not estimate any, or "votes".

        See `palmette.tools.probabilities`.
        """
        if self._fitted.votes is not None:
            return "votes"
        if self._fitted.network is not None:
            from palmette.features.network.options import NORMALISED

            settings = self.training_.get("settings")
            return "model" if isinstance(settings, dict) and settings.get("loss") in NORMALISED else "scores"
        return "model" if trained_for_probabilities(self.training_.get("learner")) else "scores"

    def confidence(self, X: Sentences, labels: Column) -> NDArray[np.float32]:
        """The probability of a label that was predicted for each token, all tokens in a row."""
        p = self._fitted.probabilities(self._encoded(given_sentences(X)), self._jobs)
        place = {label: k for k, label in enumerate(self._fitted.structure.visible)}
        return p[np.arange(len(p)), labels.ids_in(place)]

    def marginals(self, X: Sentences) -> list[list[dict[str, float]]]:
        """The same by label: one mapping per token."""
        labels = self.classes_
        return Answers([[dict(zip(labels, row)) for row in p.tolist()] for p in self.predict_proba(X)])

    def kbest(self, X: Sentences, k: int, *, known: Labels | None = None) -> list[list[Ranked[list[str]]]]:
        """Return the k best label sequences of every sentence, best first, with scores and log-probabilities.

        known: as in `predict`; the probabilities are those given what is known. Where labels have hidden variants,
        sequences that differ only in these come apart. A score of a voted perceptron is the share of the votes.
        """
        from palmette.tools.sequence.known_labels import elected, kbest_of

        require_int("k", k, 1)
        given = given_sentences(X)
        if self._fitted.votes is not None and known is None:
            return Answers(elected(self._fitted, given, k, self._jobs))
        return Answers(kbest_of(self._fitted, self._agreeing(given, listed_labels(known)), k))

    def search(
        self, X: Sentences, search: str | ChainSearch = "viterbi", *, known: Labels | None = None
    ) -> list[Searched]:
        """Return what a search finds for every sentence, with its score and the number of states it extended.

        search: "viterbi", "dijkstra", "astar", "weighted-astar=W", "constant-astar=C", "top-k=K" or "beam=WIDTH",
        see `palmette.structures.chain_search`. known: as in `predict`.
        """
        from palmette.structures.chain_search import ChainSearch
        from palmette.tools.sequence.searching import Searched, check_searchable, search_all

        check_searchable(self._fitted.structure)
        given = self._agreeing(given_sentences(X), listed_labels(known))
        visible = self._fitted.structure.visible
        return Answers(
            Searched([visible[y] for y in one.labels.tolist()], one.score, one.states_touched, one.exact)
            for one in search_all(given, ChainSearch.of(search))
        )

    def chains(self, X: Sentences) -> Iterator[tuple[Chain, ChainScores]]:
        """The structure and the scores of every sentence, to search, sample, constrain or take apart."""
        from palmette.tools.sequence.known_labels import chains_of

        return chains_of(self._fitted, given_sentences(X), self._jobs)

    def explain(self, sentence: Sentences | Sequence[str]) -> Explanation:
        """Why the words of one sentence got their labels: the features that decided, with their contributions."""
        from palmette.tools.sequence.explanation import explain_sentence

        if self._fitted.votes is not None:
            raise no_single_score("An explanation")
        one = given_sentences(sentence if isinstance(sentence, Corpus) else [sentence])
        return explain_sentence(self._fitted, transform(self._fitted.features, one), as_corpus(one))

    def score(self, X: Sentences, y: Labels | None = None) -> float:
        """The fraction of tokens with the right label; tokens without a gold label do not count."""
        given = given_sentences(X)
        return self._quality(self._fitted, self._encoded(given), self._gold(given, listed_labels(y)))

    def evaluate(self, X: Sentences, y: Labels | None = None, *, predicted: Column | None = None) -> Any:
        """Accuracy, also of known and unknown words and by label, and what is confused, as `TaggingScores`.

        predicted: what `predict_column` gave for X, if it is there already.
        """
        given = given_sentences(X)
        gold = self._gold(given, listed_labels(y))
        guess, offsets = (predicted, gold.offsets) if predicted is not None else self._predicted(given, False)
        gold.check(offsets)
        return self._tagging_scores(gold, guess, as_corpus(given))

    # Files: `save` and `to_model` are those of FittedTagger

    @classmethod
    def load(cls, path: Source, functions: Mapping[str, UserFunction] | None = None) -> Self:
        """The tagger of a model file, or of a model that comes with Palmette, by its name ("en"); of a pipeline
        its first tagger.

        functions: the user's own attributes, if the model has such.
        """
        return cls.from_model(load_kind(path, cls.kind), functions)

    @classmethod
    def from_model(cls, file: ModelFile, functions: Mapping[str, UserFunction] | None = None) -> Self:
        """The tagger of a model file that is open already."""
        model = load_sequence_model(file, functions)
        column = file.options.get("column")
        tagger = cls(column=column if isinstance(column, (str, int)) else None, order=model.structure.order)
        tagger._set_model(model, None)
        tagger.known_words_ = load_known_words(file)
        tagger.training_ = saved_training(file)
        return tagger

    # scikit-learn

    @property
    def classes_(self) -> list[str]:
        """The labels, in the order of `predict_proba`."""
        return list(self._fitted.structure.visible)

    def default_learner(self) -> Learner:
        from palmette.learning.loglinear import CRF

        return CRF()

    def _has_parameters(self, name: str) -> bool:
        return name in ("learner", "scorer")

    def _changed(self, name: str, inside: dict[str, Any]) -> Any:
        if name == "scorer" and self.scorer is None:
            raise ValueError(f"{type(self).__name__} has no scorer to change: give it one, scorer=Neural().")
        return super()._changed(name, inside)

    # What a tool of another kind does otherwise

    def _structure(self, labels: list[str], learner: Learner) -> SequenceStructure:
        if not labels:
            raise ValueError("There is no label to learn from.")
        return SequenceStructure.refined(labels, self._order, None, learner)

    def _fit_features(self, rows: Listed, X: Listed, learner: Learner) -> tuple[AnyMap, Instances]:
        """Features by templates or of the caller's own; an HMM sees words and their endings only."""
        if "counts" not in learner.needs:
            return fit_features(rows, self._templates(X), min_count=self.min_count, hash_bits=self.hash_bits)
        if not isinstance(rows, Corpus):
            raise ValueError("An HMM is counted from words: give it words, not features.")
        if self.templates is not None or self.hash_bits is not None or self.min_count != 1:
            raise ValueError(
                "An HMM looks at words and their suffixes: it takes no templates, counts or hashes."
            )
        self._order = 2 if self.order is None else self.order
        return WordClasses.fit(rows)

    def _predicted(
        self, X: Listed, minimum_risk: bool, known: Sequence[Sequence[Any]] | None = None
    ) -> tuple[Column, NDArray[np.int64]]:
        if known is not None or (minimum_risk and self._fitted.structure.accepted):
            return self._agreeing_best(X, minimum_risk, known)
        model, ids, offsets = self._fitted, [], [np.zeros(1, dtype=np.int64)]
        for piece in model.pieces(X):
            given = self._encoded(piece)
            if minimum_risk:
                ids.append(model.probabilities(given, self._jobs).argmax(axis=1).astype(np.int32))
            else:
                ids.append(model.decode(given, self._jobs))
            offsets.append(offsets[-1][-1] + given.offsets[1:])
        return Column(np.concatenate(ids), list(model.structure.visible)), np.concatenate(offsets)

    def _probabilities(
        self, X: Listed, known: Sequence[Sequence[Any]] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The probabilities of the labels of `classes_` for all tokens in a row, and where sentences begin."""
        model = self._fitted
        if known is None:
            given = self._encoded(X)
            return model.probabilities(given, self._jobs), given.offsets
        from palmette.tools.sequence.known_labels import probabilities_of

        return probabilities_of(model, self._agreeing(X, known))

    def _agreeing_best(
        self, X: Listed, minimum_risk: bool, known: Sequence[Sequence[Any]] | None
    ) -> tuple[Column, NDArray[np.int64]]:
        structure = self._fitted.structure
        if (minimum_risk or structure.hidden != 1) and not structure.accepted:
            p, offsets = Tagger._probabilities(self, X, known)
            return Column(p.argmax(axis=1).astype(np.int32), list(structure.visible)), offsets
        from palmette.tools.sequence.known_labels import best_of

        return best_of(self._fitted, self._agreeing(X, known), minimum_risk)

    def _agreeing(self, X: Listed, known: Sequence[Sequence[Any]] | None) -> Iterator[Agreeing]:
        """The chains of the sentences, each with what may be where."""
        from palmette.tools.sequence.known_labels import agreeing

        gold = None if known is None else self._known(known)
        return agreeing(self._fitted, X, gold, self._jobs)

    def _known(self, labels: Sequence[Sequence[Any]]) -> Gold:
        return Gold.of_lists(labels)

    def _encoded(self, X: Listed) -> Instances | TokenScores:
        return self._fitted.encode(X, self._jobs)

    def _quality(self, model: SequenceModel, given: Instances | TokenScores, gold: Gold) -> float:
        gold.check(given.offsets)
        ids, _ = gold.as_ids(model.structure.visible)
        right = (ids == model.decode(given, self._jobs))[gold.known]
        return float(right.mean()) if right.size else float("nan")

    def _gold(self, X: Listed, y: Sequence[Sequence[Any]] | None) -> Gold:
        if y is not None:
            return Gold.of_lists(y)
        if isinstance(X, Corpus):
            return Gold.of_corpus(X, self.label_column(X), UNLABELLED)
        raise ValueError(
            "There are no labels: give y, or a Corpus or the path of a file with a column of labels."
        )

    # Inside

    def _templates(self, X: Listed) -> Templates:
        made = self.templates
        if not isinstance(made, Templates):
            columns = (
                [name for name in X.names if name != self.label_column(X)] if isinstance(X, Corpus) else ()
            )
            made = Templates.named(self.task if made is None else made, columns)
        self._order = self.order if self.order is not None else made.label_order
        if made.pairs and not self._order:
            raise ValueError("Templates with the previous label need an order of at least 1.")
        return made

    def label_column(self, corpus: Corpus) -> str:
        """The name of the column of a corpus that holds the labels; ValueError if there is none."""
        return label_column(corpus, self.column)

    def _dev_gold(self, dev: tuple[Listed, Sequence[Any] | None]) -> Gold:
        X, y = dev
        if not Tagger._gold(self, X, y).known.any():
            raise ValueError("The dev set has no labels.")
        try:
            return self._gold(X, y)
        except FormatError as error:
            raise FormatError(error.message, path=error.path or "<dev>", line=error.line) from error

    def _dev_measure(self, dev: tuple[Listed, Sequence[Any] | None]) -> Callable[[SequenceModel], float]:
        gold = self._dev_gold(dev)
        return lambda model: self._quality(model, model.encode(dev[0], self._jobs), gold)

    def _dev_score(
        self, features: AnyMap, structure: SequenceStructure, dev: tuple[Listed, Sequence[Any] | None]
    ) -> Score:
        gold, instances = self._dev_gold(dev), transform(features, dev[0])
        gold.check(instances.offsets)
        return lambda w: self._quality(SequenceModel(structure, features, w), instances, gold)

    def _tagging_scores(self, gold: Gold, guess: Column, corpus: Corpus | None) -> TaggingScores:
        from palmette.tools.sequence.tag_scores import tag_scores

        return tag_scores(gold, guess, corpus, self.known_words_, self._fitted.structure.visible)
