"""What a sum of kernels is made of: Σ_i α_i K(x_i, x) = Σ_f Φ_f(x) w_f with w_f = Σ_i α_i Φ_f(x_i), feature
by feature.

Φ is never written down whole: of trees only fragments of a few productions are looked at, and of the supports
those that say most. What these leave out is the difference to the exact sum. A kernel that has no features to
speak of (a Gaussian) is explained by its supports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np

from palmette.features.kernels.composition import Normalized, On, Scaled, Sum
from palmette.features.kernels.kernel import Features, Kernel
from palmette.features.kernels.trees import TreeKernel
from palmette.tools.classification.model import Reals, Reasons

LARGEST = 3  # productions of a fragment
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
        amounts = _contributions(kernel, item, [items[i] for i in heavy.tolist()], alphas[which][heavy])
    except ValueError:  # no features that could be written down
        amounts = {}
        for i in heavy.tolist():
            name = f"like {_short(items[i])}"
            amounts[name] = amounts.get(name, 0.0) + float(parts[i])
    kept = {name: amount for name, amount in amounts.items() if amount}
    return Reasons(margin, kept, margin - sum(kept.values()))


def _contributions(kernel: Kernel, item: Any, supports: Sequence[Any], alphas: Reals) -> dict[str, float]:
    if isinstance(kernel, Sum):
        found: defaultdict[str, float] = defaultdict(float)
        for part in (kernel.one, kernel.two):
            for name, amount in _contributions(part, item, supports, alphas).items():
                found[name] += amount
        return dict(found)
    if isinstance(kernel, Scaled):
        inner = _contributions(kernel.kernel, item, supports, alphas)
        return {name: kernel.factor * amount for name, amount in inner.items()}
    if isinstance(kernel, On):
        take = kernel._take()
        return _contributions(kernel.kernel, take(item), [take(x) for x in supports], alphas)
    if isinstance(kernel, Normalized):
        own = float(kernel.kernel.diagonal([item])[0])
        others = kernel.kernel.diagonal(list(supports))
        scaled = np.divide(alphas, np.sqrt(others), out=np.zeros(len(alphas)), where=others > 0)
        if own <= 0:
            return {}
        return _contributions(kernel.kernel, item, supports, scaled / np.sqrt(own))
    mine = _features(kernel, item)
    sums = dict.fromkeys(mine, 0.0)
    for support, alpha in zip(supports, alphas.tolist()):
        for name, value in _features(kernel, support).items():
            if name in sums:
                sums[name] += alpha * value
    return {_name(name): value * sums[name] for name, value in mine.items()}


def _features(kernel: Kernel, item: Any) -> Features:
    return kernel.features(item, largest=LARGEST) if isinstance(kernel, TreeKernel) else kernel.features(item)


def _name(name: Any) -> str:
    if isinstance(name, tuple):
        return " & ".join(map(_name, name)) or "constant"
    return str(name)


def _short(item: Any) -> str:
    text = " ".join(str(item).split())
    return text if len(text) <= 60 else text[:59] + "…"
