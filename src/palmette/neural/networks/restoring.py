"""Weights of a trained network back into torch, so that its training can go on."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from palmette.features.network.network import Network
from palmette.neural.networks.module import Letters, TokenNetwork

Arrays = Mapping[str, NDArray[np.float32]]


def put_back(module: TokenNetwork, network: Network) -> None:
    """Give a module the weights of a network with the same layers; ValueError if it has others."""
    arrays = network.arrays
    if network.plan.settings() != module.plan.settings():
        raise ValueError("the network of the model has other layers than its options say")
    for k, (one, table) in enumerate(zip(module.inputs.inputs, module.embeddings)):
        where = f"input.{k}"
        if isinstance(table, Letters):
            put(table.table.weight, arrays[f"{where}.table"])
            if table.convolution is not None:
                filters = table.convolution.weight  # [filters, width, letters]
                flat = arrays[f"{where}.weights"].reshape(len(filters), -1, filters.shape[1])
                put(filters, flat.transpose(0, 2, 1))
                assert table.convolution.bias is not None
                put(table.convolution.bias, arrays[f"{where}.bias"])
            elif table.recurrent is not None:
                _put_recurrent(table.recurrent, where, arrays)
        else:
            weights = table.weight
            assert isinstance(weights, Tensor)
            put(weights, arrays[f"{where}.table"])
            weights.requires_grad_(one.kind != "vectors")
    for k, layer in enumerate(module.recurrent):
        _put_recurrent(layer, f"recurrent.{k}", arrays)
    for k, layer in enumerate(module.dense):
        assert isinstance(layer, nn.Linear)
        put(layer.weight, arrays[f"dense.{k}.weights"])
        put(layer.bias, arrays[f"dense.{k}.bias"])


def _put_recurrent(layer: nn.Module, where: str, arrays: Arrays) -> None:
    names = {"weights": "weight_ih", "hidden": "weight_hh", "bias": "bias_ih", "hidden_bias": "bias_hh"}
    for name, own in names.items():
        both = np.split(arrays[f"{where}.{name}"], 2)
        for end, array in zip(("", "_reverse"), both):
            put(getattr(layer, f"{own}_l0{end}"), array)


def put(parameter: Tensor, array: NDArray[np.float32]) -> None:
    """Overwrite a parameter; ValueError if the sizes differ."""
    if tuple(parameter.shape) != array.shape:
        raise ValueError(
            f"the network of the model has {array.shape} weights where {tuple(parameter.shape)} fit"
        )
    with torch.no_grad():
        parameter.copy_(torch.from_numpy(np.array(array)))
