"""Discontinuous brackets, counted by hand under the rules of disco-dop."""

from __future__ import annotations

import pytest

from palmette.evaluation.bracket_rules import DISCODOP, RULES
from palmette.evaluation.brackets import evaluate_brackets
from palmette.trees.tree import Tree

SIGNS = " (punct 4=,) (punct 6=.))"
GOLD = "(ROOT (SMAIN (PPART (NP (det 0=de) (noun 1=brug)) (verb 5=gezien)) (verb 2=heb) (noun 3=ik))" + SIGNS


def score(guess: str) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Gold, guessed and right brackets, of all and of those with gaps."""
    scores = evaluate_brackets(
        [Tree.parse(GOLD, positions=True)], [Tree.parse(guess, positions=True)], DISCODOP
    )
    return tuple((c.gold, c.guess, c.correct) for c in (scores.overall, scores.discontinuous))  # type: ignore[return-value]


def test_the_same_tree() -> None:
    # SMAIN, PPART and NP count; the root does not. Only PPART has a gap: that of SMAIN is punctuation.
    assert score(GOLD) == ((3, 3, 3), (1, 1, 1))


def test_a_tree_without_gaps() -> None:
    guess = (
        "(ROOT (SMAIN (NP (det 0=de) (noun 1=brug)) (verb 2=heb) (noun 3=ik) (PPART (verb 5=gezien)))" + SIGNS
    )
    assert score(guess) == ((3, 3, 2), (1, 0, 0))


def test_punctuation_elsewhere_makes_no_difference() -> None:
    phrase = "(PPART (NP (det 0=de) (noun 1=brug)) (punct 4=,) (verb 5=gezien))"
    guess = f"(ROOT (SMAIN {phrase} (verb 2=heb) (noun 3=ik) (punct 6=.)))"
    assert score(guess) == ((3, 3, 3), (1, 1, 1))


def test_another_gap() -> None:
    guess = (
        "(ROOT (SMAIN (PPART (NP (det 0=de) (noun 1=brug)) (noun 3=ik) (verb 5=gezien)) (verb 2=heb))" + SIGNS
    )
    assert score(guess) == ((3, 3, 2), (1, 1, 0))


def test_the_rules_have_a_name() -> None:
    assert RULES["discodop"] is DISCODOP
    assert evaluate_brackets(
        [Tree.parse("(A (b c))")], [Tree.parse("(A (b c))")], DISCODOP
    ).f1 == pytest.approx(1)
