"""Two directions that learn to agree: a link counts as often as both directions believe in it.

    c(i, j) = P(a_j = i | f, e) · Q(b_i = j | e, f)          Liang, Taskar and Klein 2006

instead of P in one direction and Q in the other. NULL and the jumps of an HMM count what they do in their own
direction. Each direction is a problem of `learning/em.py`; the two together are one, with the parameters of both.
The sum of the two log-likelihoods is reported; it need not rise, since it is not what agreement improves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from palmette._native import Bitext
from palmette.learning.em import EM, VB, Estimate, normalised
from palmette.learning.learner import Callback
from palmette.tools.alignment.direction import Direction, as_floats, with_perplexity
from palmette.tools.alignment.hmm import HmmProblem, HmmStage, hmm_problem
from palmette.tools.alignment.independent import Doubles, IndependentProblem, next_tension
from palmette.tools.alignment.model1 import IndependentStage, independent_problem

# A little for words that never met keeps a rare word from being sure of the few that it did meet. VB sharpens what
# EM has found; from the start it would do badly, since links that both believe in a little count next to nothing.
# What comes out are shares with the prior of the first learner again: they are better for new sentences.
AGREED: dict[str, tuple[EM, ...]] = {
    "model1": (EM(n_iter=3, tolerance=None, prior=1e-4),),
    "diagonal": (EM(n_iter=3, tolerance=None, prior=1e-4),),
    "hmm": (EM(n_iter=2, tolerance=None, prior=1e-3), VB(n_iter=1, tolerance=None, prior=0.03, bound=False)),
}
AGREEING = tuple(AGREED)


class Agreement:
    """Both directions for `learning/em.py`; parameters are those of one, then those of the other."""

    def __init__(self, forth: IndependentProblem | HmmProblem, back: IndependentProblem | HmmProblem) -> None:
        self.forth, self.back = forth, back
        self.size = len(forth.groups)
        self.groups = np.concatenate([forth.groups, back.groups + (int(forth.groups.max(initial=-1)) + 1)])

    @property
    def memory(self) -> tuple[Any, ...] | None:
        """What both learn beside the weights."""
        found = tuple(getattr(one, "memory", None) for one in (self.forth, self.back))
        return None if found == (None, None) else found

    @memory.setter
    def memory(self, memory: tuple[Any, ...]) -> None:
        for one, own in zip((self.forth, self.back), memory, strict=True):
            if isinstance(one, IndependentProblem):
                one.memory = own

    def __len__(self) -> int:
        return len(self.forth)

    def expected_counts_at(self, weights: Doubles) -> tuple[float, Doubles]:
        """The log-likelihoods of both, and the expected number of uses of every parameter."""
        return self.taken(self.sums_of(weights, 0, len(self)))

    def sums_of(self, weights: Doubles, begin: int, end: int) -> tuple[Any, ...]:
        """What some sentence pairs add."""
        one, other, w, v = self.forth, self.back, weights[: self.size], weights[self.size :]
        t, u = as_floats(w[: one.words.n_pairs]), as_floats(v[: other.words.n_pairs])
        pairs, mirror = one.bitext.part(begin, end), other.bitext.part(begin, end)
        if isinstance(one, HmmProblem) and isinstance(other, HmmProblem):
            jump, first_place, last, p0 = one.moves(w)
            back_jump, back_first, back_last, back_p0 = other.moves(v)
            own, back = (t, jump, first_place, last), (u, back_jump, back_first, back_last)
            return pairs.agree_jumps(mirror, *own, *back, p0, back_p0, one.n_jobs)
        assert isinstance(one, IndependentProblem)
        assert isinstance(other, IndependentProblem)
        return pairs.agree_independent(mirror, t, u, one.p0, one.tension, other.tension, one.n_jobs)

    def taken(self, sums: tuple[Any, ...]) -> tuple[float, Doubles]:
        """The counts of all sentence pairs; tensions go on."""
        loss, first, second = sums
        one, other = self.forth, self.back
        if isinstance(one, HmmProblem) and isinstance(other, HmmProblem):
            return loss, np.concatenate([one.counted(*first), other.counted(*second)])
        assert isinstance(one, IndependentProblem)
        assert isinstance(other, IndependentProblem)
        for problem, (_, _, rest) in ((one, first), (other, second)):
            if problem.tension:
                problem.tension = next_tension(problem.tension, *rest[2:].tolist())
        return loss, np.concatenate([one.words.counted(first[0]), other.words.counted(second[0])])

    def expected_counts(self, log_weights: Doubles) -> tuple[float, Doubles]:
        """The same of logarithms."""
        return self.expected_counts_at(np.exp(log_weights))


def train_agreement(
    kind: str,
    bitext: Bitext,
    mirror: Bitext,
    start: tuple[Direction | None, Direction | None] = (None, None),
    *,
    learner: EM | Sequence[EM] | None = None,
    n_jobs: int = 1,
    callback: Callback | None = None,
    **options: Any,
) -> tuple[Direction, Direction]:
    """Train both directions of a stage together; `mirror` is the bitext with its sides exchanged.

    kind: "model1", "diagonal" or "hmm", with the options of that stage. learner: one, or several in turn; None is
    EM with a small prior, and in the end VB for the HMM.
    """
    if kind not in AGREEING:
        raise ValueError(f"Directions of {kind!r} cannot learn to agree: those of {', '.join(AGREEING)} can.")
    made: list[HmmStage | IndependentStage] = [
        hmm_problem(pairs, way, n_jobs=n_jobs, **options)
        if kind == "hmm"
        else independent_problem(kind, pairs, way, n_jobs=n_jobs, **options)
        for pairs, way in zip((bitext, mirror), start)
    ]
    if len(bitext) != len(mirror):
        raise ValueError("Both directions must have as many sentences.")
    problem = Agreement(made[0].problem, made[1].problem)
    words = sum(int(lengths.sum()) for lengths in bitext.lengths)
    weights = np.concatenate([one.begin for one in made])
    passes = 0
    learners = (
        AGREED[kind] if learner is None else tuple(learner) if isinstance(learner, Sequence) else (learner,)
    )
    for chosen in learners:
        priors = np.concatenate([one.priors(chosen) for one in made])
        estimate = chosen.learn(
            problem, weights, priors=priors, callback=_after(passes, with_perplexity(callback, words))
        )
        weights, passes = estimate.weights, passes + len(estimate.history)
        if estimate.interrupted:
            break
    if len(learners) > 1:
        counts = np.maximum(estimate.counts - priors, 0)
        counts += np.concatenate([one.priors(learners[0]) for one in made])
        estimate = replace(estimate, counts=counts, weights=normalised(counts, problem.groups))
        chosen = learners[0]
    halves = [_half(estimate, slice(None, problem.size)), _half(estimate, slice(problem.size, None))]
    return made[0].direction(chosen, halves[0]), made[1].direction(chosen, halves[1])


def _after(passes: int, callback: Callback | None) -> Callback | None:
    """Return a callback whose passes are counted after others."""
    return callback and (lambda report: callback(replace(report, epoch=report.epoch + passes)))


def _half(estimate: Estimate, part: slice) -> Estimate:
    return Estimate(estimate.weights[part], estimate.counts[part], estimate.history, estimate.interrupted)
