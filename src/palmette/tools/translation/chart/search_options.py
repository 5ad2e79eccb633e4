"""The limits of a search by synchronous rules, as a table of options."""

from __future__ import annotations

from dataclasses import dataclass

from palmette.parameters import Options, option

LONGEST_SPAN = 255


@dataclass(frozen=True, kw_only=True)
class ChartOptions(Options):
    """What a search by rules may look at. Without limits (`exhaustive`) it is exact.

    >>> ChartOptions(unknown="drop").pop_limit
    100
    """

    pop_limit: int | None = option(
        100, "candidates taken for each span, best first (cube pruning); none: all", low=1
    )
    growing: bool = option(False, "take candidates only when a larger span asks for them (cube growing)")
    span: int = option(15, "source words that a rule may cover; glue has no limit", low=1, high=LONGEST_SPAN)
    table_limit: int | None = option(20, "rules tried for a source side; none: all", low=1)
    chain: int = option(
        1, "rules over a single nonterminal that may follow each other; 0: none is used", low=0, high=9
    )
    unknown: str = option(
        "copy",
        "what becomes of unknown words: copied, left out, or written as <unk>word</unk>",
        choices=("copy", "drop", "mark"),
    )

    @classmethod
    def exhaustive(cls, **others: object) -> ChartOptions:
        """Return options without any limit, for sentences of a few words."""
        free = {"pop_limit": None, "table_limit": None, "span": LONGEST_SPAN}
        return cls.of({**free, **others}, "An exhaustive search")
