"""Trees over the spans of a sentence: weighted grammars as charts, their sums, and trees of least risk."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.structures.chart.bracket_risk import best_brackets as best_brackets
    from palmette.structures.chart.chart import Chart as Chart
    from palmette.structures.chart.chart import ChartForest as ChartForest
    from palmette.structures.chart.chart import Rule as Rule
    from palmette.structures.chart.chart import ScoredTree as ScoredTree
    from palmette.structures.chart.rule_risk import best_rules as best_rules
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "bracket_risk": "best_brackets",
            "chart": "Chart ChartForest Rule ScoredTree",
            "rule_risk": "best_rules",
        },
    )
