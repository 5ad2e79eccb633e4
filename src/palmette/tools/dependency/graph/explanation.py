"""Why a graph-based parser gave a token its head: the best tree against the best with another head there.

The scores of the two trees are sums over their parts. What both have in common cancels; the rest, feature by
feature, sums to the margin.
"""

from __future__ import annotations

import math
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from palmette._native import arc_templates
from palmette.features.token_views import TokenViews
from palmette.tools.dependency.graph.search import best_trees
from palmette.tools.dependency.model import FeatureUse, HeadChoice, Parses

if TYPE_CHECKING:
    from palmette.tools.dependency.graph.model import GraphModel

_PLACES = ("g", "h", "m", "s")
_ENDS = {5: "the outermost on the left", 6: "the outermost on the right"}


def explain_head(
    model: GraphModel, views: TokenViews, sentence: int, token: int, rival_head: int | None
) -> HeadChoice:
    """The tree found against the best with another head of a token, or with the asked one."""
    here = views.select([sentence])
    n = here.n_tokens
    if not 1 <= token <= n:
        raise ValueError(f"Sentence {sentence + 1} has {n} words. Got the token {token}.")
    best = best_trees(model, here, None, None, False, 1)
    labels = model.relabelled(here, best.heads, best.labels)
    head = int(best.heads[token - 1])
    if rival_head is not None and (not 0 <= rival_head <= n or rival_head in (token, head)):
        raise ValueError(f"Token {token} has the head {head}, and its rival cannot be {rival_head}.")
    rival = _rival(model, here, token, head, rival_head)
    if rival is None:
        return HeadChoice(head, int(labels[token - 1]), None, None, math.inf)
    parts = _contributions(model, here, best, rival)
    return HeadChoice(
        head,
        int(labels[token - 1]),
        int(rival.heads[token - 1]),
        int(model.relabelled(here, rival.heads, rival.labels)[token - 1]),
        math.fsum(part.amount for part in parts),
        tuple(parts),
    )


def _rival(
    model: GraphModel, here: TokenViews, token: int, head: int, rival_head: int | None
) -> Parses | None:
    heads = np.full(here.n_tokens, -1, dtype=np.int32)
    forbidden = None
    if rival_head is None:
        forbidden = np.array([[token - 1, head]], dtype=np.int32)
    else:
        heads[token - 1] = rival_head
    try:
        return best_trees(model, here, heads, forbidden, False, 1)
    except ValueError:
        return None


def _contributions(model: GraphModel, here: TokenViews, one: Parses, two: Parses) -> list[FeatureUse]:
    from palmette.tools.dependency.graph.model import arc_problem

    known = np.zeros(here.n_tokens + 1, dtype=np.int64)
    problem = arc_problem(model, here, known, np.zeros(0, dtype=np.int32))
    uses, amounts = problem.contributions(model.tree_table, 0, one.heads, one.labels, two.heads, two.labels)
    sums: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for use, amount in zip(uses.reshape(-1, 7).tolist(), amounts.tolist()):
        sums[tuple(use)] += amount
    return [_named(model, use, amount) for use, amount in sums.items() if amount]


def _named(model: GraphModel, use: tuple[int, ...], amount: float) -> FeatureUse:
    family, template, *tokens, label = use
    seen = _templates()[family][template]
    words = [f"{place}.{what}" if place else what.replace(" ", "-") for place, what in seen]
    if family in _ENDS:
        words.append(_ENDS[family].replace(" ", "-"))
    if label >= 0 and model.n_tree_labels > 1:
        words.append(f"label={model.labels[label]}")
    used = {place for place, _ in seen if place}
    where = {place: token for place, token in zip(_PLACES, tokens) if place in used}
    return FeatureUse(" ".join(words), amount, where)


@cache
def _templates() -> list[list[list[tuple[str, str]]]]:
    return arc_templates()
