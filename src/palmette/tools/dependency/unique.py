"""Trees in which no word has two dependents of a kind, such as two subjects.

Where labels are chosen for a tree that is found already, each word's on its own, the best choice under one head
is an assignment: every dependent takes its best free label, or one of a kind that nobody else there has. It is
solved exactly, only under those heads where the usual choice gives a kind twice; O(d³) for d dependents. Where
labels come with the tree, the best of the k best trees that fits is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from palmette.features.token_views import TokenViews
from palmette.tools.dependency.model import Int32, Parses, TreeModel

FREE = -1
_LISTS = (4, 32, 128)  # how many of the best trees are looked at, if need be


def kinds_of(unique: Sequence[str], labels: Sequence[str]) -> Int32:
    """The kind of every label that a head may have once, and FREE for the others.

    A relation stands for its subtypes as well: nsubj:pass is of the kind nsubj. ValueError for an unknown one.
    """
    if isinstance(unique, str) or not all(isinstance(name, str) for name in unique):
        raise TypeError(f"Unique relations must be a list of names. Got {unique!r}.")
    kinds = np.full(len(labels), FREE, dtype=np.int32)
    for kind, name in enumerate(sorted(set(unique), key=len, reverse=True)):  # the widest kind comes last
        own = [k for k, label in enumerate(labels) if label == name or label.startswith(f"{name}:")]
        if not own:
            raise ValueError(f"This parser has no relation {name!r}: it has {', '.join(labels)}.")
        kinds[own] = kind
    return kinds


def with_unique_relations(
    model: TreeModel,
    views: TokenViews,
    parses: Parses,
    kinds: Int32,
    *,
    heads: Int32 | None = None,
    forbidden: Int32 | None = None,
    fixed: bool = False,
) -> Parses:
    """The parses, with other labels or trees where a head has a kind twice.

    heads and forbidden: as they were for `TreeModel.parse`. fixed: trees must stay, and only labels may change.
    """
    all_heads, labels, scores = parses.heads.copy(), parses.labels.copy(), parses.scores.copy()
    for i in range(len(views)):
        words = slice(int(views.offsets[i]), int(views.offsets[i + 1]))
        if not len(_crowded(all_heads[words], kinds[labels[words]])):
            continue
        one = views.select([i])
        label_scores = model.tree_label_scores(one, all_heads[words])
        if label_scores is not None:
            labels[words] = _assigned(label_scores, all_heads[words], labels[words], kinds, i)
            continue
        if fixed:
            raise ValueError(
                "Where labels come with the tree, unique relations are for the plain best tree only."
            )
        known = None if heads is None else np.ascontiguousarray(heads[words])
        arcs = None
        if forbidden is not None:
            mine = (forbidden[:, 0] >= words.start) & (forbidden[:, 0] < words.stop)
            arcs = forbidden[mine] - np.array([words.start, 0], dtype=np.int32)
        all_heads[words], labels[words], scores[i] = _listed(model, one, kinds, known, arcs, i)
    return replace(parses, heads=all_heads, labels=labels, scores=scores)


def _crowded(heads: Int32, kinds: Int32) -> list[int]:
    """The heads that have dependents of one kind twice."""
    seen = Counter((head, kind) for head, kind in zip(heads.tolist(), kinds.tolist()) if kind != FREE)
    return sorted({head for (head, _), count in seen.items() if count > 1})


def _assigned(scores: NDArray[np.float32], heads: Int32, labels: Int32, kinds: Int32, sentence: int) -> Int32:
    """The best labels [n] of a tree by scores [n, labels]; only under crowded heads they change."""
    from scipy.optimize import linear_sum_assignment

    labels, n_kinds = labels.copy(), int(kinds.max()) + 1
    of_kind = [np.flatnonzero(kinds == kind) for kind in [*range(n_kinds), FREE]]
    for head in _crowded(heads, kinds[labels]):
        words = np.flatnonzero(heads == head)
        gains = np.full((len(words), n_kinds + len(words)), -np.inf)
        for kind, own in enumerate(of_kind[:-1]):
            if len(own):
                gains[:, kind] = scores[words][:, own].max(axis=1)
        if len(of_kind[-1]):  # a column for each word's best free label
            gains[range(len(words)), range(n_kinds, gains.shape[1])] = scores[words][:, of_kind[-1]].max(
                axis=1
            )
        try:
            rows, columns = linear_sum_assignment(gains, maximize=True)
        except ValueError:
            raise ValueError(
                f"Sentence {sentence + 1}: word {head} has {len(words)} dependents, and no labels are left."
            ) from None
        for row, column in zip(rows.tolist(), columns.tolist()):
            own = of_kind[min(column, n_kinds)]
            labels[words[row]] = own[scores[words[row], own].argmax()]
    return labels


def _listed(
    model: TreeModel,
    views: TokenViews,
    kinds: Int32,
    heads: Int32 | None,
    arcs: Int32 | None,
    sentence: int,
) -> tuple[Int32, Int32, float]:
    """The best tree that fits among the k best: heads, labels and score."""
    for k in _LISTS:
        trees = model.kbest(views, k, heads=heads, forbidden=arcs)[0]
        for tree in trees:
            if not _crowded(tree.heads, kinds[tree.labels]):
                return tree.heads, tree.labels, tree.score
        if len(trees) < k:
            break
    raise ValueError(
        f"Sentence {sentence + 1}: none of the {len(trees)} best trees has the unique relations once per head; "
        "the method graph with labels=after always finds labels."
    )
