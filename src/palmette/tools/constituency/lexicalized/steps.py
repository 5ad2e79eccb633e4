"""The steps by which the lexicalised model makes a tree, in words, with their log-probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from palmette import _native
from palmette.tools.constituency.lexicalized.chains import DECISIONS
from palmette.tools.constituency.lexicalized.trees import FlatTrees, Labels
from palmette.tools.constituency.lexicalized.words import Tokens
from palmette.tools.constituency.model import Contribution, contribution


def contributions_of(
    native: _native.LexicalizedModel, labels: Labels, words: Sequence[str], flat: FlatTrees, types: Tokens
) -> list[Contribution]:
    """The steps of one flat tree; each is over the words of its constituent, or of the child that it makes."""
    spans, heads = _spans(flat)
    found = []
    steps = native.steps(*flat, types.word, types.features)
    for decision, node, outcome, amount in zip(
        *(np.asarray(column).tolist() for column in steps), strict=True
    ):
        start, end = spans[node]
        name = labels.plain[flat.label[node]]
        kind = DECISIONS[decision]
        if kind == "word":
            feature = f"head word of {name}: {words[heads[node]]}"
        elif kind == "semantic":
            feature = f"semantic head of {name}: {words[types.tokens[0].index(outcome)]}"
        elif kind == "tag":
            feature = f"head tag of {name}: {labels.plain[outcome]}"
        elif kind == "head":
            made = labels.plain[outcome] if outcome < len(labels.names) else "its tag"
            feature = f"{name}: head child {made}"
        else:
            made = labels.plain[outcome] if outcome < len(labels.names) else "nothing more"
            feature = f"{name}: {made} on the {kind}"
        found.append(contribution(feature, amount, start, end))
    return found


def _spans(flat: FlatTrees) -> tuple[list[tuple[int, int]], list[int]]:
    """The span of every node of one flat tree, and the position of its head word."""
    n = len(flat.label)
    spans = [(0, 0)] * n
    heads = [0] * n
    position = int((flat.children == 0).sum())
    done: list[int] = []  # nodes whose parent is to come, the leftmost last
    for node in range(n - 1, -1, -1):
        k = int(flat.children[node])
        if k == 0:
            position -= 1
            spans[node], heads[node] = (position, position + 1), position
        else:
            below = [done.pop() for _ in range(k)]
            spans[node] = (spans[below[0]][0], spans[below[-1]][1])
            heads[node] = heads[below[int(flat.head[node])]]
        done.append(node)
    return spans, heads
