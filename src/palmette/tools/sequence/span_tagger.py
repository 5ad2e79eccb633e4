"""Span taggers: named entities, chunks, any labelled stretches of tokens that do not overlap.

A span tagger is a tagger whose labels say where spans begin and end (IOB1, IOB2, IOBES; see `structures.schemes`).
Its chain allows no sequence that the scheme forbids, so every output is a set of spans; and it trains in the
scheme that is best to learn, whatever the scheme of the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.errors import FormatError
from palmette.evaluation.spans import SpanScores, evaluate_spans
from palmette.features import Instances, Templates
from palmette.features.resources import UserFunction
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.given import listed_labels
from palmette.formats.model import ModelFile
from palmette.learning.capabilities import Capabilities
from palmette.learning.learner import Callback, Learner
from palmette.structures.automata import Given
from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores
from palmette.structures.chain_search import ChainSearch
from palmette.structures.scheme_marginals import label_sums, labels_of_scheme, scheme_marginals
from palmette.structures.schemes import (
    SCHEMES,
    Violation,
    convert,
    convert_corpus,
    first_violation,
    guess_scheme,
    labels,
    scheme_name,
    spans,
)
from palmette.structures.span_labels import alternatives, join_label, split_label
from palmette.structures.span_marginals import ScoredSpan
from palmette.structures.span_risk import best_spans
from palmette.tools.answers import Answers
from palmette.tools.ranked import Ranked
from palmette.tools.sentences import Gold, Labels, Listed, Sentences, given_sentences, transform
from palmette.tools.sequence.model import SequenceModel, SequenceStructure, TokenScores
from palmette.tools.sequence.searching import Searched
from palmette.tools.sequence.tagger import Tagger
from palmette.tools.sequence.tokens import offsets_of

if TYPE_CHECKING:
    from palmette.features.network.options import Neural

_HINT = "; lenient=True (--lenient) reads such labels as conlleval does"


@dataclass(frozen=True)
class Span:
    """Tokens `begin` to `end` (not included) of a type, with the probability that exactly this span is there."""

    begin: int
    end: int
    type: str
    probability: float


class SpanTagger(Tagger):
    """A tagger of spans. Parameters as for `Tagger`, and:

    scheme: the labels that the model itself uses, "IOB1", "IOB2" or "IOBES". The scheme of the training data is
    guessed, checked, and given back by `predict`; an `automaton` reads the labels of the model. lenient: labels
    that break their scheme are accepted: they are read as conlleval reads them.

    >>> X = [["Jack", "London", "went", "to", "Paris"], ["Paris", "Hilton", "went", "to", "London"]]
    >>> y = [["B-PER", "I-PER", "O", "O", "B-LOC"], ["B-PER", "I-PER", "O", "O", "B-LOC"]]
    >>> tagger = SpanTagger().fit(X, y)
    >>> [(s.begin, s.end, s.type) for s in tagger.spans([["Jack", "Hilton", "went", "to", "London"]])[0]]
    [(0, 2, 'PER'), (4, 5, 'LOC')]
    """

    kind = "span tagger"
    task = "ner"

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
        scheme: str = "IOBES",
        lenient: bool = False,
        automaton: Given | None = None,
        scorer: Neural | None = None,
    ) -> None:
        super().__init__(
            learner,
            templates=templates,
            column=column,
            order=order,
            min_count=min_count,
            hash_bits=hash_bits,
            n_jobs=n_jobs,
            automaton=automaton,
            scorer=scorer,
        )
        self.scheme = scheme
        self.lenient = lenient

    @property
    def offers(self) -> Capabilities:
        """As for a tagger, but the labels of spans have no hidden variants: a scheme tells them apart."""
        return super().offers - {"latent"}

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
        """Train as `Tagger.fit` does; ValueError where the labels break their scheme."""
        return super().fit(
            X, y, dev=dev, sample_weight=sample_weight, callback=callback, warm_start=warm_start
        )

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
        given = super()._gold(X, y)
        if not given.labels:
            raise ValueError("There is no label to learn from.")
        self.data_scheme_ = guess_scheme(given.ids[given.known], given.strings, _known_offsets(given))
        super()._fit(X, y, dev, sample_weight, callback, warm_start=warm_start)

    def spans(self, X: Sentences, *, known: Labels | None = None) -> list[list[Span]]:
        """The spans of every sentence, each with its probability. known: as in `predict`."""
        found: list[list[Span]] = Answers()
        for chain, scores, allowed in self._agreeing(given_sentences(X), listed_labels(known)):
            best = spans(chain.names(chain.best(scores, allowed=allowed).labels), self._scheme)
            longest = max((end - begin for begin, end, _ in best), default=1)
            likely = {
                (s.begin, s.end, s.type): s.probability
                for s in (chain.span_marginals(scores, max_length=longest, allowed=allowed) if best else ())
            }
            found.append([Span(*span, likely.get(span, 0.0)) for span in best])
        return found

    def kbest(self, X: Sentences, k: int, *, known: Labels | None = None) -> list[list[Ranked[list[str]]]]:
        """Return the k best label sequences in the scheme of the training data, as `Tagger.kbest` does."""
        return Answers(
            [replace(one, output=convert(one.output, self.data_scheme_)) for one in ranked]
            for ranked in super().kbest(X, k, known=known)
        )

    def search(
        self, X: Sentences, search: str | ChainSearch = "viterbi", *, known: Labels | None = None
    ) -> list[Searched]:
        """Return what a search finds, in the scheme of the training data, as `Tagger.search` does."""
        return Answers(
            replace(one, output=convert(one.output, self.data_scheme_))
            for one in super().search(X, search, known=known)
        )

    def confidence(self, X: Sentences, labels: Column) -> NDArray[np.float32]:
        """The probability of what was predicted for each token: of the whole span that it is in, or of O."""
        given = given_sentences(X)
        probabilities, offsets = Tagger._probabilities(self, given, None)
        outside = probabilities[:, self._fitted.structure.visible.index("O")].copy()
        for p, found in zip(np.split(outside, offsets[1:-1]), self.spans_of(given, labels)):
            for span in found:
                p[span.begin : span.end] = span.probability
        return outside

    def spans_of(self, X: Sentences, labels: Column) -> list[list[Span]]:
        """The spans that labels of all tokens have, such as `predict_column` gives, each with its probability."""
        every: list[list[Span]] = Answers()
        values, at = labels.values(), 0
        for chain, scores in self.chains(X):
            n = len(np.asarray(scores.unary))
            found = spans(values[at : at + n])
            at += n
            longest = max((end - begin for begin, end, _ in found), default=0)
            likely = chain.span_marginals(scores, max_length=longest) if found else []
            by_span = {(s.begin, s.end, s.type): s.probability for s in likely}
            every.append([Span(*span, by_span.get(span, 0.0)) for span in found])
        return every

    def evaluate(
        self, X: Sentences, y: Labels | None = None, *, predicted: Column | None = None
    ) -> SpanScores:
        """Precision, recall and F1 as conlleval counts them.

        predicted: what `predict_column` gave for X, if it is there already.
        """
        given = given_sentences(X)
        gold = super()._gold(given, listed_labels(y))
        guess, offsets = (predicted, gold.offsets) if predicted is not None else self._predicted(given, False)
        return self._compared(gold, guess, offsets, self._scheme_of(gold))

    def score(self, X: Sentences, y: Labels | None = None) -> float:
        """F1 of spans."""
        return float(self.evaluate(X, y).f1)

    @classmethod
    def from_model(cls, file: ModelFile, functions: Mapping[str, UserFunction] | None = None) -> Self:
        """The tagger of a model file that is open already."""
        tagger = super().from_model(file, functions)
        data_scheme = file.options.get("data_scheme")
        tagger.scheme = tagger.model_.structure.scheme or "IOB2"
        tagger.data_scheme_ = data_scheme if isinstance(data_scheme, str) else tagger.scheme
        if tagger.data_scheme_ not in SCHEMES:
            raise file.damaged(f"{data_scheme!r} is not a scheme of spans")
        return tagger

    @property
    def classes_(self) -> list[str]:
        """The labels that `predict` gives, in the scheme of the training data and the order of `predict_proba`."""
        visible = self._fitted.structure.visible
        return list(visible) if self.data_scheme_ == self._scheme else self._data_labels(self.data_scheme_)

    def _probabilities(
        self, X: Listed, known: Sequence[Sequence[Any]] | None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Probabilities of labels in the scheme of the training data; by pairs where neighbours matter."""
        structure = self._fitted.structure
        if self.data_scheme_ == self._scheme:
            return super()._probabilities(X, known)
        sums = label_sums(structure.visible, self._scheme, self.data_scheme_)
        if sums is not None and structure.scheme is not None:
            p, offsets = super()._probabilities(X, known)
            return p @ sums, offsets
        rows = [
            scheme_marginals(
                chain.posterior(scores, allowed=allowed),
                structure.visible,
                structure.order,
                self.data_scheme_,
            )
            for chain, scores, allowed in self._agreeing(X, known)
        ]
        none = np.zeros((0, len(self.classes_)))
        return np.concatenate([none, *rows]).astype(np.float32), offsets_of(rows)

    @property
    def _scheme(self) -> str:
        return scheme_name(self.scheme)

    def _gold(self, X: Listed, y: Sequence[Sequence[Any]] | None) -> Gold:
        """The labels in the scheme of the model; of a partly labelled sentence, as sets of those they may be."""
        given = super()._gold(X, y)
        source = self._scheme_of(given)
        if given.known.all():
            broken = first_violation(given.ids, given.strings, given.offsets, source)
            if broken is not None and not self.lenient:
                raise _broken(X, broken)
            ids, strings = convert_corpus(given.ids, given.strings, given.offsets, self._scheme)
            return replace(given, ids=ids, strings=strings)
        return given if source == self._scheme else _as_sets(given, source, self._scheme)

    def _dev_gold(self, dev: tuple[Listed, Sequence[Any] | None]) -> Gold:
        given = super()._gold(*dev)
        if not given.known.all() and self._scheme_of(given) != self._scheme:
            raise ValueError(
                f"Spans can be counted where all labels are known, or in the scheme of the model, {self._scheme}: "
                "those of this dev set are neither."
            )
        return super()._dev_gold(dev)

    def _known(self, labels: Sequence[Sequence[Any]]) -> Gold:
        """In the scheme of the training data, as `predict` gives labels."""
        given = Gold.of_lists(labels)
        return (
            given if self.data_scheme_ == self._scheme else _as_sets(given, self.data_scheme_, self._scheme)
        )

    def _structure(self, found: list[str], learner: Learner) -> SequenceStructure:
        kinds = dict.fromkeys(split_label(label)[1] for label in found if label != "O")
        # Every label of the scheme, seen or not: a span of any length must have a sequence of labels.
        prefixes = {"IOB1": "IB", "IOB2": "BI", "IOBES": "BIES", "BILOU": "BILU"}[self._scheme]
        every = ["O", *(join_label(prefix, kind) for kind in kinds for prefix in prefixes)]
        kept = self._order or self.automaton is not None
        return SequenceStructure.refined(every, self._order, self._scheme if kept else None, learner)

    def _scheme_of(self, gold: Gold) -> str:
        """The scheme of labels: that of the training data if they keep to it, else the likeliest."""
        known = (gold.ids[gold.known], gold.strings, _known_offsets(gold))
        return (
            self.data_scheme_ if first_violation(*known, self.data_scheme_) is None else guess_scheme(*known)
        )

    def _predicted(
        self, X: Listed, minimum_risk: bool, known: Sequence[Sequence[Any]] | None = None
    ) -> tuple[Column, NDArray[np.int64]]:
        """Labels in the scheme of the training data; minimum risk is that of F1, with an automaton of labels."""
        if minimum_risk and not self._fitted.structure.accepted:
            offsets = transform(self._fitted.features, X).offsets
            found, _ = best_spans([self._likely(*agreeing) for agreeing in self._agreeing(X, known)])
            rows = [
                labels([(s.begin, s.end, s.type) for s in chosen], n, self.data_scheme_)
                for chosen, n in zip(found, np.diff(offsets).tolist())
            ]
            return Column.of(label for row in rows for label in row), offsets
        column, offsets = super()._predicted(X, minimum_risk, known)
        return Column(*convert_corpus(column.ids, column.strings, offsets, self.data_scheme_)), offsets

    def _likely(
        self, chain: Chain, scores: ChainScores, allowed: NDArray[np.bool_] | None
    ) -> list[ScoredSpan]:
        """The probable spans; much longer ones than the best sequence has are not looked for."""
        best = spans(chain.names(chain.best(scores, allowed=allowed).labels))
        longest = max((end - begin for begin, end, _ in best), default=0)
        return chain.span_marginals(scores, max_length=max(16, 2 * longest), allowed=allowed)

    def _quality(self, model: SequenceModel, given: Instances | TokenScores, gold: Gold) -> float:
        guess = Column(model.decode(given, self._jobs), list(model.structure.visible))
        return self._compared(gold, guess, given.offsets, None).f1

    def _compared(
        self, gold: Gold, guess: Column, offsets: NDArray[np.int64], scheme: str | None
    ) -> SpanScores:
        """Both sides in one scheme, that of the gold labels: else right tokens would look wrong."""
        gold.check(offsets)
        strings = list(dict.fromkeys([*gold.strings, "O"]))
        known = Column(np.where(gold.known, gold.ids, strings.index("O")).astype(np.int32), strings)
        if scheme is None:
            return evaluate_spans(known, guess, offsets)
        guess = Column(*convert_corpus(guess.ids, guess.strings, offsets, scheme))
        return evaluate_spans(known, guess, offsets, known_labels=self._data_labels(scheme))

    def _data_labels(self, scheme: str) -> list[str]:
        """All labels of the model's types in a scheme."""
        return labels_of_scheme(self._fitted.structure.visible, scheme)

    def _saved_options(self) -> dict[str, Any]:
        return super()._saved_options() | {"data_scheme": self.data_scheme_}


def _as_sets(gold: Gold, source: str, target: str) -> Gold:
    """Labels of one scheme as sets of labels of another: what a token may be, whatever is around it."""
    other = {string: alternatives(string, source, target) for string in gold.labels}
    sure = [(t, other[gold.strings[k]]) for t, k in enumerate(gold.ids.tolist()) if k >= 0]
    sets = [
        (t, tuple(dict.fromkeys(new for old in old_set for new in other[old]))) for t, old_set in gold.sets
    ]
    strings = list(dict.fromkeys(new for new_set in other.values() for new in new_set))
    ids = np.full(len(gold.ids), -1, dtype=np.int32)
    for t, new_set in sure:
        if len(new_set) == 1:
            ids[t] = strings.index(new_set[0])
        else:
            sets.append((t, new_set))
    return replace(gold, ids=ids, strings=strings, sets=tuple(sorted(sets)))


def _known_offsets(gold: Gold) -> NDArray[np.int64]:
    """Where sentences begin among the tokens whose labels are known."""
    return np.concatenate([[0], np.cumsum(gold.known)])[gold.offsets].astype(np.int64)


def _broken(X: Listed, violation: Violation) -> ValueError:
    if isinstance(X, Corpus) and X.lines is not None:
        above = int(X.lines[violation.sentence]) + len(X.comments.of(violation.sentence))
        # ranges and empty nodes have lines too
        first, last = X.extras.offsets[violation.sentence : violation.sentence + 2].tolist()
        between = int((X.extra_after[first:last] <= violation.token).sum())
        return FormatError(f"{violation.message}{_HINT}", line=above + between + violation.token)
    return ValueError(f"In {violation}{_HINT}.")
