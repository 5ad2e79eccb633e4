"""The options of the method `tree-to-string`: of the search, the rule table, and all of its training."""

from __future__ import annotations

from dataclasses import dataclass

from palmette.parameters import Options, option
from palmette.tools.translation.chart.search_options import LONGEST_SPAN, ChartOptions
from palmette.tools.translation.rules.ghkm import GhkmOptions
from palmette.tools.translation.rules.hiero import COUNTINGS
from palmette.tools.translation.rules.scoring import ScoringOptions
from palmette.tools.translation.stage_options import StageOptions


@dataclass(frozen=True, kw_only=True)
class TreeSearchOptions(Options):
    """What a search over trees may look at. Without limits it is exact."""

    pop_limit: int | None = option(
        100, "candidates taken for each node, best first (cube pruning); none: all", low=1
    )
    growing: bool = option(False, "take candidates only when a node above asks for them (cube growing)")
    table_limit: int | None = option(20, "rules tried for a fragment; none: all", low=1)
    forest: int = option(1, "trees of the parser that are packed into a forest", low=1, high=1000)
    unknown: str = option(
        "copy",
        "what becomes of unknown words: copied, left out, or written as <unk>word</unk>",
        choices=("copy", "drop", "mark"),
    )

    @property
    def chart(self) -> ChartOptions:
        """The same for a chart, without limits that trees do not need."""
        shared = ("pop_limit", "growing", "table_limit", "unknown")
        return ChartOptions(**{name: getattr(self, name) for name in shared}, span=LONGEST_SPAN)


@dataclass(frozen=True, kw_only=True)
class FragmentOptions(ScoringOptions):
    """How rules over trees are extracted."""

    max_rules: int = option(
        GhkmOptions.max_rules, "minimal rules that one rule is composed of", low=1, fixed=True
    )
    max_nodes: int = option(
        GhkmOptions.max_nodes, "expanded tree nodes of a composed rule", low=1, fixed=True
    )
    max_symbols: int = option(
        GhkmOptions.max_symbols, "words and nonterminals of a composed target side", low=1, fixed=True
    )
    counting: str = option(
        GhkmOptions.counting,
        "what a rule counts: its share of the rules of a node, or 1",
        choices=COUNTINGS,
        fixed=True,
    )


@dataclass(frozen=True, kw_only=True)
class TreeToStringOptions(TreeSearchOptions, FragmentOptions, StageOptions):
    """All options of the method."""

    @property
    def search(self) -> TreeSearchOptions:
        """Those of the search."""
        return self.part(TreeSearchOptions)

    @property
    def table(self) -> GhkmOptions:
        """Those of the rule table."""
        return GhkmOptions(**self.part(FragmentOptions).to_dict())
