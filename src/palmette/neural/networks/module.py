"""A network over tokens as a torch module, layer by layer the same as `palmette.features.network.Network`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from palmette.features.network.inputs import Encoded, Ids, Input, NetworkInputs
from palmette.features.network.network import Network, Plan
from palmette.neural.networks.dropout import Dropout
from palmette.neural.networks.recurrent import Lengths, make_recurrent, states_of

_ACTIVATIONS: Mapping[str, Any] = {"tanh": torch.tanh, "relu": torch.relu, "sigmoid": torch.sigmoid}


@dataclass(frozen=True)
class Sizes:
    """The widths of a network's layers.

    widths: of the embeddings of each input; letters: what letters are put together to, by each direction or by
    filters; reach: letters on either side that a filter sees. recurrent: of each direction; dense: of the
    feed-forward layers, the last one being the outputs.
    """

    widths: tuple[int, ...]
    letters: int
    recurrent: int
    dense: tuple[int, ...]
    reach: int = 1


class Batch:
    """Some sentences of a corpus, as tensors: the types in them, and the ids of every input."""

    def __init__(self, encoded: Encoded, sentences: NDArray[np.int64]) -> None:
        lengths = np.diff(encoded.offsets)[sentences]
        begins = encoded.offsets[:-1][sentences]
        ends = np.cumsum(lengths)
        tokens = np.repeat(begins - (ends - lengths), lengths) + np.arange(int(lengths.sum()))
        used, types = np.unique(encoded.types[tokens], return_inverse=True)
        self.tokens = tokens
        self.lengths = torch.from_numpy(np.ascontiguousarray(lengths))
        self.places = Lengths(lengths)
        self.types = torch.from_numpy(types.reshape(-1))
        self.given = encoded.given
        self._rows = used.astype(np.int64), tokens

    def ids(self, k: int, by_type: bool) -> Ids:
        """The ids of an input, by type or by token."""
        return self.given[k].select(self._rows[0] if by_type else self._rows[1])


class Letters(nn.Module):
    """Letters to a vector per word: filters and their maximum, or the last states of recurrent layers."""

    def __init__(self, kind: str, entries: int, width: int, size: int, reach: int) -> None:
        super().__init__()
        self.kind, self.reach = kind, reach
        self.table = nn.Embedding(entries, width)
        self.outputs = size if kind == "convolution" else 2 * size
        self.convolution = (
            nn.Conv1d(width, size, 2 * reach + 1, padding=reach) if kind == "convolution" else None
        )
        self.recurrent = None if kind == "convolution" else make_recurrent(kind, width, size)

    def forward(self, ids: Ids, dropout: nn.Module) -> Tensor:
        """[words, outputs]."""
        lengths = np.diff(ids.rows)
        x = dropout(self.table(torch.from_numpy(ids.ids.astype(np.int64))))
        if self.convolution is not None:
            filtered = torch.addmm(self.convolution.bias, self._windows(x, lengths), self._filters())
            most = torch.segment_reduce(
                filtered, "max", lengths=torch.from_numpy(lengths), axis=0, unsafe=True
            )
            return torch.relu(most)
        packed = nn.utils.rnn.pack_sequence(list(x.split(lengths.tolist())), enforce_sorted=False)
        last = self.recurrent(packed)[1]  # type: ignore[misc]
        h = last[0] if self.kind == "lstm" else last
        return torch.cat([h[0], h[1]], dim=1)

    def _windows(self, x: Tensor, lengths: NDArray[np.int64]) -> Tensor:
        """What a filter sees from every letter, [letters, windows · width]: one product does for all words."""
        place = np.arange(len(x)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        left = np.repeat(lengths, lengths) - place
        found = []
        for d in range(-self.reach, self.reach + 1):
            inside = torch.from_numpy(((place + d >= 0) & (d < left))[:, None])
            found.append(x if d == 0 else torch.roll(x, -d, 0) * inside)
        return torch.cat(found, dim=1)

    def _filters(self) -> Tensor:
        filters = self.convolution.weight  # type: ignore[union-attr]  # [filters, width, window]
        return filters.transpose(1, 2).reshape(len(filters), -1).t()


class TokenNetwork(nn.Module):
    """Embeddings, recurrent layers, feed-forward layers: a row of numbers for every token."""

    def __init__(self, inputs: NetworkInputs, plan: Plan, sizes: Sizes, dropout: float = 0.0) -> None:
        super().__init__()
        self.inputs, self.plan = inputs, plan
        self.dropout = Dropout(dropout)
        self.embeddings = nn.ModuleList()
        width = 0
        for one, columns in zip(inputs.inputs, sizes.widths):
            made = _embedding(one, columns, plan, sizes)
            self.embeddings.append(made)
            width += made.outputs if isinstance(made, Letters) else columns
        self.recurrent = nn.ModuleList()
        for _ in range(plan.layers):
            self.recurrent.append(make_recurrent(plan.cell, width, sizes.recurrent))
            width = 2 * sizes.recurrent
        self.dense = nn.ModuleList()
        for outputs in sizes.dense:
            self.dense.append(nn.Linear(width, outputs))
            width = outputs
        self.outputs = width

    def set_vectors(self, vectors: NDArray[np.float32] | None) -> None:
        """Fix the embeddings of the input of vectors, if there is one."""
        for one, table in zip(self.inputs.inputs, self.embeddings):
            if one.kind == "vectors":
                assert vectors is not None
                with torch.no_grad():
                    table.weight.copy_(torch.from_numpy(vectors))
                table.weight.requires_grad_(False)

    def forward(self, batch: Batch, hide: Mapping[int, Tensor] | None = None) -> Tensor:
        """[tokens, outputs]. hide: for some inputs by type, tokens whose id is taken as unknown."""
        x = self.dropout(self.embedded(batch, hide or {}))
        for layer in self.recurrent:
            x = self.dropout(states_of(layer, x, batch.places))
        for k, layer in enumerate(self.dense):
            x = layer(x)
            activation = self.plan.activations[k]
            if activation != "none":
                x = self.dropout(_ACTIVATIONS[activation](x))
        return x

    def embedded(self, batch: Batch, hide: Mapping[int, Tensor]) -> Tensor:
        """The embeddings of every token, side by side."""
        found = []
        for k, (one, table) in enumerate(zip(self.inputs.inputs, self.embeddings)):
            ids = batch.ids(k, one.by_type)
            if isinstance(table, Letters):
                found.append(table(ids, self.dropout)[batch.types])
            elif one.kind == "attribute":
                tokens = torch.from_numpy(ids.ids.astype(np.int64))[batch.types]
                found.append(table(tokens.masked_fill(hide[k], 0) if k in hide else tokens))
            else:
                rows = table(torch.from_numpy(ids.ids.astype(np.int64)), torch.from_numpy(ids.rows[:-1]))
                found.append(rows[batch.types] if one.by_type else rows)
        return torch.cat(found, dim=1)

    def export(self) -> Network:
        """The network as arrays."""
        arrays: dict[str, NDArray[np.float32]] = {}
        for k, table in enumerate(self.embeddings):
            where = f"input.{k}"
            arrays[f"{where}.table"] = _array((table.table if isinstance(table, Letters) else table).weight)
            if isinstance(table, Letters) and table.convolution is not None:
                filters = table.convolution.weight  # [filters, width, letters]
                arrays[f"{where}.weights"] = _array(filters.transpose(1, 2).reshape(len(filters), -1))
                arrays[f"{where}.bias"] = _array(table.convolution.bias)
            elif isinstance(table, Letters):
                arrays |= {f"{where}.{name}": a for name, a in recurrent_arrays(table.recurrent).items()}
        for k, layer in enumerate(self.recurrent):
            arrays |= {f"recurrent.{k}.{name}": a for name, a in recurrent_arrays(layer).items()}
        for k, layer in enumerate(self.dense):
            arrays[f"dense.{k}.weights"], arrays[f"dense.{k}.bias"] = _array(layer.weight), _array(layer.bias)
        return Network(self.inputs, self.plan, arrays)


def _embedding(one: Input, columns: int, plan: Plan, sizes: Sizes) -> nn.Module:
    if one.kind == "letters":
        return Letters(plan.letters, one.n_entries, columns, sizes.letters, sizes.reach)
    table: nn.Embedding | nn.EmbeddingBag
    if one.kind == "attribute":
        table = nn.Embedding(one.n_entries, columns)
    else:
        table = nn.EmbeddingBag(one.n_entries, columns, mode="sum")
    if one.kind != "templates":  # what training never sees must not be noise
        with torch.no_grad():
            table.weight[0] = 0
    return table


def recurrent_arrays(layer: Any) -> dict[str, NDArray[np.float32]]:
    """Return the directions one below the other. The two biases of an LSTM are one; those of a GRU are not."""
    parts: dict[str, list[Tensor]] = {"weights": [], "bias": [], "hidden": [], "hidden_bias": []}
    for end in ("", "_reverse") if layer.bidirectional else ("",):
        weights, hidden, bias, hidden_bias = (
            getattr(layer, f"{name}_l0{end}") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        if isinstance(layer, nn.LSTM):
            bias, hidden_bias = bias + hidden_bias, torch.zeros_like(hidden_bias)
        for name, value in zip(parts, (weights, bias, hidden, hidden_bias)):
            parts[name].append(value)
    return {name: _array(torch.cat(both)) for name, both in parts.items()}


def _array(tensor: Tensor) -> NDArray[np.float32]:
    return np.ascontiguousarray(tensor.detach().numpy().astype(np.float32))
