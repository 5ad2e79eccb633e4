"""What a translator answers with a model: lines, ranked translations, probabilities, minimum risk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from palmette.formats.given import listed_rows
from palmette.tools.alignment.text import Sentence
from palmette.tools.ranked import Ranked
from palmette.tools.translation.input import words_in
from palmette.tools.translation.known import Known
from palmette.tools.translation.minimum_risk import consensus, expected_ngrams, list_risk
from palmette.tools.translation.model import Rows, TranslationModel
from palmette.tools.translation.raw.text import RawText
from palmette.tools.translation.translation import Translation

_CANDIDATES = 100  # of which minimum risk chooses
_AT_ONCE = 64  # sentences whose search graphs are in memory together


@dataclass(frozen=True)
class RankedTranslation(Ranked[str]):
    """A translation as a line, with its score; its log-probability, and those of its words, if asked for.

    translation: the derivation: words, features, phrases, alignment.
    """

    words: tuple[float, ...] = ()
    translation: Translation | None = field(default=None, compare=False, repr=False)

    @property
    def derivation(self) -> Translation:
        """The derivation, which is always there."""
        assert self.translation is not None
        return self.translation


@dataclass(frozen=True, eq=False)
class Translating:
    """A model, what makes its scores log-probabilities, how raw text is written, and threads."""

    model: TranslationModel
    scale: float
    raw: RawText | None
    n_jobs: int

    def line(self, words: Sequence[str]) -> str:
        """Return translated words as a line."""
        return " ".join(words) if self.raw is None else self.raw.finished(words)

    def known(self, known: Iterable[Known | None] | None) -> list[Known] | None:
        """Return what is known of every sentence."""
        if known is None:
            return None
        return [Known() if one is None else one for one in listed_rows(known, "What is known")]

    def best(
        self, sentences: Rows, known: Iterable[Known | None] | None, probabilities: bool
    ) -> list[RankedTranslation]:
        """Return the best translations; see `Translator.translate`."""
        facts = self.known(known)
        if not probabilities:
            found = self.model.translate(sentences, known=facts, n_jobs=self.n_jobs)
            return [self._ranked(one) for one in found]
        made = []
        for rows, own in _pieces(sentences, facts):
            best = self.model.translate(rows, known=own, n_jobs=self.n_jobs)
            graphs = self.model.graphs(rows, known=own, n_jobs=self.n_jobs)
            for one, graph in zip(best, graphs):
                made.append(self._with_probability(self._ranked(one), graph))
        return made

    def kbest(
        self,
        sentences: Rows,
        k: int,
        distinct: bool,
        known: Iterable[Known | None] | None,
        probabilities: bool,
    ) -> list[list[RankedTranslation]]:
        """Return the k best translations; see `Translator.kbest`."""
        facts = self.known(known)
        found = self.model.kbest(sentences, k, distinct=distinct, known=facts, n_jobs=self.n_jobs)
        ranked = [[self._ranked(one) for one in row] for row in found]
        if not probabilities:
            return ranked
        made, at = [], 0
        for rows, own in _pieces(sentences, facts):
            graphs = self.model.graphs(rows, known=own, n_jobs=self.n_jobs)
            for row, graph in zip(ranked[at : at + len(rows)], graphs):
                made.append([self._with_probability(one, graph) for one in row])
            at += len(rows)
        return made

    def minimum_risk(
        self, sentences: Rows, known: Iterable[Known | None] | None, over: str
    ) -> list[RankedTranslation]:
        """Return for every sentence the candidate with the best expected BLEU, over the list or the graph."""
        facts, made = self.known(known), []
        for rows, own in _pieces(sentences, facts):
            lists = self.model.kbest(rows, _CANDIDATES, known=own, n_jobs=self.n_jobs)
            graphs = self.model.graphs(rows, known=own, n_jobs=self.n_jobs) if over == "graph" else []
            for k, candidates in enumerate(lists):
                words = [one.words for one in candidates]
                if over == "graph":
                    graph = graphs[k]
                    scores = graph.scores(self.scale * self.model.weights)
                    expected, length = expected_ngrams(graph, scores, graph.hypergraph.root)
                    gain = consensus(words, expected, length)
                else:
                    logs = self.scale * np.array([one.score for one in candidates])
                    p = np.exp(logs - logs.max())
                    gain = list_risk(words, p / p.sum())
                made.append(self._ranked(candidates[int(gain.argmax())]))
        return made

    def forced(self, sentences: Rows, given: Sequence[Sentence]) -> list[Any]:
        """Return the derivations of given translations; see `Translator.forced`.

        In raw text a copied word may look like several words, or like another one with its usual spelling: where
        nothing is found, words of the source are kept as they are and the translation is read once more.
        """
        side = None if self.raw is None else self.raw.target
        targets = words_in(given, side)
        found = self.model.forced(sentences, targets, n_jobs=self.n_jobs)
        if side is None:
            return found
        again = {}
        for k, (one, line) in enumerate(zip(found, given)):
            if not _is_reached(one) and isinstance(line, str):
                words = side.words_with(line, sentences[k])
                if words != targets[k]:
                    again[k] = words
        if again:
            rows = [sentences[k] for k in again]
            for k, one in zip(again, self.model.forced(rows, list(again.values()), n_jobs=self.n_jobs)):
                found[k] = one if _is_reached(one) else found[k]
        return found

    def _ranked(self, one: Translation) -> RankedTranslation:
        return RankedTranslation(self.line(one.words), one.score, translation=one)

    def _with_probability(self, one: RankedTranslation, graph: object) -> RankedTranslation:
        """A translation with probabilities over its search graph."""
        search: Any = graph
        scaled = self.scale * self.model.weights
        log_p = min(0.0, search.log_probability(one.derivation.words, scaled))
        words = search.word_probabilities(one.derivation, scaled)
        return replace(one, log_probability=log_p, words=tuple(words))


def _is_reached(forced: object) -> bool:
    """Whether a given translation has a derivation."""
    return getattr(forced, "translation", None) is not None


def _pieces(sentences: Rows, known: list[Known] | None) -> Iterator[tuple[Rows, list[Known] | None]]:
    for at in range(0, len(sentences), _AT_ONCE):
        part = slice(at, at + _AT_ONCE)
        yield sentences[part], None if known is None else known[part]
