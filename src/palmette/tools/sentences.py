"""What may stand for sentences and for their labels, made into one form.

Sentences: a `Corpus`; the path of a CoNLL-U or column file; a list or another iterable of a corpus' sentences, of
lists of words, of lists of tuples of strings (word, tag, …), of lists of mappings or of lists of strings, one for
every token, as in sklearn-crfsuite, or of matrices. Labels: for every token a string, None where it is not known,
or a set of those it may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.errors import FormatError, numbered
from palmette.features import FeatureMap, Instances, MappingMap, MatrixMap, Templates
from palmette.features.saving import AnyMap
from palmette.features.word_classes import WordClasses
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.files import Source, display_name, read_bytes
from palmette.formats.given import existing, is_path, listed_labels, listed_rows
from palmette.formats.guess import guess_format
from palmette.formats.listed_corpus import of_views
from palmette.formats.registry import format_of_name

Sentences = Corpus | Source | Iterable[Any]  # what callers give
Listed = Corpus | Sequence[Any]  # the same after `given_sentences`
Labels = Iterable[Iterable[Any]]  # of sentences, as callers give them
UNKNOWN = -1


def given_sentences(X: Sentences) -> Listed:
    """Return the sentences as a corpus or as a sequence, which can be looped over again.

    TypeError for what is not many sentences; FormatError for a file that cannot be read as tokens.
    """
    if isinstance(X, Corpus):
        return X
    if is_path(X):
        return _read_tokens(existing(X, "sentences are lists of words"))
    rows = listed_rows(X, "Sentences")
    return of_views(rows) or rows


def given_pair(dev: Any) -> tuple[Listed, Sequence[Any] | None]:
    """Return a dev set, which is sentences or a pair of sentences and labels, as such a pair."""
    X, y = dev if isinstance(dev, tuple) else (dev, None)
    return given_sentences(X), listed_labels(y)


def as_corpus(sentences: Listed) -> Corpus | None:
    """The sentences as a corpus, or None if their tokens bring their own features."""
    if isinstance(sentences, Corpus):
        return sentences
    token = next(
        (token for sentence in sentences if not _is_matrix(sentence) for token in _tokens(sentence)), None
    )
    if token is None:
        return None if any(_is_matrix(sentence) for sentence in sentences) else _of_words(sentences)
    if isinstance(token, str):
        return _of_words(sentences)
    if isinstance(token, tuple) and all(isinstance(part, str) for part in token):
        names = ("form", *(f"column{k + 1}" for k in range(1, len(token))))
        return Corpus.from_sentences(sentences, names)
    return None


def fit_features(
    sentences: Listed, templates: Templates, *, min_count: int, hash_bits: int | None
) -> tuple[AnyMap, Instances]:
    """The map of features of training sentences, and their instances."""
    corpus = as_corpus(sentences)
    if corpus is not None:
        return FeatureMap.fit(templates, corpus, min_count=min_count, hash_bits=hash_bits)
    if any(_is_matrix(sentence) for sentence in sentences):
        return MatrixMap.fit(sentences)
    return MappingMap.fit(sentences, min_count=min_count, hash_bits=hash_bits)


def transform(features: AnyMap, sentences: Listed) -> Instances:
    """Sentences in the features of a map; ValueError if they are not of the kind that it was made from."""
    corpus = as_corpus(sentences)
    if isinstance(features, (FeatureMap, WordClasses)):
        if corpus is None:
            raise ValueError("This model was trained on words: give it words, not features.")
        return features.transform(corpus)
    if isinstance(sentences, Corpus) or (corpus is not None and corpus.n_words):
        raise ValueError("This model was trained on tokens with their own features: give it such, not words.")
    return features.transform(sentences)


@dataclass(frozen=True, eq=False)
class Gold:
    """Labels of all tokens in one row: ids into `strings`, -1 where not known; sets of what may be there."""

    ids: NDArray[np.int32]
    strings: Sequence[str]
    offsets: NDArray[np.int64]
    sets: tuple[tuple[int, tuple[str, ...]], ...] = ()

    @classmethod
    def of_corpus(cls, corpus: Corpus, column: str, unknown: str | None = None) -> Gold:
        """The labels of a column; the string `unknown` stands for none."""
        found = corpus.column(column)
        ids = found.ids
        if unknown is not None and unknown in found.strings:
            ids = np.where(ids == list(found.strings).index(unknown), np.int32(UNKNOWN), ids)
        return cls(ids, found.strings, corpus.offsets)

    @classmethod
    def of_lists(cls, y: Iterable[Iterable[Any]]) -> Gold:
        """Labels given as lists: a string, None, or a set of strings for every token."""
        known: dict[str, int] = {}
        ids: list[int] = []
        lengths: list[int] = []
        sets: list[tuple[int, tuple[str, ...]]] = []
        for sentence in y:
            before = len(ids)
            for label in sentence:
                if isinstance(label, str):
                    ids.append(known.setdefault(label, len(known)))
                    continue
                if label is not None:
                    sets.append((len(ids), _choices(label)))
                ids.append(UNKNOWN)
            lengths.append(len(ids) - before)
        for _, choices in sets:
            for choice in choices:
                known.setdefault(choice, len(known))
        offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
        return cls(np.array(ids, dtype=np.int32), list(known), offsets, tuple(sets))

    @property
    def labels(self) -> list[str]:
        """The labels that occur, in the order in which they first do."""
        used, first = np.unique(self.ids[self.ids >= 0], return_index=True)
        found = dict.fromkeys(self.strings[k] for k in used[np.argsort(first, kind="stable")].tolist())
        return list(found | dict.fromkeys(choice for _, choices in self.sets for choice in choices))

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which tokens have a label, be it one that the model has never seen."""
        return self.ids >= 0

    def check(self, offsets: NDArray[np.int64]) -> None:
        """Raise ValueError where sentences have another number of labels than tokens."""
        if len(self.offsets) != len(offsets):
            raise ValueError(
                f"There are {len(offsets) - 1} sentences and labels for {len(self.offsets) - 1}."
            )
        wrong = np.flatnonzero(np.diff(self.offsets) != np.diff(offsets))
        if len(wrong):
            i = int(wrong[0])
            tokens, labels = int(np.diff(offsets)[i]), int(np.diff(self.offsets)[i])
            raise ValueError(f"{numbered(i, 'Sentence')} has {tokens} tokens and {labels} labels.")

    def as_ids(self, labels: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.bool_] | None]:
        """Ids among `labels`, -1 for others; and what the tokens with sets may be, if there are such."""
        place = {label: k for k, label in enumerate(labels)}
        table = np.array([*(place.get(string, UNKNOWN) for string in self.strings), UNKNOWN], dtype=np.int32)
        ids = np.ascontiguousarray(table[self.ids])  # -1 takes the last entry
        if not self.sets:
            return ids, None
        return ids, self._allowed_sets(ids, place)

    def allowed(self, labels: Sequence[str]) -> NDArray[np.bool_]:
        """Which of `labels` may be at every token: the known one, those of its set, or any."""
        unknown = [label for label in self.labels if label not in labels]
        if unknown:
            raise ValueError(f"The model has no label {unknown[0]!r}: it has {', '.join(labels)}.")
        ids, sets = self.as_ids(labels)
        allowed = np.ones((len(ids), len(labels)), dtype=bool) if sets is None else sets
        certain = np.flatnonzero(ids >= 0)
        allowed[certain] = False
        allowed[certain, ids[certain]] = True
        return allowed

    def _allowed_sets(self, ids: NDArray[np.int32], place: Mapping[str, int]) -> NDArray[np.bool_]:
        labels = list(place)
        allowed = np.ones((len(ids), len(labels)), dtype=bool)
        for t, choices in self.sets:
            here = [place[choice] for choice in choices if choice in place]
            if not here:
                raise ValueError(f"Token {t} may have none of the labels {', '.join(labels)}.")
            allowed[t] = False
            allowed[t, here] = True
        return allowed


def _choices(label: Any) -> tuple[str, ...]:
    if (
        isinstance(label, (set, frozenset, list, tuple))
        and label
        and all(isinstance(one, str) for one in label)
    ):
        return tuple(sorted(label))
    raise TypeError(f"A label must be a string, None, or a set of strings. Got {label!r}.")


def _read_tokens(path: Source) -> Corpus:
    data, name = read_bytes(path), display_name(path)
    format = format_of_name(path) or guess_format(data)
    if format is None:
        raise FormatError(
            "neither CoNLL-U nor columns: read_columns reads a file with other names", path=name
        )
    if format.holds != "tokens":
        raise FormatError(
            f"holds trees ({format.name}), and tokens in CoNLL-U or columns are needed", path=name
        )
    corpus = format.parse(data, path=name)
    assert isinstance(corpus, Corpus)
    return corpus


def _of_words(sentences: Sequence[Any]) -> Corpus:
    # What `Corpus.from_columns` does, for one column: half of the time of tagging lists of words went there.
    listed: list[Sequence[str]] = [s if isinstance(s, (list, tuple)) else list(_tokens(s)) for s in sentences]
    ids, strings, offsets = _native.intern_words(listed)
    return Corpus({"form": Column(ids, strings)}, offsets)


def _tokens(sentence: Any) -> Iterable[Any]:
    if isinstance(sentence, str):
        raise TypeError(f"A sentence must be a list of tokens. Got the string {sentence!r} instead.")
    return sentence if isinstance(sentence, Iterable) else ()


def _is_matrix(sentence: Any) -> bool:
    return hasattr(sentence, "shape") and len(sentence.shape) == 2
