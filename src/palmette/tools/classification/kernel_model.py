"""Classifiers in dual form: supports, coefficients and a kernel. In a file, supports are JSON, one
string each.

options   kernel; machines: "ovo", "ovr" or "perceptron"
strings   supports
arrays    coefficients [supports, machines], biases; votes.columns, votes.right, votes.wrong, votes.times,
votes.end
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np

from palmette.errors import FormatError
from palmette.features.kernels.kernel import Kernel, Prepared
from palmette.features.kernels.saving import item_of, kernel_of, saved_item, saved_kernel
from palmette.formats.model import ModelFile
from palmette.formats.model.strict_json import dump_json, parse_json
from palmette.learning.kernel_examples import KernelExamples, KernelSums, plain_item
from palmette.learning.kernel_perceptron import DualVectors, DualVotes
from palmette.learning.kernel_svm import SVMMachines
from palmette.learning.loop import Callback
from palmette.tools.classification.kernel_reasons import kernel_reasons
from palmette.tools.classification.model import (
    KIND,
    ClassExamples,
    ClassModel,
    Reals,
    Reasons,
    Trained,
    setting,
)


class KernelModel(ClassModel):
    """Σ_i α_ic K(x_i, x), from a support vector machine or a perceptron."""

    method = "kernel"
    sees = "kernel"

    def __init__(self, machines: SVMMachines | DualVectors, n_classes: int) -> None:
        self.machines, self.n_classes = machines, n_classes

    @classmethod
    def train(cls, learner: Any, examples: ClassExamples, callback: Callback | None = None) -> Trained:
        assert examples.kernel is not None
        n = examples.n_classes
        rows = KernelExamples.of(
            examples.kernel,
            examples.items,
            examples.labels,
            n,
            cache_mb=learner.cache_mb,
            n_jobs=learner.n_jobs,
        )
        given: dict[str, Any] = {} if examples.weights is None else {"sample_weight": examples.weights}
        dev = examples.dev
        if dev is not None:
            given["dev"] = lambda machines: dev(cls(machines, n))
        machines = learner.learn(rows, callback=callback, **given)
        return Trained(cls(machines, n), machines.history, machines.interrupted)

    @property
    def sums(self) -> KernelSums:
        """The sums of kernels of all machines."""
        return self.machines.sums

    @property
    def noun(self) -> str:
        return "kernel SVM" if isinstance(self.machines, SVMMachines) else "kernel perceptron"

    def scores(self, items: Sequence[Any], n_jobs: int) -> Reals:
        if isinstance(self.machines, DualVectors):
            return self.machines.scores(items, n_jobs)
        if self.n_classes == 1:
            return np.zeros((len(self.sums.kernel.prepare(items)), 1))
        return self.machines.scores(self.sums.values(items, n_jobs))

    @property
    def probabilities_from(self) -> str | None:
        voted = isinstance(self.machines, DualVectors) and self.machines.votes is not None
        return "votes" if voted else None

    def probabilities(self, items: Sequence[Any], n_jobs: int) -> Reals:
        if isinstance(self.machines, DualVectors) and self.machines.votes is not None:
            return self.machines.scores(items, n_jobs)  # the part of the votes
        return super().probabilities(items, n_jobs)

    def reasons(self, item: Any, label: int, other: int) -> Reasons:
        if isinstance(self.machines, DualVectors):
            signs, coefficients = [(label, 1.0), (other, -1.0)], self.machines.mean
        else:
            signs, coefficients = self.machines.machine_of(label, other), self.sums.coefficients
        alphas = sum((sign * coefficients[:, m] for m, sign in signs), np.zeros(len(coefficients)))
        bias = sum(sign * float(self.sums.biases[m]) for m, sign in signs)
        found = kernel_reasons(self.sums.kernel, plain_item(item), self.sums.supports.items, alphas, bias)
        if isinstance(self.machines, SVMMachines):
            return replace(
                found, margin_of="pair" if self.machines.is_pairs and self.n_classes > 2 else "scores"
            )
        return replace(found, margin_of="scores" if self.machines.votes is None else "mean")

    def facts(self) -> dict[str, Any]:
        return {
            "kernel": repr(self.sums.kernel),
            "supports": len(self.sums.supports),
            "machines": len(self.sums.biases),
        }

    def to_file(self, options: Mapping[str, Any], fingerprint: str, *, compact: bool) -> ModelFile:
        arrays = {"coefficients": self.sums.coefficients, "biases": self.sums.biases}
        kind = self.machines.multiclass if isinstance(self.machines, SVMMachines) else "perceptron"
        if isinstance(self.machines, DualVectors) and self.machines.votes is not None:
            votes = self.machines.votes
            arrays |= {
                f"votes.{name}": getattr(votes, name) for name in ("columns", "right", "wrong", "times")
            }
            arrays["votes.end"] = np.array([votes.end], dtype=np.int64)
        own = {"kernel": saved_kernel(self.sums.kernel), "machines": kind}
        supports = [dump_json(saved_item(item)) for item in self.sums.supports.items]
        return ModelFile(KIND, {**options, **own}, arrays, {"supports": supports}, fingerprint)

    @classmethod
    def of_file(cls, file: ModelFile, n_classes: int) -> Self:
        kernel = kernel_of(setting(file, "kernel", dict))
        kind = setting(file, "machines", str)
        if kind not in ("ovo", "ovr", "perceptron"):
            raise file.damaged(f"{kind!r} is not a kind of machine")
        n = n_classes
        machines = n if kind == "perceptron" or (kind == "ovr" and n > 2) else n * (n - 1) // 2
        prepared = _supports(file, kernel)
        coefficients = _finite(file, "coefficients", [len(prepared), machines])
        biases = _finite(file, "biases", [machines])
        sums = KernelSums(kernel, prepared, coefficients, biases)
        if kind != "perceptron":
            return cls(SVMMachines(sums, n, kind), n)
        votes = None
        if "votes.columns" in file.arrays:
            columns = file.indices("votes.columns", np.int64, [None], len(prepared))
            k = len(columns)
            sides = [file.indices(f"votes.{name}", np.int32, [k], n) for name in ("right", "wrong")]
            times, end = file.array("votes.times", np.int64, [k]), file.array("votes.end", np.int64, [1])
            right, wrong = map(np.ascontiguousarray, sides)
            votes = DualVotes(
                np.ascontiguousarray(columns), right, wrong, np.ascontiguousarray(times), int(end[0])
            )
            bounds = np.array([0, *votes.times.tolist(), votes.end])
            if votes.end < 1 or (bounds[1:] < bounds[:-1]).any():
                raise file.damaged("its votes do not follow each other")
        return cls(DualVectors(sums, votes), n)


def _supports(file: ModelFile, kernel: Kernel) -> Prepared:
    """The supports as the kernel reads them."""
    items = []
    for number, text in enumerate(file.table("supports"), 1):
        try:
            items.append(item_of(parse_json(text)))
        except ValueError as error:
            what = error.message if isinstance(error, FormatError) else error
            raise file.damaged(f"support {number}: {what}") from error
    try:
        return kernel.prepare(items)
    except FormatError as error:  # a tree as a string
        raise file.damaged(f"one of its supports: {error.message}") from error
    except (TypeError, AttributeError, LookupError) as error:
        raise file.damaged("its supports are not items of its kernel") from error


def _finite(file: ModelFile, name: str, shape: list[int | None]) -> Reals:
    array = np.ascontiguousarray(file.array(name, np.float64, shape))
    if not np.isfinite(array).all():
        raise file.damaged(f"array {name!r} holds a value that is not a finite number")
    return array
