"""Words as latent grammars see them: chains of contexts, from all rare words over words that look alike to one.

Each context of a chain backs off to the one before it, by counts of the substates of tags
(native/tools/constituency/latent/lexicon.hpp). What is rare counts for its class, so unknown words look like
rare ones.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette.features.unknown_words import unknown_class

Int32s = NDArray[np.int32]
Floats = NDArray[np.float32]
Token = tuple[int, str, int]  # tag, word, position in the sentence

DEPTH = 3  # all rare words, the class, the word
_ANY, _CLASS, _WORD = "*", "?", "="  # begin the names of contexts


class WordContexts:
    """Which contexts a word has, by number; -1 for one that was never seen.

    >>> contexts = WordContexts(["*", "?UNK-LC-s", "=cats"])
    >>> contexts.chain("cats", 0), contexts.chain("dogs", 1)
    ((0, 1, 2), (0, 1, -1))
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.number = {name: k for k, name in enumerate(names)}
        self._known = {name[1:] for name in self.number if name[0] == _WORD}
        self._cache: dict[tuple[str, bool], tuple[int, ...]] = {}

    @property
    def names(self) -> list[str]:
        """The names of the contexts in the order of their numbers."""
        return list(self.number)

    def chain(self, word: str, position: int) -> tuple[int, ...]:
        """The contexts of a word at a position of its sentence, the most general first."""
        key = (word, position == 0)
        found = self._cache.get(key)
        if found is None:
            names = _names(word, position, self._known)
            found = self._cache[key] = tuple(self.number.get(name, -1) for name in names)
        return found


def _names(word: str, position: int, known: set[str]) -> tuple[str, str, str]:
    return _ANY, _CLASS + unknown_class(word, position, known), _WORD + word


@dataclass(frozen=True, eq=False)
class LexiconTables:
    """Contexts and which tags they have: entries of context k are `tag[begin[k] : begin[k + 1]]`.

    total: how many words count for a context. strength: how many words the context before counts for. tags: the
    symbols that are tags.
    """

    contexts: WordContexts
    begin: Int32s
    tag: Int32s
    total: Floats
    strength: Floats
    tags: Int32s


@dataclass(frozen=True, eq=False)
class WordForms:
    """The different (tag, chain) of the training words, what each counts for, and the form of every word."""

    tag: Int32s
    chain: Int32s
    counted: NDArray[np.uint8]
    of: Int32s


def count_words(
    tokens: Sequence[Token], *, rare: int, strength: Sequence[float]
) -> tuple[LexiconTables, WordForms]:
    """The contexts of words with tags; words that occur up to `rare` times count for their classes."""
    frequency = Counter(word for _, word, _ in tokens)
    known = set(frequency)
    numbers: dict[str, int] = {}
    forms: dict[tuple[int, tuple[int, ...], bool], int] = {}
    tags_of: defaultdict[int, set[int]] = defaultdict(set)
    total: Counter[int] = Counter()
    form_of = []
    chains: dict[tuple[str, bool], tuple[int, ...]] = {}
    for tag, word, position in tokens:
        key = (word, position == 0)
        chain = chains.get(key)
        if chain is None:
            names = _names(word, position, known)
            chain = chains[key] = tuple(numbers.setdefault(name, len(numbers)) for name in names)
        is_rare = frequency[word] <= rare
        form_of.append(forms.setdefault((tag, chain, is_rare), len(forms)))
        for context in chain if is_rare else chain[-1:]:
            tags_of[context].add(tag)
            total[context] += 1
    begin = np.cumsum([0] + [len(tags_of[context]) for context in range(len(numbers))])
    tables = LexiconTables(
        WordContexts(numbers),
        begin.astype(np.int32),
        np.array(
            [tag for context in range(len(numbers)) for tag in sorted(tags_of[context])], dtype=np.int32
        ),
        np.array([total[context] for context in range(len(numbers))], dtype=np.float32),
        np.array(strength, dtype=np.float32),
        np.array(sorted({tag for tag, _, _ in tokens}), dtype=np.int32),
    )
    counted = [[is_rare] * (DEPTH - 1) + [True] for _, _, is_rare in forms]
    return tables, WordForms(
        np.array([tag for tag, _, _ in forms], dtype=np.int32),
        np.array([chain for _, chain, _ in forms], dtype=np.int32).ravel(),
        np.array(counted, dtype=np.uint8).ravel(),
        np.array(form_of, dtype=np.int32),
    )
