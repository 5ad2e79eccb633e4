"""The words of multiword tokens: `della` is `di la`, `don't` is `do n't`.

A token that was seen with one expansion has it again. One that was seen with several, or seldom, or never, is
expanded by a class (`expansions`), chosen by a linear model of its beginning and end, of what would be left of it,
of the lemma that it may come from, and of the tokens around it. A class fits where the characters that it cuts off
or changes were seen with it. O(tokens), besides the features.
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
from palmette.tools.morphology.stems import Stems, mapped
from palmette.tools.sentences import Gold
from palmette.tools.sequence.model import SequenceModel, SequenceStructure, TokenScores
from palmette.tools.text.segmented import Segmented
from palmette.tools.tokens.expansions import NONE, class_of, edges, expanded, has_stem
from palmette.tools.tokens.multiword import with_words
from palmette.tools.tokens.token_stems import STEM_TEMPLATES, learned_stems

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
_EVEN = 0.75  # probability of a single word below which a token has several
_OFTEN = 3  # times that a token must have been seen, if what was seen is to be all
_LONG = 12


class WordSplitter:
    """Divides multiword tokens into words.

    seen: for every token its classes with their counts; vocabulary: words in small letters, and how often they
    were seen; model: of the classes, None where no token has several words; stems: what is known of lemmas, None
    where the treebank has none.
    """

    kind = "word splitter"

    def __init__(
        self,
        seen: dict[str, dict[str, int]] | None = None,
        vocabulary: dict[str, int] | None = None,
        model: SequenceModel | None = None,
        stems: Stems | None = None,
    ) -> None:
        self.seen, self.vocabulary, self.model, self.stems = seen or {}, vocabulary or {}, model, stems
        names = () if model is None else model.structure.labels
        self._index = {name: k for k, name in enumerate(names)}
        self._fitting = [k for k, name in enumerate(names) if has_stem(name) or name == NONE]
        self._edges: dict[str, set[tuple[str, str]]] | None = None

    @classmethod
    def fit(
        cls, text: TreebankText, corpus: Corpus | None = None, learner: Learner | None = None
    ) -> WordSplitter:
        """Learn from the tokens of a treebank; without multiword tokens, the splitter leaves all as it is.

        corpus: the words of the text, perhaps with lemmas and parts of speech, of which stems are learned.
        """
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
        columns = _training_columns(tokens, text.offsets, vocabulary, text.words)
        stems, templates = None, SPLITTER_TEMPLATES
        known = None if corpus is None else learned_stems(text, corpus, columns)
        if known is not None:
            stems, columns = known
            templates += STEM_TEMPLATES
        features, instances = FeatureMap.fit(Templates(templates), columns, min_count=2)
        gold = Column.of(classes)
        structure = SequenceStructure(tuple(gold.strings), 0)
        examples = Examples(structure, features, instances, Gold(gold.ids, gold.strings, text.offsets), None)
        model, _ = train_sequences(
            learner or CRF(l2=0.1), examples, start=None, automaton=None, dev=None, callback=None
        )
        return cls({token: dict(counts) for token, counts in seen.items()}, dict(vocabulary), model, stems)

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
        open_ = np.array([name is None for name in known], dtype=bool)
        divided = np.array([name is not None and name != NONE for name in known], dtype=bool)
        found: dict[int, tuple[str, ...]] = {}
        for row in np.flatnonzero(divided[form.ids]).tolist():
            type_ = int(form.ids[row])
            if words := expanded(known[type_] or NONE, form.strings[type_]):
                found[row] = words
        asked = np.flatnonzero(open_[form.ids])
        if len(asked):
            found.update(self._chosen(form, offsets, asked))
        return found

    def _known(self, token: str) -> str | None:
        """The only class of a token; None if a model has to choose one."""
        counts = self._counts(token)
        if counts is None:
            return NONE if not any(c.isalpha() for c in token) else None
        return next(iter(counts)) if len(counts) == 1 and sum(counts.values()) >= _OFTEN else None

    def _chosen(
        self, form: Column, offsets: NDArray[np.int64], rows: NDArray[np.int64]
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The words of tokens whose class the model has to choose, where there are several."""
        model = self.model
        assert model is not None
        around, places, ends = _neighbourhood(rows, offsets)
        columns = _columns(Column(form.ids[around], form.strings), ends, self.vocabulary)
        if self.stems is not None:
            columns = self.stems.annotate(columns, columns.column("form"))
        given = model.encode(columns)
        assert isinstance(given, TokenScores)
        names = model.structure.labels
        scores = given.unary.reshape(len(around), -1)[places, : len(names)]
        self._doubt(scores)
        best = scores[:, self._fitting].argmax(axis=1)
        types = form.ids[rows].tolist()
        counts_of = {k: self._counts(form.strings[k]) for k in set(types)}
        single = (best == self._fitting.index(self._index[NONE])).tolist()
        for k, (row, type_) in enumerate(zip(rows.tolist(), types)):
            counts = counts_of[type_]
            if counts is None and single[k]:
                continue
            token = form.strings[type_]
            if counts is None:
                order: Iterable[int] = (self._fitting[best[k]],)
            elif sum(counts.values()) >= _OFTEN:
                order = self._ordered(scores[k], [self._index[name] for name in counts])
            else:
                order = self._ordered(scores[k], {*self._fitting, *(self._index[name] for name in counts)})
            found = self._first_fitting(order, token)
            if found is None and counts is None:  # the best does not fit
                found = self._first_fitting(self._ordered(scores[k], self._fitting), token)
            if found:
                yield row, found

    def _counts(self, token: str) -> Mapping[str, int] | None:
        """How often a token had each class; None if it was never seen."""
        found = self.seen.get(token)
        return self.seen.get(token.lower()) if found is None else found

    def _doubt(self, scores: NDArray[np.float32]) -> None:
        """Take the class of one word out where all others together are more probable."""
        fitting = scores[:, self._fitting].astype(np.float64)
        likely = np.exp(fitting - fitting.max(axis=1, keepdims=True))
        none = self._index[NONE]
        rate = likely[:, self._fitting.index(none)] / likely.sum(axis=1)
        scores[rate < _EVEN, none] = -np.inf

    def _first_fitting(self, classes: Iterable[int], token: str) -> tuple[str, ...] | None:
        """The words of the first class that fits; () if that is the class of one word, None if none fits."""
        assert self.model is not None
        if self._edges is None:
            found: dict[str, set[tuple[str, str]]] = defaultdict(set)
            for one, counts in self.seen.items():
                for name in counts:
                    if has_stem(name) and expanded(name, one) is not None:
                        found[name].add(edges(name, one))
            self._edges = found
        for k in classes:
            name = self.model.structure.labels[k]
            if name == NONE:
                return ()
            words = expanded(name, token)
            if words is not None and (not has_stem(name) or edges(name, token) in self._edges.get(name, ())):
                return words
        return None

    @staticmethod
    def _ordered(values: NDArray[np.float32], classes: Iterable[int]) -> Iterator[int]:
        """Classes by their scores, the best first."""
        chosen = np.array(sorted(classes), dtype=np.int64)
        yield int(chosen[values[chosen].argmax()])  # it is mostly the one that fits
        yield from chosen[np.argsort(-values[chosen], kind="stable")][1:].tolist()


def _neighbourhood(
    rows: NDArray[np.int64], offsets: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Some rows with those beside them, as the templates look at them: rows, the places of the first ones among
    them, and offsets of their runs. A run ends where its sentence ends, or where a row is left out.
    """
    n = int(offsets[-1])
    wanted = np.zeros(n + 2, dtype=bool)
    for distance in (0, 1, 2):
        wanted[rows + distance] = True
    begins = np.zeros(n + 1, dtype=bool)
    begins[offsets] = True
    around = np.flatnonzero(wanted[1:-1])
    starts = np.append(True, (np.diff(around) > 1) | begins[around[1:]])
    ends = np.append(np.flatnonzero(starts), len(around)).astype(np.int64)
    return around, np.searchsorted(around, rows), ends


def _columns(form: Column, offsets: NDArray[np.int64], vocabulary: Mapping[str, int]) -> Corpus:
    """Tokens with the beginnings and ends that may be cut off, so that a word is left that was seen."""
    used, ids = np.unique(form.ids, return_inverse=True)
    tokens = Column(ids.reshape(-1).astype(np.int32), [form.strings[k] for k in used.tolist()])
    rows = [_affixes(token.lower(), vocabulary, ()) for token in tokens.strings]
    columns = {name: mapped(tokens, values) for name, values in zip(_NAMES, zip(*rows))}
    return Corpus({"form": tokens, **columns}, offsets)


def _training_columns(
    tokens: Sequence[str],
    offsets: NDArray[np.int64],
    vocabulary: Mapping[str, int],
    words: Sequence[tuple[str, ...] | None],
) -> Corpus:
    """The same for tokens whose words do not count for themselves, as they would not for a new token."""
    rows = [
        _affixes(token.lower(), vocabulary, tuple(map(str.lower, own or (token,))))
        for token, own in zip(tokens, words, strict=True)
    ]
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
