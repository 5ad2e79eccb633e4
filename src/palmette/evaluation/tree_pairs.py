"""Gold and guessed trees side by side, as arrays over all words."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette.evaluation.counts import Counts
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus

# The relations and features that the scores of the CoNLL 2018 shared task distinguish.
CONTENT = frozenset(
    "nsubj obj iobj csubj ccomp xcomp obl vocative expl dislocated advcl advmod discourse nmod appos nummod acl "
    "amod conj fixed flat compound list parataxis orphan goeswith reparandum root dep".split()
)
FUNCTIONAL = frozenset("aux cop mark det clf case cc".split())
UNIVERSAL_FEATURES = frozenset(
    "PronType NumType Poss Reflex Foreign Abbr Gender Animacy Number Case Definite Degree VerbForm Mood Tense "
    "Aspect Voice Evident Polarity Person Polite".split()
)

LENGTHS = ("root", "1", "2", "3 to 4", "5 to 7", "8 to 14", "15 and more", "none")
_ENDS = [2, 3, 5, 8, 15]  # a length of at least these is in the next bin

Ids = NDArray[np.int64]
Rows = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class TreePairs:
    """Row r is a word; heads count from 1 in its sentence, 0 is the root, -1 none.

    Relations are those before the colon, as ids into `relations`; `right_labels` compares the whole ones.
    """

    gold: Corpus
    guess: Corpus
    gold_heads: Ids
    guess_heads: Ids
    gold_relations: Ids
    guess_relations: Ids
    relations: list[str]
    right_labels: Rows

    @classmethod
    def of(cls, gold: Corpus, guess: Corpus) -> TreePairs:
        """Two corpora with heads and the same numbers of words."""
        if not np.array_equal(gold.offsets, guess.offsets):
            raise ValueError(_difference(gold, guess))
        for name, corpus in (("gold", gold), ("guessed", guess)):
            if corpus.heads is None:
                raise ValueError(f"The {name} corpus has no heads.")
        assert gold.heads is not None
        assert guess.heads is not None
        missing = np.flatnonzero(gold.heads < 0)
        if missing.size:
            i = int(np.searchsorted(gold.offsets, missing[0], side="right")) - 1
            line = "" if gold.lines is None else f" (line {gold.lines[i]})"
            raise ValueError(
                f"Word {missing[0] - gold.offsets[i] + 1} of gold sentence {i + 1}{line} has no head."
            )
        whole = joint(_column(gold, "deprel"), _column(guess, "deprel"), str)
        short = joint(
            _column(gold, "deprel"), _column(guess, "deprel"), lambda label: label.partition(":")[0]
        )
        gold_relations, guess_relations, relations = short
        return cls(
            gold=gold,
            guess=guess,
            gold_heads=gold.heads.astype(np.int64),
            guess_heads=guess.heads.astype(np.int64),
            gold_relations=gold_relations,
            guess_relations=guess_relations,
            relations=relations,
            right_labels=whole[0] == whole[1],
        )

    @property
    def right_heads(self) -> Rows:
        """The words whose heads agree."""
        return np.equal(self.gold_heads, self.guess_heads)

    @property
    def right_relations(self) -> Rows:
        """The words whose relations agree up to the colon."""
        return np.equal(self.gold_relations, self.guess_relations)

    def per_sentence(self, rows: Rows) -> Ids:
        """How many of these rows each sentence has."""
        sums = np.concatenate(([0], np.cumsum(rows, dtype=np.int64)))
        return np.diff(sums[self.gold.offsets])

    def scored(self, punctuation: bool) -> Rows:
        """All words, or those that are more than punctuation."""
        form = self.gold.column("form" if "form" in self.gold.names else 0)
        if punctuation:
            return np.ones(len(form), dtype=bool)
        return np.array([not _is_punctuation(text) for text in form.strings], dtype=bool)[form.ids]

    def by(
        self,
        gold: Ids,
        guess: Ids,
        names: Sequence[str],
        scored: Rows,
        right: Rows,
        in_order: bool = False,
    ) -> dict[str, Counts]:
        """Counts for each name: in gold, in the guess, and in both with the rest right too.

        The most frequent come first, unless the names are in order.
        """
        n = len(names)
        columns = [
            np.bincount(rows, minlength=n).tolist()
            for rows in (gold[scored], guess[scored], gold[right & (gold == guess)])
        ]
        counts = [(name, Counts(*three)) for name, *three in zip(names, *columns) if three[0] or three[1]]
        return dict(counts if in_order else sorted(counts, key=lambda pair: (-pair[1].gold, pair[0])))

    def lengths(self) -> tuple[Ids, Ids]:
        """The bin in LENGTHS of every word's distance from its head."""
        numbers = np.arange(1, len(self.gold_heads) + 1) - self._starts()
        return length_bins(self.gold_heads, numbers), length_bins(self.guess_heads, numbers)

    def head_tags(self) -> tuple[Ids, Ids, list[str]]:
        """The gold tag of every word's head in gold and in the guess."""
        tags = tag_column(self.gold)
        names = [*tags.strings, "root", "none"]
        n = len(tags.strings)

        def of(heads: Ids) -> Ids:
            rows = np.where(heads > 0, self._starts() + heads - 1, 0)
            return np.where(heads > 0, tags.ids[rows], np.where(heads == 0, n, n + 1)).astype(np.int64)

        return of(self.gold_heads), of(self.guess_heads), names

    def _starts(self) -> Ids:
        """The row of the first word of every word's sentence."""
        return np.repeat(self.gold.offsets[:-1], np.diff(self.gold.offsets))

    # The scores of content words.

    def _are(self, names: frozenset[str], ids: Ids) -> Rows:
        return np.array([name in names for name in self.relations], dtype=bool)[ids]

    def content_counts(self, labelled: Rows, scored: Rows) -> Counts:
        """Content words: in gold, in the guess, and right."""
        gold = self._are(CONTENT, self.gold_relations) & scored
        guess = self._are(CONTENT, self.guess_relations) & scored
        return Counts(int(gold.sum()), int(guess.sum()), int((gold & labelled).sum()))

    def lexeme_counts(self, labelled: Rows, scored: Rows) -> Counts | None:
        """The same, where the lemma must be right too unless gold has none; None without lemmas."""
        if "lemma" not in self.gold.names or "lemma" not in self.guess.names:
            return None
        gold, guess, lemmas = joint(self.gold.column("lemma"), self.guess.column("lemma"), str)
        absent = np.array([lemma == "_" for lemma in lemmas], dtype=bool)[gold]
        return self.content_counts(labelled & ((gold == guess) | absent), scored)

    def morphology_counts(self, labelled: Rows, scored: Rows) -> Counts | None:
        """The same, where tag, features and function words must be right too; None without tags and features."""
        if not {"upos", "feats"} <= {*self.gold.names} & {*self.guess.names}:
            return None
        tags = joint(self.gold.column("upos"), self.guess.column("upos"), str)
        features = joint(self.gold.column("feats"), self.guess.column("feats"), universal)
        alike = (tags[0] == tags[1]) & (features[0] == features[1])
        # A word's function words agree if each of them, on either side, is the same on the other.
        functional = [self._are(FUNCTIONAL, ids) for ids in (self.gold_relations, self.guess_relations)]
        same = functional[0] & functional[1] & self.right_heads & self.right_relations & alike
        agree = np.ones(len(alike), dtype=bool)
        for heads, function_words in zip((self.gold_heads, self.guess_heads), functional):
            wrong = function_words & (heads > 0) & ~same
            agree[(self._starts() + heads - 1)[wrong]] = False
        return self.content_counts(labelled & alike & agree, scored)


def column_accuracy(gold: Corpus, guess: Corpus, name: str) -> float | None:
    """The part of the words whose value of a column is right; None without words or the column.

    As the CoNLL 2018 shared task counts UPOS, XPOS, UFeats and Lemmas on given words: of features only the
    universal ones, and any lemma is right where gold has "_".
    """
    if name not in gold.names or not gold.n_words:
        return None
    same = joint(gold.column(name), guess.column(name), universal if name == "feats" else str)
    right = same[0] == same[1]
    if name == "lemma":
        right |= gold.column(name).ids_in({"_": 1}, 0) == 1
    return float(np.mean(right))


def length_bins(heads: Ids, words: Ids) -> Ids:
    """The bin in LENGTHS of the arcs from heads to words."""
    bins = 1 + np.searchsorted(_ENDS, np.abs(heads - words), side="right")
    return np.where(heads > 0, bins, np.where(heads == 0, 0, len(LENGTHS) - 1))


def tag_column(corpus: Corpus) -> Column:
    """The tags of a corpus: `upos`, or `xpos` where that is empty; one name for all words if there is none."""
    for name in ("upos", "xpos"):
        if name in corpus.names and set(corpus.column(name).strings) - {"_"}:
            return corpus.column(name)
    return Column(np.zeros(corpus.n_words, dtype=np.int32), ["_"])


def _column(corpus: Corpus, name: str) -> Column:
    if name not in corpus.names:
        return Column(np.zeros(corpus.n_words, dtype=np.int32), ["_"])
    return corpus.column(name)


def joint(gold: Column, guess: Column, key: Callable[[str], str]) -> tuple[Ids, Ids, list[str]]:
    """Two columns as ids into one list of what `key` makes of their strings."""
    index: dict[str, int] = {}
    ids = [
        np.array([index.setdefault(key(text), len(index)) for text in column.strings], dtype=np.int64)
        for column in (gold, guess)
    ]
    first, second = (table[column.ids] for table, column in zip(ids, (gold, guess)))
    return first, second, list(index)


def universal(features: str) -> str:
    """The universal features of a word, in order; the others are left out."""
    return "|".join(sorted(f for f in features.split("|") if f.partition("=")[0] in UNIVERSAL_FEATURES))


def _is_punctuation(form: str) -> bool:
    return bool(form) and all(unicodedata.category(c).startswith("P") for c in form)


def _difference(gold: Corpus, guess: Corpus) -> str:
    if len(gold) != len(guess):
        return f"There are {len(gold)} gold sentences, but {len(guess)} guessed ones."
    lengths = np.diff(gold.offsets), np.diff(guess.offsets)
    i = int(np.flatnonzero(lengths[0] != lengths[1])[0])
    return f"Sentence {i + 1} has {lengths[0][i]} words in gold, but {lengths[1][i]} in the guess."
