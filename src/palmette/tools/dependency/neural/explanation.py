"""Why a word has its head in a neural parser: what each input of each word adds to the margin of two trees.

The margin is a difference of sums of arc scores, a smooth function of the network's inputs: integrated gradients
divide it among them. What the network says without any input, and what the numerical integral misses, are named
too, so that all of it sums to the margin.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from palmette.features.network.attribution import Attributions
from palmette.features.token_views import TokenViews
from palmette.tools.dependency.model import FeatureUse, HeadChoice, Int32

if TYPE_CHECKING:
    from palmette.tools.dependency.neural.model import NeuralModel

_NEGLIGIBLE = 1e-9
Doubles = NDArray[np.float64]


def explain_head(model: NeuralModel, views: TokenViews, token: int, rival_head: int | None) -> HeadChoice:
    """Compare the best tree of one sentence with the best in which a token has another head, or the asked one."""
    from palmette.tools.dependency.neural.model import corpus_of

    vectors = model.vectors(views)
    (scores,) = model.arc_scores(vectors, views.offsets)
    best = model.trees.best(scores)
    head = int(best.heads[token - 1])
    labels = model.tree_label_scores(views, best.heads).argmax(axis=1)
    try:
        given = [(head, token)] if rival_head is None else []
        asked = [] if rival_head is None else [(rival_head, token)]
        other = model.trees.best(scores, forbidden=given, required=asked)
    except ValueError:
        if rival_head is not None:
            raise
        return HeadChoice(head, int(labels[token - 1]), None, None, math.inf)
    rivals = model.tree_label_scores(views, other.heads).argmax(axis=1)
    encoded = model.network.inputs.encode(corpus_of(views))
    found = Attributions(model.network, encoded).of_function(_difference(model, best.heads, other.heads))
    uses = [
        FeatureUse(f"network {one.name or one.kind} t.word", float(amount), {"t": t})
        for one, row in zip(model.network.inputs.inputs, found.amounts)
        for t, amount in enumerate(row.tolist(), 1)
    ]
    uses.append(FeatureUse("network without input", found.start))
    uses.append(FeatureUse("missed by the integral", found.total - found.start - float(found.amounts.sum())))
    kept = sorted((use for use in uses if abs(use.amount) > _NEGLIGIBLE), key=lambda use: -abs(use.amount))
    margin = math.fsum(use.amount for use in kept)
    rival = int(other.heads[token - 1])
    return HeadChoice(head, int(labels[token - 1]), rival, int(rivals[token - 1]), margin, tuple(kept))


def _difference(
    model: NeuralModel, best: Int32, other: Int32
) -> Callable[[Doubles], tuple[Doubles, Doubles]]:
    """The scores of the arcs of one tree less those of another, and their slopes by the outputs of the network."""
    a = model.sizes[0]
    table = model.products["arcs"].astype(np.float64)
    root = model.products["root"].astype(np.float64)

    def function(outputs: Doubles) -> tuple[Doubles, Doubles]:
        heads, words = outputs[:, :, :a], outputs[:, :, a : 2 * a]
        values, slopes = np.zeros(len(outputs)), np.zeros(outputs.shape)
        for m in np.flatnonzero(best != other).tolist():
            of_word = words[:, m] @ table[:, :-1].T + table[:, -1]
            for h, sign in ((int(best[m]), 1.0), (int(other[m]), -1.0)):
                of_head = np.broadcast_to(root, of_word.shape) if h == 0 else heads[:, h - 1]
                values += sign * (of_head * of_word).sum(axis=1)
                slopes[:, m, a : 2 * a] += sign * (of_head @ table[:, :-1])
                if h:
                    slopes[:, h - 1, :a] += sign * of_word
        return values, slopes

    return function
