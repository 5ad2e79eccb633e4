"""What may stand for sentences and for their labels, made into one form.

Sentences: a `Corpus`; lists of words; lists of tuples of strings (word, tag, …); lists of mappings or of lists of
strings, one for every token, as in sklearn-crfsuite; one matrix per sentence. Labels: for every token a string,
None where it is not known, or a set of those it may be.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.features import FeatureMap, Instances, MappingMap, MatrixMap, Templates
from palmette.features.saving import AnyMap
from palmette.formats.corpus import Corpus
from palmette.tools.sequence_model import UNKNOWN

Sentences = Corpus | Sequence[Any]


def as_corpus(sentences: Sentences) -> Corpus | None:
    """The sentences as a corpus, or None if their tokens bring their own features."""
    if isinstance(sentences, Corpus):
        return sentences
    if isinstance(sentences, (str, bytes, Mapping)):
        raise TypeError(f"Sentences must be a list of sentences. Got {type(sentences).__name__}.")
    token = next((token for sentence in sentences if not _is_matrix(sentence) for token in _tokens(sentence)), None)
    if token is None:
        return None if any(_is_matrix(sentence) for sentence in sentences) else _of_words(sentences)
    if isinstance(token, str):
        return _of_words(sentences)
    if isinstance(token, tuple) and all(isinstance(part, str) for part in token):
        names = ("form", *(f"column{k + 1}" for k in range(1, len(token))))
        return Corpus.from_sentences(sentences, names)
    return None


def fit_features(
    sentences: Sentences, templates: Templates, *, min_count: int, hash_bits: int | None
) -> tuple[AnyMap, Instances]:
    """The map of features of training sentences, and their instances."""
    corpus = as_corpus(sentences)
    if corpus is not None:
        return FeatureMap.fit(templates, corpus, min_count=min_count, hash_bits=hash_bits)
    if any(_is_matrix(sentence) for sentence in sentences):
        return MatrixMap.fit(sentences)
    return MappingMap.fit(sentences, min_count=min_count, hash_bits=hash_bits)


def transform(features: AnyMap, sentences: Sentences) -> Instances:
    """Sentences in the features of a map; ValueError if they are not of the kind that it was made from."""
    corpus = as_corpus(sentences)
    if isinstance(features, FeatureMap):
        if corpus is None:
            raise ValueError("This model was trained on words by templates: give it words, not features.")
        return features.transform(corpus)
    if isinstance(sentences, Corpus) or (corpus is not None and corpus.n_words):
        raise ValueError("This model was trained on tokens with their own features: give it such, not words.")
    return features.transform(sentences)


@dataclass(frozen=True)
class GivenLabels:
    """Labels of all tokens in one row: ids, -1 where not known, and what may stand there."""

    ids: NDArray[np.int32]
    allowed: NDArray[np.bool_] | None


def collect_labels(y: Iterable[Iterable[Any]]) -> list[str]:
    """The labels that occur, in the order in which they first do."""
    found: dict[str, None] = {}
    for sentence in y:
        for label in sentence:
            for one in _choices(label):
                found.setdefault(one)
    return list(found)


def given_labels(y: Iterable[Iterable[Any]], offsets: NDArray[np.int64], labels: Sequence[str]) -> GivenLabels:
    """The labels as ids; ValueError where a sentence has another number of labels than tokens."""
    known = {label: k for k, label in enumerate(labels)}
    listed = [list(sentence) for sentence in y]
    lengths = np.diff(offsets)
    if len(listed) != len(lengths):
        raise ValueError(f"There are {len(lengths)} sentences and labels for {len(listed)}.")
    ids = np.full(int(offsets[-1]), UNKNOWN, dtype=np.int32)
    sets: list[tuple[int, list[int]]] = []
    for i, (sentence, length) in enumerate(zip(listed, lengths.tolist())):
        if len(sentence) != length:
            raise ValueError(f"Sentence {i} has {length} tokens and {len(sentence)} labels.")
        for t, label in enumerate(sentence, start=int(offsets[i])):
            if isinstance(label, str):
                ids[t] = known.get(label, UNKNOWN)
            elif label is not None:
                sets.append((t, [known[one] for one in _choices(label) if one in known]))
    if not sets:
        return GivenLabels(ids, None)
    allowed = np.ones((len(ids), len(labels)), dtype=bool)
    for t, choices in sets:
        if not choices:
            raise ValueError(f"Token {t} may have none of the labels {', '.join(labels)}.")
        allowed[t] = False
        allowed[t, choices] = True
    return GivenLabels(ids, allowed)


def _choices(label: Any) -> Iterable[str]:
    if label is None:
        return ()
    if isinstance(label, str):
        return (label,)
    if isinstance(label, (set, frozenset, list, tuple)) and all(isinstance(one, str) for one in label):
        return sorted(label)
    raise TypeError(f"A label must be a string, None, or a set of strings. Got {label!r}.")


def _of_words(sentences: Sequence[Any]) -> Corpus:
    return Corpus.from_columns({"form": sentences})


def _tokens(sentence: Any) -> Iterable[Any]:
    if isinstance(sentence, str):
        raise TypeError(f"A sentence must be a list of tokens. Got the string {sentence!r} instead.")
    return sentence if isinstance(sentence, Iterable) else ()


def _is_matrix(sentence: Any) -> bool:
    return hasattr(sentence, "shape") and len(sentence.shape) == 2
