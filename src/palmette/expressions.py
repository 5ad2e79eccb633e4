"""Regular expressions over numbered symbols, as nondeterministic automata (Thompson 1968).

`palmette.structures.label_expression` reads labels, `palmette.features.word_expressions` letters of words. Both
cut their text into tokens and say which symbols a token reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

MOST_NODES = 100_000
MOST_REPEATS = 1000

_CLOSING = (("operator", "|"), ("operator", ")"))
_REPEATS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


class Token(NamedTuple):
    """A piece of an expression. kind: "operator" for one of `| * + ? ( )`, "count" for `{m,n}`, "bad" for what has
    no meaning; anything else reads symbols."""

    kind: str
    text: str
    place: int


@dataclass(frozen=True)
class Read:
    """One of some symbols."""

    symbols: frozenset[int]


@dataclass(frozen=True)
class Series:
    """Pieces one after another."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Choice:
    """One of some pieces."""

    pieces: tuple[Piece, ...]


@dataclass(frozen=True)
class Repeat:
    """A piece from `least` to `most` times, or without an end."""

    piece: Piece
    least: int
    most: int | None


Piece = Read | Series | Choice | Repeat


class Parser:
    """Recursive descent over tokens. read: the symbols of a token; error: the error at a token, by its number."""

    def __init__(
        self,
        tokens: Sequence[Token],
        read: Callable[[int], frozenset[int]],
        error: Callable[[int, str], ValueError],
    ) -> None:
        self._tokens, self._read, self._error_at = tokens, read, error
        self._at = 0

    def whole(self) -> Piece:
        """Read all of the expression."""
        piece = self._choice()
        if self._at < len(self._tokens):
            raise self._error("there is no parenthesis to close")
        return piece

    def _choice(self) -> Piece:
        pieces = [self._series()]
        while self._take("|"):
            pieces.append(self._series())
        return pieces[0] if len(pieces) == 1 else Choice(tuple(pieces))

    def _series(self) -> Piece:
        pieces = []
        while self._at < len(self._tokens) and self._tokens[self._at][:2] not in _CLOSING:
            piece = self._atom()
            while self._at < len(self._tokens):
                kind, text, _ = self._tokens[self._at]
                if kind == "count":
                    piece = Repeat(piece, *self._bounds(text))
                elif kind == "operator" and text in _REPEATS:
                    piece = Repeat(piece, *_REPEATS[text])
                else:
                    break
                self._at += 1
            pieces.append(piece)
        return Series(tuple(pieces))

    def _atom(self) -> Piece:
        kind, text, _ = self._tokens[self._at]
        if self._take("("):
            piece = self._choice()
            if not self._take(")"):
                raise self._error("a parenthesis is not closed")
            return piece
        if kind in ("operator", "count", "bad"):
            raise self._error(f"{text!r} is not expected there")
        wanted = self._read(self._at)
        self._at += 1
        return Read(wanted)

    def _bounds(self, text: str) -> tuple[int, int | None]:
        low, comma, high = (part.strip() for part in text[1:-1].partition(","))
        least = int(low or 0)
        most = None if comma and not high else int(high or low or -1)
        if (not low and not high) or (most is not None and most < least):
            raise self._error(f"{text} does not say how often")
        if max(least, most or 0) > MOST_REPEATS:
            raise self._error(f"{text} is more than {MOST_REPEATS} times")
        return least, most

    def _take(self, operator: str) -> bool:
        there = self._at < len(self._tokens) and self._tokens[self._at][:2] == ("operator", operator)
        self._at += there
        return there

    def _error(self, what: str) -> ValueError:
        return self._error_at(self._at, what)


@dataclass
class Nfa:
    """Nodes with steps that read one of some symbols, and steps that read nothing; node 0 is the start."""

    free: list[list[int]] = field(default_factory=list)
    reading: list[tuple[frozenset[int], int] | None] = field(default_factory=list)

    @classmethod
    def of(cls, piece: Piece) -> tuple[Nfa, int]:
        """Return the automaton of an expression, and the node where it ends."""
        nfa = cls()
        return nfa, nfa._add(piece, nfa._node())

    def closure(self, nodes: Iterable[int]) -> frozenset[int]:
        """Return what is reached without reading."""
        waiting = list(nodes)
        found = set(waiting)
        while waiting:
            for following in self.free[waiting.pop()]:
                if following not in found:
                    found.add(following)
                    waiting.append(following)
        return frozenset(found)

    def _node(self) -> int:
        if len(self.free) >= MOST_NODES:
            raise ValueError("The expression is too large: its repeats make more than 100000 pieces.")
        self.free.append([])
        self.reading.append(None)
        return len(self.free) - 1

    def _add(self, piece: Piece, begin: int) -> int:
        """Add what a piece matches from a node on; return the node behind it."""
        match piece:
            case Read(symbols):
                end, step = self._node(), self._node()
                self.free[begin].append(step)
                self.reading[step] = (symbols, end)
                return end
            case Series(pieces):
                for part in pieces:
                    begin = self._add(part, begin)
                return begin
            case Choice(pieces):
                return self._joined([self._add(part, begin) for part in pieces])
            case Repeat(part, least, most):
                for _ in range(least):
                    begin = self._add(part, begin)
                if most is None:
                    loop = self._node()
                    self.free[begin].append(loop)
                    self.free[self._add(part, loop)].append(loop)
                    return self._joined([loop])
                ends = [begin]
                for _ in range(most - least):
                    ends.append(self._add(part, ends[-1]))
                return self._joined(ends)

    def _joined(self, ends: Iterable[int]) -> int:
        end = self._node()
        for last in ends:
            self.free[last].append(end)
        return end
