"""Rules from aligned sentence pairs with trees on one side (CSC 448, §19.1; Galley et al. 2004, 2006).

A node of a tree is a frontier node if the words below it are linked to a run of words on the other side that no
other word is linked to. Rules begin and end at frontier nodes. A minimal rule ends at the first that it meets:

    VP -> ne VB1 pas , not VB1        from the fragment (VP (RB not) [VB,1])

A composed rule is up to `max_rules` minimal ones that are put together. A word of the other side that has no links
is in the rule of the lowest node whose words it is between; at the borders of a sentence, in the rule of the root.
This is the choice of Galley et al. 2004. Those of Galley et al. 2006 give the word to nodes further down as well,
which makes more rules.

With trees of target sentences, the rules are over strings with the labels of the trees, for string-to-tree
translation, and keep their fragments for explanations. With trees of source sentences, source sides are the
fragments themselves, for tree-to-string translation. `flat` gives rules over strings with the one label X from
trees of either side, as hierarchical rules whose phrases are constituents.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from palmette._native import ghkm_rules
from palmette.parameters import option, require_choice
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText
from palmette.tools.translation.rules.aligned_text import text_arrays
from palmette.tools.translation.rules.hiero import COUNTINGS, X
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.rules.scoring import RuleStrings, ScoringOptions, scored_table
from palmette.tools.translation.rules.tree_arrays import GivenTree, Parser, tree_arrays

SIDES = ("target", "source")


@dataclass(frozen=True)
class GhkmOptions(ScoringOptions):
    """How rules are extracted from trees."""

    max_rules: int = option(3, "minimal rules that one rule is composed of", low=1, fixed=True)
    max_nodes: int = option(15, "expanded tree nodes of a composed rule", low=1, fixed=True)
    max_symbols: int = option(
        10, "words and nonterminals of a composed rule on the side without trees", low=1, fixed=True
    )
    max_scope: int | None = option(
        3,
        "for source sides that are strings: borders of nonterminals that no word fixes",
        low=0,
        fixed=True,
    )
    unary: bool = option(
        True, "for source sides that are strings: whether one may be a nonterminal alone", fixed=True
    )
    flat: bool = option(
        False, "rules over strings with the one label X, from trees of either side", fixed=True
    )
    counting: str = option(
        "whole", "what a rule counts: its share of the rules of a node, or 1", choices=COUNTINGS, fixed=True
    )


def extract_ghkm(
    text: ParallelText,
    alignments: Alignments,
    trees: Iterable[GivenTree] | Parser,
    side: str = "target",
    options: GhkmOptions | None = None,
    *,
    n_jobs: int = 1,
) -> RuleTable:
    """Return the rules of aligned sentence pairs with trees; the same for any number of threads.

    trees: of the sentences of one side, as trees or in brackets, None where there is none; or a
    `ConstituencyParser`. side: which sentences they are of.

    >>> text = ParallelText.of([("il ne va pas", "He not go")])
    >>> links = Alignments.of([[(0, 0), (1, 1), (2, 2), (3, 1)]])
    >>> table = extract_ghkm(text, links, ["(S (NP (PRP He)) (VP (RB not) (VB go)))"])
    >>> [rule.fragment for rule in table.rules("ne [VB,1] pas")]
    ['(VP (RB not) [VB,1])']
    """
    chosen = options or GhkmOptions()
    require_choice("side", side, SIDES)
    of_target = side == "target"
    nodes = tree_arrays(trees, text.target if of_target else text.source)
    fragments = not of_target and not chosen.flat
    found = ghkm_rules(
        **text_arrays(text, alignments),
        trees_at=nodes.at,
        label=nodes.label,
        production=nodes.production,
        begin=nodes.begin,
        end=nodes.end,
        next=nodes.next,
        n_labels=len(nodes.labels),
        n_productions=len(nodes.productions),
        target_trees=of_target,
        fragments=fragments,
        flat=chosen.flat,
        unary=chosen.unary or fragments,
        shares=chosen.counting == "shares",
        max_rules=chosen.max_rules,
        max_nodes=chosen.max_nodes,
        max_symbols=chosen.max_symbols,
        max_scope=-1 if chosen.max_scope is None else chosen.max_scope,
        n_jobs=n_jobs,
    )
    strings = RuleStrings(
        text.source.strings,
        text.target.strings,
        (X,) if chosen.flat else nodes.labels,
        nodes.productions,
        of_target,
    )
    return scored_table(found, strings, chosen, len(text), kind="trees" if fragments else "strings")
