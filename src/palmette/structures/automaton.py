"""Deterministic automata over labels: which label sequences there are, and what is remembered of them.

The state σ_i after the labels before position i is the history that a label sees (structured prediction slides,
"factored sequence prediction, beyond bigrams"): σ_{i+1} = table[σ_i, y_i]. A missing entry forbids a label in a
state, and a sequence is accepted if it ends in an accepting state.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from palmette.structures.chain_scores import Bools, Labels

MOST_STATES = 10_000
NOWHERE = -1

Table = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, eq=False)
class Automaton:
    """An automaton with `table[q, y]`, the state after label y in state q or -1; state 0 is the start.

    >>> once = Automaton.of_table({"no": {"O": "no", "X": "yes"}, "yes": {"O": "yes"}})
    >>> once.accepts(["O", "X", "O"]), once.accepts(["X", "X"])
    (True, False)
    """

    labels: tuple[str, ...]
    table: Labels
    accepting: Bools
    names: tuple[str, ...]

    @classmethod
    def of_table(cls, table: Table, *, accepting: Iterable[str] | None = None) -> Automaton:
        """Make an automaton of {state: {label: next state}}; the first state is the start.

        accepting: where a sequence may end; None: everywhere.
        """
        every = (q for state, steps in table.items() for q in (state, *steps.values()))
        names = tuple(dict.fromkeys(every))
        if not names:
            raise ValueError("An automaton needs at least one state.")
        labels = tuple(dict.fromkeys(label for steps in table.values() for label in steps))
        number = {name: q for q, name in enumerate(names)}
        entries = np.full((len(names), len(labels)), NOWHERE, dtype=np.int32)
        for state, steps in table.items():
            for label, following in steps.items():
                entries[number[state], labels.index(label)] = number[following]
        ends = set(names if accepting is None else accepting)
        unknown = sorted(ends - set(names))
        if unknown:
            raise ValueError(f"The accepting state {unknown[0]!r} is not a state of the automaton.")
        return cls(labels, entries, np.array([name in ends for name in names]), names)

    @classmethod
    def of_text(cls, text: str, path: str = "") -> Automaton:
        """Read a table: a line `STATE LABEL STATE` for every step, a line `STATE` for every accepting state.

        The first state of the text is the start. If no line has a state alone, all states accept.
        """
        table: dict[str, dict[str, str]] = {}
        accepting: list[str] = []
        for number, line in enumerate(text.splitlines(), start=1):
            fields = line.split()
            if len(fields) == 3:
                steps = table.setdefault(fields[0], {})
                if steps.setdefault(fields[1], fields[2]) != fields[2]:
                    raise ValueError(
                        f"{path}:{number}: state {fields[0]!r} has two steps with label {fields[1]!r}."
                    )
            elif len(fields) == 1:
                table.setdefault(fields[0], {})
                accepting.append(fields[0])
            elif fields:
                raise ValueError(f"{path}:{number}: expected STATE LABEL STATE, or an accepting STATE.")
        return cls.of_table(table, accepting=accepting or None)

    @property
    def n_states(self) -> int:
        """How many states there are."""
        return len(self.names)

    @cached_property
    def _id_of(self) -> dict[str, int]:
        return {label: y for y, label in enumerate(self.labels)}

    def run(self, y: Iterable[str]) -> list[int] | None:
        """Return the states before each label and after the last; None if some label cannot follow."""
        states = [0]
        for label in y:
            following = int(self.table[states[-1], self._id_of[label]]) if label in self._id_of else NOWHERE
            if following < 0:
                return None
            states.append(following)
        return states

    def accepts(self, y: Iterable[str]) -> bool:
        """Tell whether a label sequence is accepted."""
        states = self.run(y)
        return states is not None and bool(self.accepting[states[-1]])

    def over(self, labels: Sequence[str]) -> Automaton:
        """Return the same automaton over other labels: those that it does not know are forbidden."""
        missing = [label for label in self.labels if label not in set(labels)]
        if missing:
            raise ValueError(f"The automaton has a label {missing[0]!r} that the data does not have.")
        table = np.full((self.n_states, len(labels)), NOWHERE, dtype=np.int32)
        for y, label in enumerate(labels):
            if label in self._id_of:
                table[:, y] = self.table[:, self._id_of[label]]
        return Automaton(tuple(labels), table, self.accepting, self.names).trimmed()

    def __and__(self, other: Automaton) -> Automaton:
        """Return the product, which accepts what both accept, and whose states are pairs of states."""
        theirs = other if other.labels == self.labels else other.over(self.labels)
        pairs, entries = {(0, 0): 0}, []
        waiting = [(0, 0)]
        for one, two in waiting:
            row = []
            for a, b in zip(self.table[one].tolist(), theirs.table[two].tolist()):
                if a >= 0 and b >= 0 and (a, b) not in pairs:
                    pairs[a, b] = len(pairs)
                    waiting.append((a, b))
                row.append(pairs[a, b] if a >= 0 and b >= 0 else NOWHERE)
            refuse_many(len(pairs))
            entries.append(row)
        accepting = [bool(self.accepting[a] and theirs.accepting[b]) for a, b in waiting]
        names = tuple(f"{self.names[a]},{theirs.names[b]}" for a, b in waiting)
        return Automaton(self.labels, np.array(entries, np.int32), np.array(accepting), names).trimmed()

    def trimmed(self) -> Automaton:
        """Return the automaton without states that are not reached or that no accepting state follows."""
        good = self.accepting.copy()
        while True:
            more = good | ((self.table >= 0) & good[self.table]).any(axis=1)
            if (more == good).all():
                break
            good = more
        if not good[0]:
            raise ValueError("The automaton accepts no label sequence at all.")
        table = np.where((self.table >= 0) & good[self.table], self.table, NOWHERE)
        order = [0]
        seen = {0}
        for q in order:
            for following in table[q].tolist():
                if following >= 0 and following not in seen:
                    seen.add(following)
                    order.append(following)
        place = np.full(self.n_states + 1, NOWHERE, dtype=np.int32)
        place[order] = np.arange(len(order))
        return Automaton(
            self.labels, place[table[order]], self.accepting[order], tuple(self.names[q] for q in order)
        )

    def minimised(self, kinds: npt.ArrayLike | None = None) -> Automaton:
        """Return the smallest automaton that accepts the same, by refining a partition of the states.

        kinds: a number for every state; states of different kinds stay apart.
        """
        # One more state, which is dead, stands for the entries that are missing.
        complete = np.where(self.table < 0, self.n_states, self.table)
        table = np.vstack([complete, np.full(len(self.labels), self.n_states)])
        apart = np.zeros(self.n_states) if kinds is None else np.asarray(kinds, dtype=np.float64)
        first = np.column_stack([np.append(self.accepting, False), np.append(apart, -1)])
        classes = np.unique(first, axis=0, return_inverse=True)[1].reshape(-1)
        while True:
            rows = np.column_stack([classes, classes[table]])
            finer = np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)
            if finer.max() == classes.max():
                break
            classes = finer
        chosen = {int(c): q for q, c in reversed(list(enumerate(classes[:-1].tolist())))}
        number = {c: k for k, c in enumerate(sorted(chosen, key=lambda c: chosen[c]))}
        members = [chosen[c] for c in number]
        entries = [
            [number[int(classes[t])] if t < self.n_states else NOWHERE for t in table[q].tolist()]
            for q in members
        ]
        return Automaton(
            self.labels,
            np.array(entries, dtype=np.int32).reshape(len(members), len(self.labels)),
            self.accepting[members],
            tuple(self.names[q] for q in members),
        ).trimmed()

    def refined(self, labels: Sequence[str], variants: int) -> Automaton:
        """Return the automaton over `labels`, where every label has that many variants, side by side."""
        return Automaton(tuple(labels), np.repeat(self.table, variants, axis=1), self.accepting, self.names)

    def svg(self) -> str:
        """Return the states and the labels between them as an SVG image; TooLargeError for many states."""
        from palmette.drawing.graphs import Arrow, draw_states_svg

        steps = [(q, int(to), y) for (q, y), to in np.ndenumerate(self.table) if to != NOWHERE]
        arrows = [Arrow(q, to, self.labels[y]) for q, to, y in steps]
        ends = np.flatnonzero(self.accepting).tolist()
        return draw_states_svg(self.names, arrows, ends=ends, title=repr(self)[1:-1])

    def _repr_svg_(self) -> str | None:
        from palmette.drawing.canvas import drawn_or_nothing

        return drawn_or_nothing(self.svg)

    def __repr__(self) -> str:
        return f"<Automaton: {self.n_states} states, {len(self.labels)} labels>"


def refuse_many(n_states: int) -> None:
    """Raise a ValueError if an automaton has too many states."""
    if n_states > MOST_STATES:
        raise ValueError(f"The automaton has more than {MOST_STATES} states; take a simpler one.")
