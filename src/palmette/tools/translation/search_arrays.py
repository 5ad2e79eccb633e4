"""Translations of many sentences as flat arrays, as the native search returns them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
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

    def translations(
        self,
        word: Callable[[int], str],
        names: tuple[str, ...],
        derivation: Callable[[int], Any] | None = None,
    ) -> Iterator[list[Translation]]:
        """Yield the translations of every sentence; word: the string of a target word.

        derivation: makes that of a translation. It and phrases are made when they are asked for, since most users
        read words alone.
        """
        words = [word(number) for number in self.words.tolist()]
        starts, scores, features = self.word_start.tolist(), self.score.tolist(), list(self.features)
        for first, last in pairwise(self.sentence_start.tolist()):
            yield [
                _Found(
                    tuple(words[starts[t] : starts[t + 1]]),
                    scores[t],
                    features[t],
                    names,
                    self,
                    t,
                    derivation,
                )
                for t in range(first, last)
            ]

    def phrases(self, t: int, words: Sequence[str]) -> tuple[TranslatedPhrase, ...]:
        """Return the phrases of translation t, which has these words."""
        made, at = [], 0
        for k in range(int(self.phrase_start[t]), int(self.phrase_start[t + 1])):
            after, pair = at + int(self.n_words[k]), int(self.pair[k])
            kind = "table" if pair < _GIVEN else "given" if pair == _GIVEN else "unknown"
            links = self.links[self.link_start[k] : self.link_start[k + 1]].tolist()
            made.append(
                TranslatedPhrase(
                    int(self.begin[k]),
                    int(self.end[k]),
                    tuple(words[at:after]),
                    tuple(divmod(link, 256) for link in links),
                    pair if pair < _GIVEN else -1,
                    kind,
                )
            )
            at = after
        return tuple(made)


class _Found(Translation):
    """A translation whose phrases are still in the arrays."""

    _arrays: TranslationArrays
    _number: int
    _derivation: Callable[[int], Any] | None

    def __init__(
        self,
        words: tuple[str, ...],
        score: float,
        features: NDArray[np.float64],
        names: tuple[str, ...],
        arrays: TranslationArrays,
        number: int,
        derivation: Callable[[int], Any] | None,
    ) -> None:
        self.__dict__.update(
            words=words,
            score=score,
            features=features,
            names=names,
            _arrays=arrays,
            _number=number,
            _derivation=derivation,
        )

    @cached_property
    def phrases(self) -> tuple[TranslatedPhrase, ...]:
        """The phrases in the order of the target."""
        return self._arrays.phrases(self._number, self.words)

    @cached_property
    def derivation(self) -> Any:
        """The tree of rules, if the method has such."""
        return None if self._derivation is None else self._derivation(self._number)

    def __reduce__(self) -> tuple[Any, ...]:
        return Translation, (
            self.words,
            self.score,
            self.features,
            self.phrases,
            self.names,
            self.derivation,
        )
