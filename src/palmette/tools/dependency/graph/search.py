"""What a graph-based parser does with sentences: the best trees, the k best, the probabilities of arcs.

The search goes over the heads that the filter keeps. Where these allow no tree, or a sentence is very long, it
goes over all heads with the scores of single arcs, and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from palmette._native import arc_scores
from palmette.errors import SentenceError
from palmette.features.token_views import TokenViews
from palmette.structures.token_arrays import arrays_of
from palmette.tools.dependency.graph.model import GraphModel, arc_problem
from palmette.tools.dependency.graph.options import row_bits
from palmette.tools.dependency.model import LEAST_PROBABILITY, Int32, Parses, ScoredTree

MOST_WORDS = 1000  # of a sentence whose siblings and grandparents are scored: tables grow with its square
MOST_PROJECTIVE = 2000  # of a projective tree in first order: its time grows with the cube
Rows = NDArray[np.int64]


def best_trees(
    model: GraphModel,
    views: TokenViews,
    heads: Int32 | None,
    forbidden: Int32 | None,
    minimum_risk: bool,
    n_jobs: int,
) -> Parses:
    """The trees, with the labels that came with them."""
    if minimum_risk:
        model.require_probabilities()
    rows, candidates = _allowed(model, views, heads, forbidden, n_jobs)
    lengths = np.diff(views.offsets)
    usual = np.flatnonzero(lengths <= MOST_WORDS)
    found, labels = np.zeros(views.n_tokens, np.int32), np.zeros(views.n_tokens, np.int32)
    scores = np.full(len(views), -np.inf)
    if len(usual) == len(views):
        problem = arc_problem(model, views, rows, candidates)
        found, labels, scores = problem.decode(model.tree_table, int(minimum_risk), n_jobs)
    elif len(usual):
        tokens, part = views.places(usual), views.select(usual)
        problem = arc_problem(model, part, *_selected(rows, candidates, tokens))
        found[tokens], labels[tokens], scores[usual] = problem.decode(
            model.tree_table, int(minimum_risk), n_jobs
        )
    notes = []
    for i in np.flatnonzero(np.isinf(scores)).tolist():
        span = slice(int(views.offsets[i]), int(views.offsets[i + 1]))
        found[span], labels[span], scores[i] = _first_order(model, views, i, heads, forbidden)
        why = f"has {lengths[i]:,} words" if lengths[i] > MOST_WORDS else "has no tree over the likely heads"
        notes.append(f"Sentence {i + 1} {why}: all heads, by the scores of single arcs.")
    return Parses(found, labels, scores, tuple(notes))


def best_lists(
    model: GraphModel, views: TokenViews, k: int, heads: Int32 | None, forbidden: Int32 | None, n_jobs: int
) -> list[list[ScoredTree]]:
    """The k best trees of every sentence; one where the search is of first order."""
    rows, candidates = _allowed(model, views, heads, forbidden, n_jobs)
    found = []
    for i in range(len(views)):
        here = views.select([i])
        tokens = views.places([i])
        n = len(tokens)
        trees: list[tuple[Int32, Int32, float]] = []
        log_z = None
        if n <= MOST_WORDS:
            problem = arc_problem(model, here, *_selected(rows, candidates, tokens))
            ends, flat, labels, scores = problem.kbest(model.tree_table, k, n_jobs)
            cut = [slice(j * n, (j + 1) * n) for j in range(int(ends[-1]))]
            trees = [(flat[c], labels[c], float(s)) for c, s in zip(cut, scores)]
            if model.normalised and model.options.projective is not False and trees:
                log_z = float(problem.probabilities(model.tree_table, False, n_jobs)[2][0])
        if not trees:
            trees = [_first_order(model, views, i, heads, forbidden)]
        whole = views.select([i] * len(trees))
        relabelled = model.relabelled(
            whole, np.concatenate([t[0] for t in trees]), np.concatenate([t[1] for t in trees])
        )
        found.append(
            [
                # A tree alone may be all there is: its score is a float, log Z a double.
                ScoredTree(
                    tree,
                    relabelled[j * n : (j + 1) * n],
                    score,
                    None if log_z is None else min(0.0, score - log_z),
                )
                for j, (tree, _, score) in enumerate(trees)
            ]
        )
    return found


def arc_probabilities(model: GraphModel, views: TokenViews, heads: Int32, n_jobs: int) -> NDArray[np.float32]:
    """The probability of each token's head, over all projective trees of the heads that are likely, and these."""
    from palmette.structures.arborescence import SpanningTrees

    chosen = np.ascontiguousarray(heads, dtype=np.int32)
    found = np.zeros(views.n_tokens, dtype=np.float32)
    lengths = np.diff(views.offsets)
    rows, candidates = model.candidates(views, chosen, n_jobs)
    usual = np.flatnonzero(lengths <= MOST_WORDS)
    if len(usual):
        tokens, part = views.places(usual), views.select(usual)
        own_rows, own = _selected(rows, candidates, tokens)
        likely, _, _ = arc_problem(model, part, own_rows, own).probabilities(model.tree_table, False, n_jobs)
        at = np.flatnonzero(own == np.repeat(chosen[tokens], np.diff(own_rows)))
        found[tokens] = likely[at]
    for i in np.flatnonzero(lengths > MOST_WORDS).tolist():
        span = slice(int(views.offsets[i]), int(views.offsets[i + 1]))
        marginals = SpanningTrees(single_root=model.options.single_root).marginals(_dense(model, views, i))
        found[span] = np.minimum(marginals[chosen[span], np.arange(1, lengths[i] + 1)], 1)
    return found


def arc_marginals(model: GraphModel, views: TokenViews, n_jobs: int) -> list[list[tuple[int, float]]]:
    """For every token the heads that are likely, with their probabilities over all trees of these."""
    from palmette.structures.arborescence import SpanningTrees

    found: list[list[tuple[int, float]]] = [[] for _ in range(views.n_tokens)]
    lengths = np.diff(views.offsets)
    rows, candidates = model.candidates(views, None, n_jobs)
    usual = np.flatnonzero(lengths <= MOST_WORDS)
    if len(usual):
        tokens, part = views.places(usual), views.select(usual)
        own_rows, own = _selected(rows, candidates, tokens)
        likely, _, _ = arc_problem(model, part, own_rows, own).probabilities(model.tree_table, False, n_jobs)
        for token, begin, end in zip(tokens.tolist(), own_rows[:-1].tolist(), own_rows[1:].tolist()):
            pairs = zip(own[begin:end].tolist(), likely[begin:end].tolist())
            found[token] = [(head, p) for head, p in pairs if p > LEAST_PROBABILITY]
    for i in np.flatnonzero(lengths > MOST_WORDS).tolist():
        marginals = SpanningTrees(single_root=model.options.single_root).marginals(_dense(model, views, i))
        for m in range(1, int(lengths[i]) + 1):
            column = np.minimum(marginals[:, m], 1).tolist()
            found[int(views.offsets[i]) + m - 1] = [
                (head, p) for head, p in enumerate(column) if p > LEAST_PROBABILITY
            ]
    return found


def _first_order(
    model: GraphModel, views: TokenViews, i: int, heads: Int32 | None, forbidden: Int32 | None
) -> tuple[Int32, Int32, float]:
    """The best tree of one sentence by single arcs; ValueError if no tree is allowed."""
    from palmette.structures.arborescence import ProjectiveTrees, SpanningTrees

    scores = _dense(model, views, i)
    begin, n = int(views.offsets[i]), len(scores) - 1
    for m in range(1, n + 1):
        if heads is not None and heads[begin + m - 1] >= 0:
            kept = scores[heads[begin + m - 1], m]
            scores[:, m] = -np.inf
            scores[heads[begin + m - 1], m] = kept
    if forbidden is not None and len(forbidden):
        here = forbidden[(forbidden[:, 0] >= begin) & (forbidden[:, 0] < begin + n)]
        scores[here[:, 1], here[:, 0] - begin + 1] = -np.inf
    projective = model.options.projective is not False and n <= MOST_PROJECTIVE
    trees = (ProjectiveTrees if projective else SpanningTrees)(single_root=model.options.single_root)
    try:
        best = trees.best(scores)
    except ValueError:
        kind = "projective tree" if projective else "tree"
        raise SentenceError(i + 1, f"no {kind} has all the heads that are asked for.") from None
    return best.heads, _labels_of(model, views.select([i]), best.heads), best.score


def _labels_of(model: GraphModel, one: TokenViews, heads: Int32) -> Int32:
    """The best labels of the arcs of one tree; zeros where labels are chosen after trees."""
    if model.n_tree_labels == 1:
        return np.zeros(one.n_tokens, dtype=np.int32)
    arcs = replace(model.options, siblings=False, grandparents=False, projective=False, single_root=False)
    problem = arc_problem(
        replace(model, options=arcs), one, np.arange(one.n_tokens + 1, dtype=np.int64), heads.astype(np.int32)
    )
    return problem.decode(model.tree_table, 0, 1)[1]


def _dense(model: GraphModel, views: TokenViews, i: int) -> NDArray[np.float32]:
    """The scores of all arcs of a sentence, [n + 1, n + 1], its best labels included."""
    n = int(views.offsets[i + 1] - views.offsets[i])
    o, labels = model.options, model.n_tree_labels
    flat = arc_scores(*arrays_of(views), i, model.tree_table, labels, o.bits, row_bits(o, labels))
    return flat.reshape(n + 1, n + 1)


def _allowed(
    model: GraphModel, views: TokenViews, heads: Int32 | None, forbidden: Int32 | None, n_jobs: int
) -> tuple[Rows, Int32]:
    """The heads that words may have: likely ones, or the known one, and none that is forbidden."""
    known = None if heads is None else np.ascontiguousarray(heads, dtype=np.int32)
    rows, candidates = model.candidates(views, known, n_jobs)
    token = np.repeat(np.arange(views.n_tokens), np.diff(rows))
    keep = np.ones(len(candidates), dtype=bool)
    if known is not None:
        keep &= (known[token] < 0) | (known[token] == candidates)
    if forbidden is not None and len(forbidden):
        wide = int(max(candidates.max(initial=0), forbidden[:, 1].max())) + 1
        keep &= ~np.isin(token * wide + candidates, forbidden[:, 0].astype(np.int64) * wide + forbidden[:, 1])
    if keep.all():
        return rows, candidates
    counts = np.bincount(token[keep], minlength=views.n_tokens)
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), candidates[keep]


def _selected(rows: Rows, candidates: Int32, tokens: Sequence[int] | Rows) -> tuple[Rows, Int32]:
    """The rows of some tokens."""
    counts = np.diff(rows)[tokens]
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    within = np.arange(ends[-1]) - np.repeat(ends[:-1], counts)
    return ends, candidates[np.repeat(rows[:-1][tokens], counts) + within]
