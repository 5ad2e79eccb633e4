"""GEN: which sets of parts make an output."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.structures import arborescence as arborescence
    from palmette.structures import chart as chart
    from palmette.structures.anchored_rules import AnchoredRules as AnchoredRules
    from palmette.structures.arborescence.trees import ProjectiveTrees as ProjectiveTrees
    from palmette.structures.arborescence.trees import SpanningTrees as SpanningTrees
    from palmette.structures.arcs import ArcTrees as ArcTrees
    from palmette.structures.automaton import Automaton as Automaton
    from palmette.structures.chain import Chain as Chain
    from palmette.structures.chain_scores import ChainScores as ChainScores
    from palmette.structures.chart.chart import Chart as Chart
    from palmette.structures.choice import Choice as Choice
    from palmette.structures.minimum_cut import MinimumCut as MinimumCut
    from palmette.structures.token_arrays import Tokens as Tokens
    from palmette.structures.transitions import TransitionParses as TransitionParses
    from palmette.structures.transitions import TransitionSystem as TransitionSystem
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "anchored_rules": "AnchoredRules",
            "arborescence.trees": "ProjectiveTrees SpanningTrees",
            "arcs": "ArcTrees",
            "automaton": "Automaton",
            "chain": "Chain",
            "chain_scores": "ChainScores",
            "chart.chart": "Chart",
            "choice": "Choice",
            "minimum_cut": "MinimumCut",
            "token_arrays": "Tokens",
            "transitions": "TransitionParses TransitionSystem",
        },
        "arborescence chart",
    )
