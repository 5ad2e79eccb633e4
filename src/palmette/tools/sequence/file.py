"""Sequence models in model files.

options   order, scheme, column; features as `palmette.features.saving` keeps them
labels    a table of strings
weights   [attributes, labels]; pair_weights [pair attributes · labels, labels]; ngrams [contexts, labels]
network   the plan of a network, if there is one, and network.* its arrays (`features/network/saving.py`)
votes.*   the vectors of a voted perceptron (`learning/votes.py`), with which a file is never compact
contexts  those of label n-grams that occur, where not all have weights; automaton, automaton_ends: see `histories`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palmette.features import FeatureMap, MappingMap, load_features, save_features
from palmette.features.resources import UserFunction
from palmette.features.saving import AnyMap
from palmette.formats.model import ModelFile, placed_under, taken_from
from palmette.formats.model.safetensors import Array
from palmette.learning.votes import VotedWeights
from palmette.tools.packed_rows import MAX_COLUMNS, Entries, essential, pack_rows, unpack_rows
from palmette.tools.sequence.model import SequenceModel, SequenceStructure, SparseWeights, stride

if TYPE_CHECKING:
    from palmette.features.network.network import Network

_NETWORK = "network."
_NAMED = 10  # features of every label that keep their names in a compact file


def sequence_model_file(
    model: SequenceModel,
    *,
    kind: str,
    options: Mapping[str, Any],
    arrays: Mapping[str, Array],
    compact: bool = False,
    names: bool | None = None,
    fingerprint: str = "",
) -> ModelFile:
    """Return the model as a file's content, beside a tool's own options and arrays.

    Attributes whose weights are all zero stay out of it. compact: only the weights that matter, and names of the
    strongest features only; names: of all features.
    """
    from palmette.tools.sequence.histories import save_states

    network = model.network
    if model.votes is not None:
        compact = False  # vectors that vote name every weight by its place
        arrays = {**arrays, **model.votes.arrays()}
    else:
        model = _without_idle(essential_model(model) if compact else model)
    if network is not None:
        from palmette.features.network.saving import network_arrays, network_settings

        settings = {"int8": network.int8, **network_settings(network)}
        options = {**options, "network": settings}
        arrays = {**arrays, **placed_under(_NETWORK, network_arrays(network, int8=network.int8))}
    structure, n = model.structure, len(model.structure.labels)
    named = _strongest(model) if compact and not names else None
    saved = save_features(model.features, names=not compact if names is None else names, named=named)
    rounded = compact and _adds_its_size(model.features)
    held = model.held.attributes if isinstance(model.held, SparseWeights) else model.rows
    kept = {**arrays, **saved.arrays, **pack_rows("weights", held, compact=rounded)}
    if model.features.n_pair_attributes:
        kept |= pack_rows("pair_weights", model.pair_rows.reshape(-1, n), compact=rounded)
    if structure.n_label_rows:
        kept |= pack_rows("ngrams", model.label_rows, compact=rounded)
    state_options, state_arrays = save_states(structure)
    return ModelFile(
        kind,
        {**options, **saved.options, **_structure_options(structure), **state_options},
        {**kept, **state_arrays},
        {**saved.strings, "labels": structure.labels},
        fingerprint,
    )


def essential_model(model: SequenceModel) -> SequenceModel:
    """Return the model with those weights only that a compact file keeps, rounded as there.

    Where features have values of their own, or weights are logarithms of probabilities, all of them stay.
    """
    n = len(model.structure.labels)
    if not _adds_its_size(model.features) or n > MAX_COLUMNS:
        return model
    table = Entries.of_rows(model.held.attributes) if isinstance(model.held, SparseWeights) else model.rows
    rest = padded([essential(other).dense for other in (model.pair_rows.reshape(-1, n), model.label_rows)], n)
    return replace(model, held=SparseWeights(essential(table).sparse, rest))


def load_sequence_model(
    file: ModelFile, functions: Mapping[str, UserFunction] | None = None
) -> SequenceModel:
    """The model of a file; FormatError if it is damaged."""
    labels = tuple(file.table("labels"))
    order, scheme = file.options.get("order"), file.options.get("scheme")
    if not labels or len(set(labels)) != len(labels):
        raise file.damaged("its labels are missing, or one comes twice")
    if not isinstance(order, int) or isinstance(order, bool) or not 0 <= order <= 3:
        raise file.damaged("its order is not a number from 0 to 3")
    if scheme is not None:
        from palmette.structures.schemes import SCHEMES

        if scheme not in SCHEMES:
            raise file.damaged(f"{scheme!r} is not a scheme of spans")
    features = load_features(file, functions)
    local, hidden = file.options.get("local", False), _variants(file, len(labels))
    if not isinstance(local, bool):
        raise file.damaged("it does not say if it is local")
    structure = SequenceStructure(labels, order, scheme if isinstance(scheme, str) else None, local, hidden)
    if file.options.get("histories") is not None:
        from palmette.tools.sequence.histories import load_states

        structure = load_states(file, structure)
    n, pairs = len(labels), features.n_pair_attributes
    shapes = {"pair_weights": (pairs * n, n), "ngrams": (structure.n_label_rows, n)}
    rest = [unpack_rows(file, name, shape) for name, shape in shapes.items() if shape[0]]
    tables = [table.dense if isinstance(table, Entries) else table for table in rest]
    rows = unpack_rows(file, "weights", (features.n_attributes, n))
    n_weights = structure.n_weights(features.n_attributes, pairs)
    with file.restoring():
        votes = VotedWeights.of_arrays(file.arrays, n_weights)
    network = _network(file, n)
    if isinstance(rows, Entries):
        held = SparseWeights(rows.sparse, padded(tables, n))
        return SequenceModel(structure, features, held, votes, network)
    return SequenceModel(structure, features, padded([rows, *tables], n), votes, network)


def _network(file: ModelFile, n_labels: int) -> Network | None:
    """The network of a file, if it has one; FormatError if it is damaged."""
    options = file.options.get("network")
    if options is None:
        return None
    if not isinstance(options, dict):
        raise file.damaged("its network has no plan")
    from palmette.features.network.saving import restore_network

    with file.restoring():
        network = restore_network(taken_from(_NETWORK, file.arrays), options)
    if network.n_outputs != n_labels:
        raise file.damaged(f"its network has {network.n_outputs} outputs for {n_labels} labels")
    return replace(network, int8=options.get("int8") is True)


def _variants(file: ModelFile, n_labels: int) -> int | tuple[int, ...]:
    """How many variants the visible labels of a file have: one number, or one for each."""
    hidden = file.options.get("hidden", 1)
    counts = hidden if isinstance(hidden, list) else [hidden]
    if not all(isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= n_labels for n in counts):
        raise file.damaged("the numbers of hidden variants are not numbers")
    if sum(counts) != n_labels if isinstance(hidden, list) else n_labels % counts[0]:
        raise file.damaged("its labels have other numbers of variants")
    return tuple(counts) if isinstance(hidden, list) else int(counts[0])


def _structure_options(structure: SequenceStructure) -> dict[str, Any]:
    return {
        "order": structure.order,
        "scheme": structure.scheme,
        "local": structure.local,
        "hidden": structure.hidden if isinstance(structure.hidden, int) else list(structure.hidden),
    }


def padded(tables: list[NDArray[np.float32]], n: int) -> NDArray[np.float32]:
    """Tables of n columns, one under the other, in rows of the core's width, as one flat array."""
    out = np.zeros((sum(map(len, tables)), stride(n)), dtype=np.float32)
    at = 0
    for table in tables:
        out[at : at + len(table), :n] = table
        at += len(table)
    return out.reshape(-1)


def _adds_its_size(features: AnyMap) -> bool:
    """Whether the size of a weight is what it adds to a score, so that small ones may go."""
    if isinstance(features, MappingMap):
        return features.all_ones
    return isinstance(features, FeatureMap)


def _strongest(model: SequenceModel) -> NDArray[np.int64]:
    """The attributes with the largest weights of every label: those whose names `palmette info` shows."""
    attributes, labels, weights = model.entries()
    order = np.lexsort((attributes, -weights, labels))
    firsts = np.searchsorted(labels[order], np.arange(len(model.structure.labels)))
    rank = np.arange(len(order)) - firsts[labels[order]]
    return np.unique(attributes[order[rank < _NAMED]])


def _without_idle(model: SequenceModel) -> SequenceModel:
    features = model.features
    if not isinstance(features, FeatureMap | MappingMap) or features.hash_bits is not None:
        return model
    n = len(model.structure.labels)
    table = Entries.of_rows(model.held.attributes) if isinstance(model.held, SparseWeights) else None
    used = np.flatnonzero(model.rows.any(axis=1) if table is None else table.counts)
    used_pairs = np.flatnonzero(model.pair_rows.any(axis=(1, 2)))
    if len(used) == features.n_attributes and len(used_pairs) == features.n_pair_attributes:
        return model
    chosen = features.select(used) if isinstance(features, MappingMap) else features.select(used, used_pairs)
    tables = [model.pair_rows[used_pairs].reshape(-1, n), model.label_rows]
    if table is None:
        return SequenceModel(model.structure, chosen, padded([model.rows[used], *tables], n))
    return SequenceModel(model.structure, chosen, SparseWeights(table.select(used).sparse, padded(tables, n)))
