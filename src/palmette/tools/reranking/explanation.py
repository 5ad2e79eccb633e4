"""Why a candidate was chosen: what the features, or the fragments of the supports, give it more than another.

In primal form the amounts sum to the margin. In dual form Φ is not written down; but of a small enough part of it,
fragments up to some size that the two candidates do not share, w is recovered from the supports:

    w_f = Σ_k α_k Φ_f(x_k),   amount of f = w_f · (Φ_f(one) − Φ_f(other))

and what larger fragments give is one number, the rest of the margin.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from palmette.features.kernels.composition import On, Scaled, Sum
from palmette.features.kernels.contributions import contributions
from palmette.features.kernels.kernel import Kernel, Reals
from palmette.formats.candidates import Candidates, Output
from palmette.tools.reranking.dual_ranking import DualRanking, VotedRanking
from palmette.tools.reranking.dual_sums import items_of
from palmette.tools.reranking.model import LOG_PROBABILITY, DualModel, PrimalModel
from palmette.trees.tree import Tree


@dataclass(frozen=True)
class Amount:
    """What a feature or fragment adds to the margin."""

    feature: str
    amount: float


@dataclass(frozen=True)
class Choice:
    """The chosen candidate and its rival (places from 1), the margin, and the amounts, largest first.

    `others` is what those add that were left out, larger fragments among them. The margin is the difference of the
    two scores that `Reranker.scores` gives; where many models vote, of those of their mean. The margin alone does
    not decide, and may be below zero, where one of these is there: `mistakes`, how many are expected of the two
    (the fewest were chosen); `votes`, the parts of the votes of the two.
    """

    chosen: int
    rival: int | None
    output: str
    rival_output: str
    margin: float
    contributions: tuple[Amount, ...]
    others: float = 0.0
    mistakes: tuple[float, float] | None = None
    votes: tuple[float, float] | None = None

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
            *self._notes(),
            *(f"   {c.amount:+10.4f}  {c.feature}" for c in self.contributions),
        ]
        if abs(self.others) > 1e-9:
            lines.append(f"   {self.others:+10.4f}  all others")
        return "\n".join(lines)

    def _notes(self) -> Iterator[str]:
        """What decided, where the margin alone does not."""
        score = "the score"
        decided = ""
        if self.votes is not None:
            yield "  {:.3f} of the votes, not {:.3f}; the margin is that of the mean of all that vote".format(
                *self.votes
            )
            score, decided = "the mean", "the votes are"
        if self.mistakes is not None:
            yield "  {:.2f} mistakes expected, not {:.2f}".format(*self.mistakes)
            decided = "the fewer mistakes expected are"
        if self.margin < 0 and decided:
            yield (
                f"  the margin is below zero: {score} alone prefers candidate {self.rival}, and {decided} "
                f"what chose candidate {self.chosen}"
            )


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
    rest = rest if abs(rest) > 1e-9 else 0.0
    mistakes = (-float(worth[chosen]), -float(worth[rival])) if by_risk else None
    votes = None
    if _votes(model):
        parts = model.scores(given)
        votes = float(parts[chosen]), float(parts[rival])
    return Choice(chosen + 1, rival + 1, *texts, margin, found, rest, mistakes, votes)


def _votes(model: DualModel | PrimalModel) -> bool:
    """Whether the scores of a model are parts of votes."""
    if isinstance(model, PrimalModel):
        return model.votes is not None
    return isinstance(model.ranking, VotedRanking)


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
        if part == 1:
            weight = float(ranking.alphas @ np.array(supports, dtype=np.float64))
            amounts[LOG_PROBABILITY] += factor * weight * (own[0] - own[1])
            continue
        with contextlib.suppress(ValueError):  # a kernel that cannot be written down is in the rest
            found = contributions(kernel, supports, ranking.alphas, own)
            for sign, shares in zip((factor, -factor), found):
                for name, share in shares.items():
                    amounts[name] = amounts.get(name, 0.0) + sign * share
    return float(scores[0] - scores[1]), {
        name: value for name, value in amounts.items() if abs(value) > 1e-12
    }


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
