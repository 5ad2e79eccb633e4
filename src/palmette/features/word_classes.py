"""Words as a hidden Markov model emits them: a token is one symbol, its word or, if unknown, a class of words.

The class of an unknown word is the longest suffix that it shares with a rare word of the training corpus, words
with a capital apart from the others (as in TnT, Brants 2000), and compounds with a hyphen, which are adjectives
more often than their last part, apart from both. Digits are all alike there. At the beginning of a sentence an
unknown word with a capital is its lower-case form, if that is known. Two more attributes are at the first and at
the last token. Attribute ids: words, then classes, then BOS and EOS.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palmette.features.instances import Instances
from palmette.formats.corpus import Corpus
from palmette.formats.model.strings import StringTable

_DIGITS = str.maketrans(dict.fromkeys("123456789", "0"))
_MARKS = (
    "lower",
    "upper",
    "lower-hyphen",
    "upper-hyphen",
)  # the roots: a capital at the front, a hyphen inside


class WordClasses:
    """Known words and classes of unknown ones. Make one with `WordClasses.fit`.

    parents[c]: the class of the next shorter suffix, -1 for the root of all; a class comes after its parent.
    class_of_word[i]: the class that word i would have if it were unknown.

    >>> corpus = Corpus.from_columns({"form": [["Dogs", "bark"], ["dogs", "dogs", "dogs"]]})
    >>> words, instances = WordClasses.fit(corpus, rare=2)
    >>> words.names(words.transform(Corpus.from_columns({"form": [["Bark", "park", "Cogs"]]})).attributes)
    ['word=bark', 'BOS', 'lower:ark', 'upper:ogs', 'EOS']
    """

    n_pair_attributes = 0

    def __init__(
        self,
        words: Sequence[str],
        suffixes: Sequence[str],
        *,
        column: str | None = None,
        rare: int = 10,
        max_suffix: int = 5,
    ) -> None:
        self.words, self.suffixes = list(words), list(suffixes)
        self.column, self.rare, self.max_suffix = column, rare, max_suffix
        self._word_ids = {word: i for i, word in enumerate(self.words)}
        self._class_ids = {suffix: c for c, suffix in enumerate(self.suffixes)}
        if len(self._word_ids) < len(self.words) or len(self._class_ids) < len(self.suffixes):
            raise ValueError("Words and suffixes must differ from each other.")
        self.parents = np.array([self._parent(suffix) for suffix in self.suffixes], dtype=np.int32)
        if (self.parents >= np.arange(len(self.parents))).any():
            raise ValueError("Every suffix must come after the next shorter one.")

    @classmethod
    def fit(
        cls, corpus: Corpus, *, column: str | None = None, rare: int = 10, max_suffix: int = 5
    ) -> tuple[WordClasses, Instances]:
        """The words of a corpus, and its instances.

        column: of the words; None takes `form`, or the first. rare: suffixes are those of words that come at most
        so often. max_suffix: their greatest length.
        """
        name = _column(corpus, column)
        ids, strings = corpus.columns[name].ids, corpus.columns[name].strings
        counts = np.bincount(ids, minlength=len(strings))
        suffixes: dict[str, None] = dict.fromkeys(["", *(mark + ":" for mark in _MARKS)])
        for i in np.flatnonzero((counts > 0) & (counts <= rare)).tolist():
            suffixes.update(dict.fromkeys(_chain(strings[i], max_suffix)))
        known = [strings[i] for i in np.flatnonzero(counts).tolist()]
        made = cls(known, list(suffixes), column=name, rare=rare, max_suffix=max_suffix)
        return made, made.transform(corpus)

    @property
    def n_attributes(self) -> int:
        """How many attributes there are: words, classes, BOS and EOS."""
        return len(self.words) + len(self.suffixes) + 2

    @property
    def bos(self) -> int:
        """The attribute of first tokens; that of last ones follows it."""
        return self.n_attributes - 2

    @property
    def class_of_word(self) -> NDArray[np.int32]:
        """The class of every known word, as if it were unknown."""
        return np.array([self._class(word) for word in self.words], dtype=np.int32)

    def transform(self, corpus: Corpus) -> Instances:
        """One symbol per token, BOS and EOS where they belong."""
        column = corpus.columns[_column(corpus, self.column)]
        used, ids = np.unique(column.ids, return_inverse=True)
        strings = [column.strings[i] for i in used.tolist()]
        n_words = len(self.words)
        usual = np.array([self._word_ids.get(w, -1) for w in strings], dtype=np.int32)
        unknown = np.flatnonzero(usual < 0).tolist()
        first = usual.copy()
        for i in unknown:
            usual[i] = n_words + self._class(strings[i])
            first[i] = self._word_ids.get(strings[i].lower(), usual[i])
        n = len(ids)
        begins, ends = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        full = np.flatnonzero(np.diff(corpus.offsets))
        begins[corpus.offsets[full]] = True
        ends[corpus.offsets[full + 1] - 1] = True
        rows = np.zeros(n + 1, dtype=np.int64)
        np.cumsum(1 + begins + ends, out=rows[1:])
        attributes = np.empty(rows[-1], dtype=np.int32)
        attributes[rows[:-1]] = np.where(begins, first[ids], usual[ids]) if n else usual[:0]
        attributes[rows[:-1][begins] + 1] = self.bos
        attributes[rows[1:][ends] - 1] = self.bos + 1
        return Instances(corpus.offsets, rows, attributes, n_attributes=self.n_attributes)

    def names(self, ids: Sequence[int] | NDArray[np.integer] | None = None) -> list[str]:
        """What attributes are called: `word=dogs`, `lower:ogs`, `BOS`."""
        named = [f"word={word}" for word in self.words] + [s or "any" for s in self.suffixes] + ["BOS", "EOS"]
        return named if ids is None else [named[int(i)] for i in ids]

    def to_arrays(self) -> tuple[dict[str, int | str | None], dict[str, StringTable]]:
        """What a model file keeps: options and tables of strings."""
        options = {"column": self.column, "rare": self.rare, "max_suffix": self.max_suffix}
        return options, {"words": StringTable.of(self.words), "suffixes": StringTable.of(self.suffixes)}

    @classmethod
    def from_arrays(cls, options: dict[str, int | str | None], tables: dict[str, StringTable]) -> WordClasses:
        """The classes that were saved; ValueError if they do not fit together."""
        column, rare, longest = options.get("column"), options.get("rare"), options.get("max_suffix")
        if not isinstance(column, str | None) or not isinstance(rare, int) or not isinstance(longest, int):
            raise ValueError("Word classes need their column, and what is rare and a long suffix.")
        words, suffixes = list(tables["words"]), list(tables["suffixes"])
        return cls(words, suffixes, column=column, rare=rare, max_suffix=longest)

    def __repr__(self) -> str:
        return f"<WordClasses: {len(self.words):,} words, {len(self.suffixes):,} suffixes>"

    def _parent(self, suffix: str) -> int:
        if not suffix:
            return -1
        mark, _, rest = suffix.partition(":")
        shorter = f"{mark}:{rest[1:]}" if rest else ""
        if shorter not in self._class_ids:
            raise ValueError(f"The suffix {suffix!r} is there without the next shorter one.")
        return self._class_ids[shorter]

    def _class(self, word: str) -> int:
        for suffix in reversed(_chain(word, self.max_suffix)):
            found = self._class_ids.get(suffix)
            if found is not None:
                return found
        return 0


def _chain(word: str, longest: int) -> list[str]:
    """The suffixes of a word, shorter first, each after its mark."""
    mark, plain = _MARKS[word[:1].isupper() + 2 * ("-" in word[1:-1])], word.translate(_DIGITS)
    return [f"{mark}:{plain[len(plain) - k :]}" for k in range(min(longest, len(plain)) + 1)]


def _column(corpus: Corpus, column: str | None) -> str:
    name = column or ("form" if "form" in corpus.columns else next(iter(corpus.columns)))
    if name not in corpus.columns:
        raise ValueError(f"The corpus has no column {name!r}: it has {', '.join(corpus.columns)}.")
    return name
