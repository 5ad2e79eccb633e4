"""What a training reported, under the names that python-crfsuite's log has."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class LabelScore(NamedTuple):
    """One label on the dev set: how often right, guessed and gold."""

    match: int
    model: int
    ref: int
    precision: float
    recall: float
    f1: float


@dataclass
class TrainingLog:
    """iterations: one mapping each, with `num`, `time`, `loss`, `feature_norm`, `active_features`, with lbfgs
    `error_norm`; with a dev set also its `scores` by label, their means `avg_precision`, `avg_recall`, `avg_f1`,
    and `item_accuracy` and `instance_accuracy` (right, all, share). featgen_num_features: weights there are.
    """

    featgen_num_features: int = 0
    training_seconds: float = 0.0
    iterations: list[dict[str, Any]] = field(default_factory=list)

    @property
    def last_iteration(self) -> dict[str, Any] | None:
        """The last one, or None if there was none."""
        return self.iterations[-1] if self.iterations else None

    def add(self, seconds: float, numbers: dict[str, Any], dev: dict[str, Any]) -> None:
        """Note an iteration, `seconds` after the start."""
        took = seconds - self.training_seconds
        self.training_seconds = seconds
        self.iterations.append(
            {"num": len(self.iterations) + 1, "time": took, "scores": {}, **numbers, **dev}
        )


def line_of(iteration: dict[str, Any]) -> str:
    """An iteration as one line."""
    parts = ["Iter {num:<3}", "time={time:<5.2f}", "loss={loss:<8.2f}", "active={active_features:<5}"]
    if "avg_f1" in iteration:
        parts += ["precision={avg_precision:.3f}", "recall={avg_recall:.3f}", "F1={avg_f1:.3f}"]
        parts += ["Acc(item/seq)={item_accuracy_float:.3f} {instance_accuracy_float:.3f}"]
    return "  ".join([*parts, "feature_norm={feature_norm:<8.2f}"]).format(**iteration).rstrip()


def dev_scores(
    gold: NDArray[np.int32], guess: NDArray[np.int32], offsets: NDArray[np.int64], labels: tuple[str, ...]
) -> dict[str, Any]:
    """What a log has of a dev set; means are over the labels."""
    n = len(labels)
    right = gold == guess
    match, model, ref = (
        np.bincount(ids, minlength=n).astype(int) for ids in (gold[right], guess, gold[gold >= 0])
    )
    precision, recall = match / np.maximum(model, 1), match / np.maximum(ref, 1)
    f1 = 2 * match / np.maximum(model + ref, 1)
    columns = (match.tolist(), model.tolist(), ref.tolist(), precision.tolist(), recall.tolist(), f1.tolist())
    wrong = np.concatenate([[0], np.cumsum(~right)])
    whole = int(np.count_nonzero(wrong[offsets[1:]] == wrong[offsets[:-1]]))
    items, sentences = len(gold), len(offsets) - 1
    item, instance = int(np.count_nonzero(right)) / max(1, items), whole / max(1, sentences)
    return {
        "scores": {label: LabelScore(*row) for label, row in zip(labels, zip(*columns))},
        "avg_precision": float(precision.mean()),
        "avg_recall": float(recall.mean()),
        "avg_f1": float(f1.mean()),
        "item_accuracy": (int(np.count_nonzero(right)), items, item),
        "item_accuracy_float": item,
        "instance_accuracy": (whole, sentences, instance),
        "instance_accuracy_float": instance,
    }
