"""A trained aligner: the words of both languages, and a model of each direction.

`forth` gives every target word a source word, `back` every source word a target word. Sentence pairs go through in
pieces of bounded size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from palmette._native import Bitext
from palmette.formats.pharaoh import Link
from palmette.tools.alignment.alignment_chain import ranked_alignments
from palmette.tools.alignment.direction import Direction
from palmette.tools.alignment.fertility import AlignedText, FertilityDirection
from palmette.tools.alignment.hmm import HmmDirection
from palmette.tools.alignment.independent import IndependentDirection
from palmette.tools.alignment.kbest import chosen_links, kbest_choices
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.symmetrization import symmetrize_all
from palmette.tools.alignment.text import ParallelText
from palmette.tools.alignment.word_forms import WordNumbers
from palmette.tools.ranked import Ranked

NULL = "NULL"
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class AlignmentModel:
    """Words and directions."""

    source: WordNumbers
    target: WordNumbers
    forth: Direction
    back: Direction
    # The text of its training, if it is at hand, and the pairs of words of both directions, if they are.
    trained: tuple[ParallelText, tuple[Bitext, Bitext] | None] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Without what belongs to the text of the training, which no other process needs."""
        ways = {
            name: replace(way, trained=None) if isinstance(way, FertilityDirection) else way
            for name, way in (("forth", self.forth), ("back", self.back))
        }
        return {**self.__dict__, **ways, "trained": None}

    def align(
        self, text: ParallelText, method: str, threshold: float, probabilities: bool, n_jobs: int
    ) -> Alignments:
        """The links of every sentence pair, both directions made one."""
        found = [Alignments.of([])]
        for part, piece in self._pieces(text, n_jobs):
            best = None if method == "posterior" else piece.best(n_jobs)
            posteriors = piece.posteriors(n_jobs) if probabilities or method == "posterior" else None
            found.append(
                symmetrize_all(
                    part, method, best=best, posteriors=posteriors, threshold=threshold, n_jobs=n_jobs
                )
            )
        links = Alignments.joined(found)
        if probabilities:
            return links
        return Alignments(links.offsets, links.source, links.target, links.probability[:0])

    def posteriors(
        self, text: ParallelText, n_jobs: int = 1
    ) -> Iterator[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """For every pair P(link) of both directions, [source][target] each."""
        for part, piece in self._pieces(text, n_jobs):
            p, q = piece.posteriors(n_jobs)
            at = 0
            lengths = np.diff(part.source.offsets).tolist(), np.diff(part.target.offsets).tolist()
            for n_source, n_target in zip(*lengths):
                end = at + n_source * n_target
                yield p[at:end].reshape(n_source, n_target), q[at:end].reshape(n_target, n_source).T
                at = end

    def kbest(self, text: ParallelText, k: int, back: bool) -> Iterator[list[Ranked[list[Link]]]]:
        """The k best alignments of one direction for every pair: exact where it is a chain, else by posteriors."""
        way = self.direction(back)
        if not isinstance(way, IndependentDirection | HmmDirection):
            for posteriors in self.posteriors(text):
                yield kbest_choices(posteriors[1].T if back else posteriors[0], k, back)
            return
        for part in (text.part(*ends) for ends in text.bounds()):
            for ranked in ranked_alignments(way, self.bitexts(part, 1)[back], k):
                yield [Ranked(chosen_links(places.tolist(), back), *rest) for places, *rest in ranked]

    def translations(self, word: str, k: int, back: bool) -> list[tuple[str, float]]:
        """The k likeliest words of the other side with their probabilities; those of NULL have no word."""
        of, to = (self.target, self.source) if back else (self.source, self.target)
        number = of.number(word)
        if number is None and word != NULL:
            return []
        ids, weights = self.direction(back).table.row(-1 if number is None else number)
        words = to.readable
        return [(words[i], p) for i, p in zip(ids[:k].tolist(), weights[:k].tolist())]

    def probability(self, given: str, word: str, back: bool) -> float:
        """p(word | given), 0 for words that are not known or never met."""
        of, to = (self.target, self.source) if back else (self.source, self.target)
        row, number = of.number(given), to.number(word)
        if row is None or number is None:
            return 0.0
        ids, weights = self.direction(back).table.row(row)
        return float(weights[ids == number].sum())

    def lexical_table(self, back: bool, least: float) -> Iterator[tuple[str, str, float]]:
        """(word, given word, p(word | given word)) of all pairs of words that met, not below `least`."""
        of, to = (self.target, self.source) if back else (self.source, self.target)
        table = self.direction(back).table
        kept = np.flatnonzero(table.weights >= least)
        rows = np.searchsorted(table.first_of, kept, side="right") - 1
        given, words = [NULL, *of.readable], to.readable
        columns = table.target_of[kept].tolist(), rows.tolist(), table.weights[kept].tolist()
        return ((words[i], given[row], p) for i, row, p in zip(*columns))

    def direction(self, back: bool) -> Direction:
        """From source to target, or back."""
        return self.back if back else self.forth

    def _pieces(self, text: ParallelText, n_jobs: int) -> Iterator[tuple[ParallelText, Piece]]:
        """Pieces of bounded size; of the text of the training what is known of it is used."""
        known, aligned = None, None
        if self.trained is not None and self.trained[0] is text:
            known, aligned = self.trained[1], self._aligned_texts()
        for begin, end in text.bounds():
            part = text.part(begin, end)
            if aligned is not None:
                texts = aligned[0].part(begin, end), aligned[1].part(begin, end)
                yield part, AlignedPiece(self, texts)
            elif known is not None:
                yield part, NewPiece(self, (known[0].part(begin, end), known[1].part(begin, end)))
            else:
                yield part, NewPiece(self, self.bitexts(part, n_jobs))

    def bitexts(self, part: ParallelText, n_jobs: int) -> tuple[Bitext, Bitext]:
        """Return the pairs of words that meet, from source to target and back."""
        source, target = self.source.find(part.source), self.target.find(part.target)
        ids, words = (source[0], target[0]), (source[1], target[1])
        spelling = isinstance(self.forth, FertilityDirection) and self.forth.likens
        return both_ways(n_jobs, lambda back, _: bitext(part, ids, words, back, spelling=spelling))

    def _aligned_texts(self) -> tuple[AlignedText, AlignedText] | None:
        ways = self.forth, self.back
        found = [
            way.trained for way in ways if isinstance(way, FertilityDirection) and way.trained is not None
        ]
        return (found[0], found[1]) if len(found) == 2 else None


@dataclass(frozen=True, eq=False)
class NewPiece:
    """Sentence pairs that the directions align."""

    model: AlignmentModel
    pairs: tuple[Bitext, Bitext]

    def best(self, n_jobs: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """For every word of both sides its place on the other side from 1 on, 0 for none."""
        return both_ways(n_jobs, lambda back, n: self.model.direction(back).best(self.pairs[back], n))

    def posteriors(self, n_jobs: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The probabilities of links, [source][target] of every pair, and [target][source]."""
        return both_ways(
            n_jobs, lambda back, n: self.model.direction(back).posteriors(self.pairs[back], n)[1]
        )


@dataclass(frozen=True, eq=False)
class AlignedPiece:
    """Sentence pairs that were aligned when the directions were trained."""

    model: AlignmentModel
    texts: tuple[AlignedText, AlignedText]

    def best(self, n_jobs: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """As of a new piece."""
        return both_ways(n_jobs, lambda back, _: self.texts[back].best(self._climbs(back)))

    def posteriors(self, n_jobs: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """As of a new piece."""
        return both_ways(n_jobs, lambda back, _: self.texts[back].posteriors())

    def _climbs(self, back: bool) -> bool:
        way = self.model.direction(back)
        return isinstance(way, FertilityDirection) and way.sampling.climb


Piece: TypeAlias = NewPiece | AlignedPiece


def both_ways(n_jobs: int, work: Callable[[bool, int], T]) -> tuple[T, T]:
    """work(back, threads) from source to target and back, side by side if there are threads for it."""
    if n_jobs < 2:
        return work(False, 1), work(True, 1)
    with ThreadPoolExecutor(2) as pool:
        forth, back = pool.map(work, (False, True), (n_jobs - n_jobs // 2, n_jobs // 2))
    return forth, back


def bitext(
    text: ParallelText,
    ids: tuple[NDArray[np.int32], NDArray[np.int32]],
    words: tuple[list[str], list[str]],
    back: bool,
    *,
    spelling: bool,
) -> Bitext:
    """The pairs of words that meet in a text, or back; spelling: whether the words of a pair are compared."""
    offsets = text.source.offsets, text.target.offsets
    e, f = (1, 0) if back else (0, 1)
    made = Bitext(offsets[e], ids[e], offsets[f], ids[f], len(words[e]), len(words[f]))
    if spelling:
        made.liken(words[e], words[f])
    return made
