"""Linear classifiers: any learner of sequences, on sentences of one token that has no neighbours (an order-0
chain).

Items are mappings {name: number or string}, sets of names, strings (their words), rows of numbers, or tuples
of such parts; in a tuple a string is a symbol, `2=of`, and the names of a part are behind its number,
`1:word`. A model refuses items of another form than those that it was trained on, in which it would know
nothing: their names would all be new to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from palmette.features.instances import Instances
from palmette.features.mappings import MappingMap
from palmette.formats.model import ModelFile
from palmette.learning.boosting import PairProblem
from palmette.learning.kernel_examples import plain_item
from palmette.learning.learner import Callback, Learner, Score
from palmette.learning.votes import votes_of
from palmette.tools.classification.model import KIND, ClassExamples, ClassModel, Reals, Reasons, Trained
from palmette.tools.sequence.file import load_sequence_model, sequence_model_file
from palmette.tools.sequence.model import SequenceModel, SequenceStructure, stride

BIAS = "bias"


class LinearModel(ClassModel):
    """w · Φ(x, y)."""

    method = "linear"

    def __init__(self, model: SequenceModel, forms: frozenset[str] | None = None) -> None:
        """forms: those of the items it was trained on (`form_of`); None takes items of any form."""
        self.model, self.n_classes, self.forms = model, len(model.structure.labels), forms

    @classmethod
    def train(cls, learner: Learner, examples: ClassExamples, callback: Callback | None = None) -> Trained:
        features, instances = MappingMap.fit([[attributes_of(item)] for item in examples.items])
        forms = frozenset(map(form_of, examples.items))
        labels = tuple(map(str, range(examples.n_classes)))
        structure = SequenceStructure(labels, 0, None, learner.local)
        weights = None if examples.weights is None else examples.weights.astype(np.float32)
        problem: Any
        if "pairs" in learner.needs:
            problem = class_pairs(instances, examples.labels, examples.n_classes, examples.weights)
        else:
            problem = structure.problem(instances, examples.labels, weights=weights)

        def made(weights: NDArray[np.float32]) -> LinearModel:
            return cls(SequenceModel(structure, features, weights), forms)

        dev = examples.dev
        score: Score | None = None if dev is None else lambda weights: dev(made(weights))
        learned = learner.learn(problem, dev=score, callback=callback)
        model = cls(replace(made(learned.weights).model, votes=votes_of(learned.extra)), forms)
        return Trained(model, learned.history, learned.interrupted)

    @property
    def noun(self) -> str:
        return "linear classifier"

    def scores(self, items: Sequence[Any], n_jobs: int) -> Reals:
        from scipy.sparse import csr_array

        found = self._instances(items)
        if self.model.votes is not None:
            return self.model.probabilities(found, n_jobs).astype(np.float64)
        n = len(found.attributes)
        values = np.ones(n) if found.values is None else found.values.astype(np.float64)
        used, places = np.unique(found.attributes, return_inverse=True)
        matrix = csr_array((values, places, found.rows), shape=(len(found.rows) - 1, len(used)))
        return np.asarray(matrix @ self.model.rows_of(used).astype(np.float64))

    @property
    def probabilities_from(self) -> str | None:
        return "scores" if self.model.votes is None else "votes"

    def probabilities(self, items: Sequence[Any], n_jobs: int) -> Reals:
        return self.model.probabilities(self._instances(items), n_jobs).astype(np.float64)

    def reasons(self, item: Any, label: int, other: int) -> Reasons:
        found = self._instances([item])
        values = np.ones(len(found.attributes)) if found.values is None else found.values.astype(np.float64)
        rows = self.model.rows_of(found.attributes).astype(np.float64)
        amounts = values * (rows[:, label] - rows[:, other])
        names = self.model.features.names(found.attributes)
        margin_of = "scores" if self.model.votes is None else "mean"
        return Reasons(float(amounts.sum()), dict(zip(names, amounts.tolist())), margin_of=margin_of)

    def facts(self) -> dict[str, Any]:
        return {
            "features": self.model.features.n_attributes,
            "weights": len(self.model.entries()[2]),
        }

    def to_file(self, options: Mapping[str, Any], fingerprint: str, *, compact: bool) -> ModelFile:
        own = {} if self.forms is None else {"items": sorted(self.forms)}
        return sequence_model_file(
            self.model,
            kind=KIND,
            options={**options, **own},
            arrays={},
            compact=compact,
            fingerprint=fingerprint,
        )

    @classmethod
    def of_file(cls, file: ModelFile, n_classes: int) -> Self:
        model = load_sequence_model(file)
        structure = model.structure
        if len(structure.labels) != n_classes or structure.order or structure.hidden != 1:
            raise file.damaged("it is not one of single labels")
        if not isinstance(model.features, MappingMap):
            raise file.damaged("its features are not named ones")
        forms = file.options.get("items")
        if forms is not None and not (isinstance(forms, list) and all(isinstance(one, str) for one in forms)):
            raise file.damaged("the form of its items is not described")
        return cls(model, None if forms is None else frozenset(map(str, forms)))

    def _instances(self, items: Sequence[Any]) -> Instances:
        assert isinstance(self.model.features, MappingMap)
        if self.forms is not None:
            refuse_other_forms(items, self.forms)
        return self.model.features.transform([[attributes_of(item)] for item in items])


def class_pairs(
    instances: Instances, labels: NDArray[np.int32], n_classes: int, weights: Reals | None = None
) -> PairProblem:
    """Return the right class of every item with every other one, in the layout of the weights of the model."""
    from scipy.sparse import csr_array

    n, width = len(instances), stride(n_classes)
    others = np.array([[z for z in range(n_classes) if z != y] for y in range(n_classes)], dtype=np.int64)
    sizes = np.diff(instances.rows)
    values = np.ones(len(instances.attributes)) if instances.values is None else instances.values
    owners = np.repeat(np.arange(n), sizes)
    at = instances.attributes.astype(np.int64) * width
    pairs, places, amounts = [], [], []
    for r in range(n_classes - 1):
        row = owners * (n_classes - 1) + r
        for classes, sign in ((labels, 1.0), (others[labels, r], -1.0)):
            pairs.append(row)
            places.append(at + classes[owners])
            amounts.append(sign * values)
    shape = (n * (n_classes - 1), instances.n_attributes * width)
    none = [np.zeros(0, dtype=np.int64)]
    table = csr_array(
        (
            np.concatenate([np.zeros(0), *amounts]),
            (np.concatenate(none + pairs), np.concatenate(none + places)),
        ),
        shape=shape,
    )
    own = np.ones(n) if weights is None else weights
    return PairProblem(table, np.repeat(own, n_classes - 1).astype(np.float64), n)


def attributes_of(item: Any) -> dict[str, float]:
    """The named values of an item, with a bias.

    >>> attributes_of(("of", {"red": 2.0}, 0.5))
    {'bias': 1.0, '0=of': 1.0, '1:red': 2.0, '2': 0.5}
    """
    found = {BIAS: 1.0}
    if isinstance(item, tuple):
        for i, part in enumerate(item):
            if isinstance(part, str):
                found[f"{i}={part}"] = 1.0
            elif isinstance(part, int | float | np.number):
                found[str(i)] = float(part)
            else:
                _add(found, part, f"{i}:")
    else:
        _add(found, item, "")
    return found


def form_of(item: Any) -> str:
    """Return what an item is made of; a model cannot read items of another form.

    >>> form_of({"red": 2.0}), form_of(("of", {"red": 2.0}, 0.5)), form_of([1.0, 2.0])
    ('named values', 'a tuple of symbol, named values, number', 'a row of 2 numbers')
    """
    if isinstance(item, tuple):
        return "a tuple of " + ", ".join(
            "symbol"
            if isinstance(part, str)
            else "number"
            if isinstance(part, int | float | np.number)
            else form_of(part)
            for part in item
        )
    if isinstance(item, str):
        return "a text"
    if hasattr(item, "tocsr"):
        return f"a row of {item.shape[-1]} numbers"
    if isinstance(item, Mapping | set | frozenset) or (
        isinstance(item, list) and item and isinstance(item[0], str)
    ):
        return "named values"
    if isinstance(item, list | np.ndarray):
        return f"a row of {len(item)} numbers"
    return f"a {type(item).__name__}"


def refuse_other_forms(items: Sequence[Any], forms: frozenset[str]) -> None:
    """Raise ValueError for an item of another form than those of training."""
    for i, item in enumerate(items, 1):
        form = form_of(item)
        if form not in forms:
            raise ValueError(
                f"Item {i} is {form}, and this classifier was trained on "
                f"{' or '.join(sorted(forms)[:5])}. Give it items of the same form."
            )


def _add(found: dict[str, float], item: Any, before: str) -> None:
    if isinstance(item, str):
        item = set(item.split())
    if isinstance(item, Mapping):
        for name, value in item.items():
            if isinstance(value, str):
                found[f"{before}{name}={value}"] = 1.0
            else:
                found[f"{before}{name}"] = float(value)
    elif isinstance(item, set | frozenset):
        found |= dict.fromkeys(sorted(f"{before}{name}" for name in item), 1.0)
    elif isinstance(item, np.ndarray) and item.ndim == 1 and item.dtype.kind in "biuf":
        found |= {f"{before}x{i}": value for i, value in enumerate(item.tolist()) if value}
    elif hasattr(item, "tocsr"):
        found |= {f"{before}x{i}": value for i, value in plain_item(item).items()}
    elif isinstance(item, list) and all(isinstance(part, str) for part in item):
        found |= dict.fromkeys((f"{before}{name}" for name in item), 1.0)
    elif isinstance(item, list) and all(isinstance(part, int | float | np.number) for part in item):
        found |= {f"{before}x{i}": float(value) for i, value in enumerate(item) if value}
    else:
        raise ValueError(
            "A linear classifier takes mappings, sets of names, strings and rows of numbers. Got "
            f"{type(item).__name__}; trees want a kernel."
        )
