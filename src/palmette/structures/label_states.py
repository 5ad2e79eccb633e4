"""The histories that a label sees, as states with listed steps: label n-grams that occur, states of an automaton,
or the product of both.

A state is the longest suffix of the labels so far among the kept contexts, and the state of the automaton. Kept
contexts have all their parts among them, so the state after a label follows from the state before it. The step of
label y from a state is scored by one weight for each of the state's rows: a row for every suffix of its context,
one for the state of its automaton. `native/structures/chain/states.hpp` has the searches and sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

import numpy as np
import numpy.typing as npt

from palmette import _native
from palmette.structures.automaton import Automaton
from palmette.structures.chain_scores import Bools, Labels

Context = tuple[int, ...]
Ends = tuple[Bools | None, Bools | None, Bools | None]  # which labels may begin, follow each other, and end

MOST_STEPS = 1 << 24


@dataclass(frozen=True, eq=False)
class LabelStates:
    """States by number, 0 the start: their labels, contexts and states of the automaton; steps by (to, from).

    `contexts` are those that have rows, in the order of their rows; after them comes one row for every state of
    the automaton. `complete` tells whether they are all contexts of the order.
    """

    n_labels: int
    order: int
    contexts: tuple[Context, ...]
    automaton: Automaton | None
    complete: bool
    label: Labels
    context: tuple[Context, ...]
    remembered: Labels
    before: Labels
    after: Labels
    final: Bools

    @classmethod
    def grown(
        cls,
        n_labels: int,
        order: int,
        contexts: Iterable[Context] | None,
        automaton: Automaton | None = None,
        ends: Ends = (None, None, None),
    ) -> LabelStates:
        """Make the states that can be reached and from which a sequence can end. contexts: None takes all."""
        start, pairs, end = ends
        follows = np.ones((n_labels, n_labels), bool) if pairs is None else pairs
        kept = (
            all_contexts(n_labels, order, follows) if contexts is None else sorted(set(contexts), key=_place)
        )
        known = {*kept, *((y,) for y in range(n_labels))}
        table = None if automaton is None else automaton.table.tolist()
        first: tuple[Context, int] = ((), 0)
        number, waiting = {first: 0}, [first]
        steps: list[tuple[int, int]] = []
        for q, (context, state) in enumerate(waiting):
            may = follows[context[-1]] if context else np.ones(n_labels, bool) if start is None else start
            for y in np.flatnonzero(may).tolist():
                state_after = 0 if table is None else table[state][y]
                if state_after < 0:
                    continue
                longer = (*context, y)[-max(order, 1) :]
                while longer not in known:
                    longer = longer[1:]
                key = (longer, state_after)
                if key not in number:
                    number[key] = len(number)
                    waiting.append(key)
                steps.append((q, number[key]))
            if len(steps) > MOST_STEPS:
                raise ValueError(
                    f"{n_labels} labels have too many histories of order {order}; take a lower order"
                )
        final = np.array(
            [
                (automaton is None or bool(automaton.accepting[state]))
                and (not context or end is None or bool(end[context[-1]]))
                for context, state in waiting
            ]
        )
        before, after = np.array(steps, dtype=np.int64).reshape(-1, 2).T
        alive = _alive(before, after, final)
        if not alive[0]:
            raise ValueError("the automaton accepts no sequence of these labels")
        # Numbers in the order of labels, so that ties go to smaller labels.
        ranked = sorted(
            np.flatnonzero(alive).tolist(), key=lambda q: (q > 0, waiting[q][0][::-1], waiting[q][1])
        )
        place = np.full(len(waiting), -1, dtype=np.int64)
        place[ranked] = np.arange(len(ranked))
        used = alive[before] & alive[after]
        before, after = place[before[used]], place[after[used]]
        by_state = np.lexsort((before, after))
        return cls(
            n_labels,
            order,
            tuple(kept),
            automaton,
            contexts is None,
            np.array([waiting[q][0][-1] if waiting[q][0] else -1 for q in ranked], dtype=np.int32),
            tuple(waiting[q][0] for q in ranked),
            np.array([waiting[q][1] for q in ranked], dtype=np.int32),
            before[by_state].astype(np.int32),
            after[by_state].astype(np.int32),
            final[ranked],
        )

    @property
    def n_states(self) -> int:
        """How many states there are."""
        return len(self.label)

    @property
    def n_steps(self) -> int:
        """How many steps there are."""
        return len(self.before)

    @property
    def n_rows(self) -> int:
        """How many rows of weights score the steps."""
        return len(self.contexts) + (0 if self.automaton is None else self.automaton.n_states)

    @cached_property
    def read(self) -> Labels:
        """The label of every step."""
        return self.label[self.after]

    @cached_property
    def rows(self) -> tuple[tuple[int, ...], ...]:
        """The rows of every state."""
        row_of = {context: row for row, context in enumerate(self.contexts)}
        found = []
        for context, state in zip(self.context, self.remembered.tolist()):
            suffixes = (context[k:] for k in reversed(range(len(context))))
            rows = [row_of[suffix] for suffix in suffixes if suffix in row_of]
            found.append((*rows, *(() if self.automaton is None else (len(self.contexts) + state,))))
        return tuple(found)

    @cached_property
    def table(self) -> npt.NDArray[np.int64]:
        """table[q, y]: the state after label y in state q, or -1."""
        table = np.full((self.n_states, self.n_labels), -1, dtype=np.int64)
        table[self.before, self.read] = self.after
        return table

    @cached_property
    def core(self) -> _native.LabelStates:
        """The native object."""
        counts = [len(rows) for rows in self.rows]
        return _native.LabelStates(
            self.n_labels,
            self.n_rows,
            self.label,
            self.before,
            self.after,
            self.final.astype(np.uint8),
            np.cumsum([0, *counts], dtype=np.int64),
            np.array([row for rows in self.rows for row in rows], dtype=np.int32),
        )

    def path(self, y: Iterable[int]) -> list[int] | None:
        """Return the states before each label and after the last; None if the labels are not allowed."""
        states = [0]
        for label in y:
            states.append(int(self.table[states[-1], label]))
            if states[-1] < 0:
                return None
        return states if self.final[states[-1]] else None

    def __repr__(self) -> str:
        return f"<LabelStates: {self.n_states} states, {self.n_steps} steps, {self.n_labels} labels>"


def all_contexts(n_labels: int, order: int, follows: Bools) -> list[Context]:
    """Return all contexts of 1 to `order` labels in which each label may follow the one before."""
    found: list[Context] = []
    longest: list[Context] = [()]
    after = [np.flatnonzero(row).tolist() for row in follows]
    for _ in range(order):
        longest = [(*c, y) for c in longest for y in (after[c[-1]] if c else range(n_labels))]
        found += longest
        if len(found) * n_labels > MOST_STEPS:
            raise ValueError(
                f"{n_labels} labels have too many histories of order {order}; take a lower order"
            )
    return found


def seen_contexts(
    labels: Labels, offsets: npt.NDArray[np.int64], n_labels: int, order: int, variants: int = 1
) -> list[Context]:
    """Return the contexts of at most `order` labels that some label follows here, and all single labels.

    Labels that are not known, -1, are part of none. variants: every label stands for that many, side by side.
    """
    place = np.arange(len(labels)) - np.repeat(offsets[:-1], np.diff(offsets))
    found: list[Context] = [(y,) for y in range(n_labels * variants)] if order else []
    for h in range(2, order + 1):
        at = np.flatnonzero(place >= h)
        runs = np.stack([labels[at - back] for back in range(h, 0, -1)], axis=1)
        for run in np.unique(runs[(runs >= 0).all(axis=1)], axis=0).tolist():
            found += product(*(range(y * variants, (y + 1) * variants) for y in run))
    return found


def _place(context: Context) -> tuple[int, Context]:
    return len(context), context


def _alive(before: npt.NDArray[np.int64], after: npt.NDArray[np.int64], final: Bools) -> Bools:
    """Which states some final state follows."""
    alive = final.copy()
    while True:
        more = alive.copy()
        more[before[alive[after]]] = True
        if (more == alive).all():
            return alive
        alive = more


def rows_of_tables(
    states: LabelStates, tables: Sequence[npt.NDArray[np.floating]]
) -> npt.NDArray[np.floating]:
    """Return the rows of states from tables of label n-grams, [L^h, L] for h = 1 … order; else zero."""
    rows = np.zeros((states.n_rows, states.n_labels), dtype=np.float32)
    for row, context in enumerate(states.contexts):
        code = 0
        for y in context:
            code = code * states.n_labels + y
        rows[row] = tables[len(context) - 1].reshape(-1, states.n_labels)[code]
    return rows
