"""The options of the method `plcfrs`: of its search, and of its grammar."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from palmette.parameters import Options, option
from palmette.tools.constituency.plcfrs.punctuation import MODES

_MOST_WORDS = 256  # of the native parser
_MOST_EDGES = 5_000_000  # which take some 500 MB
OWNER = "The method 'plcfrs'"


@dataclass(frozen=True, kw_only=True)
class SearchOptions(Options):
    """The options of search, which a trained model keeps and can change."""

    segment_threshold: float = option(
        1e-4, "least expected count of a segment of the split grammar that is kept", low=0, high=1
    )
    item_threshold: float = option(
        1e-4, "least probability of an item of the plain grammar that is kept", low=0, high=1
    )
    max_edges: int = option(
        200_000,
        "most edges of the forest; above it, more is pruned and a note says so",
        low=1,
        high=_MOST_EDGES,
    )
    max_words: int = option(
        100,
        "most words of a sentence that is parsed as a whole, fewer with a large grammar; a longer one is "
        "parsed in parts",
        low=1,
        high=_MOST_WORDS,
    )

    def searching(self, options: Mapping[str, Any]) -> SearchOptions:
        """Return the options of search with others; ValueError for those of training."""
        PlcfrsOptions().changed(options, OWNER)
        return self.changed(options, OWNER)

    @property
    def arguments(self) -> dict[str, Any]:
        """What the native parser takes."""
        names = ("segment_threshold", "item_threshold", "max_edges")
        return {name: getattr(self, name) for name in names} | {"exact": False}


@dataclass(frozen=True, kw_only=True)
class PlcfrsOptions(SearchOptions):
    """All options of the method: those of search, and those of its grammar."""

    horizontal: int = option(0, "siblings that a symbol made by binarization remembers", low=0, fixed=True)
    vertical: int = option(
        1, "labels that a symbol knows: 1 its own, 2 also its parent's, and so on", low=1, fixed=True
    )
    tags: bool = option(False, "whether tags know the label of their parent", fixed=True)
    punctuation: str = option(
        "remove", "what happens to punctuation while parsing", choices=MODES, fixed=True
    )
    rounds: int = option(
        4, "number of times that states are split in two; 0 is the plain grammar", low=0, fixed=True
    )
    grammars: int = option(4, "number of grammars whose posteriors are multiplied", low=1, fixed=True)
    smoothing: float = option(
        0.01,
        "how far the rules of a state are moved towards the mean of its symbol",
        low=0,
        high=1,
        fixed=True,
    )

    @property
    def search(self) -> SearchOptions:
        """The options of search alone."""
        return SearchOptions(**{name: getattr(self, name) for name in SearchOptions.names()})
