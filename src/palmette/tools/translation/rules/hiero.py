"""Hierarchical rules from aligned sentence pairs (CSC 448, §18; Chiang 2007).

An initial phrase pair agrees with the links, and its four border words have links; if it is loose, source words at
its borders may have none. A rule is an initial phrase pair in which up to two smaller ones, the holes, which are
never loose, are replaced by the nonterminal X:

    X -> ne X1 pas , not X1

The limits of `HieroOptions` keep the number of rules near-linear in the text. Each initial phrase pair counts 1,
and its rules share this count, so that long phrases with many rules do not count more than short ones. Rules are
found and counted natively, on threads (native/tools/translation/rules/hiero.hpp).
"""

from __future__ import annotations

from dataclasses import dataclass

from palmette._native import hiero_rules
from palmette.parameters import option
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText
from palmette.tools.translation.rules.aligned_text import text_arrays
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.rules.scoring import RuleStrings, ScoringOptions, scored_table

COUNTINGS = ("shares", "whole")
X = "X"


@dataclass(frozen=True)
class HieroOptions(ScoringOptions):
    """How hierarchical rules are extracted."""

    max_span: int = option(10, "words of an initial phrase on either side", low=1, high=255, fixed=True)
    max_symbols: int = option(5, "words and nonterminals of a source side", low=1, high=255, fixed=True)
    max_nonterminals: int = option(2, "nonterminals of a rule", low=0, high=63, fixed=True)
    min_hole: int = option(2, "source words that a nonterminal replaces, at least", low=1, fixed=True)
    adjacent: bool = option(False, "whether nonterminals may be neighbours on the source side", fixed=True)
    loose: bool = option(False, "whether source words at the borders of a rule may have no links", fixed=True)
    counting: str = option(
        "shares", "what a rule counts: its share of an initial phrase, or 1", choices=COUNTINGS, fixed=True
    )


def extract_hiero(
    text: ParallelText, alignments: Alignments, options: HieroOptions | None = None, *, n_jobs: int = 1
) -> RuleTable:
    """Return the hierarchical rules of aligned sentence pairs; the same for any number of threads.

    >>> text = ParallelText.of([("ne va pas", "does not go")])
    >>> table = extract_hiero(text, Alignments.of([[(0, 1), (1, 2), (2, 1)]]), HieroOptions(min_hole=1))
    >>> [" ".join(map(str, rule.target)) for rule in table.rules("ne [X,1] pas")]
    ['not [X,1]']
    """
    chosen = options or HieroOptions()
    found = hiero_rules(
        **text_arrays(text, alignments),
        max_span=chosen.max_span,
        max_symbols=chosen.max_symbols,
        max_nonterminals=chosen.max_nonterminals,
        min_hole=chosen.min_hole,
        adjacent=chosen.adjacent,
        loose=chosen.loose,
        shares=chosen.counting == "shares",
        n_jobs=n_jobs,
    )
    strings = RuleStrings(text.source.strings, text.target.strings, (X,))
    return scored_table(found, strings, chosen, len(text))
