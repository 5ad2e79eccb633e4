"""Transition systems: trees as sequences of actions over a stack and a buffer.

CSC 448, §13.1. A parser reads a sentence from left to right; `s0`, `s1` are the topmost words of the stack, `n0`
is the next word of the buffer. `shift` moves n0 to the stack; the others are

| system | left-arc | right-arc | |
| --- | --- | --- | --- |
| arc-standard | s0 → s1, pop s1 | s1 → s0, pop s0 | |
| arc-hybrid | n0 → s0, pop s0 | s1 → s0, pop s0 | |
| arc-eager | n0 → s0, pop s0 | s0 → n0, shift n0 | reduce: pop s0 |
| swap | as arc-standard | as arc-standard | swap: s1 goes back to the buffer |

Arrows go from heads to dependents. (The lecture calls left what is right here: it names the side of the head.) The
first three make exactly the projective trees, in 2n steps; swap makes all (Nivre 2009). Every sequence ends in a
tree with one word below the root: `native/structures/transitions/system.hpp` says how that is ensured.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from palmette._native import (
    TransitionConfiguration,
    TransitionProblem,
    transition_oracle,
    transition_templates,
)
from palmette._native import projectivise as _projectivise
from palmette.structures.token_arrays import Tokens, arrays_of

SYSTEMS = ("arc-standard", "arc-hybrid", "arc-eager", "swap")
SHIFT, THIRD, LEFT, RIGHT = range(4)
Int32 = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Built:
    """A tree that actions made: the head of every word (0 is the root), and its label, or None."""

    heads: tuple[int, ...]
    labels: tuple[str | None, ...]


class State:
    """The state of a parser; `apply` makes the next one and leaves this as it is.

    stack: bottom first; buffer: next word first; 0 is the root. heads: by word, -1 where there is none yet.
    """

    def __init__(
        self, system: TransitionSystem, core: TransitionConfiguration, names: tuple[str, ...]
    ) -> None:
        self._system, self._core, self._names = system, core, names

    @property
    def stack(self) -> tuple[int, ...]:
        """The words on the stack."""
        return tuple(self._core.stack)

    @property
    def buffer(self) -> tuple[int, ...]:
        """The words that are still to come."""
        return tuple(self._core.buffer)

    @property
    def heads(self) -> tuple[int, ...]:
        """The arcs so far."""
        return tuple(self._core.heads)

    @property
    def labels(self) -> tuple[str | None, ...]:
        """The labels so far."""
        return tuple(self._names[y] if y >= 0 else None for y in self._core.labels)

    @property
    def finished(self) -> bool:
        """Is the tree complete?"""
        return self._core.finished

    @property
    def legal(self) -> tuple[str, ...]:
        """The actions that can come next, without labels."""
        return tuple(self._system.kinds[kind] for kind in self._core.legal)

    def apply(self, action: str) -> State:
        """The state after an action such as "shift" or "left-arc:nsubj"; ValueError if it is not legal."""
        bare, colon, label = action.partition(":")
        kind = self._system.kind_of(bare)
        if kind not in self._core.legal:
            raise ValueError(f"{bare!r} cannot be done here: legal are {', '.join(self.legal) or 'none'}.")
        if colon and kind < LEFT:
            raise ValueError(f"{bare!r} makes no arc and has no label. Got {action!r}.")
        core, names = self._core.copy(), self._names
        if colon and label not in names:
            names = (*names, label)
        core.apply(kind, names.index(label) if colon else -1)
        return State(self._system, core, names)

    def costs(self, heads: npt.ArrayLike) -> dict[str, int]:
        """How many arcs of a tree each legal action puts out of reach.

        This is the dynamic oracle (Goldberg and Nivre 2013).

        heads: -1 where any head will do. Only for arc-hybrid and arc-eager; ValueError for the others.
        """
        found = self._core.costs(_heads(heads))
        return {self._system.kinds[kind]: found[kind] for kind in self._core.legal}


class TransitionSystem:
    """A transition system by its name.

    >>> system = TransitionSystem("arc-standard")
    >>> actions = system.oracle([2, 0], ["nsubj", "root"])  # dogs bark
    >>> actions
    ['shift', 'shift', 'left-arc:nsubj', 'right-arc:root']
    >>> system.run(actions, 2)
    Built(heads=(2, 0), labels=('nsubj', 'root'))
    """

    def __init__(self, name: str = "arc-standard") -> None:
        if name not in SYSTEMS:
            raise ValueError(f"no transition system {name!r}: there are {', '.join(SYSTEMS)}.")
        self.name = name
        third = {"arc-eager": "reduce", "swap": "swap"}.get(name, "")
        self.kinds = ("shift", third, "left-arc", "right-arc")

    def __repr__(self) -> str:
        return f"TransitionSystem({self.name!r})"

    @property
    def actions(self) -> tuple[str, ...]:
        """The names of the actions, without labels."""
        return tuple(kind for kind in self.kinds if kind)

    def kind_of(self, action: str) -> int:
        """The number of an action without its label; ValueError if the system has none of that name."""
        if not action or action not in self.kinds:
            raise ValueError(f"{self.name} has no action {action!r}: it has {', '.join(self.actions)}.")
        return self.kinds.index(action)

    def start(self, n: int, *, single_root: bool = True) -> State:
        """The first state for a sentence of n words.

        single_root: allow only what leads to one word below the root.
        """
        if n < 0:
            raise ValueError(f"A sentence cannot have {n} words.")
        return State(self, TransitionConfiguration(self.name, n, single_root), ())

    def oracle(self, heads: npt.ArrayLike, labels: Sequence[str] | None = None) -> list[str]:
        """The actions that make a tree, by the static oracle.

        That of swap puts off swaps as long as it can (Nivre, Kuhlmann and Hall 2009). ValueError for what is not a
        tree, or not projective where it must be.
        """
        tree = _heads(heads)
        if labels is not None and len(labels) != len(tree):
            raise ValueError(f"There are {len(tree)} heads and {len(labels)} labels.")
        kinds = transition_oracle(self.name, tree)
        if kinds is None:
            raise ValueError(f"{self.name} makes only projective trees: take swap, or lift the tree first.")
        state, actions = self.start(len(tree)), []
        for kind in kinds:
            action = self.kinds[kind]
            if labels is not None and kind >= LEFT:
                before = state.heads
                after = state.apply(action).heads
                word = next(w for w, (a, b) in enumerate(zip(before, after)) if a != b)
                action = f"{action}:{labels[word]}"
            state = state.apply(action)
            actions.append(action)
        return actions

    def run(self, actions: Iterable[str], n: int) -> Built:
        """The tree that actions make of a sentence of n words; ValueError for one that cannot be done."""
        state = self.start(n)
        for number, action in enumerate(actions, 1):
            try:
                state = state.apply(action)
            except ValueError as error:
                raise ValueError(f"Action {number}: {error}") from None
        if not state.finished:
            raise ValueError(
                f"The actions end before the tree is complete: legal are {', '.join(state.legal)}."
            )
        return Built(state.heads, state.labels)


@dataclass(frozen=True, kw_only=True)
class TransitionParses:
    """How a parser learns to choose actions.

    training: by the numbers of native/structures/transitions/problem.hpp. beam: parses kept at every step.
    max_violation: correct it where it is furthest behind; otherwise as soon as it has lost the right parse. bits,
    label_bits: the tables of actions and labels have 2^bits and 2^label_bits rows.
    """

    system: str
    training: int
    beam: int
    max_violation: bool
    bits: int
    label_bits: int

    def problem(self, tokens: Tokens, heads: Int32, labels: Int32, groups: Int32) -> TransitionProblem:
        """Return the sentences of a treebank; groups: the group of every label, between which actions choose."""
        return TransitionProblem(
            *arrays_of(tokens),
            heads,
            labels,
            self.system,
            self.training,
            self.beam,
            self.max_violation,
            groups,
            *transition_templates(self.system),
            self.bits,
            self.label_bits,
        )


def projectivise(heads: npt.ArrayLike) -> tuple[int, ...]:
    """The heads of a tree with arcs lifted, the shortest first, until none cross (Nivre and Nilsson 2005).

    >>> projectivise([3, 4, 0, 3])  # 4 → 2 crosses 3 → 1
    (3, 3, 0, 3)
    """
    tree = _heads(heads)
    return tuple(_projectivise(np.array([0, len(tree)], dtype=np.int64), tree).tolist())


def _heads(heads: npt.ArrayLike) -> Int32:
    found = np.asarray(heads)
    if found.ndim != 1 or (found.size and not np.issubdtype(found.dtype, np.integer)):
        raise ValueError("Heads must be whole numbers, one per word.")
    return np.ascontiguousarray(found, dtype=np.int32)
