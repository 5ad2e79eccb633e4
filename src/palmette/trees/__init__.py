"""Trees: constituency trees, dependency trees, their shapes and counts."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.trees.dependency_tree import Arc as Arc
    from palmette.trees.dependency_tree import DependencyTree as DependencyTree
    from palmette.trees.shapes import TreeShapes as TreeShapes
    from palmette.trees.shapes import projectivise as projectivise
    from palmette.trees.shapes import tree_shapes as tree_shapes
    from palmette.trees.tree import Leaf as Leaf
    from palmette.trees.tree import Span as Span
    from palmette.trees.tree import Tree as Tree
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "dependency_tree": "Arc DependencyTree",
            "shapes": "TreeShapes projectivise tree_shapes",
            "tree": "Leaf Span Tree",
        },
    )
