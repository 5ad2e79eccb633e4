"""Sentences as they are given and as a model sees them: those without words left out, others in its spelling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from palmette.tools.constituency.input import Words
from palmette.tools.constituency.model import Parse
from palmette.tools.constituency.spelling import Spelling, with_words

V = TypeVar("V")


@dataclass(frozen=True)
class GivenWords:
    """All sentences with their tags if there are any; places: of those with words, which `spelt` has."""

    sentences: list[list[str]]
    tags: list[list[str]] | None
    places: list[int]
    spelt: list[list[str]]

    @classmethod
    def of(cls, words: Words, spelling: Spelling) -> GivenWords:
        """The sentences for a model with that spelling."""
        places = [i for i, sentence in enumerate(words.sentences) if sentence]
        spelt = [spelling.spelt(words.sentences[i]) for i in places]
        return cls(words.sentences, words.tags, places, spelt)

    def at_places(self, values: Sequence[V]) -> list[V]:
        """Return what belongs to the sentences that have words."""
        return [values[i] for i in self.places]

    def placed(self, found: Sequence[V]) -> list[V | None]:
        """What was found for sentences with words, at its place among all."""
        results: list[V | None] = [None] * len(self.sentences)
        for place, value in zip(self.places, found, strict=True):
            results[place] = value
        return results

    def respelt(self, found: Sequence[Sequence[Parse]]) -> list[Sequence[Parse]]:
        """The parses of sentences with words, their trees over the words as they were given."""
        made = []
        for place, spelt, parses in zip(self.places, self.spelt, found, strict=True):
            words = self.sentences[place]
            if spelt != words:
                trees = with_words([parse.tree for parse in parses], words)
                parses = [replace(parse, output=tree) for parse, tree in zip(parses, trees)]
            made.append(parses)
        return made
