"""Restricted Boltzmann machines: unsupervised features by contrastive divergence (CSC 448, §6.1; Hinton 2002).

    ∂ log P(v) / ∂ w_ij = E[h_i v_j | v] − E[h_i v_j]                                        (eq. 54)

The second expectation is taken from k Gibbs steps that begin at the data (CD-k), or at where they ended last time
(persistent CD, Tieleman 2008). Steps are taken on mini-batches with momentum and weight decay.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from palmette.learning.divergence import is_moderate, stopped
from palmette.learning.loop import Callback, Pass, run_passes
from palmette.messages import warn
from palmette.neural.rbm.partition import MOST_UNITS, annealed_log_z, exact_log_z
from palmette.neural.rbm.units import Floats, Machine, draw, rows_of
from palmette.parameters import Options, option


@dataclass(eq=False, kw_only=True)
class RBM(Options):
    """A restricted Boltzmann machine with the interface of scikit-learn: fit, transform, score_samples.

    After `fit`: `components_` [hidden, visible], `intercept_hidden_`, `intercept_visible_`, and for Gaussian units
    `sigma_`; `history_` has a report of every pass.

    >>> X = np.tile([[0.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 0.0]], (50, 1))
    >>> machine = RBM(n_components=2, n_iter=50).fit(X)
    >>> machine.transform(X[:2]).shape
    (2, 2)
    >>> bool(machine.score(X) > machine.score([[1.0, 0.0, 1.0, 0.0]]))
    True
    """

    n_components: int = option(64, "hidden units", low=1)
    units: str = option("bernoulli", "visible units", choices=("bernoulli", "gaussian"))
    learning_rate: float = option(0.1, "step size of the first pass; it falls to zero by the last", above=0)
    k: int = option(1, "Gibbs steps of contrastive divergence", low=1)
    persistent: bool = option(False, "go on with the chains of the batch before, in place of the data")
    momentum: float = option(0.5, "share of the step before that is taken again", low=0, below=1)
    weight_decay: float = option(0.0, "share of the weights that a step of size one takes off", low=0)
    batch_size: int = option(20, "examples of a step", low=1)
    n_iter: int = option(20, "passes over the data", low=1)
    random_state: int = option(0, "seed of the random numbers", low=0)

    def fit(self, X: Any, y: Any = None, *, callback: Callback | None = None) -> Self:
        """Train on the rows of X; y is not used. Ctrl-C ends training after the last whole pass."""
        rows = rows_of(X, None, self.units == "gaussian")
        if not len(rows):
            raise ValueError("X has no rows: there is nothing to learn from")
        self.notes_: list[str] = []  # what was done differently, a sentence each
        outcome = run_passes(self._passes(rows, self.notes_), limit=self.n_iter, callback=callback)
        if outcome.result is None:
            raise KeyboardInterrupt
        self._set(outcome.result)
        self.history_ = outcome.history
        warn(*self.notes_)
        return self

    def transform(self, X: Any) -> Floats:
        """Return P(hidden unit = 1) for every row, [rows, hidden units]."""
        rows = self._rows(X)
        return self.machine_.hidden(rows)

    def fit_transform(self, X: Any, y: Any = None) -> Floats:
        """Return `fit(X).transform(X)`."""
        return self.fit(X).transform(X)

    def gibbs(self, v: Any, steps: int = 1, random_state: int = 0) -> Floats:
        """Return the visible rows after some steps of Gibbs sampling."""
        random = np.random.default_rng(random_state)
        rows = self._rows(v)
        for _ in range(steps):
            rows = self.machine_.draw_visible(draw(self.machine_.hidden(rows), random), random)
        return rows

    def free_energy(self, X: Any) -> Floats:
        """Return −log Σ_h e^−E(v, h) of every row: the lower, the more probable."""
        rows = self._rows(X)
        return self.machine_.free_energy(rows)

    def log_z(self, method: str = "auto", **options: Any) -> float:
        """Return log Z: "exact" by enumeration of a layer, or "ais" with `chains`, `steps` and `random_state`.

        "auto" enumerates where it takes at most 2^20 states.
        """
        self._trained()
        sizes = self.machine_.W.shape
        least = sizes[0] if self.machine_.gaussian else min(sizes)
        if method == "auto":
            method = "exact" if least <= MOST_UNITS else "ais"
        if method == "exact":
            return exact_log_z(self.machine_)
        if method != "ais":
            raise ValueError(f"method must be 'auto', 'exact' or 'ais', got {method!r}")
        base = None if self.machine_.gaussian else self._base
        return annealed_log_z(self.machine_, base=base, **options)[0]

    def score_samples(self, X: Any) -> Floats:
        """Return log P(v) of every row, with the log Z of `log_z()`; of densities, for Gaussian units."""
        return -self.free_energy(X) - self._log_z()

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean of `score_samples`."""
        return float(self.score_samples(X).mean())

    def pseudo_likelihood(self, X: Any) -> Floats:
        """Return Σ_j log P(v_j | the others) of every row, for Bernoulli units.

        scikit-learn's `BernoulliRBM.score_samples` is an estimate of it from one j of every row.
        """
        self._trained()
        if self.machine_.gaussian:
            raise ValueError("the pseudo-likelihood is for Bernoulli units; take score_samples")
        rows = self._rows(X)
        energy = self.machine_.free_energy(rows)
        total = np.zeros(len(rows))
        for j in range(rows.shape[1]):
            flipped = rows.copy()
            flipped[:, j] = 1 - flipped[:, j]
            total -= np.logaddexp(0.0, energy - self.machine_.free_energy(flipped))
        return total

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "machine_")

    # Helpers of the above

    def _trained(self) -> None:
        if not hasattr(self, "machine_"):
            raise ValueError("this RBM is not trained yet; call fit first")

    def _rows(self, X: Any) -> Floats:
        self._trained()
        return rows_of(X, self.machine_.W.shape[1], self.machine_.gaussian)

    def _set(self, made: tuple[Machine, Floats]) -> None:
        self.machine_, self._base = made
        self.components_, self.n_features_in_ = self.machine_.W, self.machine_.W.shape[1]
        self.intercept_hidden_, self.intercept_visible_ = self.machine_.a, self.machine_.b
        if self.machine_.sigma is not None:
            self.sigma_ = self.machine_.sigma
        self._known_log_z: float | None = None

    def _log_z(self) -> float:
        if self._known_log_z is None:
            self._known_log_z = self.log_z()
        return self._known_log_z

    def _passes(self, rows: Floats, notes: list[str]) -> Iterator[Pass[tuple[Machine, Floats]]]:
        random = np.random.default_rng(self.random_state)
        mean = rows.mean(0)
        sigma, b = None, np.zeros(rows.shape[1])
        base = np.log(np.clip(mean, 0.01, 0.99) / (1 - np.clip(mean, 0.01, 0.99)))
        if self.units == "gaussian":
            deviation = rows.std(0)
            sigma, b, base = np.where(deviation > 1e-6, deviation, 1.0), mean, mean
        W = random.normal(0.0, 0.01, (self.n_components, rows.shape[1]))
        machine = Machine(W, np.zeros(self.n_components), b, sigma)
        steps = [np.zeros_like(machine.W), np.zeros_like(machine.a), np.zeros_like(machine.b)]
        chains: Floats | None = None
        for number in range(self.n_iter):
            error, rate = 0.0, self.learning_rate * (1 - number / self.n_iter)
            order = random.permutation(len(rows))
            for first in range(0, len(order), self.batch_size):
                v = rows[order[first : first + self.batch_size]]
                positive = machine.hidden(v)
                start = draw(positive, random) if chains is None or not self.persistent else chains
                negative, free = self._negative(machine, start, random)
                chains = draw(machine.hidden(free), random)
                gradient = _gradient(machine, v, positive, free, negative)
                machine = self._stepped(machine, gradient, steps, rate)
                error += float((machine.scaled(v - machine.visible(positive)) ** 2).sum())
            if not all(map(is_moderate, (machine.W, machine.a, machine.b))):
                notes.append(stopped(number, self.learning_rate, "the weights are not numbers"))
                return
            made = (machine, base)
            yield Pass({"error": error / rows.size}, lambda made=made: made)  # type: ignore[misc]

    def _negative(self, machine: Machine, h: Floats, random: np.random.Generator) -> tuple[Floats, Floats]:
        """Return hidden probabilities and visible rows after k Gibbs steps from hidden states."""
        for step in range(self.k):
            v = machine.draw_visible(h, random)
            p = machine.hidden(v)
            if step + 1 < self.k:
                h = draw(p, random)
        return p, v

    def _stepped(self, machine: Machine, gradient: list[Floats], steps: list[Floats], rate: float) -> Machine:
        """Return the machine after one step with momentum; weights alone decay."""
        gradient[0] = gradient[0] - self.weight_decay * machine.W
        for step, along in zip(steps, gradient):
            step *= self.momentum
            step += rate * along
        return Machine(machine.W + steps[0], machine.a + steps[1], machine.b + steps[2], machine.sigma)


def _gradient(machine: Machine, v: Floats, p: Floats, free: Floats, q: Floats) -> list[Floats]:
    """Return E[h v | data] − E[h v] and the same of the biases, from rows and probabilities of hidden units."""
    seen, made = machine.scaled(v), machine.scaled(free)
    visible = seen.mean(0) - made.mean(0)
    if machine.sigma is not None:
        visible = visible / machine.sigma
    return [p.T @ seen / len(v) - q.T @ made / len(free), p.mean(0) - q.mean(0), visible]
