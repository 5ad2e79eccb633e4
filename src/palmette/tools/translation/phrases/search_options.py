"""The limits of a search by phrases, as a table of options."""

from __future__ import annotations

from dataclasses import dataclass

from palmette.parameters import Options, option


@dataclass(frozen=True, kw_only=True)
class SearchOptions(Options):
    """What a search by phrases may look at. Without limits (`exhaustive`) it is exact.

    >>> SearchOptions(unknown="drop").stack
    100
    """

    stack: int | None = option(100, "hypotheses kept for each number of covered words; none: all", low=1)
    threshold: float | None = option(
        None, "drop hypotheses whose score is this much below the best; none: keep them", low=0
    )
    pop_limit: int | None = option(
        100, "candidates taken for each number of covered words (cube pruning); none: all", low=1
    )
    distortion_limit: int | None = option(
        10, "source words that a jump may pass over; 0: the order of the source; none: any", low=0
    )
    table_limit: int | None = option(20, "translations tried for a source phrase; none: all", low=1)
    max_phrase: int | None = option(None, "words in a source phrase; none: as long as in the table", low=1)
    monotone: bool = option(False, "translate in the order of the source, as distortion_limit=0 does")
    walls: bool = option(False, "finish what is before a punctuation mark before anything after it")
    unknown: str = option(
        "copy",
        "what becomes of unknown words: copied, left out, or written as <unk>word</unk>",
        choices=("copy", "drop", "mark"),
    )
    orientation: str = option(
        "phrase",
        "what orientations compare: words, phrases, or blocks of phrases; in training that of `reordering`",
        choices=("word", "phrase", "hierarchical"),
    )

    @classmethod
    def exhaustive(cls, **others: object) -> SearchOptions:
        """Return options without any limit, for sentences of a few words."""
        free = dict.fromkeys(("stack", "pop_limit", "distortion_limit", "table_limit"))
        return cls.of({**free, **others}, "An exhaustive search")

    @property
    def jump(self) -> int:
        """Words that a jump may pass over, −1 for any."""
        return 0 if self.monotone else -1 if self.distortion_limit is None else self.distortion_limit
