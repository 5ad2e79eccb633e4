"""The options of the lexicalised method."""

from __future__ import annotations

from dataclasses import dataclass

from palmette.parameters import Options, option
from palmette.tools.constituency.model import MOST_MEMORY, MOST_WORDS

OWNER = "The method 'lexicalized'"


@dataclass(frozen=True, kw_only=True)
class LexicalizedOptions(Options):
    """The options of a lexicalised parser."""

    heads: str = option(
        "auto",
        "rules for head children; auto: english or generic, by the labels",
        choices=("auto", "english", "generic"),
        fixed=True,
    )
    two_heads: bool = option(
        False,
        "whether a constituent also has a semantic head word: the main verb, the noun of a PP",
        fixed=True,
    )
    rare: int = option(
        10, "largest count of the words that show which tags unknown words have", low=0, fixed=True
    )
    prune_first: float = option(1e-4, "least posterior of a phrase in the first coarse pass", low=0, below=1)
    prune_second: float = option(1e-4, "least posterior of an item in the second coarse pass", low=0, below=1)
    beam: float = option(
        1e-5, "least weight of a head word of an item, relative to the item's best one", low=0, below=1
    )
    offset: float = option(0.4, "least probability of a bracket in minimum-risk trees", low=0, below=1)
    max_words: int = option(
        150,
        "most words of a sentence that is parsed as a whole; a longer one is parsed in parts",
        low=1,
        high=MOST_WORDS,
    )
    memory: float = option(
        500,
        "megabytes for the search of one sentence; if it needs more, it prunes more, then parses the sentence "
        "in parts",
        low=1,
        high=MOST_MEMORY,
    )
