"""Several language models as one: p(w | h) = Σ λ_i p_i(w | h).

The weights λ are those under which a held-out text is likeliest, found by EM: λ_i becomes the average over the
words of the text of λ_i p_i / Σ λ_j p_j, which never makes the text less likely. A word that a model does not know
has an equal share of its probability of unknown words, together with all such words and <unk>.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from palmette._native import NgramPlain
from palmette.formats.model.strict_json import Json
from palmette.threads import n_threads
from palmette.tools.lm.arrays import ModelArrays, check_layout
from palmette.tools.lm.model import LanguageModel
from palmette.tools.lm.text import Sentence


def mix(
    models: Sequence[LanguageModel],
    weights: Sequence[float] | None = None,
    *,
    held_out: Iterable[Sentence] | None = None,
    layout: Literal["hashed", "trie"] = "hashed",
    quantize: int = 0,
    n_jobs: int = 1,
) -> LanguageModel:
    """One model of several, with the given weights, those that suit a held-out text best, or equal ones.

    It has the n-grams of all of them; their probabilities are mixed, and backoffs make it sum to one.
    """
    n_jobs = n_threads(n_jobs)
    check_layout(layout, quantize)
    if not models:
        raise ValueError("a mixture needs at least one model")
    if weights is not None and held_out is not None:
        raise ValueError("weights are either given or tuned on a held-out text: leave one of the two out")
    if held_out is not None:
        shares = tune_weights(models, held_out, n_jobs=n_jobs)
    else:
        shares = np.asarray([1.0] * len(models) if weights is None else weights, np.float64)
    if shares.shape != (len(models),) or not (shares >= 0).all() or not 0 < shares.sum() < np.inf:
        raise ValueError(f"weights must be {len(models)} numbers that are not negative, and not all 0")
    shares = shares / shares.sum()
    plain = NgramPlain.mix([model._plain() for model in models], shares.tolist())
    extra: dict[str, Json] = {"smoothing": "mixture", "weights": [float(share) for share in shares]}
    return LanguageModel(ModelArrays.of(plain, layout, quantize, n_jobs=n_jobs, extra=extra))


def tune_weights(
    models: Sequence[LanguageModel],
    held_out: Iterable[Sentence],
    *,
    n_iter: int = 100,
    tolerance: float = 1e-6,
    n_jobs: int = 1,
) -> NDArray[np.float64]:
    """The weights under which the held-out text is likeliest, by EM from equal ones."""
    lines = list(held_out)
    vocabulary = {word for model in models for word in model.words}
    columns = []
    for model in models:
        scores = model.word_scores(lines, n_jobs=n_jobs)
        shares = np.log10(len(vocabulary) - len(model.words) + 1)
        columns.append(scores.log_probs.astype(np.float64) - np.where(scores.unknown, shares, 0.0))
    if not columns or not columns[0].size:
        raise ValueError("no held-out text: at least one sentence is needed")
    logs = np.stack(columns, axis=1)
    best = logs.max(axis=1, keepdims=True)
    likely = 10.0 ** (logs - best)[np.isfinite(best[:, 0])]
    weights = np.full(len(models), 1 / len(models))
    for _ in range(n_iter):
        joint = likely * weights
        renewed = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0) if len(joint) else weights
        change = np.abs(renewed - weights).max()
        weights = renewed
        if change < tolerance:
            break
    return np.asarray(weights)
