"""Senses by one linear classifier for every word, from occurrences whose senses are known (Zhong and Ng 2010).

The features are those of both views (`occurrences`). Where the inventory has definitions, each is an example
more of its sense. A word without examples gets its first sense; a word with one sense in all examples gets that.

arrays    rows [words + 1]: where the features of a word begin; ids: the feature of each row; weights: those of all
          senses of a word, row after row; columns [words + 1]: where its senses begin
strings   features; words: lemma, tab, part of speech; senses
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from palmette.formats.model import ModelFile
from palmette.learning.loglinear import CRF
from palmette.learning.svm import StructuredSVM
from palmette.parameters import option
from palmette.tools.classification.families import model_class
from palmette.tools.classification.linear_model import LinearModel
from palmette.tools.classification.model import ClassExamples, ClassModel
from palmette.tools.senses.inventory import Inventory, Word
from palmette.tools.senses.model import KIND, Reals, SenseModel, SenseOptions, ranks
from palmette.tools.senses.occurrences import STOP_WORDS, Occurrence
from palmette.tools.senses.task import Task

LEARNERS = (StructuredSVM(l2=2.0), CRF(l2=0.5, method="lbfgs", n_iter=50))
_BIAS = "bias"
_WORD = re.compile(r"[^\W\d_]+")
_NEGLIGIBLE = 1e-4


@dataclass(frozen=True, kw_only=True)
class SupervisedOptions(SenseOptions):
    """How classifiers of words are trained."""

    definitions: float = option(
        1.0, "weight of a definition as an example of its sense; 0: none", low=0, fixed=True
    )


@dataclass(frozen=True, eq=False)
class WordModel:
    """The weights of a word: [features, senses]; no features where one sense is all that was seen."""

    senses: list[str]
    features: dict[str, int]
    weights: Reals


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
        rows = [model.features[name] for name in (_BIAS, *occurrence.features) if name in model.features]
        known = dict(
            zip(model.senses, model.weights[rows].sum(axis=0).tolist() if rows else [0.0] * len(model.senses))
        )
        least = min(known.values()) - 1
        return np.array([known.get(sense, least - i) for i, sense in enumerate(occurrence.senses)])

    def reasons(
        self, occurrence: Occurrence, inventory: Inventory, chosen: str, rival: str
    ) -> Mapping[str, float]:
        model = self.words.get(occurrence.word)
        if model is None or chosen not in model.senses or rival not in model.senses:
            return {}
        one, two = model.senses.index(chosen), model.senses.index(rival)
        names = [name for name in (_BIAS, *sorted(occurrence.features)) if name in model.features]
        return {
            name: float(row[one] - row[two])
            for name in names
            for row in [model.weights[model.features[name]]]
        }

    def facts(self) -> dict[str, Any]:
        return {
            "words": len(self.words),
            "weights": int(sum(model.weights.size for model in self.words.values())),
        }

    def to_file(self, options: Mapping[str, Any], fingerprint: str) -> ModelFile:
        names = sorted({name for model in self.words.values() for name in model.features})
        place = {name: i for i, name in enumerate(names)}
        order = sorted(self.words)
        found = [self.words[word] for word in order]
        arrays: dict[str, Any] = {
            "rows": np.cumsum([0, *(len(model.features) for model in found)]).astype(np.int64),
            "columns": np.cumsum([0, *(len(model.senses) for model in found)]).astype(np.int64),
            "ids": np.array([place[name] for model in found for name in model.features], dtype=np.int32),
            "weights": np.concatenate([np.zeros(0), *(model.weights.ravel() for model in found)]).astype(
                np.float32
            ),
        }
        strings = {
            "features": names,
            "words": ["\t".join(word) for word in order],
            "senses": [sense for model in found for sense in model.senses],
        }
        return ModelFile(KIND, {**options, "own": self.options.to_dict()}, arrays, strings, fingerprint)

    @classmethod
    def of_file(cls, file: ModelFile, options: SenseOptions) -> Self:
        names, order, senses = (list(file.table(name)) for name in ("features", "words", "senses"))
        ids = file.indices("ids", np.int32, [None], max(len(names), 1))
        rows = file.boundaries("rows", np.int64, len(ids), len(order)).tolist()
        columns = file.boundaries("columns", np.int64, len(senses), len(order)).tolist()
        weights = file.array("weights", np.float32, [None])
        if not np.isfinite(weights).all():
            raise ValueError("its weights are not finite")
        words: dict[Word, WordModel] = {}
        at = 0
        for i, name in enumerate(order):
            lemma, tab, pos = name.partition("\t")
            own = senses[columns[i] : columns[i + 1]]
            n = (rows[i + 1] - rows[i]) * len(own)
            if not tab or not own or at + n > len(weights):
                raise ValueError(f"the word {name!r} is not described well")
            table = weights[at : at + n].astype(np.float64).reshape(-1, len(own))
            features = {names[f]: r for r, f in enumerate(ids[rows[i] : rows[i + 1]].tolist())}
            words[lemma, pos] = WordModel(own, features, table)
            at += n
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
    return SupervisedModel(words, options)


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
        return WordModel(senses, {}, np.zeros((0, 1)))
    inside, classes = trained(
        [features for features, _ in examples], [sense for _, sense in examples], learner, weights
    )
    assert isinstance(inside, LinearModel)
    names = inside.model.features.names()
    table = inside.model.rows_of(np.arange(len(names), dtype=np.int32)).astype(np.float64)
    table -= table.mean(axis=1, keepdims=True)
    kept = [i for i in range(len(names)) if np.abs(table[i]).max() > _NEGLIGIBLE]
    order = {names[i]: r for r, i in enumerate(kept)}
    return WordModel(classes, order, table[kept])


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
