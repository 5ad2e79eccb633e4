"""Classifiers by decision trees, in model files: the questions as arrays, and the names of what they ask for.

options   items: the forms of the items
strings   features: the names that the questions ask for
arrays    left, right, feature, threshold [nodes]; shares [nodes, classes]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np

from palmette.formats.model import ModelFile
from palmette.learning.decision_tree import DecisionTree, SplitTree
from palmette.learning.loop import Callback
from palmette.tools.classification.linear_model import BIAS, attributes_of, form_of, refuse_other_forms
from palmette.tools.classification.model import KIND, ClassExamples, ClassModel, Reals, Reasons, Trained

_ABOVE, _BELOW = " > ", " ≤ "


class TreeModel(ClassModel):
    """A decision tree over named values."""

    method = "splits"

    def __init__(self, tree: SplitTree, names: Sequence[str], forms: frozenset[str]) -> None:
        self.tree, self.names, self.forms = tree, list(names), forms
        self.n_classes = tree.shares.shape[1]
        self._place = {name: i for i, name in enumerate(names)}

    @classmethod
    def train(
        cls, learner: DecisionTree, examples: ClassExamples, callback: Callback | None = None
    ) -> Trained:
        from scipy.sparse import csr_array

        forms = frozenset(map(form_of, examples.items))
        place: dict[str, int] = {}
        rows, columns, values = [], [], []
        for i, item in enumerate(examples.items):
            for name, value in attributes_of(item).items():
                if name != BIAS:
                    rows.append(i)
                    columns.append(place.setdefault(name, len(place)))
                    values.append(value)
        shape = (len(examples.labels), max(1, len(place)))
        table = csr_array((np.array(values, dtype=np.float64), (rows, columns)), shape=shape)
        tree = learner.learn(table, examples.labels, examples.n_classes, examples.weights)
        inner = tree.left >= 0
        asked, numbers = np.unique(tree.feature[inner], return_inverse=True)
        feature = np.zeros_like(tree.feature)
        feature[inner] = numbers
        names = list(place)
        kept = SplitTree(tree.left, tree.right, feature, tree.threshold, tree.shares)
        return Trained(cls(kept, [names[k] for k in asked.tolist()], forms))  # nothing is done in passes

    @property
    def noun(self) -> str:
        return "decision tree"

    def scores(self, items: Sequence[Any], n_jobs: int) -> Reals:
        return np.asarray(self.tree.shares[self.tree.leaves(self._values(items))])

    @property
    def probabilities_from(self) -> str | None:
        return "scores"

    def probabilities(self, items: Sequence[Any], n_jobs: int) -> Reals:
        return self.scores(items, n_jobs)

    def reasons(self, item: Any, label: int, other: int) -> Reasons:
        """What every answer on the way to the leaf changes in the lead of one class over the other."""
        (values,) = self._values([item])
        path = self.tree.path(values)
        lead = self.tree.shares[:, label] - self.tree.shares[:, other]
        amounts = {BIAS: float(lead[0])}
        for node, child in pairwise(path):
            k = int(self.tree.feature[node])
            sign = _BELOW if child == self.tree.left[node] else _ABOVE
            name = f"{self.names[k]}{sign}{self.tree.threshold[node]:g}"
            amounts[name] = amounts.get(name, 0.0) + float(lead[child] - lead[node])
        return Reasons(float(lead[path[-1]]), amounts)

    def renamed(self, name: str, feature: Callable[[str], str]) -> str:
        for sign in (_ABOVE, _BELOW):
            before, found, after = name.rpartition(sign)
            if found:
                return f"{feature(before)}{sign}{after}"
        return feature(name)

    def facts(self) -> dict[str, Any]:
        return {"nodes": len(self.tree.left), "depth": self.tree.depth, "features": len(self.names)}

    def to_file(self, options: Mapping[str, Any], fingerprint: str, *, compact: bool) -> ModelFile:
        tree = self.tree
        arrays: dict[str, Any] = {
            name: getattr(tree, name) for name in ("left", "right", "feature", "threshold", "shares")
        }
        own = {"items": sorted(self.forms)}
        return ModelFile(KIND, {**options, **own}, arrays, {"features": self.names}, fingerprint)

    @classmethod
    def of_file(cls, file: ModelFile, n_classes: int) -> Self:
        names, forms = list(file.table("features")), file.options.get("items")
        if not isinstance(forms, list) or not all(isinstance(one, str) for one in forms):
            raise file.damaged("the form of its items is not described")
        left, right, feature = (file.array(name, np.int64, [None]) for name in ("left", "right", "feature"))
        threshold = file.array("threshold", np.float64, [None])
        tree = SplitTree(left, right, feature, threshold, file.array("shares", np.float64, [None, n_classes]))
        tree.check(len(names), n_classes)
        return cls(tree, names, frozenset(map(str, forms)))

    def _values(self, items: Sequence[Any]) -> Reals:
        """The values that the questions ask for, as a tree in training saw them, [items, features]."""
        refuse_other_forms(items, self.forms)
        table = np.zeros((len(items), max(1, len(self.names))), dtype=np.float32)
        for i, item in enumerate(items):
            for name, value in attributes_of(item).items():
                k = self._place.get(name)
                if k is not None:
                    table[i, k] = value
        return table.astype(np.float64)
