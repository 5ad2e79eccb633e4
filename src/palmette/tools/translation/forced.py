"""A target that is given: its best derivation, or how far the phrases reach."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from palmette.formats.given import listed_rows
from palmette.messages import counted
from palmette.tools.alignment.text import Sentence, words_of
from palmette.tools.translation.derivation_graph import DerivationGraph
from palmette.tools.translation.known import Known, checked_known
from palmette.tools.translation.translation import Translation


@dataclass(frozen=True)
class Forced:
    """The best derivation of a given target, and ln p of the target over all of its derivations."""

    translation: Translation
    log_probability: float

    @property
    def probability(self) -> float:
        """The probability of the target."""
        return math.exp(self.log_probability)


@dataclass(frozen=True)
class Unreachable:
    """A target that no derivation has, and its longest beginning that some hypothesis has.

    exact: whether the search pruned nothing, so that none exists.
    """

    target: tuple[str, ...]
    nearest: tuple[str, ...]
    exact: bool

    def __str__(self) -> str:
        if not self.exact:
            start = "not found among the hypotheses that the search kept"
        else:
            start = "not reachable with what is in the table and the limits of the search"
        return f"{start}; the nearest beginning is {' '.join(self.nearest)!r}"


def targets_of(
    sentences: Iterable[Sentence], targets: Iterable[Sentence]
) -> tuple[list[list[str]], list[tuple[str, ...]], list[Known] | None]:
    """Return sentences and their targets in words, and the targets as what is known."""
    rows = [list(words_of(sentence)) for sentence in listed_rows(sentences, "The sentences")]
    wanted = [tuple(words_of(target)) for target in listed_rows(targets, "The targets")]
    if len(rows) != len(wanted):
        raise ValueError(f"Expected targets of {counted(len(rows), 'sentence')}. Got {len(wanted)}.")
    facts = checked_known([Known(target=target) for target in wanted], [len(row) for row in rows])
    return rows, wanted, facts


def forced_answer(
    own: DerivationGraph, free: DerivationGraph, target: tuple[str, ...], prefix: int
) -> Forced | Unreachable:
    """Return the best derivation of a target and its probability; own: its graph, free: that without a target.

    The derivations of the target take the place of those that the free search happened to keep.
    """
    best = own.best()
    if best is None:
        return Unreachable(target, target[:prefix], own.exact)
    total, met = free.hypergraph.log_z(free.scores()), free.log_sum(target)
    here = own.hypergraph.log_z(own.scores())
    others = total + math.log1p(-min(math.exp(met - total), 1.0)) if met < total else -math.inf
    return Forced(best, here - float(np.logaddexp(others, here)))


def check_target(known: Known, number: int) -> None:
    """Raise ValueError if a given target contradicts what else is known; number: of the sentence, from 1."""
    target = known.target
    if target is None:
        return
    for phrase in known.forbidden:
        if _contains(target, phrase):
            raise ValueError(
                f"Sentence {number}: the target {' '.join(target)!r:.60} contains the forbidden phrase "
                f"{' '.join(phrase)!r:.60}."
            )
    for span in {(one.begin, one.end): one for one in known.fixed if one.exclusive}:
        alternatives = [one.target for one in known.fixed if one.exclusive and (one.begin, one.end) == span]
        if not any(_contains(target, words) for words in alternatives):
            raise ValueError(
                f"Sentence {number}: the fixed translation {' '.join(alternatives[0])!r:.60} cannot be placed, "
                "since the target does not contain it."
            )


def _contains(words: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    return any(words[k : k + len(phrase)] == phrase for k in range(len(words) - len(phrase) + 1))


def unreachable(known: Known, prefix: int, exact: bool, number: int) -> str:
    """Return a sentence for a target that no derivation has."""
    target = known.target or ()
    found = Unreachable(target, target[:prefix], exact)
    return f"Sentence {number}: the target {' '.join(target)!r:.60} is {found}."


def nowhere(known: Known, exact: bool, number: int) -> str:
    """Return a sentence for what is known and cannot be placed."""
    fixed = ", ".join(repr(" ".join(one.target)) for one in known.fixed if one.exclusive)
    forbidden = ", ".join(repr(" ".join(phrase)) for phrase in known.forbidden)
    what = f"has {fixed} and none of {forbidden}" if fixed else f"has none of {forbidden}"
    more = "" if exact else " Raise pop_limit, and for phrases stack, to search further."
    return f"Sentence {number}: no translation was found that {what}.{more}"
