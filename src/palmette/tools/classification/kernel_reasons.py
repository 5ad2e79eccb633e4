"""What a sum of kernels is made of, feature by feature (`features/kernels/contributions.py`).

The supports that say most are looked at. What they, and small fragments, leave out is the difference to
the exact sum. A kernel that has no features to speak of (a Gaussian) is explained by its supports.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from palmette.features.kernels.contributions import contributions
from palmette.features.kernels.kernel import Kernel
from palmette.tools.classification.item_reader import item_text
from palmette.tools.classification.model import Reals, Reasons

_SUPPORTS = 10_000  # that are looked at, those that say most


def kernel_reasons(kernel: Kernel, item: Any, supports: Sequence[Any], alphas: Reals, bias: float) -> Reasons:
    """The features of an item that contribute to Σ_i α_i K(x_i, item) + bias."""
    which = np.flatnonzero(alphas)
    if not len(which):
        return Reasons(bias, {}, bias)
    items = [supports[i] for i in which.tolist()]
    parts = alphas[which] * kernel.gram(items, [item])[:, 0]
    margin = float(parts.sum()) + bias
    heavy = np.argsort(-np.abs(parts), kind="stable")[:_SUPPORTS]
    try:
        some = [items[i] for i in heavy.tolist()]
        amounts = dict(contributions(kernel, some, alphas[which][heavy], [item])[0])
    except ValueError:  # no features that could be written down
        amounts = {}
        for i in heavy.tolist():
            name = f"like {_short(items[i])}"
            amounts[name] = amounts.get(name, 0.0) + float(parts[i])
    kept = {name: amount for name, amount in amounts.items() if amount}
    return Reasons(margin, kept, margin - sum(kept.values()))


def _short(item: Any) -> str:
    text = " ".join(item_text(item).split())
    return text if len(text) <= 60 else text[:59] + "…"
