"""Taggers whose predictor sees all labels that it gave before: greedy and beam search over a recurrent network.

    h_t = GRU(h_{t-1}, [x_t, e(y_{t-1})])            s(y_t | y_1 … y_{t-1}) = O h_t + o          (Carreras, p. 68)

Training needs torch (`palmette.neural.recurrent`), prediction does not (`palmette.features.network.history`).
There are no sums over all sequences, so no probabilities of labels, no constraints and no minimum risk.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from palmette.features.network.history import History
from palmette.features.network.network import Floats, Network
from palmette.features.network.saving import network_arrays, network_settings, restore_network
from palmette.features.word_hashes import KnownWords, used_words
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.given import listed_labels, naming
from palmette.formats.model import ModelFile, placed_under, taken_from
from palmette.messages import logged
from palmette.parameters import require_int
from palmette.tools.answers import Answers
from palmette.tools.estimator import Estimator
from palmette.tools.pipeline_file import load_kind
from palmette.tools.ranked import Ranked
from palmette.tools.sentences import Gold, Labels, Listed, Sentences, as_corpus, given_pair, given_sentences
from palmette.tools.sequence.tag_scores import tag_scores
from palmette.tools.sequence.tokens import UNLABELLED, cut, label_column, words_of
from palmette.tools.training_record import load_known_words, save_known_words, saved_training, training_record

if TYPE_CHECKING:
    from palmette.evaluation.tagging import TaggingScores
    from palmette.formats.files import Source
    from palmette.learning.learner import Callback, Report

_NETWORK, _HISTORY = "network.", "history."


@dataclass(frozen=True, eq=False)
class HistoryModel:
    """A trained predictor: what gives tokens their vectors, the decoder, its labels, and the width of its beam."""

    labels: tuple[str, ...]
    network: Network
    history: History
    width: int


class Learned(NamedTuple):
    """How a training ended."""

    history: tuple[Report, ...]
    interrupted: bool


class HistoryTagger(Estimator):
    """A tagger by a recurrent predictor with the interface of scikit-learn; training needs torch.

    options: of the network and its training, by name (`HistoryOptions`). column: which column of a corpus holds
    the labels, by name or place; None is `upos` if there is one, and the last column if not. n_jobs: threads.

    >>> X, y = [["time", "flies"], ["flies", "fly"]] * 8, [["N", "V"], ["N", "V"]] * 8
    >>> HistoryTagger({"n_iter": 20, "size": 8}).fit(X, y).predict([["time", "flies"]])
    [['N', 'V']]
    """

    kind = "history tagger"

    def __init__(
        self,
        options: Mapping[str, Any] | None = None,
        *,
        column: str | int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.options = options
        self.column = column
        self.n_jobs = n_jobs

    # Training

    def fit(
        self,
        X: Sentences,
        y: Labels | None = None,
        *,
        dev: Sentences | tuple[Sentences, Labels] | None = None,
        callback: Callback | None = None,
    ) -> Self:
        """Train on sentences X with labels y; a `Corpus` or the path of a file brings its own labels.

        dev: sentences to choose the best pass by; callback: gets a `Report` after every pass.
        """
        from palmette.neural.recurrent.tagger import RecurrentTagger

        made = RecurrentTagger(**dict(self.options or {}))
        with naming(X):
            corpus, labels = self._labelled(given_sentences(X), listed_labels(y))
            held_out = None
            if dev is not None:
                held, own = self._labelled(*given_pair(dev))
                held_out = words(held), own
            made.fit(words(corpus), labels, dev=held_out, callback=logged(callback, self.kind))
        network, history = made.export()
        self.model_ = HistoryModel(tuple(made.classes_.tolist()), network, history, made.width)
        self.history_, self.interrupted_ = made.history_, made.interrupted_
        learned = Learned(made.history_, made.interrupted_)
        self.training_ = training_record(made, learned, network.inputs.encode(corpus))
        if made.notes_:
            self.training_["notes"] = made.notes_
        self.training_["columns"] = list(corpus.names)
        self.training_["column"] = self.label_column(corpus) if y is None else None
        self.known_words_: KnownWords | None = KnownWords.of(used_words(corpus.column(words_of(corpus))))
        return self

    def label_column(self, corpus: Corpus) -> str:
        """The name of the column of a corpus that holds the labels; ValueError if there is none."""
        return label_column(corpus, self.column)

    # Prediction

    def predict(self, X: Sentences, *, width: int | None = None) -> list[list[str]]:
        """The labels of every sentence. width: of the beam, 1 for greedy; None is that of the training."""
        corpus = _corpus(X)
        return Answers(cut(self.predict_column(corpus, width=width).values(), corpus.offsets))

    def predict_column(self, X: Sentences, *, width: int | None = None) -> Column:
        """The same as one column for all tokens in a row."""
        found = self._search(_corpus(X), width)
        return Column(
            np.concatenate([np.zeros(0, np.int32), *(one.labels[0] for one in found)]), self.classes_
        )

    def kbest(self, X: Sentences, k: int) -> list[list[Ranked[list[str]]]]:
        """The k best label sequences of a beam of at least that width, best first, with their scores.

        Log-probabilities are those of a predictor that was trained step by step; other scores mean none.
        """
        require_int("k", k, 1)
        model, names = self._fitted, np.array(self.classes_, dtype=object)
        return Answers(
            [
                Ranked(
                    names[labels].tolist(), float(score), float(score) if model.history.normalised else None
                )
                for labels, score in zip(one.labels[:k], one.scores)
            ]
            for one in self._search(_corpus(X), max(k, model.width))
        )

    def score(self, X: Sentences, y: Labels | None = None) -> float:
        """The fraction of tokens with the right label; tokens without a gold label do not count."""
        return float(self.evaluate(X, y).accuracy)

    def evaluate(
        self, X: Sentences, y: Labels | None = None, *, predicted: Column | None = None
    ) -> TaggingScores:
        """Accuracy, also of known and unknown words and by label, and what is confused.

        predicted: what `predict_column` gave for X, if it is there already.
        """
        given = given_sentences(X)
        corpus, gold = _corpus(given), self._gold(given, listed_labels(y))
        gold.check(corpus.offsets)
        guess = self.predict_column(corpus) if predicted is None else predicted
        return tag_scores(gold, guess, corpus, self.known_words_, self.classes_)

    @property
    def classes_(self) -> list[str]:
        """The labels."""
        return list(self._fitted.labels)

    # Files

    def save(self, path: Source) -> None:
        """Write a model file."""
        self.to_model().save(path)

    def to_model(self, *, fingerprint: str = "", about: Mapping[str, Any] | None = None) -> ModelFile:
        """What `save` writes. fingerprint: of the training data; about: further facts for its users."""
        model = self._fitted
        options = {
            "column": self.column,
            "width": model.width,
            "normalised": model.history.normalised,
            "network": network_settings(model.network),
            "training": {**self.training_, **(about or {})},
        }
        arrays = {
            **save_known_words(self.known_words_),
            **placed_under(_NETWORK, network_arrays(model.network)),
            **placed_under(_HISTORY, model.history.arrays),
        }
        return ModelFile(self.kind, options, arrays, {"labels": model.labels}, fingerprint)

    @classmethod
    def load(cls, path: Source) -> Self:
        """The tagger of a model file, or of a pipeline."""
        return cls.from_model(load_kind(path, cls.kind))

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The tagger of a model file that is open already; FormatError if it is damaged."""
        file.require_kind(cls.kind)
        column, width, plan, normalised = (
            file.options.get(name) for name in ("column", "width", "network", "normalised")
        )
        labels = tuple(file.table("labels"))
        if not labels or len(set(labels)) != len(labels):
            raise file.damaged("its labels are missing, or one comes twice")
        if not isinstance(width, int) or isinstance(width, bool) or width < 1 or not isinstance(plan, dict):
            raise file.damaged("its beam or its network is missing")
        if not isinstance(normalised, bool):
            raise file.damaged("it does not say what its scores mean")
        with file.restoring():
            network = restore_network(taken_from(_NETWORK, file.arrays), plan)
            arrays: Mapping[str, Floats] = taken_from(_HISTORY, file.arrays)
            history = History.restore(arrays, normalised, len(labels))
            if history.n_inputs != network.n_outputs:
                raise ValueError("its network and its decoder do not fit each other")
        tagger = cls(column=column if isinstance(column, (str, int)) else None)
        tagger.model_ = HistoryModel(labels, network, history, width)
        tagger.known_words_ = load_known_words(file)
        tagger.training_ = saved_training(file)
        return tagger

    # Inside

    def default_learner(self) -> None:
        """None: training is that of the network."""

    @property
    def _fitted(self) -> HistoryModel:
        try:
            return self.model_
        except AttributeError:
            raise ValueError("This HistoryTagger is not trained yet: call fit first.") from None

    def _search(self, corpus: Corpus, width: int | None) -> Sequence[Any]:
        model = self._fitted
        if width is not None:
            require_int("width", width, 1)
        vectors = model.network(corpus, n_jobs=self._jobs)
        return model.history.search(vectors, corpus.offsets, width or model.width)

    def _gold(self, X: Listed, y: Sequence[Sequence[Any]] | None) -> Gold:
        if y is not None:
            return Gold.of_lists(y)
        if isinstance(X, Corpus):
            return Gold.of_corpus(X, self.label_column(X), UNLABELLED)
        raise ValueError(
            "There are no labels: give y, or a Corpus or the path of a file with a column of labels."
        )

    def _labelled(self, X: Listed, y: Sequence[Sequence[Any]] | None) -> tuple[Corpus, list[list[str]]]:
        """Sentences with a label for every token; ValueError where one is not known."""
        corpus, gold = _corpus(X), self._gold(X, y)
        gold.check(corpus.offsets)
        if not gold.known.all():
            place = int(np.flatnonzero(~gold.known)[0])
            sentence = int(np.searchsorted(corpus.offsets, place, side="right"))
            raise ValueError(
                f"Sentence {sentence}: token {place - int(corpus.offsets[sentence - 1]) + 1} has no label, and a "
                "predictor that sees its own labels needs one for every token."
            )
        names = np.array(list(gold.strings), dtype=object)
        return corpus, cut(names[gold.ids].tolist(), corpus.offsets)


def words(corpus: Corpus) -> list[list[str]]:
    """The words of sentences."""
    return cut(corpus.column(words_of(corpus)).values(), corpus.offsets)


def _corpus(X: Sentences) -> Corpus:
    corpus = as_corpus(given_sentences(X))
    if corpus is None:
        raise ValueError("A recurrent predictor looks at words: give it words, not features.")
    return corpus
