"""From raw text to sentences of tokens, by rules."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.text.segmented import Segmented as Segmented
    from palmette.tools.text.tokenizer import Token as Token
    from palmette.tools.text.tokenizer import Tokenizer as Tokenizer
    from palmette.tools.text.tokenizer import detokenize as detokenize
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "segmented": "Segmented",
            "tokenizer": "Token Tokenizer detokenize",
        },
    )
