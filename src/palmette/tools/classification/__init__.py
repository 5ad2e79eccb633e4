"""Classes for whole items: texts, trees, rows of columns."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.classification.classifier import Classifier as Classifier
    from palmette.tools.classification.item_reader import ItemReader as ItemReader
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "classifier": "Classifier",
            "item_reader": "ItemReader",
        },
    )
