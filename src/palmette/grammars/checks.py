"""What the front door of a grammar checks: rules of the right types, each once, and weights that sum to one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from palmette.errors import FormatError
from palmette.grammars.rule import Rule, Terminal, symbol_text

SLACK = 1e-9  # what a sum of probabilities may be off by


class GrammarWarning(UserWarning):
    """Something about a grammar that is allowed but seldom meant."""


def checked_rule(rule: Rule) -> Rule:
    """A rule of the right types, with a weight that is one."""
    try:
        left, right, weight = rule
        good = isinstance(left, str) and all(isinstance(symbol, str | Terminal) for symbol in right)
        number = float(weight)
    except (TypeError, ValueError):
        good, number = False, 0.0
    if not good or isinstance(right, str):
        raise ValueError(
            f"A rule is Rule(left, (symbol, ...), weight), words in Terminal(word). Got {rule!r}."
        )
    if not 0 <= number < math.inf:
        raise ValueError(f"The weight of a rule must be finite and not negative. Got {rule!r}.")
    if not left or any(symbol in ("", Terminal("")) for symbol in right):
        raise ValueError(f"Symbols must not be empty. Got {rule!r}.")
    return Rule(left, tuple(right), number)


def check_once(rules: Sequence[Rule], lines: list[int] | None, path: str | None) -> None:
    """Raise ValueError unless every rule is there once."""
    first: dict[tuple[Any, ...], int] = {}
    for n, rule in enumerate(rules):
        m = first.setdefault(rule[:2], n)
        if m != n:
            if lines is None:
                raise ValueError(
                    f"The rule {rule.arrow()} appears twice: give it once, with the sum of the weights."
                )
            message = (
                f"the rule {rule.arrow()} is in line {lines[m]} as well: write it once, weights added up"
            )
            raise FormatError(message, path=path or "grammar", line=lines[n])


def grammar_error(message: str, path: str | None) -> ValueError:
    return (
        ValueError(message[0].upper() + message[1:] + ".")
        if path is None
        else FormatError(message, path=path)
    )


def warn_of_sums(sums: Mapping[str, float], rules: Sequence[Rule]) -> None:
    """A warning with the nonterminal whose weights are farthest from a sum of one; none if all weights are one."""
    off = [abs(total - 1) > SLACK for total in sums.values()].count(True)
    if not off or all(rule.weight == 1 for rule in rules):
        return
    worst, total = max(sums.items(), key=lambda pair: abs(pair[1] - 1))
    others = f" (those of {off - 1} others do not either)" if off > 1 else ""
    warnings.warn(
        f"the weights of {symbol_text(worst)} sum to {total:g}, not to one{others}; say weighted=True if they "
        "are not probabilities, or take grammar.normalised()",
        GrammarWarning,
        stacklevel=3,
    )
