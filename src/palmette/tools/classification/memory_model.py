"""Memory-based classifiers in model files: the learner's options, the columns, and every example.

options   memory: the options of the learner; numbers: which columns are numbers
strings   column.0, …: the values of columns of symbols
arrays    ids [examples, columns]; numbers.0, …: the values of columns of numbers; or rows, of numbers only;
classes
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from palmette.formats.model import ModelFile
from palmette.learning.loop import Callback
from palmette.learning.neighbours import EuclideanRows, Memory, NearestNeighbours, Rows, SymbolicRows
from palmette.tools.classification.model import (
    KIND,
    ClassExamples,
    ClassModel,
    Reals,
    Reasons,
    Trained,
    setting,
)


class MemoryModel(ClassModel):
    """The votes of the nearest examples."""

    method = "memory"
    sees = "rows"

    def __init__(self, memory: Memory) -> None:
        self.memory, self.n_classes = memory, memory.n_classes

    @classmethod
    def train(
        cls, learner: NearestNeighbours, examples: ClassExamples, callback: Callback | None = None
    ) -> Trained:
        memory = learner.learn(Rows.of(examples.items), examples.labels, examples.n_classes)
        return Trained(cls(memory))  # nothing is done in passes

    @property
    def noun(self) -> str:
        return "memory of examples"

    def scores(self, items: Sequence[Any], n_jobs: int) -> Reals:
        return self.memory.votes(self._rows(items), n_jobs)

    def best(self, scores: Reals) -> NDArray[np.int64]:
        return self.memory.best(scores)

    @property
    def probabilities_from(self) -> str | None:
        return "votes"

    def probabilities(self, items: Sequence[Any], n_jobs: int) -> Reals:
        votes = self.scores(items, n_jobs)
        total = votes.sum(axis=1, keepdims=True)
        return np.where(total > 0, votes / np.where(total > 0, total, 1), 1 / self.n_classes)

    def reasons(self, item: Any, label: int, other: int) -> Reasons:
        distances, places = self.memory.neighbours(self._rows([item]))
        votes = self.memory.votes(self._rows([item]))[0]
        amounts: dict[str, float] = {}
        weights = _weights(self.memory.learner, distances)
        for place, distance, weight in zip(places.tolist(), distances.tolist(), weights.tolist()):
            y = int(self.memory.labels[place])
            if y in (label, other):
                name = f"like {' '.join(map(str, self.memory.rows.values[place]))} at {distance:.3f}"
                amounts[name] = amounts.get(name, 0.0) + (weight if y == label else -weight)
        margin = float(votes[label] - votes[other])
        return Reasons(margin, amounts, margin - sum(amounts.values()))

    def _rows(self, items: Sequence[Any]) -> Rows:
        return Rows.of(items, self.memory.rows.numbers)

    def facts(self) -> dict[str, Any]:
        weights = [round(float(weight), 4) for weight in self.memory.weights]
        return {"examples": len(self.memory.labels), "weights": weights}

    def to_file(self, options: Mapping[str, Any], fingerprint: str, *, compact: bool) -> ModelFile:
        memory = self.memory
        arrays: dict[str, Any] = {"classes": memory.labels}
        strings: dict[str, list[str]] = {}
        own: dict[str, Any] = {"memory": memory.learner.get_params()}
        if isinstance(memory, EuclideanRows):
            arrays["rows"] = np.ascontiguousarray(memory.rows.values.astype(np.float64))
        elif isinstance(memory, SymbolicRows):
            own["numbers"] = memory.rows.numbers.tolist()
            arrays["ids"] = memory.ids
            for f, values in enumerate(memory.vocabularies):
                if memory.rows.numbers[f]:
                    arrays[f"numbers.{f}"] = np.array(list(values), dtype=np.float64)
                else:
                    strings[f"column.{f}"] = list(values)
        return ModelFile(KIND, {**options, **own}, arrays, strings, fingerprint)

    @classmethod
    def of_file(cls, file: ModelFile, n_classes: int) -> Self:
        try:
            learner = NearestNeighbours(**setting(file, "memory", dict))
        except TypeError as error:
            raise file.damaged("its memory has other options") from error
        if "rows" in file.arrays:
            table = file.array("rows", np.float64, [None, None])
            if not table.size or not np.isfinite(table).all():
                raise file.damaged("its rows are not numbers")
            rows = Rows(table, np.ones(table.shape[1], dtype=bool))
        else:
            rows = cls._restored(file)
        classes = file.indices("classes", np.int32, [len(rows.values)], n_classes)
        return cls(learner.learn(rows, np.ascontiguousarray(classes), n_classes))

    @staticmethod
    def _restored(file: ModelFile) -> Rows:
        numbers = setting(file, "numbers", list)
        if not numbers or not all(isinstance(one, bool) for one in numbers):
            raise file.damaged("its columns are not described")
        ids = file.array("ids", np.int32, [None, len(numbers)])
        table = np.empty(ids.shape, dtype=object)
        for f, is_number in enumerate(numbers):
            if is_number:
                known: Any = file.array(f"numbers.{f}", np.float64, [None]).tolist()
            else:
                known = list(file.table(f"column.{f}"))
            if len(ids) and not (ids[:, f].min() >= 0 and ids[:, f].max() < len(known)):
                raise file.damaged(f"column {f + 1} has values that are not there")
            if is_number and not np.isfinite(known).all():
                raise file.damaged(f"column {f + 1} holds a value that is not a finite number")
            table[:, f] = [known[i] for i in ids[:, f].tolist()]
        return Rows(table, np.array(numbers, dtype=bool))


def _weights(learner: NearestNeighbours, distances: Reals) -> Reals:
    """The vote of each neighbour, as the native code counts it."""
    if learner.voting == "inverse_distance":
        return np.asarray(1 / (distances + 1e-3))
    if learner.voting == "exponential":
        return np.asarray(np.exp(-learner.decay * distances))
    if learner.voting == "inverse_linear" and len(distances) and distances[-1] > distances[0]:
        return np.asarray((distances[-1] - distances) / (distances[-1] - distances[0]))
    return np.ones(len(distances))
