"""GEN: which sets of parts make an output."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.structures.arborescence import ProjectiveTrees as ProjectiveTrees
    from palmette.structures.arborescence import SpanningTrees as SpanningTrees
    from palmette.structures.automaton import Automaton as Automaton
    from palmette.structures.chain import Chain as Chain
    from palmette.structures.chain_scores import ChainScores as ChainScores
    from palmette.structures.chart import Chart as Chart
    from palmette.structures.choice import Choice as Choice
    from palmette.structures.transitions import TransitionSystem as TransitionSystem
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "arborescence": "ProjectiveTrees SpanningTrees",
            "automaton": "Automaton",
            "chain": "Chain",
            "chain_scores": "ChainScores",
            "chart": "Chart",
            "choice": "Choice",
            "transitions": "TransitionSystem",
        },
    )
