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
from palmette.learning.dual_ranking import DualRanking
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
        raise ValueError(f"The rival must be one of the {len(given)} candidates. Got {rival}.")
    chosen = int(np.argmax(worth))
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
    mean = DualRanking(ranking.kernel, ranking.items, ranking.alphas, ranking.prior)
    items = items_of(given)
    scores = mean.scores([items[one], items[two]])
    parts = _features(ranking.kernel, items[one]), _features(ranking.kernel, items[two])
    difference = {
        name: parts[0].get(name, 0.0) - parts[1].get(name, 0.0) for name in {**parts[0], **parts[1]}
    }
    difference = {name: value for name, value in difference.items() if abs(value) > 1e-12}
    sums = dict.fromkeys(difference, 0.0)
    for item, alpha in zip(ranking.items, ranking.alphas.tolist()):
        for name, value in _features(ranking.kernel, item).items():
            if name in sums:
                sums[name] += alpha * value
    amounts = {name: difference[name] * w for name, w in sums.items()}
    log_p = given.log_probabilities
    amounts[LOG_PROBABILITY] = amounts.get(LOG_PROBABILITY, 0.0) + float(
        ranking.prior * (log_p[one] - log_p[two])
    )
    return float(scores[0] - scores[1]), amounts


def _features(kernel: Kernel, item: Any) -> Mapping[str, float]:
    """Φ of a pair (output, log-probability), fragments up to a size only, by readable names."""
    found: dict[str, float] = {}
    for part, inner, scale in _parts(kernel):
        if isinstance(inner, Normalized):
            square = float(inner.kernel.diagonal([item[part]])[0])
            inner, scale = inner.kernel, scale / math.sqrt(square) if square > 0 else 0.0
        if part == 1:
            found[LOG_PROBABILITY] = scale * item[1]
        elif isinstance(inner, TreeKernel):
            found |= {name: scale * value for name, value in inner.features(item[0], largest=LARGEST).items()}
        elif isinstance(inner, TaggedSequenceKernel):
            longest = LARGEST if inner.longest is None else min(LARGEST, inner.longest)
            for begin in range(len(item[0])):
                for end in range(begin + 1, min(begin + longest, len(item[0])) + 1):
                    for name, value in _run(inner, item[0][begin:end]).items():
                        found[name] = found.get(name, 0.0) + scale * value
        else:
            try:
                known = inner.features(item[0])
            except ValueError:
                continue  # it cannot be written down: it is in the rest
            found |= {str(name): scale * value for name, value in known.items()}
    return found


def _run(kernel: TaggedSequenceKernel, states: Any) -> dict[str, float]:
    """The fragments that are as long as the run of states."""
    found = {}
    for fragment, value in kernel.features(states).items():
        if len(fragment) == len(states):
            name = " ".join(label if kind == "label" else f"{text}/{label}" for label, kind, text in fragment)
            found[name] = value
    return found


def _parts(kernel: Kernel, scale: float = 1.0) -> list[tuple[int, Kernel, float]]:
    """A sum of kernels of pairs as (which of the pair, kernel, root of its factor)."""
    if isinstance(kernel, Sum):
        return _parts(kernel.one, scale) + _parts(kernel.two, scale)
    if isinstance(kernel, Scaled):
        return _parts(kernel.kernel, scale * math.sqrt(kernel.factor))
    if isinstance(kernel, On) and isinstance(kernel.part, int):
        return [(kernel.part, inner, s) for _, inner, s in _parts(kernel.kernel, scale)]
    return [(0, kernel, scale)]


def _text(output: Output) -> str:
    return str(output) if isinstance(output, Tree) else " ".join(f"{word}/{label}" for word, label in output)
