"""Parsers that build a tree from left to right, step by step: greedy, or with a beam.

    a tree = the moves of a transition system;  score = Σ over steps of w · Φ(configuration, move)

A move is a kind of transition with a group of labels: the most frequent labels have groups of their own, all
others share one, and there a second set of features chooses. A trained model keeps its weights as 16-bit numbers
in two hashed tables, small enough for the caches: a word costs two looks of some hundred rows of 32 bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import (
    TransitionParser,
    beam_width,
    transition_templates,
)
from palmette.features.token_views import TokenViews
from palmette.learning.capabilities import SEARCH
from palmette.learning.problem import Weights
from palmette.learning.votes import VotedWeights, no_single_score
from palmette.parameters import require_int
from palmette.structures.token_arrays import arrays_of
from palmette.tools.dependency.model import (
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
from palmette.tools.dependency.short_rows import pack_shorts, unpack_shorts
from palmette.tools.dependency.transition.options import (
    OWNER,
    WIDEST,
    WITH_COSTS,
    TransitionOptions,
    label_stride,
    move_stride,
    n_moves,
    require_tables,
)
from palmette.tools.probabilities import no_probabilities

Shorts = NDArray[np.int16]
_MOST = 32767
_LEAST = 1e-30  # weights below are zero


@dataclass(frozen=True, eq=False)
class TransitionModel:
    """A trained transition-based parser.

    groups: of every label. move_table, label_table: [rows · stride], in units of move_unit and label_unit.
    normalised: do softmaxes of the scores of moves mean probabilities (a log-linear learner, greedy)? votes:
    weights that vote on trees; the tables are their mean.
    """

    labels: tuple[str, ...]
    options: TransitionOptions
    groups: Int32
    move_table: Shorts
    label_table: Shorts
    move_unit: float
    label_unit: float
    normalised: bool = False
    votes: VotedWeights | None = None

    @classmethod
    def of_weights(
        cls,
        labels: tuple[str, ...],
        options: TransitionOptions,
        groups: Int32,
        weights: Weights,
        normalised: bool,
    ) -> TransitionModel:
        """The model with these weights, rounded to 16 bits."""
        at = (1 << options.bits) * move_stride(groups)
        moves, move_unit = _rounded(weights[:at])
        rest, label_unit = _rounded(weights[at:])
        return cls(labels, options, groups, moves, rest, move_unit, label_unit, normalised)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "core"}  # it is made again

    @cached_property
    def core(self) -> TransitionParser:
        """The native parser."""
        o = self.options
        moves, labels = transition_templates(o.system)
        return TransitionParser(
            o.system,
            self.groups,
            moves,
            labels,
            o.bits,
            o.label_bits,
            self.move_table,
            self.label_table,
            self.move_unit,
            self.label_unit,
            root_labels(self.labels),
        )

    def parse(
        self,
        views: TokenViews,
        *,
        heads: Int32 | None = None,
        forbidden: Int32 | None = None,
        minimum_risk: bool = False,
        n_jobs: int = 1,
    ) -> Parses:
        """The best tree that the search finds for every sentence; see `TreeModel.parse`.

        Known heads are kept by arc-eager and arc-hybrid, if a projective tree with one root has them.
        """
        if minimum_risk:
            raise ValueError("A transition-based parser has no risk of trees: take the method graph.")
        if self.votes is not None:
            trees, notes = self._elected(views, heads, forbidden, 1, n_jobs)
            return joined_trees([tree for (tree,) in trees], notes)
        known = self._constraints(heads, forbidden)
        found, labels, scores, _, failed = self.core.parse(
            *arrays_of(views), self.options.beam, known, n_jobs, False
        )
        if failed >= 0:
            raise _unkept(failed)
        return Parses(found, labels, scores, self._narrowed(views))

    def _elected(
        self, views: TokenViews, heads: Int32 | None, forbidden: Int32 | None, k: int, n_jobs: int
    ) -> tuple[list[list[ScoredTree]], tuple[str, ...]]:
        """The trees with most votes, and notes."""
        assert self.votes is not None

        def parse(w: Weights) -> Parses:
            voter = TransitionModel.of_weights(self.labels, self.options, self.groups, w, False)
            return voter.parse(views, heads=heads, forbidden=forbidden, n_jobs=n_jobs)

        return elected_trees(self.votes, views, parse, k)

    def _narrowed(self, views: TokenViews) -> tuple[str, ...]:
        """A note about every sentence that is too long for the whole beam."""
        beam, lengths = self.options.beam, np.diff(views.offsets)
        longest = int(lengths.max(initial=0))
        if beam_width(beam, longest) == beam:
            return ()
        widths = [beam_width(beam, n) for n in lengths.tolist()]
        return tuple(
            f"Sentence {i + 1} has {lengths[i]:,} words: a beam of {width} instead of {beam}."
            for i, width in enumerate(widths)
            if width < beam
        )

    @property
    def probabilities_from(self) -> ProbabilitySource | None:
        """The steps of a greedy parser that a log-linear learner trained; None for others."""
        greedy = self.normalised and self.options.beam == 1 and self.options.system in WITH_COSTS
        return "steps" if greedy else None

    def arc_probabilities(self, views: TokenViews, parses: Parses, *, n_jobs: int = 1) -> NDArray[np.float32]:
        """How probable each arc is, among all moves, in the step that makes it; 0 if no step can.

        Only of greedy parsers that a log-linear learner trained.
        """
        if self.probabilities_from is None:
            raise no_probabilities(
                "This parser",
                SEARCH | {"marginals", "parts"},
                ", beam=1 and the system arc-eager or arc-hybrid; or take the method graph, which always has some",
            )
        wanted = np.ascontiguousarray(parses.heads, dtype=np.int32)
        found, _, _, probabilities, _ = self.core.parse(*arrays_of(views), 1, wanted, n_jobs, True)
        return np.where(found == wanted, probabilities, np.float32(0))

    def arc_marginals(self, views: TokenViews, *, n_jobs: int = 1) -> list[list[tuple[int, float]]]:
        """Raise ValueError: the probabilities of steps are not sums over trees."""
        raise ValueError(
            "A transition-based parser has no marginals of arcs: take the method graph, or ask for "
            "arc_probabilities."
        )

    def kbest(
        self,
        views: TokenViews,
        k: int,
        *,
        heads: Int32 | None = None,
        forbidden: Int32 | None = None,
        n_jobs: int = 1,
    ) -> list[list[ScoredTree]]:
        """The k best trees that the search finds, the tree of `parse` first; see `TreeModel.kbest`.

        A greedy parser ranks trees by what their moves lose against the best move at each step: its own tree has
        the score 0, and the others less. With a beam the score is the sum of the moves' scores. Where the model's
        own beam ends with fewer than k trees, a wider one adds those that do not score above its first.
        """
        require_int("k", k, 1)
        if self.votes is not None:
            return self._elected(views, heads, forbidden, k, n_jobs)[0]
        known = self._constraints(heads, forbidden)
        beam, wide = self.options.beam, min(max(self.options.beam, 2 * k), WIDEST)
        found: list[list[ScoredTree]] = []
        for i in range(len(views)):
            own = None if known is None else known[views.offsets[i] : views.offsets[i + 1]]
            trees = self._beam(views, i, wide if beam == 1 and k > 1 else beam, k, own)
            if own is not None and not trees:
                raise _unkept(i)
            if 1 < beam < wide and len(trees) < k:
                seen = {(tree.heads.tobytes(), tree.labels.tobytes()) for tree in trees}
                trees += [
                    tree
                    for tree in self._beam(views, i, wide, k, own)
                    if tree.score <= trees[0].score
                    and (tree.heads.tobytes(), tree.labels.tobytes()) not in seen
                ]
                trees.sort(key=lambda tree: -tree.score)
            found.append(trees[:k])
        return found

    def _beam(self, views: TokenViews, i: int, width: int, k: int, known: Int32 | None) -> list[ScoredTree]:
        """The best trees of one sentence that a beam ends with, if they have the known heads."""
        heads, labels, scores = self.core.kbest(
            *arrays_of(views), i, width, min(k, width), known, self.options.beam == 1
        )
        shape = (len(scores), int(views.offsets[i + 1] - views.offsets[i]))
        trees = [
            ScoredTree(*tree) for tree in zip(heads.reshape(shape), labels.reshape(shape), scores.tolist())
        ]
        return [tree for tree in trees if known is None or ((known < 0) | (known == tree.heads)).all()]

    def tree_label_scores(self, views: TokenViews, heads: Int32) -> None:
        """None: labels come with the moves."""

    def explain(
        self, views: TokenViews, sentence: int, token: int, rival_head: int | None = None
    ) -> HeadChoice:
        """Why a token has its head: the moves of the tree found against those of one where the head is another.

        The rival is the best tree that the search finds with another head there; of arc-standard and swap, which
        cannot be made to keep a head, the same tree with only that head changed.
        """
        from palmette.tools.dependency.transition.explanation import explain_head

        if self.votes is not None:
            raise no_single_score("An explanation")
        return explain_head(self, views, sentence, token, rival_head)

    def with_options(self, options: Mapping[str, Any]) -> TransitionModel:
        """The same weights with another beam."""
        # The oracle matters in training only, and a dynamic one does not go with a beam.
        made = replace(self.options, oracle=None).changed(options, OWNER)
        return replace(self, options=made)

    def arrays(self, *, compact: bool = False) -> Arrays:
        """The entries of the tables that are not zero; compact: those that matter, with 8 bits each."""
        moves = self.move_table.reshape(-1, move_stride(self.groups))[:, : n_moves(self.groups)]
        labels = self.label_table.reshape(-1, label_stride(self.groups))[:, : len(self.groups)]
        return {
            "groups": self.groups,
            **pack_shorts("moves", moves, self.move_unit, compact),
            **pack_shorts("labels", labels, self.label_unit, compact),
            **({} if self.votes is None else self.votes.arrays()),
        }

    def settings(self) -> dict[str, Any]:
        """The options, and whether scores mean probabilities."""
        o = self.options
        return {
            **o.to_dict(),
            "normalised": self.normalised,
            "templates": list(map(len, transition_templates(o.system))),
        }

    @classmethod
    def restore(
        cls, labels: tuple[str, ...], arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]
    ) -> TransitionModel:
        """The model of a file; ValueError if it does not fit together."""
        try:
            options = TransitionOptions.of(
                {name: settings[name] for name in TransitionOptions.names()}, OWNER
            )
            normalised, templates = settings["normalised"], settings["templates"]
            groups = np.ascontiguousarray(arrays["groups"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"a transition-based parser lacks something: {error}") from None
        if templates != list(map(len, transition_templates(options.system))) or not isinstance(
            normalised, bool
        ):
            raise ValueError("a transition-based parser of another version: train it again")
        n = len(labels)
        if (
            groups.dtype != np.int32
            or groups.shape != (n,)
            or not n
            or not 0 <= groups.min() <= groups.max() < n
            or len(np.unique(groups)) != groups.max() + 1
        ):
            raise ValueError("the groups of labels are damaged")
        require_tables(options, groups)
        moves, move_unit = unpack_shorts(
            arrays, "moves", 1 << options.bits, n_moves(groups), move_stride(groups)
        )
        rest, label_unit = unpack_shorts(arrays, "labels", 1 << options.label_bits, n, label_stride(groups))
        votes = VotedWeights.of_arrays(arrays, len(moves) + len(rest))
        return cls(labels, options, groups, moves, rest, move_unit, label_unit, normalised, votes)

    def _constraints(self, heads: Int32 | None, forbidden: Int32 | None) -> Int32 | None:
        if forbidden is not None and len(forbidden):
            raise ValueError(
                "A transition-based parser cannot be told which arcs to avoid: take the method graph."
            )
        if heads is None or not (heads >= 0).any():
            return None
        if self.options.system not in WITH_COSTS:
            raise ValueError(
                f"{self.options.system} cannot keep known heads: take arc-eager, arc-hybrid, or the method graph."
            )
        return np.ascontiguousarray(heads, dtype=np.int32)


def _rounded(weights: Weights) -> tuple[Shorts, float]:
    top = float(max(weights.max(initial=0.0), -weights.min(initial=0.0)))
    unit = float(np.float32(top / _MOST)) if top > _LEAST else 1.0
    shorts = np.empty(len(weights), dtype=np.int16)
    for begin in range(0, len(weights), 1 << 20):  # in pieces that stay in the cache
        piece = weights[begin : begin + (1 << 20)] * np.float32(1 / unit)
        shorts[begin : begin + (1 << 20)] = np.clip(np.rint(piece), -_MOST, _MOST)
    return shorts, unit


def _unkept(sentence: int) -> ValueError:
    return ValueError(
        f"Sentence {sentence + 1}: the known heads cannot all be kept by a projective tree with one root."
    )
