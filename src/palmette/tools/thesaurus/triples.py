"""What the words of sentences occur with: triples (w, r, w′), each also from the other side.

From a dependency tree: a word and its dependent by their relation, the dependent and its head by the relation with
"^" before it. A preposition is part of the relation of its noun (obl:with), as in collapsed trees; punctuation is
left out. From words nearby: the relation is "near", whichever comes first. CSC 448, §24.3; Lin 1998.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.formats.corpus import Corpus
from palmette.formats.listed_corpus import RELATION
from palmette.tools.thesaurus.counting import MOST_RELATIONS, MOST_WORDS, Keys, pack

Ids = NDArray[np.int64]

NEAR = "near"
INVERSE = "^"
_CASE, _PUNCTUATION = "case", "punct"


class Numbers:
    """Strings by number, in the order of their first appearance."""

    def __init__(self, noun: str, most: int) -> None:
        self.strings: list[str] = []
        self._noun, self._most = noun, most
        self._index: dict[str, int] = {}

    def __getitem__(self, string: str) -> int:
        found = self._index.get(string)
        if found is None:
            if len(self.strings) >= self._most:
                raise ValueError(
                    f"there are more than {self._most:,} {self._noun}: leave out rare ones, or take less text"
                )
            found = self._index[string] = len(self.strings)
            self.strings.append(string)
        return found

    def of(self, strings: list[str]) -> Ids:
        """Return the numbers of strings."""
        return np.fromiter(map(self.__getitem__, strings), dtype=np.int64, count=len(strings))

    def get(self, string: str) -> int:
        """Return the number of a string, −1 if it has none."""
        return self._index.get(string, -1)


@dataclass(eq=False)
class TripleMaker:
    """Makes triples of sentences, and numbers words and relations on the way.

    words: "lemma", "form" or "lower". tags: whether a word has its tag. window: 0 for no words nearby.
    """

    words: str
    tags: bool
    dependencies: bool
    window: int
    entries: Numbers = field(default_factory=lambda: Numbers("different words", MOST_WORDS))
    relations: Numbers = field(default_factory=lambda: Numbers("different relations", MOST_RELATIONS))

    def rows(self, corpus: Corpus) -> Ids:
        """Return the number of every word, −1 for what is not one (punctuation)."""
        name = self.words if self.words == "lemma" else "form"
        column = corpus.column(name)
        change: Callable[[str], str] = str if self.words == "form" else str.lower
        strings = [change(string) for string in column.strings]
        is_word = np.array([_is_word(string) for string in strings], dtype=bool)
        if not self.tags:
            ids = np.array(
                [self.entries[string] if good else -1 for string, good in zip(strings, is_word)],
                dtype=np.int64,
            )
            return _at(ids, column.ids)
        tags = corpus.column("upos")
        pairs, places = np.unique(
            column.ids.astype(np.int64) * max(len(tags.strings), 1) + tags.ids, return_inverse=True
        )
        n = max(len(tags.strings), 1)
        ids = np.array(
            [
                self.entries[f"{strings[p // n]}/{tags.strings[p % n]}"] if is_word[p // n] else -1
                for p in pairs.tolist()
            ],
            dtype=np.int64,
        )
        return _at(ids, places)

    def triples(self, corpus: Corpus, words: Ids) -> Keys:
        """Return the triples of some sentences, whose words have numbers."""
        found = []
        if self.dependencies:
            found.append(self._of_trees(corpus, words))
        if self.window:
            found.append(self._of_windows(corpus, words))
        return np.concatenate(found)

    def _of_windows(self, corpus: Corpus, words: Ids) -> Keys:
        near = self.relations[NEAR]
        sentence = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
        kept = np.flatnonzero(words >= 0)  # punctuation takes no room
        words, sentence = words[kept], sentence[kept]
        found = [np.zeros(0, np.uint64)]
        for distance in range(1, self.window + 1):
            a, b = words[:-distance], words[distance:]
            inside = sentence[:-distance] == sentence[distance:]
            a, b = a[inside], b[inside]
            relation = np.full(len(a), near)
            found += [pack(a, relation, b), pack(b, relation, a)]
        return np.concatenate(found)

    def _of_trees(self, corpus: Corpus, words: Ids) -> Keys:
        assert corpus.heads is not None
        heads = corpus.heads.astype(np.int64)
        first = np.repeat(corpus.offsets[:-1], np.diff(corpus.offsets))
        has_head = heads > 0
        head = np.where(has_head, first + heads - 1, 0)
        names = corpus.column(RELATION) if RELATION in corpus.names else None
        labels = (
            ["dep"]
            if names is None
            else [label.partition(":")[0] if label != "_" else "dep" for label in names.strings]
        )
        label = np.zeros(len(words), np.int64) if names is None else names.ids.astype(np.int64)
        is_case = _at(np.array([one == _CASE for one in labels], dtype=bool), label)
        is_punct = _at(np.array([one == _PUNCTUATION for one in labels], dtype=bool), label)
        # The first preposition of every word.
        case = np.full(len(words), -1, dtype=np.int64)
        at = np.flatnonzero(is_case & has_head & (words >= 0))[::-1]
        case[head[at]] = words[at]
        used = np.flatnonzero(has_head & ~is_case & ~is_punct & (words >= 0) & (words[head] >= 0))
        if not len(used):
            return np.zeros(0, np.uint64)
        nominal = _at(np.array([one in ("obl", "nmod") for one in labels], dtype=bool), label)
        by = np.where(nominal, case, -1)[used] + 1
        kinds, places = np.unique(label[used] * MOST_WORDS + by, return_inverse=True)
        relation = np.empty(len(kinds), np.int64)
        inverse = np.empty(len(kinds), np.int64)
        for i, kind in enumerate(kinds.tolist()):
            name, preposition = labels[kind // MOST_WORDS], kind % MOST_WORDS
            if preposition:
                name += f":{self.entries.strings[preposition - 1].partition('/')[0]}"
            relation[i], inverse[i] = self.relations[name], self.relations[INVERSE + name]
        up, down = words[head[used]], words[used]
        return np.concatenate([pack(up, relation[places], down), pack(down, inverse[places], up)])


def _at(values: NDArray[Any], ids: NDArray[Any]) -> NDArray[Any]:
    return values[ids] if len(ids) else np.zeros(0, values.dtype)


def _is_word(string: str) -> bool:
    """Whether a string has a letter or a digit.

    >>> [_is_word(one) for one in ("tree", "1984", "--", "é", "")]
    [True, True, False, True, False]
    """
    return any(map(str.isalnum, string))
