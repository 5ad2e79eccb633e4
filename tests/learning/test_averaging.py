"""The mean of the weights that stochastic gradient descent passes through."""

import numpy as np
import pytest

from palmette.learning.loglinear import CRF, RunningMean
from samples.random_problems import random_chains


def test_running_mean_is_the_mean():
    rng = np.random.default_rng(0)
    seen = [(rng.normal(size=70_000).astype(np.float32), scale) for scale in (1.0, 0.5, 0.25, 2.0)]
    mean = RunningMean()
    for v, scale in seen:
        mean.add(v, scale)
    assert mean.copy() == pytest.approx(np.mean([v * scale for v, scale in seen], axis=0), abs=1e-6)


def test_averaged_weights_are_the_mean_of_the_ends_of_all_passes_but_the_first():
    problem = random_chains(3).problem()
    ends = [CRF(n_iter=n, tol=0, eta0=0.5, average=False).learn(problem).weights for n in range(1, 6)]
    averaged = CRF(n_iter=5, tol=0, eta0=0.5).learn(problem).weights
    assert averaged == pytest.approx(np.mean(ends[1:], axis=0), abs=1e-5)
    one = CRF(n_iter=1, tol=0, eta0=0.5).learn(problem).weights
    assert (one == ends[0]).all()
