"""Dependency trees by a table of arc scores: projective ones and all, their sums, and the k best."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.structures.arborescence.trees import DependencyTrees as DependencyTrees
    from palmette.structures.arborescence.trees import ProjectiveTrees as ProjectiveTrees
    from palmette.structures.arborescence.trees import ScoredTree as ScoredTree
    from palmette.structures.arborescence.trees import SpanningTrees as SpanningTrees
    from palmette.structures.arborescence.trees import TreeBatch as TreeBatch
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "trees": "DependencyTrees ProjectiveTrees ScoredTree SpanningTrees TreeBatch",
        },
    )
