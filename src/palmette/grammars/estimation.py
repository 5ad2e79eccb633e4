"""Grammars from trees: P(A → β) = c(A → β) / c(A), the estimate of the greatest likelihood. CSC 448, §10.

Such a grammar is always consistent (Chi and Geman 1998). O(nodes).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from palmette.errors import numbered
from palmette.grammars.grammar import Grammar
from palmette.grammars.rule import Rule, Symbol, Terminal, symbol_text
from palmette.trees.tree import Leaf, Tree

Production = tuple[str, tuple[Symbol, ...]]


def productions(tree: Tree, *, tags: bool = False) -> list[Production]:
    """The rules of a tree's nodes in preorder; with `tags`, words are left out and tags are the terminals.

    >>> productions(Tree.parse("(S (NP I) (VP sleep))"), tags=True)
    [('S', (Terminal(word='NP'), Terminal(word='VP')))]
    """
    found: list[Production] = []
    for node in tree.preorder():
        if tags and node.is_preterminal:
            continue
        right: list[Symbol] = []
        for child in node.children:
            if isinstance(child, Leaf):
                right.append(Terminal(child.word))
            else:
                right.append(Terminal(child.label) if tags and child.is_preterminal else child.label)
        found.append((node.label, tuple(right)))
    return found


def rule_counts(
    trees: Iterable[Tree], *, start: str | None = None, tags: bool = False
) -> tuple[str, Counter[Production]]:
    """The start symbol and how often the trees use each rule.

    With a `start` of your own, trees with another root get a rule from it to their root.
    """
    counts: Counter[Production] = Counter()
    roots: dict[str, None] = {}
    for n, tree in enumerate(trees):
        if tree.is_discontinuous:
            raise ValueError(f"{numbered(n, 'Tree')} is discontinuous: no context-free grammar derives it.")
        used = productions(tree, tags=tags)
        if not used:
            raise ValueError(
                f"{numbered(n, 'Tree')} is a tag and a word alone: with tags=True it has no rule."
            )
        if start is not None and tree.label != start:
            counts[start, (tree.label,)] += 1
        roots[tree.label] = None
        counts.update(used)
    if not counts:
        raise ValueError("There are no trees to count rules of.")
    if start is None and len(roots) > 1:
        shown = ", ".join(symbol_text(root) for root in list(roots)[:4])
        raise ValueError(
            f"The trees have different roots ({shown}): name a start symbol, start='TOP', which then has a rule "
            "for each."
        )
    return start or next(iter(roots)), counts


def grammar_of_trees(trees: Iterable[Tree], *, start: str | None = None, tags: bool = False) -> Grammar:
    """The PCFG of relative frequencies; with `tags`, over tags instead of words.

    >>> print(grammar_of_trees([Tree.parse("(S (S a) (S b))"), Tree.parse("(S a)")]), end="")
    0.25: S -> S S
    0.5: S -> 'a'
    0.25: S -> 'b'
    """
    start, counts = rule_counts(trees, start=start, tags=tags)
    totals: Counter[str] = Counter()
    for (left, _), count in counts.items():
        totals[left] += count
    rules = [Rule(left, right, count / totals[left]) for (left, right), count in counts.items()]
    return Grammar.of_good_rules(rules, start)
