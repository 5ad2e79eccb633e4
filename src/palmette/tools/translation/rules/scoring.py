"""From counted rules to a rule table: probabilities, lexical weights, pruning. CSC 448, §17.1 and §18.

    phi_source, phi_target   φ(source side | target side) and φ(target side | source side), smoothed
    lex_source, lex_target   lexical weights of the words (tools/alignment/phrases.py)
    rare                     1 for rules that occur at most `rare` times, 0 for others

A target side counts with its labels and the label of the left side. The links of a rule are those that it has most
often, and the earliest of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from palmette._native import RuleCounts, surprises
from palmette.formats.model.strings import StringTable
from palmette.parameters import Options, option
from palmette.tools.translation.rules.assembling import RawRules, select
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.tables.phrase_table import STANDARD
from palmette.tools.translation.tables.pruning import check_significance, kept_before, threshold
from palmette.tools.translation.tables.smoothing import SMOOTHINGS, conditional


@dataclass(frozen=True)
class ScoringOptions(Options):
    """How rules are scored, and which of them are kept."""

    smoothing: str = option("kneser-ney", "smoothing of rule probabilities", choices=SMOOTHINGS, fixed=True)
    rare: int = option(
        0,
        "most occurrences of the rules that the feature `rare` marks; 0: no such feature",
        low=0,
        fixed=True,
    )
    min_count: int = option(1, "how often a rule must occur", low=1, fixed=True)
    limit: int | None = option(None, "rules of a source side that are kept", low=1, fixed=True)
    significance: float | str | None = option(
        None,
        "least -ln p of a rule in Fisher's test, alpha+epsilon or alpha-epsilon",
        checked_by=check_significance,
        fixed=True,
    )


@dataclass(frozen=True, eq=False)
class RuleStrings:
    """What the symbols of counted rules mean; see `RawRules`."""

    source_words: Sequence[str]
    target_words: Sequence[str]
    labels: Sequence[str]
    productions: Sequence[str] = ()  # of the trees that the rules come from, if any
    target_trees: bool = True


def scored_table(
    found: RuleCounts,
    strings: RuleStrings,
    options: ScoringOptions,
    n_sentences: int,
    *,
    kind: str = "strings",
) -> RuleTable:
    """Return the table of counted rules from a text of n_sentences pairs."""
    source, target = found.nodes.source(), found.targets()
    occurrences, count = found.occurrences(), found.counts()
    columns = (*STANDARD, "rare") if options.rare else STANDARD
    scores = np.empty((len(count), len(columns)), np.float32)
    scores[:, 0] = np.log(conditional(occurrences, source, target, options.smoothing, count))
    scores[:, 2] = np.log(conditional(occurrences, target, source, options.smoothing, count))
    scores[:, 1::2][:, :2] = found.lexical().reshape(-1, 2)
    if options.rare:
        scores[:, 4] = occurrences <= options.rare
    counts = np.empty((len(count), 3), np.float32)
    for column, side in enumerate((target, source)):
        counts[:, column] = np.bincount(side, count)[side] if len(count) else 0
    counts[:, 2] = count
    kept = occurrences >= options.min_count
    if options.significance is not None:
        # Rounding must not decide about the many rules that occur once.
        least = threshold(options.significance, n_sentences) - 1e-9
        kept &= surprises(found.sentences(), n_sentences) >= least
    if not kept.all():
        found.keep(kept)
        scores, counts = scores[kept], counts[kept]
    link_begin, links = found.links()
    fragments: Sequence[str] = ()
    rule_fragment = np.zeros(0, np.uint32)
    if strings.productions and kind == "strings":
        n = len(strings.target_words)
        rule_fragment, utf8, offsets = found.fragments(list(strings.productions), n, strings.target_trees)
        fragments = StringTable(utf8, offsets)
    table = RawRules(
        columns,
        kind,
        found.nodes,
        strings.source_words,
        strings.target_words,
        strings.labels,
        strings.productions if kind == "trees" else (),
        fragments,
        found.left(),
        scores,
        link_begin,
        links,
        counts,
        rule_fragment,
    ).table()
    if options.limit is not None:
        everything = np.ones(len(table), bool)
        table = select(table, kept_before(table.rule_begin, everything) < options.limit)
    return table
