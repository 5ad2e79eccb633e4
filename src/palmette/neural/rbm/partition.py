"""log Z of a restricted Boltzmann machine: by enumeration of a layer, or by annealed importance sampling.

Enumeration: Z = Σ_h Σ_v e^−E(v, h), where one of the sums is a product; O(2^units · hidden · visible), exact.

Annealing (Neal 2001; Salakhutdinov and Murray 2008): chains of Gibbs steps begin at a machine without weights,
whose Z is known, and go to this one through machines of β times its strength. With p*_β(v) = e^−F_β(v)

    Z = Z_0 · mean over chains of Π_k p*_{β_k}(v_k) / p*_{β_{k-1}}(v_k)
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.special import logsumexp

from palmette.neural.rbm.units import Floats, Machine, draw

MOST_UNITS = 20  # that are enumerated
_BLOCK = 14  # units whose states are one matrix


def exact_log_z(machine: Machine) -> float:
    """Return log Z by enumeration; ValueError if both layers are too large."""
    hidden, visible = machine.W.shape
    if not machine.gaussian and visible < hidden:
        machine = Machine(machine.W.T, machine.b, machine.a)
        hidden = visible
    if hidden > MOST_UNITS:
        raise ValueError(
            f"log Z by enumeration needs a layer of at most {MOST_UNITS} units that are 0 or 1; this machine has "
            f"{hidden}: take method='ais'"
        )
    low = min(hidden, _BLOCK)
    states = ((np.arange(2**low)[:, None] >> np.arange(low)) & 1).astype(np.float64)
    found = []
    for high in range(2 ** (hidden - low)):
        rest = ((high >> np.arange(hidden - low)) & 1).astype(np.float64)
        h = np.hstack([states, np.broadcast_to(rest, (len(states), hidden - low))])
        found.append(logsumexp(machine.log_weight_of_hidden(h)))
    return float(logsumexp(found))


def annealed_log_z(
    machine: Machine,
    *,
    chains: int = 100,
    steps: int = 1000,
    random_state: int = 0,
    base: Floats | None = None,
) -> tuple[float, float]:
    """Return an estimate of log Z, and the standard error of its logarithm.

    base: the visible biases of the machine without weights; by default those of this one.
    """
    random = np.random.default_rng(random_state)
    hidden = len(machine.W)
    start = machine.b if base is None else np.asarray(base, dtype=np.float64)
    if machine.gaussian:
        start = machine.b  # the means are the same at every strength
    nothing = replace(machine, W=np.zeros_like(machine.W), a=np.zeros(hidden), b=start)
    log_z0 = float(nothing.log_weight_of_hidden(np.zeros((1, hidden)))[0] + hidden * np.log(2.0))
    v = nothing.draw_visible(np.zeros((chains, hidden)), random)
    weight = np.zeros(chains)
    betas = np.linspace(0.0, 1.0, steps + 1)
    for before, beta in zip(betas[:-1].tolist(), betas[1:].tolist()):
        now = replace(machine, b=(1 - beta) * start + beta * machine.b)
        then = replace(machine, b=(1 - before) * start + before * machine.b)
        weight += then.free_energy(v, before) - now.free_energy(v, beta)
        v = now.draw_visible(draw(now.hidden(v, beta), random), random, beta)
    log_mean = float(logsumexp(weight) - np.log(chains))
    shares = np.exp(weight - weight.max())
    error = float(shares.std() / shares.mean() / np.sqrt(chains))
    return log_z0 + log_mean, error
