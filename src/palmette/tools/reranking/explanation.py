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
from typing import Any

import numpy as np

from palmette.features.kernels.composition import On, Scaled, Sum
from palmette.features.kernels.contributions import contributions
from palmette.features.kernels.kernel import Kernel, Reals
from palmette.formats.candidates import Candidates, Output
from palmette.tools.explanation import Decision, ranked
from palmette.tools.reranking.dual_ranking import DualRanking, VotedRanking
from palmette.tools.reranking.dual_sums import items_of
from palmette.tools.reranking.model import LOG_PROBABILITY, DualModel, PrimalModel
from palmette.trees.tree import Tree


def explain_choice(
    model: DualModel | PrimalModel, given: Candidates, worth: Reals, rival: int | None, by_risk: bool
) -> Decision:
    """Return the decision for the best candidate against one that is named, the first model's, or the runner-up.

    worth: the scores of the candidates; by_risk: the mistakes expected of them, below zero. Candidates are
    places in the list, from 1. The margin is the difference of the two scores that `Reranker.scores` gives;
    where many models vote, of those of their mean. The margin alone does not decide, and may be below zero,
    where one of these extra facts is there: `mistakes`, how many are expected of the two (the fewest were
    chosen); `votes`, the parts of the votes of the two. The rest has what fragments add that are larger than
    those that are listed.
    """
    if not len(given):
        raise ValueError("There is no candidate to explain.")
    if rival is not None and not 0 <= rival < len(given):
        raise ValueError(f"The rival must be one of the {len(given)} candidates, from 0. Got {rival}.")
    chosen = int(np.argmax(worth))
    if rival == chosen:
        raise ValueError("The rival is the candidate that is chosen itself: take another.")
    if len(given) == 1:
        text = _text(given.outputs[0])
        facts: dict[str, Any] = {"output": text, "rival_output": None, "mistakes": None, "votes": None}
        return Decision(
            "list of 1", 1, None, math.inf, extra=facts, text=f"candidate 1, the only one\n  {text}"
        )
    if rival is None:
        rival = given.baseline
    if rival == chosen:
        rival = int(np.argsort(-worth, kind="stable")[1])
    if isinstance(model, PrimalModel):
        amounts = model.contributions(given, chosen, rival)
        margin = sum(amounts.values())
    else:
        margin, amounts = _dual(model, given, chosen, rival)
    found = ranked(amounts)
    rest = margin - sum(c.amount for c in found)
    rest = rest if abs(rest) > 1e-9 else 0.0
    mistakes = (-float(worth[chosen]), -float(worth[rival])) if by_risk else None
    votes = None
    if _votes(model):
        parts = model.scores(given)
        votes = float(parts[chosen]), float(parts[rival])
    one, two = _text(given.outputs[chosen]), _text(given.outputs[rival])
    lines = [
        f"candidate {chosen + 1}, margin {margin:+.4f} over candidate {rival + 1}",
        f"  {one}",
        f"  not {two}",
        *_notes(chosen + 1, rival + 1, margin, mistakes, votes),
    ]
    facts = {"output": one, "rival_output": two, "mistakes": mistakes, "votes": votes}
    return Decision(
        f"list of {len(given)}",
        chosen + 1,
        rival + 1,
        margin,
        found,
        rest,
        extra=facts,
        text="\n".join(lines),
    )


def _notes(
    chosen: int,
    rival: int,
    margin: float,
    mistakes: tuple[float, float] | None,
    votes: tuple[float, float] | None,
) -> Iterator[str]:
    """What decided, where the margin alone does not."""
    score = "the score"
    decided = ""
    if votes is not None:
        yield "  {:.3f} of the votes, not {:.3f}; the margin is that of the mean of all that vote".format(
            *votes
        )
        score, decided = "the mean", "the votes are"
    if mistakes is not None:
        yield "  {:.2f} mistakes expected, not {:.2f}".format(*mistakes)
        decided = "the fewer mistakes expected are"
    if margin < 0 and decided:
        yield (
            f"  the margin is below zero: {score} alone prefers candidate {rival}, and {decided} "
            f"what chose candidate {chosen}"
        )


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
