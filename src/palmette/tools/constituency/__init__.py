"""Constituency parsing: the tree of phrases of a sentence."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.constituency.model import Bracket as Bracket
    from palmette.tools.constituency.model import ConstituencyModel as ConstituencyModel
    from palmette.tools.constituency.model import Constraints as Constraints
    from palmette.tools.constituency.model import Parse as Parse
    from palmette.tools.constituency.parser import ConstituencyParser as ConstituencyParser
    from palmette.tools.constituency.treebank import clean_trees as clean_trees
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "model": "Bracket ConstituencyModel Constraints Parse",
            "parser": "ConstituencyParser",
            "treebank": "clean_trees",
        },
    )
