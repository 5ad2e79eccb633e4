"""Finite sets of strings as states of one minimal acyclic automaton: equal sets are the same state.

A state says whether the empty string is in the set, and has for each first word the set of what may follow it.
States are numbered when they are made, so what may follow a word has a lower number.
"""

from __future__ import annotations


class TooManyStatesError(ValueError):
    """More states than are allowed."""


class StringSets:
    """A store of sets of strings; a set is the number of its state."""

    none = 0
    empty_string = 1

    def __init__(self, max_states: int) -> None:
        self._max = max_states
        self._states: list[tuple[bool, tuple[tuple[str, int], ...]]] = []
        self._numbers: dict[tuple[bool, tuple[tuple[str, int], ...]], int] = {}
        self._unions: dict[tuple[int, int], int] = {}
        self._state(False, {})
        self._state(True, {})

    def prefixed(self, word: str, strings: int) -> int:
        """The strings with a word in front of each."""
        return self._state(False, {word: strings} if strings != self.none else {})

    def union(self, first: int, second: int) -> int:
        """The strings of either set."""
        stack = [(first, second)]
        while stack:
            a, b = pair = stack[-1]
            if self._known_union(a, b) is not None:
                stack.pop()
                continue
            left, right = dict(self._states[a][1]), dict(self._states[b][1])
            shared = [(left[word], right[word]) for word in left.keys() & right.keys()]
            missing = [(c, d) for c, d in shared if self._known_union(c, d) is None]
            if missing:
                stack += missing
                continue
            both = left | right
            for word in left.keys() & right.keys():
                both[word] = self._united(left[word], right[word])
            if len(self._unions) >= 4 * self._max:
                raise TooManyStatesError("too many states")
            self._unions[min(pair), max(pair)] = self._state(self._states[a][0] or self._states[b][0], both)
            stack.pop()
        return self._united(first, second)

    def joined(self, first: int, second: int) -> int:
        """Each string of the first set followed by each of the second."""
        if second == self.empty_string:
            return first
        made: dict[int, int] = {}
        for number in self._below(first):
            ends, following = self._states[number]
            longer = self._state(False, {word: made[state] for word, state in following})
            made[number] = self.union(longer, second) if ends else longer
        return made[first]

    def count(self, strings: int) -> int:
        """How many strings a set has."""
        counts: dict[int, int] = {}
        for number in self._below(strings):
            ends, following = self._states[number]
            counts[number] = ends + sum(counts[state] for _, state in following)
        return counts[strings]

    def _below(self, strings: int) -> list[int]:
        """The states that a set leads to and its own, the lowest first."""
        found = {strings}
        todo = [strings]
        while todo:
            for _, state in self._states[todo.pop()][1]:
                if state not in found:
                    found.add(state)
                    todo.append(state)
        return sorted(found)

    def _known_union(self, a: int, b: int) -> int | None:
        if a == b or b == self.none:
            return a
        return b if a == self.none else self._unions.get((min(a, b), max(a, b)))

    def _united(self, a: int, b: int) -> int:
        known = self._known_union(a, b)
        assert known is not None
        return known

    def _state(self, ends: bool, following: dict[str, int]) -> int:
        key = ends, tuple(sorted((word, state) for word, state in following.items() if state != self.none))
        number = self._numbers.get(key)
        if number is None:
            if len(self._states) >= self._max:
                raise TooManyStatesError("too many states")
            number = self._numbers[key] = len(self._states)
            self._states.append(key)
        return number
