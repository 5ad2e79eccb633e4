"""The options of a graph-based parser, and the sizes of its tables of weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palmette.learning.capabilities import SEARCH, SUMS, Capabilities
from palmette.parameters import Options, option

_FILTER_BITS = 20  # at most: the filter needs no more
OWNER = "The method 'graph'"


@dataclass(frozen=True, kw_only=True)
class GraphOptions(Options):
    """The options of a graph-based parser."""

    projective: bool | None = option(
        None, "whether trees have no arcs that cross; none: false if a tenth of the sentences have some"
    )
    siblings: bool = option(True, "whether the score of an arc sees the sibling before it", fixed=True)
    grandparents: bool = option(True, "whether the score of an arc sees the head of its head", fixed=True)
    labels: str = option(
        "after",
        "when relations are chosen: after the tree, jointly with its arcs, or both",
        choices=("after", "jointly", "both"),
        fixed=True,
    )
    single_root: bool = option(True, "whether every sentence has exactly one word without a head")
    threshold: float = option(
        0.005,
        "least probability of a head that the filter keeps, relative to the word's likeliest head",
        above=0,
        high=1,
    )
    most_heads: int = option(10, "most heads of a word that the filter keeps", low=1)
    bits: int = option(24, "the table of trees has 2^bits weights", low=4, high=28, fixed=True)
    label_bits: int = option(17, "the table of labels has 2^label_bits rows", low=4, high=22, fixed=True)


def offers(options: Mapping[str, Any]) -> Capabilities:
    """Return what learners may ask of a parser with these options; if `projective` is open, as if it were true."""
    made = GraphOptions.of(options, OWNER)
    first_order = not (made.siblings or made.grandparents)
    return SEARCH if made.projective is False and not first_order else SUMS


def n_weights(options: GraphOptions, n_labels: int) -> int:
    """How many weights the filter, the trees and the labels have."""
    from palmette.tools.sequence.model import stride

    trees = n_tree_weights(options, 1 if options.labels == "after" else n_labels)
    after = 0 if options.labels == "jointly" else (1 << options.label_bits) * stride(n_labels)
    return (1 << filter_bits(options)) + trees + after


def n_tree_weights(options: GraphOptions, n_labels: int) -> int:
    """How many weights the trees have."""
    from palmette.tools.sequence.model import stride

    return (1 << options.bits) + (1 << row_bits(options, n_labels)) * stride(n_labels)


def filter_bits(options: GraphOptions) -> int:
    """The table of the filter has 2^filter_bits weights; no more than that of the trees."""
    return min(_FILTER_BITS, options.bits)


def row_bits(options: GraphOptions, n_labels: int) -> int:
    """A single label is not worth a table."""
    return options.label_bits if n_labels > 1 else 1
