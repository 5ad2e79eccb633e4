"""F_R: functions by which a rule combines its premises, where it does not multiply them. CSC 448, §11.

    [A, i, k] <- min(rule(A, B, C), [B, i, j], [C, j, k])
    [A, i, k] <- 0.9 * noisy_or([B, i, j], [C, j, k])            # noisy_or is a Python function

A derivation's weight is F_R of the weights of its premises' derivations, rule by rule. The best derivation
consists of best derivations if every F_R is *monotone*: it never falls where a premise rises. Best-first search
also needs it to be *superior*: never above one of the items (Knuth 1977). Both are tried on random weights before
a search; best-first search checks the second for every instance of a rule.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from palmette import _native

Function: TypeAlias = Callable[..., float]
Range: TypeAlias = tuple[float, float]


@dataclass(frozen=True)
class Premise:
    """The weight of a premise, by its number among the atoms of the body that are not conditions."""

    number: int


@dataclass(frozen=True)
class Application:
    """A function of weights; "*" is the product."""

    function: str
    arguments: tuple[Operand, ...]


Operand: TypeAlias = Premise | float | Application

PREMISE, NUMBER, PRODUCT, LEAST, GREATEST, MEAN, MEAN_SCORE, POWER, FUNCTION = range(9)
_KINDS = {"*": PRODUCT, "min": LEAST, "max": GREATEST, "average": MEAN, "discounted": POWER}
NATIVE_FUNCTIONS = frozenset(_KINDS) - {"*"}

_TRIALS = 100
_SLACK = 1e-9


@dataclass(frozen=True)
class Combination:
    """The F_R of one rule over scores: logs of weights, or numbers as they are given where `log` is true.

    A user's function takes and returns what the user writes: weights, or scores with log=True.
    """

    where: str  # the rule, for messages
    operand: Operand
    functions: Mapping[str, Function]
    log: bool

    @cached_property
    def native(self) -> _native.Combination:
        names = {name: i for i, name in enumerate(self.functions)}
        return _native.Combination(list(self._postfix(self.operand, names)))

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "native"}

    def __call__(self, scores: Sequence[float]) -> float:
        """The score of the head, from those of the premises."""
        return self.native(list(scores), self.call)

    def call(self, function: int, scores: Sequence[float]) -> float:
        """A user's function, from scores to a score."""
        name = list(self.functions)[function]
        weights = scores if self.log else [math.exp(score) for score in scores]
        value = self.functions[name](*weights)
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = math.nan
        if math.isnan(number) or number == math.inf or (number < 0 and not self.log):
            kind = "a number below infinity" if self.log else "finite and not negative"
            raise ValueError(f"{name}({_listed(weights)}) is {value!r}; it must be {kind}")
        if self.log:
            return number
        return math.log(number) if number > 0 else -math.inf

    def _postfix(self, operand: Operand, names: Mapping[str, int]) -> Iterator[tuple[int, int, float]]:
        """The operations, arguments before their function."""
        if isinstance(operand, Premise):
            yield PREMISE, operand.number, 0.0
        elif isinstance(operand, Application):
            arguments, number = operand.arguments, 0.0
            if operand.function in self.functions:
                kind, number = FUNCTION, float(names[operand.function])
            else:
                kind = _KINDS[operand.function]
                if kind == MEAN and self.log:
                    kind = MEAN_SCORE
                if kind == POWER:
                    assert isinstance(arguments[0], float)
                    number, arguments = arguments[0], arguments[1:]
            for argument in arguments:
                yield from self._postfix(argument, names)
            yield kind, len(arguments), number
        else:
            yield NUMBER, 0, operand if self.log else math.log(operand) if operand > 0 else -math.inf

    def check(self, ranges: Sequence[Range], items: Sequence[bool], superior: bool) -> None:
        """Try random scores within the ranges of the premises; ValueError if F_R is not monotone, or not superior.

        The trials are the same each time. What they miss, best-first search finds in what it meets.
        """
        generator = random.Random(0)
        for trial in range(_TRIALS):
            spread = generator.choice((1.0, 0.1)) if trial else 1.0
            scores = [high - (high - low) * spread * generator.random() for low, high in ranges]
            value = self(scores)
            for i, (score, (_, high)) in enumerate(zip(scores, ranges)):
                if superior and items[i] and not value <= score + _slack(score):
                    raise ValueError(
                        "best-first search needs functions that are never above one of their items, but the rule "
                        f"at {self.where} makes {self._shown([value])} of {self._shown(scores)}; search "
                        "exhaustively, or use AStar with a heuristic"
                    )
                more = [*scores[:i], generator.uniform(score, high), *scores[i + 1 :]]
                other = self(more)
                if not other >= value - _slack(value):
                    raise ValueError(
                        "a function must not fall where a premise rises, but the rule at "
                        f"{self.where} makes {self._shown([value])} of {self._shown(scores)}, and "
                        f"{self._shown([other])} of {self._shown(more)}"
                    )

    def _shown(self, scores: Sequence[float]) -> str:
        return _listed(scores if self.log else [math.exp(score) for score in scores])


def head_score(part_score: float, combination: Combination | None, tails: Sequence[float]) -> float:
    """The score of an edge's head: F_R of its tails, times the weight of its part."""
    return part_score + (sum(tails) if combination is None else combination(tails))


def functions_of(operand: Operand) -> Iterator[str]:
    """The names of the functions in an expression, without the product."""
    if isinstance(operand, Application):
        if operand.function != "*":
            yield operand.function
        for argument in operand.arguments:
            yield from functions_of(argument)


def checked_functions(functions: Mapping[str, Any] | None) -> dict[str, Function]:
    """A user's functions by name, each a callable with a name of its own."""
    for name, function in (functions or {}).items():
        if not name.isidentifier():
            raise ValueError(f"{name!r} is not a name that a rule can write")
        if name in NATIVE_FUNCTIONS:
            raise ValueError(f"{name} is the name of a function that is there already")
        if not callable(function):
            raise ValueError(f"the function {name} must be callable, got {function!r}")
    return dict(functions or {})


def _slack(score: float) -> float:
    return _SLACK * max(1.0, abs(score)) if math.isfinite(score) else 0.0


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.4g}" for value in values)
