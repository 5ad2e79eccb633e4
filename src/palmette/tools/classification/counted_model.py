"""Classifiers by naive Bayes: linear models whose weights come from counts.

options   binary: whether the model sees only which features are there; and those of a linear model
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from palmette.features.instances import Instances
from palmette.features.mappings import MappingMap
from palmette.formats.model import ModelFile
from palmette.learning.learner import Callback
from palmette.learning.naive_bayes import CountedItems, CountedLearner
from palmette.tools.classification.linear_model import BIAS, LinearModel, attributes_of, form_of
from palmette.tools.classification.model import ClassExamples, Trained, setting
from palmette.tools.sequence.model import SequenceModel, SequenceStructure, stride


class CountedModel(LinearModel):
    """w · Φ(x, y) with the weights of naive Bayes. binary: values of features are 1 or 0."""

    method = "occurrences"
    binary = False

    @classmethod
    def train(  # type: ignore[override]
        cls, learner: CountedLearner, examples: ClassExamples, callback: Callback | None = None
    ) -> Trained:
        from scipy.sparse import csr_array

        features, found = MappingMap.fit([[attributes_of(item)] for item in examples.items])
        n, n_classes = found.n_attributes, examples.n_classes
        values = np.ones(len(found.attributes)) if found.values is None else found.values.astype(np.float64)
        items = csr_array((values, found.attributes, found.rows), shape=(len(found), n))
        bias = features.names().index(BIAS)
        data = CountedItems(items, examples.labels, n_classes, bias, examples.weights)
        table = np.zeros((n, stride(n_classes)), dtype=np.float32)
        table[:, :n_classes] = learner.weights(data)
        structure = SequenceStructure(tuple(map(str, range(n_classes))), 0)
        made = cls(SequenceModel(structure, features, table.ravel()), frozenset(map(form_of, examples.items)))
        made.binary = learner.binary
        return Trained(made)  # nothing is done in passes

    @property
    def noun(self) -> str:
        return "naive Bayes classifier"

    def to_file(self, options: Mapping[str, Any], fingerprint: str, *, compact: bool) -> ModelFile:
        # Weights are logs of probabilities: those near 0 belong to the commonest features, so none may go.
        return super().to_file({**options, "binary": self.binary}, fingerprint, compact=False)

    @classmethod
    def of_file(cls, file: ModelFile, n_classes: int) -> Self:
        made = super().of_file(file, n_classes)
        made.binary = setting(file, "binary", bool)
        return made

    def _instances(self, items: Sequence[Any]) -> Instances:
        found = super()._instances(items)
        if not self.binary or found.values is None:
            return found
        return replace(found, values=(found.values > 0).astype(np.float32))
