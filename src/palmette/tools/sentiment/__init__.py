"""Polarity of documents, from the sentences that say what their author thinks."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.sentiment.extracts import Extract as Extract
    from palmette.tools.sentiment.options import SentimentOptions as SentimentOptions
    from palmette.tools.sentiment.sentiment import Sentiment as Sentiment
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {"extracts": "Extract", "options": "SentimentOptions", "sentiment": "Sentiment"},
    )
