"""Training of neural parsers: what the network sees, which trees it learns from, and the model that comes out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palmette.features.network.inputs import NetworkInputs, column_input
from palmette.features.network.options import Neural
from palmette.features.network.saving import rounded
from palmette.features.token_views import TokenViews
from palmette.tools.dependency.model import Int32, TreeModel
from palmette.tools.dependency.neural.model import NeuralModel, check_lengths, corpus_of
from palmette.tools.dependency.neural.options import OWNER, NeuralTreeOptions
from palmette.tools.dependency.scorers import TrainedNetwork
from palmette.tools.sequence.network import Inputs, inputs_of, network_inputs
from palmette.trees.shapes import projectivise

if TYPE_CHECKING:
    from palmette.learning.learner import Callback
    from palmette.neural.networks.trees import TreeScorer

_MANY = 0.1  # of the sentences with arcs that cross: then trees may have such


def plan_trees(
    options: Mapping[str, Any], heads: Int32, offsets: NDArray[np.int64]
) -> tuple[NeuralTreeOptions, bool, str]:
    """The options with `projective` decided, whether all trees are projective, and a sentence about the choice."""
    made = NeuralTreeOptions.of(options, OWNER)
    crossing = _crossing(heads, offsets)
    share = crossing / max(len(offsets) - 1, 1)
    if made.projective is not None:
        return made, crossing == 0, ""
    choice = f"{100 * share:.0f} % of the sentences have arcs that cross: " + (
        "trees may have such" if share >= _MANY else "trees have none"
    )
    return replace(made, projective=share < _MANY), crossing == 0, choice if crossing else ""


def train_neural(
    views: TokenViews,
    heads: Int32,
    labels: Int32,
    names: tuple[str, ...],
    columns: Sequence[str],
    *,
    options: Mapping[str, Any],
    scorer: Neural,
    dev: Callable[[TreeModel], float] | None,
    callback: Callback | None,
    n_jobs: int,
    start: TreeModel | None = None,
) -> TrainedNetwork:
    """Train on trees that are known to be trees; columns: what the parser looks at beside the words.

    start: a model with the same relations and columns to go on from, with its inputs and layers.
    """
    check_lengths(views.offsets)
    from palmette.neural.networks.trees import Treebank, TreeScorer, train_trees

    trees, all_projective, _ = plan_trees(options, heads, views.offsets)
    corpus = corpus_of(views)
    before = None
    if start is None:
        scorer.check_columns(columns, rare="lemma" in columns)
        given = network_inputs(scorer, corpus, None)
        rare = {"lemma": scorer.min_count}
        more = tuple(column_input(name, corpus, rare.get(name, 1)) for name in columns)
        widths = (*given.widths, *(scorer.width,) * len(more))
        given = Inputs(NetworkInputs((*given.inputs.inputs, *more)), widths, given.vectors)
    else:
        assert isinstance(start, NeuralModel)
        trees = start.options.changed(options, OWNER)
        given = inputs_of(start.network)
        before = TreeScorer(start.network, dict(start.products))
    normalised = scorer.normalised

    def made(found: TreeScorer) -> NeuralModel:
        network = replace(rounded(found.network), int8=True) if scorer.int8 else found.network
        return NeuralModel(names, trees, network, found.products, normalised)

    treebank = Treebank(
        given.inputs.encode(corpus),
        heads,
        labels,
        len(names),
        trees.projective is not False and all_projective,
        trees.single_root,
    )
    outcome, notes = train_trees(
        given.inputs,
        given.widths,
        treebank,
        scorer,
        vectors=given.vectors,
        start=before,
        score=None if dev is None else lambda found: dev(made(found)),
        callback=callback,
        n_jobs=n_jobs,
    )
    if outcome.result is None:
        raise KeyboardInterrupt  # nothing was learnt
    return TrainedNetwork(made(outcome.result), outcome.history, outcome.interrupted, tuple(notes))


def _crossing(heads: Int32, offsets: NDArray[np.int64]) -> int:
    """How many sentences have arcs that cross; none is empty."""
    _, lifts = projectivise(np.ascontiguousarray(heads, np.int32), offsets)
    return int((np.add.reduceat(lifts > 0, offsets[:-1]) > 0).sum())
