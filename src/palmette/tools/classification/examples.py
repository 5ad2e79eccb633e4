"""Items, classes and weights as users give them to a classifier, checked and listed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from palmette.features.kernels.kernel import Prepared
from palmette.formats.given import check_many, is_path, listed
from palmette.tools.classification.item_reader import ItemReader
from palmette.tools.classification.model import ClassModel, Reals


def listed_items(X: Any) -> Any:
    """Return items as a list, an array, a sparse matrix in rows, or as a kernel has prepared them."""
    if is_path(X) or (hasattr(X, "tocsr") and X.ndim != 2):
        raise TypeError(
            f"Items must be a list of items. Got one {type(X).__name__}; an ItemReader makes items of lines."
        )
    if hasattr(X, "tocsr"):
        rows = X.tocsr()
        if not rows.has_canonical_format:  # a row has a column twice
            rows = rows.copy()
            rows.sum_duplicates()
        return rows
    if isinstance(X, Prepared):
        return X
    check_many(X, "Items")
    return X if isinstance(X, np.ndarray) else list(listed(X, "Items"))


def read_items(reader: ItemReader | None, items: Any) -> Any:
    """Return items as a reader makes them; without a reader as they are."""
    if reader is None:
        return items
    if hasattr(items, "tocsr") or isinstance(items, Prepared):
        raise ValueError(
            f"This classifier takes rows of the columns {','.join(reader.columns)}. "
            f"Got {type(items).__name__} instead."
        )
    return reader.read(items)


def are_texts(items: Any) -> bool:
    """Whether items are texts: strings, or lists of words."""
    if hasattr(items, "tocsr") or isinstance(items, Prepared) or not len(items):
        return False
    return all(
        isinstance(item, str) or (isinstance(item, list) and all(isinstance(word, str) for word in item))
        for item in items
    ) and any(len(item) for item in items)


def count(items: Any) -> int:
    """Return the number of items."""
    return int(items.shape[0]) if hasattr(items, "tocsr") else len(items)


def plain(value: Any) -> Any:
    """Return a value of NumPy as one of Python; others as they are."""
    return value.item() if isinstance(value, np.generic) else value


def classes_of(labels: Sequence[Any]) -> list[Any]:
    """Return the classes in order; ValueError for what is neither a string nor a whole number."""
    found = {plain(label) for label in labels}
    for label in found:
        if not isinstance(label, str | int | bool):
            raise ValueError(f"A class must be a string or a whole number. Got {label!r} instead.")
    return sorted(found, key=lambda label: (isinstance(label, str), label))


def checked_weights(sample_weight: ArrayLike | None, n: int) -> Reals | None:
    """Return the weights of n items as numbers; ValueError if they are not."""
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n,) or not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"'sample_weight' must be {n} finite numbers of at least 0, one per item.")
    return weights


def accuracy(model: ClassModel, classes: Sequence[Any], X: Any, y: Sequence[Any]) -> float:
    """Return the share of items whose class is right."""
    check_measurable(X, y)
    best = model.best(model.scores(X, 1)).tolist()
    right = sum(bool(classes[i] == plain(gold)) for i, gold in zip(best, y))
    return right / len(best)


def check_measurable(X: Any, y: Sequence[Any]) -> None:
    """Raise ValueError unless there are items, and one class for each."""
    if count(X) != len(y):
        raise ValueError(f"There must be one class for every item. Got {len(y)} for {count(X)}.")
    if not len(y):
        raise ValueError("There are no items to measure by.")
