"""The words of multiword tokens: `della` is `di la`, `don't` is `do n't`.

A token that was seen with one expansion has it again. One that was seen with several, or seldom, or never, is
expanded by a class (`expansions`), chosen by a linear model of its beginning and end, of what would be left of it,
and of the tokens around it. O(tokens), besides the features.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from palmette.features.feature_map import FeatureMap
from palmette.features.templates import Templates
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.tools.sentences import Gold
from palmette.tools.sequence.model import SequenceModel, SequenceStructure, TokenScores
from palmette.tools.text.segmented import Segmented
from palmette.tools.tokens.expansions import NONE, class_of, expanded, has_stem
from palmette.tools.tokens.multiword import with_words

if TYPE_CHECKING:
    from palmette.learning.learner import Learner
    from palmette.tools.tokens.treebank_text import TreebankText

SPLITTER_TEMPLATES = """
bias
w[0]
lower[0]
prefix1[0]
prefix2[0]
prefix3[0]
prefix4[0]
suffix1[0]
suffix2[0]
suffix3[0]
suffix4[0]
suffix5[0]
shape[0]
size[0]
whole[0]
head1[0]
head2[0]
head3[0]
head4[0]
tail1[0]
tail2[0]
tail3[0]
tail4[0]
tail5[0]
head1[0]|whole[0]
head2[0]|whole[0]
head3[0]|whole[0]
head1[0]|head2[0]
head2[0]|head3[0]
tail2[0]|whole[0]
tail3[0]|whole[0]
tail1[0]|tail2[0]|tail3[0]
prefix1[0]|size[0]
prefix2[0]|size[0]
suffix2[0]|size[0]
suffix3[0]|whole[0]
prefix2[0]|whole[0]
prefix2[0]|suffix2[0]
lower[-1]
lower[1]
lower[0]|lower[1]
lower[-1]|lower[0]
head1[0]|lower[-1]
head1[0]|prefix1[1]
head1[0]|suffix2[1]
head1[0]|suffix2[-1]
head1[0]|suffix2[0]
tail2[0]|lower[1]
tail3[0]|lower[1]
head1[0]|head1[1]
head1[0]|head1[-1]
""".strip()
_HEADS, _TAILS = 4, 5  # characters that may be cut off a token to find a word
_EVEN = 0.6  # probability of a single word below which a token has several
_OFTEN = 3  # times that a token must have been seen, if what was seen is to be all
_LONG = 12


class WordSplitter:
    """Divides multiword tokens into words.

    seen: for every token its classes with their counts; vocabulary: words in small letters, and how often they
    were seen; model: of the classes, None where no token has several words.
    """

    kind = "word splitter"

    def __init__(
        self,
        seen: dict[str, dict[str, int]] | None = None,
        vocabulary: dict[str, int] | None = None,
        model: SequenceModel | None = None,
    ) -> None:
        self.seen, self.vocabulary, self.model = seen or {}, vocabulary or {}, model
        names = () if model is None else model.structure.labels
        self._index = {name: k for k, name in enumerate(names)}
        self._fitting = [k for k, name in enumerate(names) if has_stem(name) or name == NONE]

    @classmethod
    def fit(cls, text: TreebankText, learner: Learner | None = None) -> WordSplitter:
        """Learn from the tokens of a treebank; without multiword tokens, the splitter leaves all as it is."""
        from palmette.learning.loglinear import CRF
        from palmette.tools.sequence.training import Examples, train_sequences

        if not any(text.words):
            return cls()
        tokens = text.tokens
        classes = [class_of(token, words) for token, words in zip(tokens, text.words)]
        seen: dict[str, Counter[str]] = defaultdict(Counter)
        vocabulary: Counter[str] = Counter()
        for token, name, words in zip(tokens, classes, text.words):
            seen[token][name] += 1
            vocabulary.update(map(str.lower, (token,) if words is None else words))
        corpus = _columns(tokens, text.offsets, vocabulary, text.words)
        features, instances = FeatureMap.fit(Templates(SPLITTER_TEMPLATES), corpus, min_count=2)
        gold = Column.of(classes)
        structure = SequenceStructure(tuple(gold.strings), 0)
        examples = Examples(structure, features, instances, Gold(gold.ids, gold.strings, text.offsets), None)
        model, _ = train_sequences(
            learner or CRF(l2=0.1), examples, start=None, automaton=None, dev=None, callback=None
        )
        return cls({token: dict(counts) for token, counts in seen.items()}, dict(vocabulary), model)

    def split(self, found: Segmented) -> Segmented:
        """Return the sentences with multiword tokens divided: a line for the token, a row for each word."""
        if self.model is None or not found.corpus.n_words:
            return found
        form = found.corpus.column("form")
        words = self._words(form, found.corpus.offsets)
        return with_words(found, words) if words else found

    def words(self, sentences: Iterable[Sequence[str]]) -> list[list[tuple[str, ...]]]:
        """The words of every token of some sentences."""
        listed = [list(sentence) for sentence in sentences]
        offsets = np.cumsum([0, *map(len, listed)])
        form = Column.of(token for sentence in listed for token in sentence)
        found = self._words(form, offsets) if len(form) and self.model is not None else {}
        rows = [found.get(k, (token,)) for k, token in enumerate(form.values())]
        return [rows[a:b] for a, b in zip(offsets.tolist(), offsets[1:].tolist())]

    def _words(self, form: Column, offsets: NDArray[np.int64]) -> dict[int, tuple[str, ...]]:
        """The words of the rows that have several."""
        known = [self._known(token) for token in form.strings]
        found: dict[int, tuple[str, ...]] = {}
        asked: list[int] = []
        for row, type_ in enumerate(form.ids.tolist()):
            name = known[type_]
            if name is None:
                asked.append(row)
            elif name != NONE and (words := expanded(name, form.strings[type_])):
                found[row] = words
        if asked:
            for row, words in self._chosen(form, offsets, asked):
                found[row] = words
        return found

    def _known(self, token: str) -> str | None:
        """The only class of a token; None if a model has to choose one."""
        counts = self.seen.get(token)
        if counts is None:
            counts = self.seen.get(token.lower())
        if counts is None:
            return NONE if not any(c.isalpha() for c in token) else None
        return next(iter(counts)) if len(counts) == 1 and sum(counts.values()) >= _OFTEN else None

    def _chosen(
        self, form: Column, offsets: NDArray[np.int64], rows: list[int]
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The words of tokens whose class the model has to choose, where there are several."""
        model = self.model
        assert model is not None
        corpus = _columns(form.values(), offsets, self.vocabulary)
        given = model.encode(corpus)
        assert isinstance(given, TokenScores)
        names = model.structure.labels
        scores = given.unary.reshape(corpus.n_words, -1)[rows, : len(names)]
        self._doubt(scores)
        best = scores[:, self._fitting].argmax(axis=1).tolist()
        for k, row in enumerate(rows):
            token = form[row]
            counts = self.seen.get(token) or self.seen.get(token.lower())
            if counts is None:
                order = iter([self._fitting[best[k]]])
            elif sum(counts.values()) >= _OFTEN:
                order = self._ordered(scores[k], [self._index[name] for name in counts])
            else:
                order = self._ordered(scores[k], {*self._fitting, *(self._index[name] for name in counts)})
            found = _first_fitting(names, order, token)
            if found is None and counts is None:  # the best does not fit
                found = _first_fitting(names, self._ordered(scores[k], self._fitting), token)
            if found:
                yield row, found

    def _doubt(self, scores: NDArray[np.float32]) -> None:
        """Take the class of one word out where all others together are more probable."""
        fitting = scores[:, self._fitting].astype(np.float64)
        likely = np.exp(fitting - fitting.max(axis=1, keepdims=True))
        none = self._index[NONE]
        rate = likely[:, self._fitting.index(none)] / likely.sum(axis=1)
        scores[rate < _EVEN, none] = -np.inf

    @staticmethod
    def _ordered(values: NDArray[np.float32], classes: Iterable[int]) -> Iterator[int]:
        """Classes by their scores, the best first."""
        chosen = np.fromiter(classes, dtype=np.int64)
        return iter(chosen[np.lexsort((chosen, -values[chosen]))].tolist())


def _first_fitting(names: Sequence[str], classes: Iterable[int], token: str) -> tuple[str, ...] | None:
    """The words of the first class that fits a token; () if that is the class of one word, None if none fits."""
    for k in classes:
        if names[k] == NONE:
            return ()
        words = expanded(names[k], token)
        if words is not None:
            return words
    return None


def _columns(
    tokens: Sequence[str],
    offsets: NDArray[np.int64],
    vocabulary: Mapping[str, int],
    own: Sequence[tuple[str, ...] | None] | None = None,
) -> Corpus:
    """Tokens with the beginnings and ends that may be cut off, so that a word is left that was seen.

    own: the words of each token, which do not count for it, as they would not for a new one.
    """
    rows = []
    memory: dict[str, list[str]] = {}
    for k, token in enumerate(tokens):
        row = memory.get(token) if own is None else None
        if row is None:
            words = () if own is None else tuple(map(str.lower, own[k] or (token,)))
            row = memory[token] = _affixes(token.lower(), vocabulary, words)
        rows.append(row)
    columns = {name: Column.of(values) for name, values in zip(_NAMES, zip(*rows))}
    return Corpus({"form": Column.of(tokens), **columns}, offsets)


_NAMES = [
    "size",
    "whole",
    *(f"head{k}" for k in range(1, _HEADS + 1)),
    *(f"tail{k}" for k in range(1, _TAILS + 1)),
]


def _affixes(token: str, vocabulary: Mapping[str, int], own: tuple[str, ...]) -> list[str]:
    """The values of `_NAMES` for a token in small letters."""

    def known(rest: str) -> bool:
        return bool(rest) and vocabulary.get(rest, 0) > own.count(rest)

    n = len(token)
    return [
        str(min(n, _LONG)),
        "1" if known(token) else "0",
        *(token[:k] if known(token[k:]) else "" for k in range(1, _HEADS + 1)),
        *(token[n - k :] if known(token[: max(n - k, 0)]) else "" for k in range(1, _TAILS + 1)),
    ]
