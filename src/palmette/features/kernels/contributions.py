"""What a sum of kernels is made of, feature by feature.

    Σ_i α_i K(x_i, x) = Σ_f Φ_f(x) w_f    with    w_f = Σ_i α_i Φ_f(x_i)

Φ is never written down whole: of trees and tagged sequences only fragments up to a size are looked at, so the
contributions need not sum to the score. For tagged sequences the w_f are looked up in a table of the supports
(`native/features/kernels/fragment_table.hpp`); otherwise the features of every support are made. Sums,
multiples, normalised kernels and kernels of parts go back to the kernels in them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from palmette.features.kernels.composition import Normalized, On, Scaled, Sum
from palmette.features.kernels.kernel import Features, Kernel, Reals
from palmette.features.kernels.tagged_sequences import TaggedSequenceKernel
from palmette.features.kernels.trees import TreeKernel

LARGEST = 3  # productions of a fragment, or states


def contributions(
    kernel: Kernel, supports: Sequence[Any], alphas: Reals, items: Sequence[Any]
) -> list[Mapping[str, float]]:
    """Return what the features of every item add to Σ α K, by readable names.

    ValueError for a kernel that has no features to speak of.

    >>> from palmette.features.kernels import LinearKernel
    >>> contributions(LinearKernel(), [{"a": 1.0}, {"a": 2.0, "b": 1.0}], np.array([1.0, -1.0]), [{"a": 3.0}])
    [{'a': -3.0}]
    """
    if isinstance(kernel, Sum):
        both = [contributions(one, supports, alphas, items) for one in (kernel.one, kernel.two)]
        return [_added(pair) for pair in zip(*both)]
    if isinstance(kernel, Scaled):
        return contributions(kernel.kernel, supports, kernel.factor * alphas, items)
    if isinstance(kernel, On):
        take = kernel._take()
        return contributions(kernel.kernel, [take(x) for x in supports], alphas, [take(x) for x in items])
    if isinstance(kernel, Normalized):
        inner = kernel.kernel
        of_supports, of_items = (_inverse_roots(inner.diagonal(list(some))) for some in (supports, items))
        within = contributions(inner, supports, alphas * of_supports, items)
        return [
            {name: amount * factor for name, amount in amounts.items()}
            for amounts, factor in zip(within, of_items.tolist())
        ]
    if isinstance(kernel, TaggedSequenceKernel):
        longest = LARGEST if kernel.longest is None else min(LARGEST, kernel.longest)
        sums = replace(kernel, longest=longest).supports()
        sums.add(list(supports), alphas)
        return [{_run(name): amount for name, amount in sums.amounts(item).items()} for item in items]
    own = [_features(kernel, item) for item in items]
    w = dict.fromkeys((name for features in own for name in features), 0.0)
    for item, alpha in zip(supports, alphas.tolist()):
        for name, value in _features(kernel, item, w).items():
            if name in w:
                w[name] += alpha * value
    return [{_text(name): w[name] * value for name, value in features.items()} for features in own]


def _features(kernel: Kernel, item: Any, only: Features | None = None) -> Features:
    if isinstance(kernel, TreeKernel):
        return kernel.features(item, largest=LARGEST, only=only)
    return kernel.features(item)


def _added(some: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    found: defaultdict[str, float] = defaultdict(float)
    for amounts in some:
        for name, amount in amounts.items():
            found[name] += amount
    return dict(found)


def _inverse_roots(squares: Reals) -> Reals:
    """1 / √x, and 0 for 0."""
    return np.divide(1.0, np.sqrt(squares), out=np.zeros(len(squares)), where=squares > 0)


def _run(fragment: Any) -> str:
    """A fragment of a tagged sequence as people read it."""
    return " ".join(label if kind == "label" else f"{text}/{label}" for label, kind, text in fragment)


def _text(name: Any) -> str:
    """The name of a feature; of those made of several, all of them."""
    if isinstance(name, tuple):
        return " & ".join(map(_text, name)) or "constant"
    return str(name)
