"""Translations of many sentences as flat arrays, as the native search returns them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.tools.translation.translation import TranslatedPhrase, Translation

_COPIED, _GIVEN = 0xFFFFFFFE, 0xFFFFFFFD
Ids = NDArray[np.uint32]
Offsets = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TranslationArrays:
    """Translations of several sentences.

    Those of sentence s are numbers sentence_start[s] … sentence_start[s + 1] − 1, best first. The words of
    translation t are words[word_start[t]] …, by the target words of the table and, behind these, `more`. Its
    phrases are phrase_start[t] …: source words begin … end − 1, and n_words target words. features: Φ, a row each.
    prefix: how many words of a given target were reached. exact: whether the search of a sentence pruned nothing.
    """

    sentence_start: Offsets
    word_start: Offsets
    words: Ids
    phrase_start: Offsets
    begin: Ids
    end: Ids
    pair: Ids
    n_words: Ids
    link_start: Offsets
    links: NDArray[np.uint16]
    score: NDArray[np.float64]
    features: NDArray[np.float64]
    prefix: Ids
    exact: NDArray[np.uint8]
    more: list[str]

    @classmethod
    def of(cls, native: tuple[Any, ...], n_features: int) -> TranslationArrays:
        """Return the arrays that native code returned."""
        found = cls(*native)
        object.__setattr__(found, "features", found.features.reshape(len(found.score), n_features))
        return found

    def __len__(self) -> int:
        return len(self.sentence_start) - 1

    def translations(self, word: Callable[[int], str], names: tuple[str, ...]) -> Iterator[list[Translation]]:
        """Yield the translations of every sentence; word: the string of a target word."""
        words = [word(number) for number in self.words.tolist()]
        begin, end, pairs, n_words = (
            values.tolist() for values in (self.begin, self.end, self.pair, self.n_words)
        )
        link_start, links = self.link_start.tolist(), [divmod(link, 256) for link in self.links.tolist()]
        word_start, phrase_start, scores = (
            values.tolist() for values in (self.word_start, self.phrase_start, self.score)
        )

        def one(t: int) -> Translation:
            at = word_start[t]
            phrases = []
            for k in range(phrase_start[t], phrase_start[t + 1]):
                after, pair = at + n_words[k], pairs[k]
                kind = "table" if pair < _GIVEN else "given" if pair == _GIVEN else "unknown"
                phrases.append(
                    TranslatedPhrase(
                        begin[k],
                        end[k],
                        tuple(words[at:after]),
                        tuple(links[link_start[k] : link_start[k + 1]]),
                        pair if pair < _GIVEN else -1,
                        kind,
                    )
                )
                at = after
            own = tuple(words[word_start[t] : word_start[t + 1]])
            return Translation(own, scores[t], self.features[t], tuple(phrases), names)

        for first, last in pairwise(self.sentence_start.tolist()):
            yield [one(t) for t in range(first, last)]
