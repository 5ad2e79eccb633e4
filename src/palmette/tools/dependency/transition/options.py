"""The options of a transition-based parser, and the sizes of its tables of weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palmette.learning.capabilities import SEARCH, Capabilities
from palmette.parameters import Options, option
from palmette.structures.transitions import SYSTEMS
from palmette.tools.dependency.model import Int32
from palmette.tools.packed_weights import require_size

_TRAINING = {"follow": 0, "static": 1, "dynamic": 2, "beam": 3}
WITH_COSTS = ("arc-hybrid", "arc-eager")
WIDEST = 1024  # of beams: a wider one finds nothing better, and a model file must not ask for hours
OWNER = "The method 'transition'"


@dataclass(frozen=True, kw_only=True)
class TransitionOptions(Options):
    """The options of a transition-based parser."""

    system: str = option(
        "arc-eager", "the transition system; only swap makes arcs that cross", choices=SYSTEMS, fixed=True
    )
    beam: int = option(
        1, "parses kept at every step; 1 is the greedy parser, the fastest", low=1, high=WIDEST
    )
    oracle: str | None = option(
        None,
        "what a greedy parser learns from: dynamic, also its own mistakes; static, right moves only; "
        "none: dynamic where the system has one",
        choices=("static", "dynamic"),
        fixed=True,
    )
    update: str = option(
        "max-violation",
        "where a parser with a beam is corrected: where it is furthest behind, or as soon as it has lost "
        "the right parse",
        choices=("max-violation", "early"),
        fixed=True,
    )
    exploration: float = option(
        1.0, "how often the dynamic oracle follows the parser's own mistakes", low=0, fixed=True
    )
    bits: int = option(20, "the table of moves has 2^bits rows", low=4, high=26, fixed=True)
    label_bits: int = option(17, "the table of labels has 2^label_bits rows", low=4, high=26, fixed=True)
    groups: int = option(
        7, "number of groups of labels between which the moves themselves choose", low=1, fixed=True
    )

    def check(self) -> None:
        """Check that the system and the beam have the oracle."""
        if self.oracle == "dynamic" and self.system not in WITH_COSTS:
            raise ValueError(
                f"{self.system} has no dynamic oracle: take a static one, arc-eager or arc-hybrid."
            )
        if self.oracle == "dynamic" and self.beam > 1:
            raise ValueError("A beam is trained with a static oracle; a dynamic one is for beam=1.")

    @property
    def training(self) -> int:
        """How the core looks at examples."""
        if self.beam > 1:
            return _TRAINING["beam"]
        return _TRAINING[self.oracle or ("dynamic" if self.system in WITH_COSTS else "static")]


def offers(options: Mapping[str, Any]) -> Capabilities:
    """Return what learners may ask of a parser with these options.

    A beam compares whole sequences of moves, which have no sums. Without one every move is a choice of its own;
    with a dynamic oracle the moves change from pass to pass.
    """
    training = TransitionOptions.of(options, OWNER).training
    if training == _TRAINING["beam"]:
        return SEARCH
    steps = frozenset({"best", "weights", "votes", "marginals"})
    return steps | {"parts", "costs"} if training == _TRAINING["static"] else steps


def n_moves(groups: Int32) -> int:
    """Shift, the third kind, and left and right arcs of every group."""
    return 2 + 2 * (int(groups.max()) + 1)


def move_stride(groups: Int32) -> int:
    """Moves, rounded up to a multiple of 8."""
    return -(-n_moves(groups) // 8) * 8


def label_stride(groups: Int32) -> int:
    """Labels, rounded up to a multiple of 8."""
    return -(-len(groups) // 8) * 8


def require_tables(options: TransitionOptions, groups: Int32) -> None:
    require_size((move_stride(groups) << options.bits) + (label_stride(groups) << options.label_bits))
