"""Dependency parsing: a head and a relation for every word, by a graph or by transitions."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.dependency.model import TreeModel as TreeModel
    from palmette.tools.dependency.parser import DependencyParser as DependencyParser
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "model": "TreeModel",
            "parser": "DependencyParser",
        },
    )
