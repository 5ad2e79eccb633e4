"""Questions answered from a database: dependency-based compositional semantics."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.semantics.answer import Answer as Answer
    from palmette.tools.semantics.database import Database as Database
    from palmette.tools.semantics.database import read_database as read_database
    from palmette.tools.semantics.dcs import DCSTree as DCSTree
    from palmette.tools.semantics.denotation import Denotations as Denotations
    from palmette.tools.semantics.lexicon import read_triggers as read_triggers
    from palmette.tools.semantics.semantic_parser import SemanticParser as SemanticParser
    from palmette.tools.semantics.world import World as World
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "answer": "Answer",
            "database": "Database read_database",
            "dcs": "DCSTree",
            "denotation": "Denotations",
            "lexicon": "read_triggers",
            "semantic_parser": "SemanticParser",
            "world": "World",
        },
    )
