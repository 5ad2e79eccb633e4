"""Why a candidate was chosen: what the features, or the fragments of the supports, give it more than another.

In primal form the amounts sum to the margin. In dual form Φ is not written down; but of a small enough part of it,
fragments up to some size that the two candidates do not share, w is recovered from the supports:

    w_f = Σ_k α_k Φ_f(x_k),   amount of f = w_f · (Φ_f(one) − Φ_f(other))

and what larger fragments give is one number, the rest of the margin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from palmette.features.kernels.composition import Normalized, On, Scaled, Sum
from palmette.features.kernels.kernel import Kernel, Reals
from palmette.features.kernels.tagged_sequences import TaggedSequenceKernel
from palmette.features.kernels.trees import TreeKernel
from palmette.learning.dual_ranking import DualRanking, VotedRanking
from palmette.learning.dual_sums import items_of
from palmette.structures.candidates import Candidates, Output
from palmette.tools.reranking.model import LOG_PROBABILITY, DualModel, PrimalModel
from palmette.trees import Tree

LARGEST = 3  # productions of a fragment, or states


@dataclass(frozen=True)
class Amount:
    """What a feature or fragment adds to the margin."""

    feature: str
    amount: float


@dataclass(frozen=True)
class Choice:
    """The chosen candidate and its rival (places from 1), the margin, and the amounts, largest first.

    `others` is what those add that were left out, larger fragments among them. `mistakes`: how many are expected
    of the two, where the fewest were chosen; the margin may then be below zero.
    """

    chosen: int
    rival: int | None
    output: str
    rival_output: str
    margin: float
    contributions: tuple[Amount, ...]
    others: float = 0.0
    mistakes: tuple[float, float] | None = None

    def first(self, top: int) -> Choice:
        """With its largest amounts only."""
        rest = sum(c.amount for c in self.contributions[top:])
        return replace(self, contributions=self.contributions[:top], others=self.others + rest)

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    def __str__(self) -> str:
        if self.rival is None:
            return f"candidate {self.chosen}, the only one\n  {self.output}"
        lines = [
            f"candidate {self.chosen}, margin {self.margin:+.4f} over candidate {self.rival}",
            f"  {self.output}",
            f"  not {self.rival_output}",
            *(
                []
                if self.mistakes is None
                else ["  {:.2f} mistakes expected, not {:.2f}".format(*self.mistakes)]
            ),
            *(f"   {c.amount:+10.4f}  {c.feature}" for c in self.contributions),
        ]
        if abs(self.others) > 1e-9:
            lines.append(f"   {self.others:+10.4f}  all others")
        return "\n".join(lines)


def explain_choice(
    model: DualModel | PrimalModel, given: Candidates, worth: Reals, rival: int | None, by_risk: bool
) -> Choice:
    """The best candidate against a rival: one that is named, the first model's, or the runner-up.

    worth: the scores of the candidates; by_risk: the mistakes expected of them, below zero.
    """
    if not len(given):
        raise ValueError("There is no candidate to explain.")
    if rival is not None and not 0 <= rival < len(given):
        raise ValueError(f"The rival must be one of the {len(given)} candidates, from 0. Got {rival}.")
    chosen = int(np.argmax(worth))
    if rival == chosen:
        raise ValueError("The rival is the candidate that is chosen itself: take another.")
    if len(given) == 1:
        return Choice(1, None, _text(given.outputs[0]), "", math.inf, ())
    if rival is None:
        rival = given.baseline
    if rival == chosen:
        rival = int(np.argsort(-worth, kind="stable")[1])
    if isinstance(model, PrimalModel):
        amounts = model.contributions(given, chosen, rival)
        margin = sum(amounts.values())
    else:
        margin, amounts = _dual(model, given, chosen, rival)
    ordered = sorted(amounts.items(), key=lambda pair: (-abs(pair[1]), pair[0]))
    found = tuple(Amount(name, value) for name, value in ordered if value)
    rest = margin - sum(c.amount for c in found)
    texts = _text(given.outputs[chosen]), _text(given.outputs[rival])
    mistakes = (-float(worth[chosen]), -float(worth[rival])) if by_risk else None
    return Choice(chosen + 1, rival + 1, *texts, margin, found, rest if abs(rest) > 1e-9 else 0.0, mistakes)


def _dual(model: DualModel, given: Candidates, one: int, two: int) -> tuple[float, dict[str, float]]:
    """The margin under the mean of the sums that vote, and the amounts of small fragments."""
    ranking = model.ranking
    mean = ranking
    if isinstance(ranking, VotedRanking):
        mean = DualRanking(ranking.kernel, ranking.items, ranking.alphas, ranking.prior)
    pair = [items_of(given)[k] for k in (one, two)]
    scores = mean.scores(pair)
    amounts = {LOG_PROBABILITY: ranking.prior * (pair[0][1] - pair[1][1])}
    for part, kernel, factor in _parts(ranking.kernel):
        supports, own = [item[part] for item in ranking.items], [item[part] for item in pair]
        for sign, shares in zip((factor, -factor), _shares(kernel, supports, ranking.alphas, own)):
            for name, share in shares.items():
                amounts[name] = amounts.get(name, 0.0) + sign * share
    return float(scores[0] - scores[1]), {
        name: value for name, value in amounts.items() if abs(value) > 1e-12
    }


def _shares(
    kernel: Kernel, supports: list[Any], alphas: Reals, items: list[Any]
) -> list[Mapping[str, float]]:
    """Of each item what the features that it has, fragments up to a size only, add to Σ α K, by readable names."""
    if isinstance(kernel, Normalized):
        inner = kernel.kernel
        of_supports, of_items = (_inverse_roots(inner.diagonal(some)) for some in (supports, items))
        within = _shares(inner, supports, alphas * of_supports, items)
        return [
            {name: share * factor for name, share in shares.items()}
            for shares, factor in zip(within, of_items.tolist())
        ]
    if isinstance(kernel, TaggedSequenceKernel):
        longest = LARGEST if kernel.longest is None else min(LARGEST, kernel.longest)
        sums = replace(kernel, longest=longest).supports()
        sums.add(supports, alphas)
        return [{_run(name): share for name, share in sums.amounts(item).items()} for item in items]
    own = [_features(kernel, item) for item in items]
    w = dict.fromkeys((name for features in own for name in features), 0.0)
    for item, alpha in zip(supports, alphas.tolist()):
        for name, value in _features(kernel, item).items():
            if name in w:
                w[name] += alpha * value
    return [{name: w[name] * value for name, value in features.items()} for features in own]


def _features(kernel: Kernel, item: Any) -> Mapping[str, float]:
    if isinstance(item, float):
        return {LOG_PROBABILITY: item}
    if isinstance(kernel, TreeKernel):
        return kernel.features(item, largest=LARGEST)
    try:
        return {str(name): value for name, value in kernel.features(item).items()}
    except ValueError:
        return {}  # it cannot be written down: it is in the rest


def _run(fragment: Any) -> str:
    """A fragment of a tagged sequence as people read it."""
    return " ".join(label if kind == "label" else f"{text}/{label}" for label, kind, text in fragment)


def _inverse_roots(squares: Reals) -> Reals:
    """1 / √x, and 0 for 0."""
    return np.divide(1.0, np.sqrt(squares), out=np.zeros(len(squares)), where=squares > 0)


def _parts(kernel: Kernel, factor: float = 1.0) -> list[tuple[int, Kernel, float]]:
    """A sum of kernels of pairs as (which of the pair, kernel, its factor)."""
    if isinstance(kernel, Sum):
        return _parts(kernel.one, factor) + _parts(kernel.two, factor)
    if isinstance(kernel, Scaled):
        return _parts(kernel.kernel, factor * kernel.factor)
    if isinstance(kernel, On) and isinstance(kernel.part, int):
        return [(kernel.part, inner, f) for _, inner, f in _parts(kernel.kernel, factor)]
    return [(0, kernel, factor)]


def _text(output: Output) -> str:
    return str(output) if isinstance(output, Tree) else " ".join(f"{word}/{label}" for word, label in output)
