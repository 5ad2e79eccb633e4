"""How a pipeline reads text: what line ends mean, and whether its sentences or tokens are known."""

from __future__ import annotations

from copy import copy
from typing import TypedDict

from palmette.errors import UsageError
from palmette.tools.pipeline.model import AnyTokenizer
from palmette.tools.text.tokenizer import Tokenizer
from palmette.tools.tokens.blocks import NEWLINES
from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer


class Reading(TypedDict, total=False):
    """newlines: what ends at a line break: nothing ("space"), a sentence, or at an empty line a paragraph.

    presegmented: every line is one sentence. pretokenized: white space divides tokens, and nothing else does.
    """

    newlines: str | None
    presegmented: bool
    pretokenized: bool


def told_of_text(
    tokenizer: AnyTokenizer,
    *,
    newlines: str | None = None,
    presegmented: bool = False,
    pretokenized: bool = False,
) -> AnyTokenizer:
    """The tokenizer with what is known of the text; UsageError for what it cannot use."""
    if newlines is None and not presegmented and not pretokenized:
        return tokenizer
    if newlines is not None and newlines not in NEWLINES:
        raise UsageError(f"The option 'newlines' must be one of {', '.join(NEWLINES)}. Got {newlines!r}.")
    if presegmented and newlines not in (None, "sentence"):
        raise UsageError(
            f"Where text is presegmented, every line end ends a sentence: leave newlines={newlines} out."
        )
    if isinstance(tokenizer, LearnedTokenizer):
        made = copy(tokenizer)
        return made.set_params(
            newlines=newlines or made.newlines, presegmented=presegmented, pretokenized=pretokenized
        )
    if presegmented or pretokenized or newlines == "space" or not isinstance(tokenizer, Tokenizer):
        raise UsageError(
            "presegmented, pretokenized and newlines=space need a learned tokenizer, and this pipeline has none."
        )
    return Tokenizer(tokenizer.language, lines=newlines == "sentence")


def asked_of_text(reading: Reading) -> list[str]:
    """The names of what is said about a text, of which words that are there have no use."""
    return [name for name, value in reading.items() if value]
