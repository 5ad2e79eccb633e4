"""Weights of features that make the best translations good ones: tuning on lists and graphs of translations."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.translation.tuning.curve import Curve as Curve
    from palmette.tools.translation.tuning.curve import metric_curve as metric_curve
    from palmette.tools.translation.tuning.graphs import GraphSet as GraphSet
    from palmette.tools.translation.tuning.graphs import TranslationGraph as TranslationGraph
    from palmette.tools.translation.tuning.lists import NBestLists as NBestLists
    from palmette.tools.translation.tuning.loop import KBest as KBest
    from palmette.tools.translation.tuning.loop import LoopResult as LoopResult
    from palmette.tools.translation.tuning.loop import tuning_loop as tuning_loop
    from palmette.tools.translation.tuning.metric import TuningMetric as TuningMetric
    from palmette.tools.translation.tuning.references import References as References
    from palmette.tools.translation.tuning.tuner import Tuned as Tuned
    from palmette.tools.translation.tuning.tuner import tune as tune
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "curve": "Curve metric_curve",
            "graphs": "GraphSet TranslationGraph",
            "lists": "NBestLists",
            "loop": "KBest LoopResult tuning_loop",
            "metric": "TuningMetric",
            "references": "References",
            "tuner": "Tuned tune",
        },
    )
