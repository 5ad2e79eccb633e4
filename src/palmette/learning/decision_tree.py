"""Decision trees: questions "is feature f above t?", one after another, down to the classes of a leaf.

McDonald and Nivre 2007 and Quinlan 1986. scikit-learn finds the questions (CART: the split that lowers impurity
most, one node after another); what is kept are plain arrays, so that a tree predicts, explains itself and is saved
without scikit-learn. Node 0 is the root, children come after their parents, and a leaf has no children (-1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.learning.capabilities import AnyLearner
from palmette.optional import optional_module
from palmette.parameters import option

Reals = NDArray[np.float64]
Places = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SplitTree:
    """A tree: children of every node, the feature and the threshold of its question, and shares of the classes.

    An item goes left where its value is at most the threshold. shares: [nodes, classes], of the examples there.
    """

    left: Places
    right: Places
    feature: Places
    threshold: Reals
    shares: Reals

    def check(self, n_features: int, n_classes: int) -> None:
        """Raise ValueError unless every path ends in a leaf."""
        n = len(self.left)
        nodes, inner = np.arange(n), self.left >= 0
        alike = all(len(one) == n for one in (self.right, self.feature, self.threshold, self.shares))
        if not n or not alike or self.shares.shape != (n, n_classes):
            raise ValueError("the nodes of a tree are not all there")
        if (inner != (self.right >= 0)).any() or any(
            not (nodes[inner] < one[inner]).all() or not (one[inner] < n).all()
            for one in (self.left, self.right)
        ):
            raise ValueError("a node of a tree has no child, or one that does not come after it")
        asked = self.feature[inner]
        if asked.size and not 0 <= asked.min() <= asked.max() < n_features:
            raise ValueError("a node of a tree asks for an unknown feature")
        if not np.isfinite(self.threshold).all() or not ((self.shares >= 0) & (self.shares <= 1)).all():
            raise ValueError("the numbers of a tree are damaged")

    @property
    def depth(self) -> int:
        """The longest path from the root, in questions."""
        depths = np.zeros(len(self.left), dtype=np.int64)
        for node in np.flatnonzero(self.left >= 0).tolist():
            depths[self.left[node]] = depths[self.right[node]] = depths[node] + 1
        return int(depths.max())

    def leaves(self, items: Reals) -> Places:
        """Return the leaf of every row of items, [items, features]."""
        found = np.zeros(len(items), dtype=np.int64)
        going = np.arange(len(items))
        while len(going):
            nodes = found[going]
            inner = self.left[nodes] >= 0
            going, nodes = going[inner], nodes[inner]
            below = items[going, self.feature[nodes]] <= self.threshold[nodes]
            found[going] = np.where(below, self.left[nodes], self.right[nodes])
        return found

    def path(self, item: Reals) -> list[int]:
        """Return the nodes from the root to the leaf of one item."""
        nodes = [0]
        while self.left[nodes[-1]] >= 0:
            node = nodes[-1]
            below = item[self.feature[node]] <= self.threshold[node]
            nodes.append(int(self.left[node] if below else self.right[node]))
        return nodes


@dataclass(frozen=True, kw_only=True)
class DecisionTree(AnyLearner):
    """A decision tree by scikit-learn (pip install 'palmette[sklearn]').

    Probabilities are the shares of the classes among the examples of a leaf: a deep tree has 0 and 1 only.
    """

    family = "splits"
    takes = frozenset({"sample_weight"})
    probabilistic = True

    criterion: str = option("gini", "impurity that a question should lower", choices=("gini", "entropy"))
    depth: int | None = option(None, "most questions from the root to a leaf; none: no limit", low=1)
    min_leaf: int = option(2, "least number of examples in a leaf", low=1)
    pruning: float = option(
        0.0, "least impurity that a question must save, as a share of all; others are removed", low=0
    )
    random_state: int = option(0, "seed of the random numbers, which choose among equal questions", low=0)

    def learn(
        self, items: Any, labels: NDArray[np.int32], n_classes: int, weights: Reals | None = None
    ) -> SplitTree:
        """Learn from a sparse matrix of items, [items, features]."""
        found = optional_module("sklearn.tree", extra="sklearn").DecisionTreeClassifier(
            criterion=self.criterion,
            max_depth=self.depth,
            min_samples_leaf=self.min_leaf,
            ccp_alpha=self.pruning,
            random_state=self.random_state,
        )
        table = items.tocsc().astype(np.float32)
        table.indices, table.indptr = table.indices.astype(np.int32), table.indptr.astype(np.int32)
        tree = found.fit(table, labels, sample_weight=weights).tree_
        shares = np.zeros((tree.node_count, n_classes))
        seen = np.asarray(tree.value)[:, 0, :]
        shares[:, found.classes_] = seen / np.maximum(seen.sum(axis=1, keepdims=True), 1e-300)
        inner = tree.children_left >= 0
        return SplitTree(
            np.where(inner, tree.children_left, -1).astype(np.int64),
            np.where(inner, tree.children_right, -1).astype(np.int64),
            np.where(inner, tree.feature, 0).astype(np.int64),
            np.where(inner, tree.threshold, 0.0).astype(np.float64),
            np.minimum(shares, 1.0),
        )
