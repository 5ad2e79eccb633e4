"""Rerankers: of the few best outputs of a first model, the one that a second model likes best."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.reranking.lists import candidate_lists as candidate_lists
    from palmette.tools.reranking.lists import cross_lists as cross_lists
    from palmette.tools.reranking.reranker import Reranker as Reranker
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "lists": "candidate_lists cross_lists",
            "reranker": "Reranker",
        },
    )
