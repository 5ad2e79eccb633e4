"""N-gram language models: how likely a word is after the words before it."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.lm.model import LanguageModel as LanguageModel
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "model": "LanguageModel",
        },
    )
