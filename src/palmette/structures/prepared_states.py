"""Scores of a chain with states, put together as the native core takes them; used as `PreparedChain` is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from palmette import _native
from palmette.errors import numbered
from palmette.structures.chain_scores import (
    ChainScores,
    Floats,
    checked_bools,
    checked_offsets,
    checked_reals,
)
from palmette.structures.label_states import LabelStates


@dataclass(frozen=True, eq=False)
class PreparedStates:
    """Checked arrays: scores of labels, [tokens, labels], -inf where one is not allowed; scores of steps, [steps]
    or [tokens, steps].
    """

    states: LabelStates
    offsets: npt.NDArray[np.int64]
    unary: Floats
    steps: Floats

    @property
    def n_labels(self) -> int:
        """How many labels there are."""
        return self.states.n_labels

    @property
    def order(self) -> int:
        """How many labels a state remembers: at least the last."""
        return max(self.states.order, 1)

    @property
    def n_sentences(self) -> int:
        """How many sentences there are."""
        return len(self.offsets) - 1

    @property
    def per_position(self) -> bool:
        """Whether every token has its own scores of steps."""
        return self.steps.ndim == 2

    @cached_property
    def core(self) -> _native.StateChains:
        """The native object."""
        return _native.StateChains(
            self.states.core, self.offsets, self.unary.ravel(), self.steps.ravel(), self.per_position
        )

    def steps_at(self, token: int) -> Floats:
        """Return the scores of the steps to a token, with those of its labels."""
        steps = self.steps[token] if self.per_position else self.steps
        total: Floats = steps + self.unary[token][self.states.read]
        return total

    def dead_end(self, sentence: int) -> int:
        """Return the first position to which no allowed labels lead; the length of the sentence if none."""
        first, last = int(self.offsets[sentence]), int(self.offsets[sentence + 1])
        alive = np.zeros(self.states.n_states, dtype=bool)
        alive[0] = True
        for token in range(first, last):
            used = alive[self.states.before] & (self.steps_at(token) > -np.inf)
            alive = np.zeros_like(alive)
            alive[self.states.after[used]] = True
            if not (alive & self.states.final if token + 1 == last else alive).any():
                return token - first
        return last - first

    def infeasible(self, sentence: int) -> ValueError:
        """Return the error for a sentence without any allowed labels."""
        length = int(self.offsets[sentence + 1] - self.offsets[sentence])
        where = f"{numbered(sentence)}, {numbered(self.dead_end(sentence), 'position')}"
        return ValueError(
            f"{where}: no sequence of {length} labels that is allowed there is accepted by the automaton"
        )


def prepared_states(
    states: LabelStates, scores: ChainScores | npt.ArrayLike, allowed: npt.ArrayLike | None
) -> PreparedStates:
    """Check scores and add constraints."""
    given = scores if isinstance(scores, ChainScores) else ChainScores(scores)
    L = states.n_labels
    n = len(np.asarray(given.unary))
    unary = checked_reals(given.unary, "unary scores", np.float64, (n, L)) if n else np.zeros((0, L))
    if allowed is not None:
        unary = np.where(checked_bools(allowed, "allowed labels", (n, L)), unary, -np.inf)
    return PreparedStates(states, checked_offsets(given.offsets, n), unary, _steps(states, given, n))


def _steps(states: LabelStates, given: ChainScores, n: int) -> Floats:
    if given.steps is not None:
        if given.transitions is not None or given.states is not None or len(given.begin):
            raise ValueError("scores of steps take the place of all other scores of transitions and states")
        own = np.ndim(given.steps) == 2
        shape = (n, states.n_steps) if own else (states.n_steps,)
        return checked_reals(given.steps, "scores of steps", np.float64, shape)
    steps = np.zeros(states.n_steps)
    L = states.n_labels
    if given.transitions is not None or len(given.begin):
        if not states.complete:
            raise ValueError("a chain over the n-grams of a corpus takes scores of steps only")
        steps = _of_tables(states, given, n)
    if given.states is not None:
        if states.automaton is None:
            raise ValueError("there is no automaton whose states could have scores")
        table = checked_reals(given.states, "scores of states", np.float64, (states.automaton.n_states, L))
        steps = steps + table[states.remembered[states.before], states.read]
    return steps


def _of_tables(states: LabelStates, given: ChainScores, n: int) -> Floats:
    """The scores of label n-grams: contexts shorter than the order are those of the first positions."""
    L, order = states.n_labels, states.order
    if not order:
        raise ValueError("a chain of order 0 has no transitions")
    if len(given.begin) > order:
        raise ValueError(
            f"a chain of order {order} has begin tables for {order} positions, got {len(given.begin)}"
        )
    shape = (L,) * (order + 1)
    own = given.transitions is not None and np.ndim(given.transitions) == order + 2
    lengths = np.array([len(c) for c in states.context])[states.before]
    codes = np.array([sum(y * L**k for k, y in enumerate(reversed(c))) for c in states.context])[
        states.before
    ]
    steps = np.zeros((n, states.n_steps) if own else states.n_steps)
    if given.transitions is not None:
        full = (n, *shape) if own else shape
        table = checked_reals(given.transitions, "transitions", np.float64, full)
        at = lengths == order
        flat = table.reshape(*table.shape[: int(own)], -1)
        steps[..., at] = flat[..., codes[at] * L + states.read[at]]
    for i, begin in enumerate(given.begin):
        if begin is not None:
            table = checked_reals(begin, f"begin[{i}]", np.float64, (L,) * (i + 1))
            at = lengths == i
            steps[..., at] = table.ravel()[codes[at] * L + states.read[at]]
    return steps
