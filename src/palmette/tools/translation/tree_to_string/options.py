"""The options of the method `tree-to-string`: of the search, and all of its training."""

from __future__ import annotations

from dataclasses import dataclass, fields

from palmette.parameters import option
from palmette.tools.translation.chart.search_options import ChartOptions
from palmette.tools.translation.rules.ghkm import GhkmOptions
from palmette.tools.translation.stage_options import StageOptions


@dataclass(frozen=True, kw_only=True)
class TreeSearchOptions(ChartOptions):
    """What a search over trees may look at."""

    forest: int = option(
        1, "trees of the parser that are packed into a forest, for each sentence", low=1, high=1000
    )


@dataclass(frozen=True, kw_only=True)
class TreeToStringOptions(TreeSearchOptions, GhkmOptions, StageOptions):
    """All options of the method."""

    @property
    def search(self) -> TreeSearchOptions:
        """Those of the search."""
        return TreeSearchOptions(**{one.name: getattr(self, one.name) for one in fields(TreeSearchOptions)})

    @property
    def table(self) -> GhkmOptions:
        """Those of the rule table."""
        return GhkmOptions(**{one.name: getattr(self, one.name) for one in fields(GhkmOptions)})
