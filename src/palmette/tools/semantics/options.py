"""The options of semantic parsing."""

from __future__ import annotations

from dataclasses import dataclass

from palmette.parameters import Options, option


@dataclass(frozen=True, kw_only=True)
class SemanticOptions(Options):
    """How trees are searched, and how training goes."""

    rounds: int = option(3, "passes of parsing all questions and fitting the weights", low=1, fixed=True)
    width: int = option(30, "trees kept for a span of words when a question is answered", low=1)
    candidates: int = option(60, "trees whose answers are computed when a question is answered", low=1)
    train_width: int = option(60, "trees kept for a span of words in training", low=1, fixed=True)
    train_candidates: int = option(
        150, "trees of a question that the weights are fitted to", low=1, fixed=True
    )
    votes: int = option(
        2, "questions that a meaning must answer to become one of a word that had none", low=1, fixed=True
    )
    ties: str = option(
        "auto",
        "what superlatives do with equal values: all of them, the first in the database, or what fits training",
        choices=("auto", "all", "first"),
        fixed=True,
    )
    unseen: float = option(
        0.5,
        "factor for the probability of an answer, for every word that was not in the training questions and has "
        "no part in the answer",
        above=0.0,
        high=1.0,
    )
    limit: int = option(10_000_000, "pairs of values that a comparison may have", low=1)
