"""The usual spelling of words: capitals at the beginning of a sentence are taken away, and put back.

A word is spelt as it is seen most often inside of sentences; one that is seen at beginnings only, as there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from palmette.tools.translation.raw.words import Piece

_FIRST, _INSIDE = 1, 1000  # what an occurrence at the beginning of a sentence counts, and one inside


_ENDS = frozenset(".!?…")


class Truecaser:
    """Spellings of words, each word's best first.

    capital: whether sentences of the text begin with a capital letter.
    """

    def __init__(self, spellings: Sequence[str] = (), *, capital: bool = True) -> None:
        self.spellings = spellings
        self.capital = capital

    @classmethod
    def learn(cls, sentences: Iterable[Iterable[Piece]]) -> Truecaser:
        """Return the spellings of a text.

        >>> text = [[Piece("The", True, True), Piece("cat", True, False)], [Piece("the", True, False)]]
        >>> Truecaser.learn(text).spellings
        ['cat', 'the', 'The']
        """
        seen: Counter[str] = Counter()
        begins = [0, 0]
        for sentence in sentences:
            for text, _, first in sentence:
                if text.upper() == text.lower():
                    continue  # a script without capitals, numbers, punctuation
                seen[text] += _FIRST if first else _INSIDE
                begins[text[0].isupper()] += first
        order = sorted(seen, key=lambda text: (text.lower(), -seen[text], text))
        return cls(order, capital=begins[1] > begins[0])

    def usual(self, words: Iterable[Piece]) -> list[str]:
        """Return the words as they are usually spelt; inside of sentences, only unseen capitals change."""
        return [
            self._best.get(lower, text) if first or (text != lower and text not in self._seen) else text
            for text, lower, first in ((piece.text, piece.text.lower(), piece.first) for piece in words)
        ]

    def begun(self, words: Sequence[str]) -> list[str]:
        """Return words with a capital letter at the beginning of sentences, where the text has one there."""
        made, waiting = list(words), self.capital
        for k, word in enumerate(made):
            if waiting and word.upper() != word.lower():
                made[k] = word[:1].upper() + word[1:] if word == word.lower() else word
            waiting = (waiting and not any(map(str.isalnum, word))) or (self.capital and word in _ENDS)
        return made

    @cached_property
    def _best(self) -> dict[str, str]:
        best: dict[str, str] = {}
        for spelling in self.spellings:
            best.setdefault(spelling.lower(), spelling)
        return best

    @cached_property
    def _seen(self) -> frozenset[str]:
        return frozenset(self.spellings)
