"""The options of inference rules."""

from __future__ import annotations

from dataclasses import dataclass

from palmette.parameters import Options, option

MEASURES = ("mean", "sum")


@dataclass(frozen=True, kw_only=True)
class RuleOptions(Options):
    """Which paths are kept, and how they are compared."""

    measure: str = option(
        "mean",
        "similarity of paths: geometric mean of their slots, or sum over words of the other slot (eq. 139)",
        choices=MEASURES,
    )
    longest: int = option(4, "relations in the longest paths", low=2, high=8, fixed=True)
    min_count: int = option(3, "leave out paths that occur fewer times", low=1, fixed=True)
    words: str = option(
        "auto",
        "what a word is: its lemma, its form, its form in lower case; auto: the lemma where there are lemmas, "
        "else lower",
        choices=("auto", "lemma", "form", "lower"),
        fixed=True,
    )
    patterns: str = option(
        "from X to Y; either X or Y", "word patterns of opposites, separated by semicolons", fixed=True
    )
    language: str = option("en", "language of the tokenizer, for text", fixed=True)
    memory: str = option("1G", "memory for counts; what does not fit waits on disk", fixed=True)

    def check(self) -> None:
        """Check the patterns and the memory."""
        from palmette.tools.lm.runs import bytes_of
        from palmette.tools.thesaurus.opposites import read_patterns

        bytes_of(self.memory)
        read_patterns(self.patterns)
