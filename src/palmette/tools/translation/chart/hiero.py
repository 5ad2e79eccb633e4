"""Training with hierarchical rules, which have gaps: align, extract, estimate n-grams, tune (CSC 448, §18)."""

from __future__ import annotations

from dataclasses import dataclass

from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText
from palmette.tools.translation.chart.model import HieroModel
from palmette.tools.translation.chart.search_options import ChartOptions
from palmette.tools.translation.chart.training import RuleTraining
from palmette.tools.translation.rules.hiero import HieroOptions, extract_hiero
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.stage_options import StageOptions
from palmette.tools.translation.training import Numbers


@dataclass(frozen=True, kw_only=True)
class HieroMethodOptions(ChartOptions, HieroOptions, StageOptions):
    """All options of the method `hiero`."""

    @property
    def search(self) -> ChartOptions:
        """Those of the search."""
        return self.part(ChartOptions)

    @property
    def table(self) -> HieroOptions:
        """Those of the rule table."""
        return self.part(HieroOptions)


class HieroTraining(RuleTraining):
    """The stages of the method."""

    own: HieroMethodOptions
    name = "hiero"
    options_class = HieroMethodOptions
    model_class = HieroModel

    def table(self, text: ParallelText, links: Alignments, numbers: Numbers | None) -> RuleTable:
        """The rule table."""
        return self.record.run(
            "rules",
            lambda: extract_hiero(text, links, self.own.table, n_jobs=self.n_jobs),
            lambda made: {"rules": len(made)},
        )
