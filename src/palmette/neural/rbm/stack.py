"""Layers of features, each a machine trained on what the one below it makes (Hinton et al. 2006; CSC 448, §6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

from palmette.learning.loop import Callback, Report
from palmette.neural.rbm.machine import RBM
from palmette.neural.rbm.units import Floats


class Stack:
    """Machines one above the other: the first sees the data, each other one the hidden units of the one below.

    machines: untrained ones, the lowest first. All but the lowest must have Bernoulli units.

    >>> import numpy as np
    >>> rows = np.random.default_rng(0).normal(size=(30, 4))
    >>> lowest = RBM(n_components=3, units="gaussian", learning_rate=0.01, n_iter=2)
    >>> Stack([lowest, RBM(n_components=2, n_iter=2)]).fit(rows).transform(rows).shape
    (30, 2)
    """

    def __init__(self, machines: Sequence[RBM]) -> None:
        if not machines:
            raise ValueError("a stack has at least one machine")
        for number, machine in enumerate(machines[1:], start=2):
            if machine.units != "bernoulli":
                raise ValueError(f"machine {number} sees hidden units: it must have units='bernoulli'")
        self.machines = list(machines)

    @classmethod
    def of_sizes(cls, sizes: Sequence[int], lowest: RBM, others: RBM) -> Self:
        """Return machines with these numbers of hidden units, and all else as the two given ones have it."""
        kinds = [lowest, *[others] * (len(sizes) - 1)]
        return cls([replace(kind, n_components=size) for kind, size in zip(kinds, sizes)])

    def fit(self, X: Any, y: Any = None, *, callback: Callback | None = None) -> Self:
        """Train the machines from the lowest to the highest; y is not used."""
        rows: Any = X
        for number, machine in enumerate(self.machines, start=1):

            def tell(report: Report, layer: int = number) -> None:
                if callback is not None:
                    callback(replace(report, where={"layer": f"layer {layer}"}))

            machine.fit(rows, callback=tell)
            rows = machine.transform(rows)
        return self

    def transform(self, X: Any) -> Floats:
        """Return the hidden units of the highest machine, as probabilities."""
        rows: Any = X
        for machine in self.machines:
            rows = machine.transform(rows)
        found: Floats = rows
        return found
