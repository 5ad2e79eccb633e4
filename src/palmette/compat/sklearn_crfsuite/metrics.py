"""Metrics over the labels of all tokens, as `sklearn_crfsuite.metrics` has them; scikit-learn computes most.

Labels come as lists of lists, one list per sentence. Other arguments go to scikit-learn as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

from palmette.optional import optional_module

Labels = Iterable[Iterable[Any]]


def flat_accuracy_score(y_true: Labels, y_pred: Labels) -> float:
    """The share of tokens with the right label.

    >>> flat_accuracy_score([["A", "B"], ["A"]], [["A", "A"], ["A"]])
    0.6666666666666666
    """
    gold, guess = flatten(y_true), flatten(y_pred)
    if len(gold) != len(guess):
        raise ValueError(f"There are {len(gold)} gold labels and {len(guess)} predicted ones.")
    return sum(a == b for a, b in zip(gold, guess)) / len(gold) if gold else float("nan")


def flat_precision_score(y_true: Labels, y_pred: Labels, **options: Any) -> Any:
    """`sklearn.metrics.precision_score` of the tokens."""
    return _sklearn().precision_score(flatten(y_true), flatten(y_pred), **options)


def flat_recall_score(y_true: Labels, y_pred: Labels, **options: Any) -> Any:
    """`sklearn.metrics.recall_score` of the tokens."""
    return _sklearn().recall_score(flatten(y_true), flatten(y_pred), **options)


def flat_f1_score(y_true: Labels, y_pred: Labels, **options: Any) -> Any:
    """`sklearn.metrics.f1_score` of the tokens."""
    return _sklearn().f1_score(flatten(y_true), flatten(y_pred), **options)


def flat_fbeta_score(y_true: Labels, y_pred: Labels, beta: float, **options: Any) -> Any:
    """`sklearn.metrics.fbeta_score` of the tokens."""
    return _sklearn().fbeta_score(flatten(y_true), flatten(y_pred), beta=beta, **options)


def flat_classification_report(
    y_true: Labels, y_pred: Labels, labels: Sequence[Any] | None = None, **options: Any
) -> Any:
    """`sklearn.metrics.classification_report` of the tokens."""
    return _sklearn().classification_report(flatten(y_true), flatten(y_pred), labels=labels, **options)


def sequence_accuracy_score(y_true: Labels, y_pred: Labels) -> float:
    """The share of sentences whose labels are all right.

    >>> sequence_accuracy_score([["A", "B"], ["A"]], [["A", "A"], ["A"]])
    0.5
    """
    gold, guess = list(map(list, y_true)), list(map(list, y_pred))
    if len(gold) != len(guess):
        raise ValueError(f"There are {len(gold)} gold sentences and {len(guess)} predicted ones.")
    return sum(a == b for a, b in zip(gold, guess)) / len(gold) if gold else 0.0


def flatten(y: Labels) -> list[Any]:
    """The labels of all sentences in one list."""
    return list(chain.from_iterable(y))


def _sklearn() -> Any:
    return optional_module("sklearn.metrics", extra="sklearn")
