"""From raw text to tokens, words, lemmas, tags, trees and names."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.pipeline.document import Document as Document
    from palmette.tools.pipeline.document import Entity as Entity
    from palmette.tools.pipeline.document import Sentence as Sentence
    from palmette.tools.pipeline.document import Token as Token
    from palmette.tools.pipeline.pipeline import Pipeline as Pipeline
    from palmette.tools.pipeline.step import Step as Step
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "document": "Document Entity Sentence Token",
            "pipeline": "Pipeline",
            "step": "Step",
        },
    )
