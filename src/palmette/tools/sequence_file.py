"""Sequence models in model files.

options   order, scheme, column; features as `palmette.features.saving` keeps them
labels    a table of strings
weights   [attributes, labels]; pair_weights [pair attributes · labels, labels]; ngrams [contexts, labels]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.features import FeatureMap, load_features, save_features
from palmette.features.resources import UserFunction
from palmette.formats.errors import FormatError
from palmette.formats.model import ModelFile
from palmette.formats.safetensors import Array
from palmette.structures.schemes import SCHEMES
from palmette.tools.packed_rows import pack_rows, unpack_rows
from palmette.tools.sequence_model import SequenceModel, SequenceStructure, stride


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
    """The model as a file's content, beside a tool's own options and arrays.

    Attributes whose weights are all zero stay out of it.
    """
    model = _without_idle(model)
    structure, n = model.structure, len(model.structure.labels)
    saved = save_features(model.features, names=not compact if names is None else names)
    kept = {**arrays, **saved.arrays, **pack_rows("weights", model.rows, half=compact)}
    if model.features.n_pair_attributes:
        kept |= pack_rows("pair_weights", model.pair_rows.reshape(-1, n), half=compact)
    ngrams = [model.ngrams(h).reshape(-1, n) for h in range(1, structure.order + 1)]
    if ngrams:
        kept |= pack_rows("ngrams", np.concatenate(ngrams))
    return ModelFile(
        kind,
        {**options, **saved.options, **_structure_options(structure)},
        kept,
        {**saved.strings, "labels": structure.labels},
        fingerprint,
    )


def load_sequence_model(
    file: ModelFile, functions: Mapping[str, UserFunction] | None = None
) -> SequenceModel:
    """The model of a file; FormatError if it is damaged."""
    labels = tuple(file.table("labels"))
    order, scheme = file.options.get("order"), file.options.get("scheme")
    if not labels or len(set(labels)) != len(labels):
        raise FormatError("damaged model: its labels are missing, or one comes twice", path=file.path)
    if not isinstance(order, int) or isinstance(order, bool) or not 0 <= order <= 3:
        raise FormatError("damaged model: its order is not a number from 0 to 3", path=file.path)
    if scheme is not None and scheme not in SCHEMES:
        raise FormatError(f"damaged model: {scheme!r} is no scheme of spans", path=file.path)
    features = load_features(file, functions)
    local, hidden = file.options.get("local", False), file.options.get("hidden", 1)
    if not isinstance(local, bool) or not isinstance(hidden, int) or not 1 <= hidden <= len(labels):
        raise FormatError(
            "damaged model: it says neither well if it is local nor what is hidden", path=file.path
        )
    if len(labels) % hidden:
        raise FormatError("damaged model: its labels are not of the same number of variants", path=file.path)
    structure = SequenceStructure(labels, order, scheme if isinstance(scheme, str) else None, local, hidden)
    n, pairs = len(labels), features.n_pair_attributes
    tables = [unpack_rows(file, "weights", (features.n_attributes, n))]
    if pairs:
        tables.append(unpack_rows(file, "pair_weights", (pairs * n, n)))
    contexts = sum(n**h for h in range(1, order + 1))
    if contexts:
        tables.append(unpack_rows(file, "ngrams", (contexts, n)))
    return SequenceModel(structure, features, padded(tables, n))


def _structure_options(structure: SequenceStructure) -> dict[str, Any]:
    return {
        "order": structure.order,
        "scheme": structure.scheme,
        "local": structure.local,
        "hidden": structure.hidden,
    }


def padded(tables: list[NDArray[np.float32]], n: int) -> NDArray[np.float32]:
    """Tables of n columns, one under the other, in rows of the core's width, as one flat array."""
    out = np.zeros((sum(map(len, tables)), stride(n)), dtype=np.float32)
    at = 0
    for table in tables:
        out[at : at + len(table), :n] = table
        at += len(table)
    return out.reshape(-1)


def _without_idle(model: SequenceModel) -> SequenceModel:
    features = model.features
    if not isinstance(features, FeatureMap) or features.hash_bits is not None:
        return model
    used = np.flatnonzero(model.rows.any(axis=1))
    used_pairs = np.flatnonzero(model.pair_rows.any(axis=(1, 2)))
    if len(used) == features.n_attributes and len(used_pairs) == features.n_pair_attributes:
        return model
    n = len(model.structure.labels)
    tables = [model.rows[used], model.pair_rows[used_pairs].reshape(-1, n)]
    tables += [model.ngrams(h).reshape(-1, n) for h in range(1, model.structure.order + 1)]
    return SequenceModel(model.structure, features.select(used, used_pairs), padded(tables, n))
