"""Constraints on trees as the items that a chart may have.

A tree of two children a node has the span of a required bracket if no item crosses it. Its label is forced in two
steps: first only the label itself, what is above it and what is below it in chains of unary rules may be
there; should the tree still be without it, nothing but the label may.
"""

from __future__ import annotations

from collections.abc import Sequence

from palmette._native import ChartItems
from palmette.errors import numbered
from palmette.tools.constituency.model import Bracket, Constraints
from palmette.tools.constituency.pcfg.grammar import TreeGrammar
from palmette.trees.tree import Tree


def check_constraints(constraints: Constraints, n: int, sentence: int) -> None:
    """ValueError for brackets outside of the sentence, or that cross."""
    where = f"{numbered(sentence, 'Sentence')}: "
    for bracket in (*constraints.required, *constraints.forbidden):
        if not 0 <= bracket.start < bracket.end <= n:
            raise ValueError(
                f"{where}the bracket {bracket.start} … {bracket.end} does not lie in a sentence of {n} words."
            )
    for a in constraints.required:
        for b in constraints.required:
            if a.start < b.start < a.end < b.end:
                raise ValueError(f"{where}the required brackets {tuple(a)} and {tuple(b)} cross.")


def allowed_items(
    grammar: TreeGrammar, n: int, constraints: Constraints, *, strict: bool = False
) -> ChartItems:
    """The items of trees that meet the constraints; strict: of a required label's span only the label."""
    items = ChartItems(n, len(grammar.names), True)
    for required in constraints.required:
        for start in range(n):
            for end in range(start + 1, n + 1):
                if start < required.start < end < required.end or required.start < start < required.end < end:
                    items.close(start, end)
    phrases = [k for k, label in enumerate(grammar.labels) if label and k >= grammar.n_tags]
    by_span: dict[tuple[int, int], list[str]] = {}
    for required in constraints.required:
        by_span.setdefault((required.start, required.end), []).extend(
            [required.label] if required.label else []
        )
    for (start, end), labels in by_span.items():
        kept = [k for k in phrases if not labels or _fits(grammar, k, labels, strict)]
        items.close(start, end)
        tags = range(grammar.n_tags) if end - start == 1 else range(0)
        top = [grammar.root] if (start, end) == (0, n) else []
        for symbol in (*tags, *kept, *top):
            items.add(start, end, symbol)
    for start, end, label in constraints.forbidden:
        for k in phrases:
            if label in (None, grammar.labels[k]):
                items.remove(start, end, k)
    return items


def _fits(grammar: TreeGrammar, symbol: int, labels: Sequence[str], strict: bool) -> bool:
    if grammar.labels[symbol] in labels:
        return True
    if strict:
        return False
    chain = _chains(grammar)
    return any(
        (grammar.labels[symbol], label) in chain or (label, grammar.labels[symbol]) in chain
        for label in labels
    )


def _chains(grammar: TreeGrammar) -> set[tuple[str, str]]:
    """Pairs of labels of which the first can be above the second over the same words, through one rule."""
    return {(grammar.labels[a], grammar.labels[b]) for a, b in grammar.unary.T.tolist()}


def meets(tree: Tree, constraints: Constraints) -> bool:
    """Whether a tree has the required brackets and none of the forbidden ones."""
    spans = {(*segments[0], label) for label, segments in tree.spans()}
    bare = {(start, end) for start, end, _ in spans}

    def has(bracket: Bracket) -> bool:
        if bracket.label is None:
            return (bracket.start, bracket.end) in bare
        return tuple(bracket) in spans

    return all(map(has, constraints.required)) and not any(map(has, constraints.forbidden))
