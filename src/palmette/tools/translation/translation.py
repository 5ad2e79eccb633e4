"""`Translation`: one translation of a sentence, the same record for every method."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.formats.pharaoh import Link


class TranslatedPhrase(NamedTuple):
    """Source words begin … end − 1 and their translation.

    links: pairs (source word, target word), counted inside the phrase. pair: its number in the phrase table, −1 if
    it is not from there. kind: "table", "unknown" (a word that is not in the table), or "given" with the sentence.
    """

    begin: int
    end: int
    target: tuple[str, ...]
    links: tuple[Link, ...] = ()
    pair: int = -1
    kind: str = "table"


@dataclass(frozen=True, eq=False)
class Translation:
    """A translation with its score w · Φ, the values Φ by `names`, and its phrases in the order of the target.

    derivation: a tree of rules, from methods that have such.
    """

    words: tuple[str, ...]
    score: float
    features: NDArray[np.float64]
    phrases: tuple[TranslatedPhrase, ...]
    names: tuple[str, ...]
    derivation: Any = None

    @property
    def text(self) -> str:
        """The words with blanks between them."""
        return " ".join(self.words)

    def alignment(self) -> list[Link]:
        """Return the links between source and target words, both counted from 0, sorted."""
        return sorted(self._links())

    def _links(self) -> Iterator[Link]:
        at = 0
        for phrase in self.phrases:
            for i, j in phrase.links:
                yield phrase.begin + i, at + j
            at += len(phrase.target)

    def to_dict(self) -> dict[str, Any]:
        """Return the translation as JSON has it."""
        return {
            "text": self.text,
            "score": self.score,
            "features": dict(zip(self.names, self.features.tolist())),
            "phrases": [
                {
                    "begin": one.begin,
                    "end": one.end,
                    "target": " ".join(one.target),
                    "kind": one.kind,
                    "links": [list(link) for link in one.links],
                }
                for one in self.phrases
            ],
        }
