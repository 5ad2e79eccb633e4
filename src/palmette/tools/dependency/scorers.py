"""Parsers whose scores come from a network: what goes with it, and what its training gives back.

The network itself is in `palmette.tools.dependency.neural`, which is imported when a parser has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from palmette.errors import UsageError
from palmette.features.network.options import FOR_SEQUENCES, Neural
from palmette.tools.dependency.model import TreeModel

if TYPE_CHECKING:
    from palmette.learning.learner import Report


class TrainedNetwork(NamedTuple):
    """A model fresh from training; notes: what was done differently, a sentence each."""

    model: TreeModel
    history: tuple[Report, ...]
    interrupted: bool
    notes: tuple[str, ...]


def check_scorer(scorer: object, method: str, learner: object) -> Neural:
    """The scorer, if it is one for trees; UsageError if other parameters do not go with it."""
    if not isinstance(scorer, Neural):
        raise UsageError(
            f"The 'scorer' parameter must be a Neural, such as Neural.for_trees(), or None. Got {scorer!r}."
        )
    scorer.refuse(FOR_SEQUENCES, "dependency trees")
    if method != "graph":
        raise UsageError(f"A neural scorer is for the method 'graph', and not for {method!r}.")
    if learner is not None:
        raise UsageError("A neural scorer takes no learner: its option 'loss' is in the place of one.")
    return scorer
