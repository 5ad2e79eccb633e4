"""A start for EM from moments of the text: spectral learning of hidden Markov models.

Hsu, Kakade and Zhang 2009 (and Carreras, "spectral"): with the words x₁ x₂ x₃ in a row and the state h of the
second, let U and W be the singular vectors of E[x₃ x₁ᵀ], and for every word x

    B_x = (Uᵀ E[x₃ 1(x₂ = x) x₁ᵀ] W) (Uᵀ E[x₃ x₁ᵀ] W)⁻¹ = R diag(P(x | h)) R⁻¹

All B_x have the same eigenvectors R, which a random sum of them shows; the diagonals of R⁻¹ B_x R are then the
emissions. Transitions follow from the pairs: E[x₂ x₁ᵀ] = O S Oᵀ, with S the joint probabilities of two states.
With the exact moments of an HMM whose O and S have full rank, its parameters come out exactly, up to the order of
the states. Those of a text are near some, so negative numbers become zero, and a share of the plain frequencies is
added: EM goes on from there. O(trigrams · states + words · states²).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.tools.sequence.hidden_markov import HiddenChain, Tables

Floats = NDArray[np.float64]
SMOOTHING = 0.2  # share of the frequencies of words, and of equal transitions


def spectral_start(problem: HiddenChain, random_state: int) -> Floats:
    """Return parameters in the form of `HiddenChain.random_start`; ValueError for too little text."""
    n, V = problem.n_states, problem.n_symbols
    x = problem.instances
    symbols = x.attributes[x.rows[:-1]].astype(np.int64)
    inside = np.arange(len(symbols)) - np.repeat(x.offsets[:-1], np.diff(x.offsets))
    third, second = np.flatnonzero(inside >= 2), np.flatnonzero(inside >= 1)
    trigrams = symbols[third - 2], symbols[third - 1], symbols[third]
    emissions = emissions_of(*trigrams, np.ones(len(third)), V, n, random_state)
    frequencies = problem.frequencies / problem.frequencies.sum()
    emissions = (1 - SMOOTHING) * emissions + SMOOTHING * frequencies[:, None]
    joint = pairs_of_states(emissions, symbols[second - 1], symbols[second], np.ones(len(second)))
    transitions = joint / np.maximum(joint.sum(axis=1, keepdims=True), 1e-300)
    transitions = (1 - SMOOTHING) * transitions + SMOOTHING / n
    end = len(x) / max(1, x.n_tokens)
    ends = np.stack([np.full(n, 1 - end), np.full(n, end)])
    longer = np.tile(transitions, (n, 1)) if problem.order == 2 else np.zeros((0, n))
    return Tables(emissions, np.full(n, 1 / n), ends, transitions, longer).flat


def emissions_of(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    third: NDArray[np.int64],
    counts: Floats,
    n_words: int,
    n_states: int,
    random_state: int,
) -> Floats:
    """Return P(word | state), [words, states], from trigrams with their counts; no number is negative."""
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import svds

    total = counts.sum()
    pairs = csr_array((counts / max(total, 1), (third, first)), shape=(n_words, n_words))
    if min(len(np.unique(first)), len(np.unique(third))) <= n_states:
        raise ValueError(
            f"A spectral start of {n_states} states needs more words than that, in sentences of three or more."
        )
    rng = np.random.default_rng(random_state)
    U, sizes, Wt = svds(pairs, k=n_states, v0=rng.standard_normal(n_words))
    if sizes.min() <= 1e-12 * sizes.max():
        raise ValueError(f"The text does not tell {n_states} states apart: take fewer, or a random start.")
    W = Wt.T / sizes  # with the inverse of Uᵀ E[x₃ x₁ᵀ] W, which is diagonal
    shares = counts / total
    g = rng.standard_normal(n_words)
    weighted = csr_array((shares * g[second], (third, first)), shape=(n_words, n_words))
    _, R = np.linalg.eig(U.T @ (weighted @ W))
    left: Any = U @ np.linalg.pinv(R).T
    right: Any = W @ R
    found: Any = np.zeros((n_words, n_states), dtype=complex)
    np.add.at(found, second, shares[:, None] * left[third] * right[first])
    emissions = np.maximum(found.real, 0)
    totals = emissions.sum(axis=0)
    return np.asarray(np.where(totals > 0, emissions / np.where(totals > 0, totals, 1), 1 / n_words))


def pairs_of_states(
    emissions: Floats, first: NDArray[np.int64], second: NDArray[np.int64], counts: Floats
) -> Floats:
    """Return the joint probabilities of a state and the next one, [state, next], without negative numbers."""
    from scipy.sparse import csr_array

    n_words = len(emissions)
    table = csr_array((counts / max(counts.sum(), 1), (first, second)), shape=(n_words, n_words))
    inverse = np.linalg.pinv(emissions)
    return np.asarray(np.maximum(inverse @ (table @ inverse.T), 0))
