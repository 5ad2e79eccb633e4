"""Similar words, from what they occur with."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.thesaurus.hierarchy import Hierarchy as Hierarchy
    from palmette.tools.thesaurus.model import Neighbour as Neighbour
    from palmette.tools.thesaurus.options import ThesaurusOptions as ThesaurusOptions
    from palmette.tools.thesaurus.scores import SimilarityScores as SimilarityScores
    from palmette.tools.thesaurus.thesaurus import Thesaurus as Thesaurus
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "hierarchy": "Hierarchy",
            "model": "Neighbour",
            "options": "ThesaurusOptions",
            "scores": "SimilarityScores",
            "thesaurus": "Thesaurus",
        },
    )
