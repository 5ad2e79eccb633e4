"""Lesk: the sense whose definition has most words in common with what is around the word (CSC 448, §24.2.2).

| variant      | what is compared                                                                            |
|--------------|---------------------------------------------------------------------------------------------|
| `simplified` | the definition of a sense with the words around                                             |
| `original`   | the definition of a sense with those of the words around, the best of each (Lesk 1986)      |
| `extended`   | also the definitions of related senses: hypernyms, parts, … (Banerjee and Pedersen 2002)    |

Common words count 1, or their inverse document frequency among all definitions; or the two sides are compared
by the cosine of the means of word vectors. `prior` adds the logarithm of how frequent each sense is.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text
from palmette.formats.model import ModelFile
from palmette.parameters import option
from palmette.tools.senses.inventory import Inventory
from palmette.tools.senses.model import Reals, SenseModel, SenseOptions
from palmette.tools.senses.occurrences import Occurrence
from palmette.tools.senses.supervised import definition_features
from palmette.tools.senses.task import Task

_BEFORE = "near "


@dataclass(frozen=True, kw_only=True)
class LeskOptions(SenseOptions):
    """What is compared, and how common words count."""

    variant: str = option(
        "extended", "what is compared with what", choices=("simplified", "original", "extended")
    )
    idf: bool = option(True, "weigh common words by their inverse document frequency among all definitions")
    prior: float = option(
        10.0, "weight of the logarithm of the frequency of a sense; 0: definitions alone", low=0
    )
    vectors: str | None = option(None, "file of word vectors: a word and its numbers on each line")


class LeskModel(SenseModel):
    """Scores by common words. It learns nothing: the inventory has the definitions."""

    method = "lesk"

    def __init__(self, options: LeskOptions) -> None:
        self.options: LeskOptions = options
        self._frequencies: tuple[Inventory, Mapping[str, int], int] | None = None
        self._signatures: dict[str, frozenset[str]] = {}

    def scores(self, occurrences: Sequence[Occurrence], inventory: Inventory) -> list[Reals]:
        return [
            np.array([sum(self._parts(one, sense, inventory).values()) for sense in one.senses])
            for one in occurrences
        ]

    def reasons(
        self, occurrence: Occurrence, inventory: Inventory, chosen: str, rival: str
    ) -> Mapping[str, float]:
        one, two = (self._parts(occurrence, sense, inventory) for sense in (chosen, rival))
        return {name: one.get(name, 0.0) - two.get(name, 0.0) for name in sorted({*one, *two})}

    def _parts(self, occurrence: Occurrence, sense: str, inventory: Inventory) -> dict[str, float]:
        """What a sense scores, by the common word."""
        own = self._signature(sense, inventory) - {occurrence.word[0]}
        found: dict[str, float] = {}
        if self.options.prior:
            total = sum(inventory.count(one) for one in occurrence.senses)
            share = (inventory.count(sense) + 1) / (total + len(occurrence.senses))
            found["frequency of the sense"] = self.options.prior * math.log(share)
        if self.options.vectors is not None:
            found["vectors of the words around"] = self._cosine(own, occurrence.words)
            return found
        if self.options.variant == "original":
            for word in dict.fromkeys(occurrence.words):
                common = self._of_word(word, inventory)
                best = max(
                    (sum(self._weight(w, inventory) for w in own & other) for other in common), default=0.0
                )
                if best:
                    found[f"definition of {word}"] = best
            return found
        for word in own & set(occurrence.words):
            found[f"word {word}"] = self._weight(word, inventory)
        return found

    def _signature(self, sense: str, inventory: Inventory) -> frozenset[str]:
        if sense not in self._signatures:
            self._signatures[sense] = self._new_signature(sense, inventory)
        return self._signatures[sense]

    def _new_signature(self, sense: str, inventory: Inventory) -> frozenset[str]:
        texts = [inventory.definition(sense)]
        if self.options.variant == "extended":
            texts += inventory.related(sense)
        return frozenset().union(*(self._words(text, inventory) for text in texts))

    def _words(self, text: str, inventory: Inventory) -> frozenset[str]:
        return frozenset(name.removeprefix(_BEFORE) for name in definition_features(text, inventory))

    def _of_word(self, word: str, inventory: Inventory) -> list[frozenset[str]]:
        """The definitions of all senses of a word around, whatever its part of speech."""
        return [
            self._words(inventory.definition(sense), inventory)
            for pos in ("n", "v", "a", "r")
            for sense in inventory.senses((word, pos))
        ]

    def _weight(self, word: str, inventory: Inventory) -> float:
        if not self.options.idf:
            return 1.0
        if self._frequencies is None or self._frequencies[0] is not inventory:
            counts: Counter[str] = Counter()
            n = 0
            for text in inventory.definitions():
                counts.update({one.lower() for one in text.split()})
                n += 1
            self._frequencies = inventory, counts, n
        _, counted, total = self._frequencies
        return math.log((total + 1) / (counted.get(word, 0) + 1))

    @cached_property
    def _vectors(self) -> dict[str, Reals]:
        assert self.options.vectors is not None
        return read_vectors(self.options.vectors)

    def _cosine(self, own: frozenset[str], around: Sequence[str]) -> float:
        sides = []
        for words in (sorted(own), around):
            known = [self._vectors[word] for word in words if word in self._vectors]
            sides.append(np.mean(known, axis=0) if known else np.zeros(1))
        one, two = sides
        size = float(np.linalg.norm(one) * np.linalg.norm(two))
        return float(one @ two) / size if size else 0.0

    @classmethod
    def of_file(cls, file: ModelFile, options: SenseOptions) -> Self:
        assert isinstance(options, LeskOptions)
        return cls(options)


def read_vectors(source: Source) -> dict[str, Reals]:
    """Return the vectors of a file: a word and its numbers on each line, after a line with two numbers or
    without it."""
    path, found, width = display_name(source), {}, None
    for number, line in enumerate(read_text(source).split("\n"), 1):
        row = line.split()
        if not row or (number == 1 and len(row) == 2 and row[0].isdigit() and row[1].isdigit()):
            continue
        try:
            vector = np.array([float(one) for one in row[1:]])
        except ValueError:
            vector = np.zeros(0)
        width = len(vector) if width is None else width
        if not len(vector) or len(vector) != width or not np.isfinite(vector).all():
            raise FormatError(f"expected a word and {width or 'its'} numbers", path=path, line=number)
        found[row[0]] = vector
    if not found:
        raise FormatError("expected word vectors; the file has none", path=path)
    return found


def train_lesk(task: Task) -> LeskModel:
    """Return the model of these options."""
    return LeskModel(task.options)
