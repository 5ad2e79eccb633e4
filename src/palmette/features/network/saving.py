"""Networks in model files: arrays, in whole or as bytes with a scale for every row, and the strings of inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import FeatureTable
from palmette.features.feature_map import FeatureMap
from palmette.features.network.inputs import KINDS, Input, NetworkInputs, string_arrays, strings_of
from palmette.features.network.network import Floats, Network, Plan
from palmette.features.templates import Templates

Arrays = dict[str, NDArray[Any]]
_MOST_INPUTS = 64
_SCALE = ".scale"


def network_arrays(network: Network, *, int8: bool = False) -> Arrays:
    """Return what a file keeps of a network beside `network_settings`.

    int8: matrices as bytes, a quarter of the size; each number is off by at most 1/254 of the largest of its row.
    """
    found: Arrays = {}
    for name, array in network.arrays.items():
        if int8 and array.ndim == 2:
            scale = np.abs(array).max(axis=1, initial=0.0, keepdims=True) / 127
            found[name] = np.rint(array / np.where(scale > 0, scale, 1)).astype(np.int8)
            found[name + _SCALE] = scale[:, 0].astype(np.float32)
        else:
            found[name] = array
    for k, one in enumerate(network.inputs.inputs):
        if one.features is not None:
            found[f"input.{k}.keys"] = one.features.keys()
        else:
            found |= {f"input.{k}.{part}": array for part, array in string_arrays(one.values).items()}
    return found


def network_settings(network: Network) -> dict[str, Any]:
    """Return the rest, as JSON has it."""
    return {"inputs": network.inputs.settings(), **network.plan.settings()}


def restore_network(arrays: Mapping[str, NDArray[Any]], settings: Mapping[str, Any]) -> Network:
    """The network of a file; ValueError, in a few words, if something is missing or does not fit."""
    given = settings.get("inputs")
    if not isinstance(given, list) or not 0 < len(given) <= _MOST_INPUTS:
        raise ValueError("the network has no inputs")
    inputs = NetworkInputs(tuple(_input(k, one, arrays) for k, one in enumerate(given)))
    weights = {name: _whole(name, array, arrays) for name, array in arrays.items() if _is_weights(name)}
    network = Network(inputs, Plan.of(settings), weights)
    assert network.core is not None  # which says what does not fit
    return network


def rounded(network: Network) -> Network:
    """The network as it comes out of a file with int8."""
    return restore_network(network_arrays(network, int8=True), network_settings(network))


def _is_weights(name: str) -> bool:
    return not name.endswith((".utf8", ".ends", ".keys", _SCALE))


def _whole(name: str, array: NDArray[Any], arrays: Mapping[str, NDArray[Any]]) -> Floats:
    if array.dtype != np.int8:
        return array
    scale = arrays.get(name + _SCALE)
    if array.ndim != 2 or scale is None or scale.dtype != np.float32 or scale.shape != array.shape[:1]:
        raise ValueError(f"the array {name!r} of the network has no scale")
    found: Floats = array.astype(np.float32) * scale[:, None]
    return found


def _input(k: int, given: Any, arrays: Mapping[str, NDArray[Any]]) -> Input:
    kind, name = (given.get("kind"), given.get("name")) if isinstance(given, dict) else (None, None)
    if kind not in KINDS or not isinstance(name, str):
        raise ValueError("the network has an input of no known kind")
    if kind != "templates":
        values = tuple(strings_of(arrays, f"input.{k}"))
        if len(set(values)) != len(values):
            raise ValueError("a value of an input comes twice")
        return Input(str(kind), name, values)
    keys, text = arrays.get(f"input.{k}.keys"), given.get("templates")
    if keys is None or keys.dtype != np.uint64 or keys.ndim != 1 or not isinstance(text, str):
        raise ValueError("the templates of the network are missing")
    table = FeatureTable.of(np.ascontiguousarray(keys))
    return Input("templates", name, (), FeatureMap(Templates(text), table, FeatureTable()))
