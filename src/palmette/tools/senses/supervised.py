"""Senses by one linear classifier for every word, from occurrences whose senses are known (Zhong and Ng 2010).

The features are those of both views (`occurrences`). Where the inventory has definitions, each is an example
more of its sense. A word without examples gets its first sense; a word with one sense in all examples gets that.

Small weights are left out: their squares sum to a twentieth of all. Features are known by their hashes.

arrays    keys: the hashes of all features, in rising order; rows [words + 1]: where the features of a word begin;
          ids.gaps: the features of the words, see `_gaps`; columns [words + 1]: where the senses of a word begin;
          weights.*: those of all senses of a word, row after row (`packed_weights`)
strings   words: lemma, tab, part of speech; senses
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from palmette.features.candidate_features import key_of
from palmette.formats.model import ModelFile
from palmette.learning.loglinear import CRF
from palmette.learning.svm import StructuredSVM
from palmette.parameters import option
from palmette.tools.classification.families import model_class
from palmette.tools.classification.linear_model import LinearModel
from palmette.tools.classification.model import ClassExamples, ClassModel
from palmette.tools.packed_rows import SMALL, smallest_kept
from palmette.tools.packed_weights import pack_weights, require_size, unpack_weights
from palmette.tools.senses.inventory import Inventory, Word
from palmette.tools.senses.model import KIND, Reals, SenseModel, SenseOptions, ranks
from palmette.tools.senses.occurrences import STOP_WORDS, Occurrence
from palmette.tools.senses.task import Task

LEARNERS = (StructuredSVM(l2=2.0), CRF(l2=0.5, method="lbfgs", n_iter=50))
_BIAS = "bias"
_WORD = re.compile(r"[^\W\d_]+")
_DROPPED = 0.05  # of the squares of all weights
_SKIP = 65_535


_key = lru_cache(1 << 18)(key_of)


@dataclass(frozen=True, kw_only=True)
class SupervisedOptions(SenseOptions):
    """How classifiers of words are trained."""

    definitions: float = option(
        1.0, "weight of a definition as an example of its sense; 0: none", low=0, fixed=True
    )


@dataclass(frozen=True, eq=False)
class WordModel:
    """The weights of a word: [features, senses]; no features where one sense is all that was seen.

    keys: the hashes of the features, in rising order.
    """

    senses: list[str]
    keys: NDArray[np.uint64]
    weights: NDArray[np.float32]

    def rows(self, names: Iterable[str]) -> list[tuple[str, int]]:
        """Return the features of these names that have weights, with their rows."""
        given = list(names)
        wanted = np.array([_key(name) for name in given], dtype=np.uint64)
        places = np.searchsorted(self.keys, wanted)
        return [
            (name, at)
            for name, key, at in zip(given, wanted.tolist(), places.tolist())
            if at < len(self.keys) and int(self.keys[at]) == key
        ]


class SupervisedModel(SenseModel):
    """Linear classifiers by word."""

    method = "supervised"

    def __init__(self, words: dict[Word, WordModel], options: SupervisedOptions) -> None:
        self.words, self.options = words, options

    def scores(self, occurrences: Sequence[Occurrence], inventory: Inventory) -> list[Reals]:
        return [self._scores(occurrence) for occurrence in occurrences]

    def _scores(self, occurrence: Occurrence) -> Reals:
        model = self.words.get(occurrence.word)
        if model is None:
            return ranks(occurrence)
        rows = sorted(at for _, at in model.rows((_BIAS, *occurrence.features)))
        known = dict(zip(model.senses, model.weights[rows].sum(axis=0, dtype=np.float64).tolist()))
        least = min(known.values()) - 1
        return np.array([known.get(sense, least - i) for i, sense in enumerate(occurrence.senses)])

    def reasons(
        self, occurrence: Occurrence, inventory: Inventory, chosen: str, rival: str
    ) -> Mapping[str, float]:
        model = self.words.get(occurrence.word)
        if model is None or chosen not in model.senses or rival not in model.senses:
            return {}
        one, two = model.senses.index(chosen), model.senses.index(rival)
        return {
            name: float(row[one]) - float(row[two])
            for name, at in model.rows((_BIAS, *sorted(occurrence.features)))
            for row in [model.weights[at]]
        }

    def facts(self) -> dict[str, Any]:
        return {
            "words": len(self.words),
            "weights": int(sum(model.weights.size for model in self.words.values())),
        }

    def to_file(self, options: Mapping[str, Any], fingerprint: str) -> ModelFile:
        order = sorted(self.words)
        found = [self.words[word] for word in order]
        keys = np.unique(np.concatenate([np.zeros(0, np.uint64), *(model.keys for model in found)]))
        weights = np.concatenate([np.zeros(0, np.float32), *(model.weights.ravel() for model in found)])
        arrays: dict[str, Any] = {
            "keys": keys,
            "rows": np.cumsum([0, *(len(model.keys) for model in found)]).astype(np.int64),
            "columns": np.cumsum([0, *(len(model.senses) for model in found)]).astype(np.int64),
            "ids.gaps": _gaps([np.searchsorted(keys, model.keys) for model in found]),
            **pack_weights("weights", weights, compact=False),
        }
        strings = {
            "words": ["\t".join(word) for word in order],
            "senses": [sense for model in found for sense in model.senses],
        }
        return ModelFile(KIND, {**options, "own": self.options.to_dict()}, arrays, strings, fingerprint)

    @classmethod
    def of_file(cls, file: ModelFile, options: SenseOptions) -> Self:
        order, senses = (list(file.table(name)) for name in ("words", "senses"))
        keys = file.array("keys", np.uint64, [None])
        if (keys[1:] <= keys[:-1]).any():
            raise ValueError("its features do not rise")
        gaps = file.array("ids.gaps", np.uint16, [None])
        n_rows = int(np.count_nonzero(gaps != _SKIP))
        rows = file.boundaries("rows", np.int64, n_rows, len(order)).tolist()
        ids = _places(gaps, rows)
        if len(ids) and int(ids.max()) >= len(keys):
            raise ValueError("a word has a feature that the model does not have")
        columns = file.boundaries("columns", np.int64, len(senses), len(order)).tolist()
        sizes = np.diff(rows) * np.diff(columns)
        require_size(int(sizes.sum()))
        weights = unpack_weights(file.arrays, "weights", int(sizes.sum()))
        begin = np.concatenate([[0], np.cumsum(sizes)]).tolist()
        words: dict[Word, WordModel] = {}
        for i, name in enumerate(order):
            lemma, tab, pos = name.partition("\t")
            own = senses[columns[i] : columns[i + 1]]
            if not tab or not own:
                raise ValueError(f"the word {name!r} is not described well")
            table = weights[begin[i] : begin[i + 1]].reshape(rows[i + 1] - rows[i], len(own))
            words[lemma, pos] = WordModel(own, keys[ids[rows[i] : rows[i + 1]]], table)
        assert isinstance(options, SupervisedOptions)
        return cls(words, options)


def train_supervised(task: Task) -> SupervisedModel:
    """Train a classifier for every word of the occurrences whose sense is known."""
    options, inventory = task.options, task.inventory
    by_word: defaultdict[Word, list[tuple[frozenset[str], str]]] = defaultdict(list)
    for occurrence, sense in zip(*task.labelled()):
        by_word[occurrence.word].append((occurrence.features, sense))
    words: dict[Word, WordModel] = {}
    for word in sorted(by_word):
        examples = by_word[word]
        weights = [1.0] * len(examples)
        if options.definitions:
            for sense in inventory.senses(word):
                text = inventory.definition(sense)
                if text:
                    examples.append((definition_features(text, inventory), sense))
                    weights.append(options.definitions)
        words[word] = _word_model(examples, weights, task.learner)
    return SupervisedModel(_compact(words), options)


def _compact(words: Mapping[Word, WordModel]) -> dict[Word, WordModel]:
    """Return the words without small weights, the others rounded as files hold them."""
    weights = np.concatenate([np.zeros(0, np.float32), *(model.weights.ravel() for model in words.values())])
    if np.count_nonzero(weights) > SMALL:
        weights[np.abs(weights) < smallest_kept(weights, _DROPPED)] = 0
    weights = unpack_weights(pack_weights("w", weights, compact=True), "w", len(weights))
    found: dict[Word, WordModel] = {}
    at = 0
    for word, model in words.items():
        table = weights[at : at + model.weights.size].reshape(model.weights.shape)
        at += model.weights.size
        kept = table.any(axis=1)
        found[word] = WordModel(model.senses, model.keys[kept], table[kept])
    return found


def _gaps(ids: Sequence[NDArray[np.int64]]) -> NDArray[np.uint16]:
    """Return rising numbers of every word as the steps between them, from −1; 65,535 is a longer step begun."""
    steps = np.concatenate([np.zeros(0, np.int64), *(np.diff(own, prepend=-1) - 1 for own in ids)])
    skips = steps // _SKIP
    found = np.full(len(steps) + int(skips.sum()), _SKIP, dtype=np.uint16)
    found[np.cumsum(skips + 1) - 1] = steps % _SKIP
    return found


def _places(gaps: NDArray[np.uint16], rows: Sequence[int]) -> NDArray[np.int64]:
    """Return the numbers of all words from the steps between them; rows: where words begin."""
    last = np.flatnonzero(gaps != _SKIP)
    if len(gaps) and (not len(last) or int(last[-1]) != len(gaps) - 1):
        raise ValueError("the last step between features has no end")
    ends = np.cumsum(gaps, dtype=np.int64)[last] + np.arange(1, len(last) + 1)  # since the first word
    before = np.concatenate([[0], ends])[list(rows[:-1])]
    found: NDArray[np.int64] = ends - 1 - np.repeat(before, np.diff(rows))
    return found


def definition_features(text: str, inventory: Inventory) -> frozenset[str]:
    """Return the words of a definition as features of the topic."""
    found = [word.lower() for word in _WORD.findall(text)]
    return frozenset(f"near {any_lemma(word, inventory)}" for word in found if word not in STOP_WORDS)


def any_lemma(word: str, inventory: Inventory) -> str:
    """Return the lemma of a word whose part of speech is not known: of a noun before that of a verb."""
    noun = inventory.lemma(word, "n")
    return noun if noun != word or inventory.senses((word, "n")) else inventory.lemma(word, "v")


def _word_model(
    examples: Sequence[tuple[frozenset[str], str]], weights: Sequence[float], learner: Any
) -> WordModel:
    senses = sorted({sense for _, sense in examples})
    if len(senses) == 1:
        return WordModel(senses, np.zeros(0, np.uint64), np.zeros((0, 1), np.float32))
    inside, classes = trained(
        [features for features, _ in examples], [sense for _, sense in examples], learner, weights
    )
    assert isinstance(inside, LinearModel)
    names = inside.model.features.names()
    table = inside.model.rows_of(np.arange(len(names), dtype=np.int32)).astype(np.float64)
    table -= table.mean(axis=1, keepdims=True)
    keys = np.array([_key(name) for name in names], dtype=np.uint64)
    order = np.argsort(keys)
    return WordModel(classes, keys[order], table[order].astype(np.float32))


def trained(
    rows: Sequence[frozenset[str]],
    senses: Sequence[str],
    learner: Any,
    weights: Sequence[float] | None = None,
) -> tuple[ClassModel, list[str]]:
    """Return a classifier of one word, and its senses in their order. It does not report its passes."""
    classes = sorted(set(senses))
    ids = np.array([classes.index(sense) for sense in senses], dtype=np.int32)
    given = np.array(weights) if weights is not None and "sample_weight" in learner.takes else None
    examples = ClassExamples([item_of(row) for row in rows], ids, len(classes), given)
    return model_class(learner.family).train(learner, examples).model, classes


def item_of(features: frozenset[str]) -> dict[str, float]:
    """Return features as an item of a classifier; in an order, for sums of floats have one."""
    return dict.fromkeys(sorted(features), 1.0)
