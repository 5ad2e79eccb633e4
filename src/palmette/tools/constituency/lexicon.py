"""P(word | tag), for words that were seen, seen rarely, or never.

    P(t | w) = (c(t, w) + κ P(t | class of w)) / (c(w) + κ)        P(w | t) = P(t | w) P(w) / P(t)

Words that occur rarely are counted once more as their class (`features/unknown_words.py`): what rare words of a
class are tagged as is what a new word of the class is expected to be, and a little of it what a word seen a few
times is. A class that was seldom seen leans in the same way on all rare words. A word's weights are
computed once, when it is first met.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import exp, inf, log
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from palmette.features.unknown_words import unknown_class
from palmette.trees.tree import Tree

Int32s = NDArray[np.int32]
Floats = NDArray[np.float32]
Entries = tuple[tuple[int, float], ...]  # tags by number, and log P(word | tag)

_RARE = 1  # words up to this count are counted as their class as well
_SURE = 100  # words beyond this count have the tags that they were seen with
_FAINTEST = 1e-4  # a tag that is less likely for a word is left out
_ANY = "UNK"  # all rare words


class Lexicon:
    """What words can be tagged as, and how likely the word is then.

    tags: the names of the tags; emissions name them by their place. rare: words up to this count are also counted
    as their class. prior: κ, how many occurrences the class of a word counts for.

    >>> lexicon = Lexicon.of([Tree.parse("(TOP (NP (DT the) (NN end)))")])
    >>> positions, tags, log_weights = lexicon.emissions(["the", "end"])
    >>> [(int(i), lexicon.tags[t]) for i, t in zip(positions, tags) if i == 0]
    [(0, 'DT'), (0, 'NN')]
    """

    def __init__(
        self,
        tags: Sequence[str],
        words: Mapping[str, Mapping[int, float]],
        classes: Mapping[str, Mapping[int, float]],
        *,
        rare: int = _RARE,
        prior: float = 1.0,
    ) -> None:
        self.tags = tuple(tags)
        self.number = {tag: k for k, tag in enumerate(self.tags)}
        self.words = words
        self.classes = classes
        self.rare = rare
        self.prior = prior
        counts = np.zeros(len(self.tags))
        for seen in words.values():
            for tag, count in seen.items():
                counts[tag] += count
        self._tag_count = counts
        self._total = float(counts.sum())
        self._log_tag = [log(c / self._total) if c > 0 else 0.0 for c in counts.tolist()]
        self._class_tags: dict[str, dict[int, float]] = {}
        self._alike: dict[tuple[Any, ...], Entries] = {}
        self._cache: dict[tuple[str, bool], Entries] = {}

    @classmethod
    def of(cls, trees: Iterable[Tree], *, rare: int = _RARE, prior: float = 1.0) -> Self:
        """Count the tagged words of trees."""
        return cls.counted(((tree.words, tree.tags) for tree in trees), rare=rare, prior=prior)

    @classmethod
    def counted(
        cls, tagged: Iterable[tuple[Sequence[str], Sequence[str]]], *, rare: int = _RARE, prior: float = 1.0
    ) -> Self:
        """Count sentences of words and tags."""
        sentences = [(list(words), list(tags)) for words, tags in tagged]
        counts = Counter(word for words, _ in sentences for word in words)
        names = sorted({tag for _, tags in sentences for tag in tags})
        number = {tag: k for k, tag in enumerate(names)}
        words: dict[str, Counter[int]] = {}
        classes: dict[str, Counter[int]] = {_ANY: Counter()}
        for sentence, tags in sentences:
            for position, (word, tag) in enumerate(zip(sentence, tags)):
                words.setdefault(word, Counter())[number[tag]] += 1
                if counts[word] <= rare:
                    name = unknown_class(word, position, counts)
                    classes.setdefault(name, Counter())[number[tag]] += 1
                    classes[_ANY][number[tag]] += 1
        return cls(names, words, classes, rare=rare, prior=prior)

    def emissions(
        self, words: Sequence[str], tags: Sequence[str] | None = None
    ) -> tuple[Int32s, Int32s, Floats]:
        """What each word can be: positions, tags by number, and log P(word | tag), sorted by position.

        tags: a word that has one gets no other; "" stands for a word whose tag is not known.
        """
        positions: list[int] = []
        found: list[int] = []
        weights: list[float] = []
        for position, word in enumerate(words):
            entries = self.entries(word, position)
            if tags is not None and tags[position] in self.number:
                entries = self._given(entries, self.number[tags[position]])
            for tag, weight in entries:
                positions.append(position)
                found.append(tag)
                weights.append(weight)
        return (
            np.array(positions, dtype=np.int32),
            np.array(found, dtype=np.int32),
            np.array(weights, dtype=np.float32),
        )

    def entries(self, word: str, position: int) -> Entries:
        """The tags of a word with log P(word | tag), by number of the tag."""
        key = (word, position == 0)
        found = self._cache.get(key)
        if found is None:
            found = self._cache[key] = self._entries(word, position)
        return found

    def likeliest_tag(self, word: str, position: int) -> str:
        """The tag that a word has most often, by what is known of it; "" if there is none."""
        found = self.entries(word, position)
        if not found:
            return ""
        return self.tags[max(found, key=lambda entry: entry[1] + log(self._tag_count[entry[0]]))[0]]

    def log_weight(self, word: str, position: int, tag: str) -> float:
        """log P(word | tag), as `emissions` has it where the tag is given; -inf for an unknown tag."""
        if tag not in self.number:
            return -inf
        return self._given(self.entries(word, position), self.number[tag])[0][1]

    def _given(self, entries: Entries, tag: int) -> Entries:
        kept = tuple(entry for entry in entries if entry[0] == tag)
        # A tag that the word never had: as likely as the least likely one that is kept.
        return kept or ((tag, min((w for _, w in entries), default=0.0) + log(_FAINTEST)),)

    def _entries(self, word: str, position: int) -> Entries:
        seen = self.words.get(word, {})
        count = sum(seen.values())
        name = unknown_class(word, position, self.words) if count <= _SURE else None
        key = (name, *seen.items())  # words of one class that were seen alike have the same entries
        found = self._alike.get(key)
        if found is None:
            found = self._alike[key] = self._shares(seen, count, {} if name is None else self._of_class(name))
        return found

    def _shares(self, seen: Mapping[int, float], count: float, of_class: Mapping[int, float]) -> Entries:
        share = dict(seen)
        for tag, p in of_class.items():
            share[tag] = share.get(tag, 0.0) + self.prior * p
        whole = sum(share.values())
        log_word = log(max(count, 0.5) / self._total)
        least = _FAINTEST * whole
        return tuple(
            (tag, log(amount / whole) + log_word - self._log_tag[tag])
            for tag, amount in sorted(share.items())
            if amount >= least
        )

    def _of_class(self, name: str) -> dict[int, float]:
        """P(tag | class), leaning on the shorter names of the class, on all rare words, and on all."""
        if name not in self._class_tags:
            counts = self.classes.get(name, {})
            if name == _ANY:
                below = dict(enumerate((self._tag_count / self._total).tolist()))
            else:
                below = self._of_class(name.rpartition("-")[0])
            whole = sum(counts.values()) + 1.0
            mixed = dict.fromkeys([*counts, *below], 0.0)
            for tag in mixed:
                mixed[tag] = (counts.get(tag, 0.0) + below.get(tag, 0.0)) / whole
            self._class_tags[name] = mixed
        return self._class_tags[name]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The counts, for a model file: of the words and then of the classes in `strings()`, row after row."""
        tables = [*self.words.values(), *self.classes.values()]
        return {
            "lexicon_rows": np.cumsum([0, *map(len, tables)], dtype=np.int64),
            "lexicon_tags": np.array([tag for table in tables for tag in table], dtype=np.int32),
            "lexicon_counts": np.array([c for table in tables for c in table.values()], dtype=np.float64),
        }

    def strings(self) -> dict[str, Sequence[str]]:
        """The names of tags, words and classes, for a model file."""
        return {"tags": self.tags, "words": list(self.words), "classes": list(self.classes)}

    def settings(self) -> dict[str, Any]:
        """How the counts are used, for a model file."""
        return {"rare": self.rare, "prior": self.prior}

    @classmethod
    def restore(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        strings: Mapping[str, Sequence[str]],
        settings: Mapping[str, Any],
    ) -> Self:
        """The lexicon of a file; ValueError if something is missing or does not fit."""
        rows, tags, counts = (arrays.get(f"lexicon_{part}") for part in ("rows", "tags", "counts"))
        names = [strings.get(part) for part in ("tags", "words", "classes")]
        if rows is None or tags is None or counts is None or any(part is None for part in names):
            raise ValueError("the lexicon of this model is not complete.")
        known, words, classes = (list(part or ()) for part in names)
        n = len(words) + len(classes)
        prior, rare = settings.get("prior"), settings.get("rare")
        if (
            rows.dtype != np.int64
            or tags.dtype != np.int32
            or counts.dtype != np.float64
            or rows.shape != (n + 1,)
            or tags.ndim != 1
            or tags.shape != counts.shape
            or rows[0] != 0
            or rows[-1] != len(tags)
            or (np.diff(rows) < 0).any()
            or (len(tags) and not (tags.min() >= 0 and tags.max() < len(known)))
            or not np.isfinite(counts).all()
            or (counts <= 0).any()
            or len(set(known)) != len(known)
            or not isinstance(prior, int | float)
            or not 0 < prior < exp(30)
            or not isinstance(rare, int)
        ):
            raise ValueError("the lexicon of this model does not fit together.")
        bounds, flat, amounts = rows.tolist(), tags.tolist(), counts.tolist()
        tables = [dict(zip(flat[a:b], amounts[a:b])) for a, b in pairwise(bounds)]
        return cls(
            known,
            dict(zip(words, tables)),
            dict(zip(classes, tables[len(words) :])),
            rare=rare,
            prior=float(prior),
        )
