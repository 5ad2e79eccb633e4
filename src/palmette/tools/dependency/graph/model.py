"""Parsers that look for the best of all trees: arcs, siblings and grandparents are scored, the search is exact.

    score(tree) = Σ over its arcs h → m of  w · Φ(h, m) + w · Φ(g, h, m) + w · Φ(h, m, s) + w · Φ(g, h, m, s)

with g the head of h, and s the modifier of h before m. Three models make a parser: a filter (every word chooses a
few likely heads on its own), the trees over what it keeps, and labels, which see the whole tree. Projective trees
are found exactly; so are others where only arcs are scored, and else by moving single words of the best projective
tree as long as that pays (McDonald and Pereira 2006).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import ArcProblem, ChainProblem, HeadChoiceProblem, SparseRows, label_attributes
from palmette.features.token_views import TokenViews
from palmette.learning.capabilities import SUMS
from palmette.learning.problem import Weights
from palmette.learning.votes import VotedWeights, no_single_score
from palmette.parameters import require_int
from palmette.structures.arcs import ArcTrees, head_choices
from palmette.structures.token_arrays import arrays_of
from palmette.tools.dependency.graph.options import (
    OWNER,
    GraphOptions,
    filter_bits,
    n_tree_weights,
    n_weights,
    row_bits,
)
from palmette.tools.dependency.model import (
    LEAST_PROBABILITY,
    Arrays,
    HeadChoice,
    Int32,
    Parses,
    ProbabilitySource,
    ScoredTree,
    elected_trees,
    joined_trees,
    root_labels,
)
from palmette.tools.packed_weights import (
    LevelWeights,
    full_table,
    pack_weights,
    require_size,
    unpack_levels,
    unpack_sparse_rows,
    unpack_weights,
)
from palmette.tools.probabilities import no_probabilities
from palmette.tools.sequence.model import stride


@dataclass(frozen=True, eq=False)
class GraphModel:
    """A trained graph-based parser: the weights of the filter, of the trees, and of the labels (if chosen after).

    normalised: do the scores of trees mean probabilities (was a log-linear learner at work)? votes: weights of
    trees that vote; `tree_weights` are their mean.
    """

    labels: tuple[str, ...]
    options: GraphOptions
    filter_weights: Weights
    tree_weights: Weights | LevelWeights
    label_weights: Weights | SparseRows | None
    normalised: bool = True
    votes: VotedWeights | None = None

    # Parsing

    def parse(
        self,
        views: TokenViews,
        *,
        heads: Int32 | None = None,
        forbidden: Int32 | None = None,
        minimum_risk: bool = False,
        n_jobs: int = 1,
    ) -> Parses:
        """The best tree of every sentence; see `TreeModel.parse`."""
        from palmette.tools.dependency.graph.search import best_trees

        if self.votes is not None and not minimum_risk:
            trees, notes = self._elected(views, heads, forbidden, 1, n_jobs)
            found = joined_trees([tree for (tree,) in trees], notes)
        else:
            found = best_trees(self, views, heads, forbidden, minimum_risk, n_jobs)
        return replace(found, labels=self.relabelled(views, found.heads, found.labels, n_jobs))

    def _elected(
        self, views: TokenViews, heads: Int32 | None, forbidden: Int32 | None, k: int, n_jobs: int
    ) -> tuple[list[list[ScoredTree]], tuple[str, ...]]:
        """The trees with most votes, without labels that are chosen after them, and notes."""
        from palmette.tools.dependency.graph.search import best_trees

        assert self.votes is not None

        def parse(w: Weights) -> Parses:
            voter = replace(self, tree_weights=w, votes=None)
            return best_trees(voter, views, heads, forbidden, False, n_jobs)

        return elected_trees(self.votes, views, parse, k)

    @property
    def probabilities_from(self) -> ProbabilitySource:
        """Sums over trees if a log-linear learner trained them, else the filter, which always is log-linear."""
        return "trees" if self.normalised else "head filter"

    def arc_probabilities(self, views: TokenViews, parses: Parses, *, n_jobs: int = 1) -> NDArray[np.float32]:
        """The probability of each token's arc, over all projective trees, or by the filter.

        See `TreeModel.arc_probabilities`.
        """
        from palmette.tools.dependency.graph.search import arc_probabilities

        if self.normalised:
            return arc_probabilities(self, views, parses.heads, n_jobs)
        chosen = np.ascontiguousarray(parses.heads, dtype=np.int32)
        return self._filter(views).probabilities(self.filter_weights, chosen, n_jobs)

    def arc_marginals(self, views: TokenViews, *, n_jobs: int = 1) -> list[list[tuple[int, float]]]:
        """For every token its heads with their probabilities, over all trees, or by the filter."""
        from palmette.tools.dependency.graph.search import arc_marginals

        if self.normalised:
            return arc_marginals(self, views, n_jobs)
        found: list[list[tuple[int, float]]] = [[] for _ in range(views.n_tokens)]
        lengths = np.repeat(np.diff(views.offsets), np.diff(views.offsets))
        places = np.arange(views.n_tokens) - np.repeat(views.offsets[:-1], np.diff(views.offsets)) + 1
        for head in range(int(lengths.max(initial=-1)) + 1):
            fits = (head <= lengths) & (head != places)
            chosen = np.where(fits, head, 0).astype(np.int32)
            p = self._filter(views).probabilities(self.filter_weights, chosen, n_jobs)
            for token in np.flatnonzero(fits & (p > LEAST_PROBABILITY)).tolist():
                found[token].append((head, float(p[token])))
        return found

    def kbest(
        self,
        views: TokenViews,
        k: int,
        *,
        heads: Int32 | None = None,
        forbidden: Int32 | None = None,
        n_jobs: int = 1,
    ) -> list[list[ScoredTree]]:
        """The k best trees of every sentence; see `TreeModel.kbest`."""
        from palmette.tools.dependency.graph.search import best_lists

        require_int("k", k, 1)
        if self.votes is not None:
            trees, _ = self._elected(views, heads, forbidden, k, n_jobs)
            for i, own in enumerate(trees):
                places = views.select([i] * len(own))
                several = joined_trees(own)
                labels = np.split(self.relabelled(places, several.heads, several.labels), len(own))
                own[:] = [replace(tree, labels=one) for tree, one in zip(own, labels)]
            return trees
        return best_lists(self, views, k, heads, forbidden, n_jobs)

    def explain(
        self, views: TokenViews, sentence: int, token: int, rival_head: int | None = None
    ) -> HeadChoice:
        """Why a token has its head: the best tree against the best with another head there."""
        from palmette.tools.dependency.graph.explanation import explain_head

        if self.votes is not None:
            raise no_single_score("An explanation")
        return explain_head(self, views, sentence, token, rival_head)

    def require_probabilities(self) -> None:
        """ValueError if the scores of trees do not mean probabilities."""
        if not self.normalised:
            raise no_probabilities(
                "This parser", SUMS, "; trees that may cross have them in first order only"
            )

    def relabelled(self, views: TokenViews, heads: Int32, labels: Int32, n_jobs: int = 1) -> Int32:
        """The best labels of trees; those that came with the trees where labels are chosen jointly."""
        if self.label_weights is None:
            return labels
        problem, weights = self._label_problem(views, heads, n_jobs)
        found = problem.decode(weights, n_jobs)[0]
        at_root = root_labels(self.labels)
        if at_root is None:
            return found
        wrong = (at_root[found] == 1) != (heads == 0)
        sentence = np.repeat(np.arange(len(views)), np.diff(views.offsets))
        for i in sorted(set(sentence[wrong].tolist())):
            tokens = views.places([i])
            scores = self.tree_label_scores(views.select([i]), heads[tokens])
            assert scores is not None
            found[tokens] = scores.argmax(axis=1)
        return found

    def tree_label_scores(self, views: TokenViews, heads: Int32) -> NDArray[np.float32] | None:
        """The scores of labels in given trees, unless they were scored with the arcs; see `TreeModel`.

        Minus infinity for a label that does not fit its head: `root` is for the head 0, all others for words.
        """
        if self.label_weights is None:
            return None
        problem, weights = self._label_problem(views, heads, 1)
        parts = [problem.scores(weights, i)[0] for i in range(len(views))]
        scores = np.concatenate([np.zeros(0, np.float32), *parts]).reshape(-1, len(self.labels))
        at_root = root_labels(self.labels)
        if at_root is not None:
            scores[(heads == 0)[:, None] != (at_root == 1)] = -np.inf
        return scores

    def _label_problem(self, views: TokenViews, heads: Int32, n_jobs: int) -> tuple[ChainProblem, Weights]:
        """The labels of given trees as choices, and the weights that are still to be added."""
        table, bits, n = self.label_weights, self.options.label_bits, len(self.labels)
        assert table is not None
        if isinstance(table, SparseRows):
            return label_problem(views, heads, None, n, bits, n_jobs, table), np.zeros(0, dtype=np.float32)
        return label_problem(views, heads, None, n, bits, n_jobs), table

    @property
    def tree_table(self) -> Weights | tuple[NDArray[np.uint8], Weights]:
        """The weights of trees as the native core takes them."""
        table = self.tree_weights
        return (table.places, table.levels) if isinstance(table, LevelWeights) else table

    def candidates(
        self, views: TokenViews, heads: Int32 | None, n_jobs: int
    ) -> tuple[NDArray[np.int64], Int32]:
        """The heads that the filter keeps, and those that are known: rows and heads, token by token."""
        o = self.options
        return self._filter(views).candidates(self.filter_weights, o.threshold, o.most_heads, heads, n_jobs)

    def _filter(self, views: TokenViews) -> HeadChoiceProblem:
        """The choice of heads, word by word."""
        return head_choices(views, filter_bits(self.options))

    def filter_recall(self, views: TokenViews, heads: Int32, n_jobs: int = 1) -> tuple[float, float]:
        """How many of these heads the filter keeps, from 0 to 1, and how many heads it keeps for a word."""
        rows, candidates = self.candidates(views, None, n_jobs)
        kept = candidates == np.repeat(heads, np.diff(rows))
        words = max(views.n_tokens, 1)
        return float(kept.sum()) / words, len(candidates) / words

    @property
    def n_tree_labels(self) -> int:
        """How many labels the trees themselves tell apart."""
        return 1 if self.options.labels == "after" else len(self.labels)

    # Files

    def with_options(self, options: Mapping[str, Any]) -> GraphModel:
        """The same weights with another search: projective or not, more heads, several roots."""
        return replace(self, options=self.options.changed(options, OWNER))

    def arrays(self, *, compact: bool = False) -> Arrays:
        """Return the weights; compact: those that matter, with 8 bits each."""
        tables = {"filter": self.filter_weights, "trees": self.tree_weights, "labels": self.label_weights}
        return {
            key: array
            for name, weights in tables.items()
            if weights is not None
            for key, array in pack_weights(name, full_table(weights), compact).items()
        } | ({} if self.votes is None else self.votes.arrays())

    def settings(self) -> dict[str, Any]:
        """The options, and whether scores mean probabilities."""
        return {**self.options.to_dict(), "normalised": self.normalised}

    @classmethod
    def restore(
        cls, labels: tuple[str, ...], arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]
    ) -> GraphModel:
        """The model of a file; ValueError if it does not fit together."""
        try:
            options = GraphOptions.of({name: settings[name] for name in GraphOptions.names()}, OWNER)
            normalised = settings["normalised"]
        except (KeyError, TypeError) as error:
            raise ValueError(f"a graph-based parser lacks something: {error}") from None
        if not isinstance(normalised, bool) or not labels:
            raise ValueError("the settings of a graph-based parser are damaged")
        require_size(n_weights(options, len(labels)))
        made = cls(labels, options, np.zeros(0, np.float32), np.zeros(0, np.float32), None, normalised)
        shape = 1 << options.label_bits, len(labels), stride(len(labels))
        n_trees = n_tree_weights(options, made.n_tree_labels)
        unpack = unpack_levels if made.n_tree_labels == 1 else unpack_weights
        return replace(
            made,
            filter_weights=unpack_weights(arrays, "filter", 1 << filter_bits(options)),
            tree_weights=unpack(arrays, "trees", n_trees),
            label_weights=None
            if options.labels == "jointly"
            else unpack_sparse_rows(arrays, "labels", *shape),
            votes=VotedWeights.of_arrays(arrays, n_trees),
        )


def arc_problem(
    model: GraphModel,
    views: TokenViews,
    rows: NDArray[np.int64],
    candidates: Int32,
    heads: Int32 | None = None,
    labels: Int32 | None = None,
) -> ArcProblem:
    """Sentences with the heads that their words may have; heads and labels that are not known are -1.

    Without heads, that is when it parses, the relation `root` is for the head 0 and no other; a treebank that it
    learns from may have mistakes.
    """
    o, at_root = model.options, heads is None and model.n_tree_labels > 1
    trees = ArcTrees(
        siblings=o.siblings,
        grandparents=o.grandparents,
        projective=o.projective is not False,
        single_root=o.single_root,
        n_labels=model.n_tree_labels,
        bits=o.bits,
        row_bits=row_bits(o, model.n_tree_labels),
    )
    return trees.problem(
        views, rows, candidates, heads, labels, root_labels(model.labels) if at_root else None
    )


def label_problem(
    views: TokenViews,
    heads: Int32,
    labels: Int32 | None,
    n_labels: int,
    bits: int,
    n_jobs: int,
    table: SparseRows | None = None,
) -> ChainProblem:
    """Return the label of every word as a choice of its own in a given tree.

    table: the weights, if they are sparse; the problem then has scores and no attributes.
    """
    rows, attributes = label_attributes(*arrays_of(views), heads, bits, n_jobs)
    n_rows, scores = 1 << bits, None
    if table is not None:
        scores = table.sums(rows, attributes, None, n_jobs)
        rows, attributes, n_rows = np.zeros_like(rows), attributes[:0], 0
    if labels is None:
        labels = np.full(views.n_tokens, -1, dtype=np.int32)
    none = (None,) * 4
    masks = (None,) * 3
    return ChainProblem(
        views.offsets,
        rows,
        attributes,
        *none,
        labels,
        None,
        None,
        n_rows,
        0,
        n_labels,
        0,
        *masks,
        False,
        scores,
    )
