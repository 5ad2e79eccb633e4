"""The two kinds of visible units, and what their energy makes of a hidden layer of 0 and 1.

    Bernoulli   −E(v, h) = Σ h_i w_ij v_j + Σ a_i h_i + Σ b_j v_j                          (CSC 448, eq. 51)
    Gaussian     E(v, h) = Σ (v_j − b_j)² / 2σ_j² − Σ a_i h_i − Σ h_i w_ij v_j / σ_j        (eq. 57)

W is [hidden, visible]; a belongs to hidden units, b to visible ones.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import expit

Floats = npt.NDArray[np.float64]


def softplus(x: Floats) -> Floats:
    """log(1 + e^x)."""
    found: Floats = np.logaddexp(0.0, x)
    return found


@dataclass(frozen=True)
class Machine:
    """Weights, the biases of both layers, and for Gaussian units σ of each."""

    W: Floats
    a: Floats
    b: Floats
    sigma: Floats | None = None

    @property
    def gaussian(self) -> bool:
        return self.sigma is not None

    def scaled(self, v: Floats) -> Floats:
        """v / σ."""
        return v if self.sigma is None else v / self.sigma

    def hidden(self, v: Floats, beta: float = 1.0) -> Floats:
        """P(h = 1 | v), where all but the visible biases are β times as strong."""
        found: Floats = expit(beta * (self.scaled(v) @ self.W.T + self.a))
        return found

    def visible(self, h: Floats, beta: float = 1.0) -> Floats:
        """E[v | h]; for Bernoulli units P(v = 1 | h)."""
        into = beta * (h @ self.W)
        found: Floats = expit(into + self.b) if self.sigma is None else self.b + self.sigma * into
        return found

    def draw_visible(self, h: Floats, random: np.random.Generator, beta: float = 1.0) -> Floats:
        """Draw v given h."""
        mean = self.visible(h, beta)
        if self.sigma is None:
            return draw(mean, random)
        return mean + self.sigma * random.standard_normal(mean.shape)

    def free_energy(self, v: Floats, beta: float = 1.0) -> Floats:
        """−log Σ_h e^−E(v, h), for every row."""
        into = softplus(beta * (self.scaled(v) @ self.W.T + self.a)).sum(1)
        if self.sigma is None:
            found: Floats = -(v @ self.b) - into
        else:
            found = (((v - self.b) / self.sigma) ** 2).sum(1) / 2 - into
        return found

    def log_weight_of_hidden(self, h: Floats) -> Floats:
        """log Σ_v (or ∫ dv) e^−E(v, h), for every row."""
        into = h @ self.W
        if self.sigma is None:
            found: Floats = h @ self.a + softplus(into + self.b).sum(1)
        else:
            norm = np.log(np.sqrt(2 * np.pi) * self.sigma).sum()
            found = h @ self.a + (into**2 / 2 + into * self.b / self.sigma).sum(1) + norm
        return found


def draw(p: Floats, random: np.random.Generator) -> Floats:
    """Zeros and ones with these probabilities of one."""
    return (random.random(p.shape) < p).astype(np.float64)


def rows_of(X: Any, n_features: int | None, gaussian: bool) -> Floats:
    """Return data as a matrix of numbers, checked; Bernoulli units take numbers between 0 and 1."""
    try:
        rows = np.asarray(X.todense() if hasattr(X, "todense") else X, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("X must be a matrix of numbers, one row for every example") from None
    if rows.ndim != 2 or not rows.shape[1]:
        raise ValueError(f"X must be a matrix, one row for every example; got the shape {rows.shape}")
    if n_features is not None and rows.shape[1] != n_features:
        raise ValueError(f"X has {rows.shape[1]} columns, and the machine was trained on {n_features}")
    if not np.isfinite(rows).all():
        at = np.argwhere(~np.isfinite(rows))[0] + 1
        raise ValueError(f"X must be finite: row {at[0]}, column {at[1]} is {rows[tuple(at - 1)]}")
    if not gaussian and rows.size and not (rows.min() >= 0 and rows.max() <= 1):
        raise ValueError(
            f"Bernoulli units take numbers between 0 and 1; X has {rows.min():g} to {rows.max():g}: "
            "scale them, or take units='gaussian'"
        )
    return rows
