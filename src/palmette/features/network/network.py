"""A trained network as arrays: embeddings, recurrent and feed-forward layers, one row of numbers per token.

    x_t = the embeddings of token t, side by side        h = recurrent layers over x_1 … x_n, both ways
    y_t = W_k σ(… σ(W_1 h_t + b_1) …) + b_k              (Carreras, "from linear to non-linear")

The arrays are all that a file keeps beside `plan` (a few words and numbers) and the strings of the inputs:

    input.K.table [entries, width]; of letters also weights, bias (and hidden, hidden_bias of recurrent ones)
    recurrent.K.weights [directions · gates · size, inputs], bias; hidden [… , size], hidden_bias
    dense.K.weights [outputs, inputs], bias

Gates are in the order of torch: i f g o of an LSTM, r z n of a GRU. The biases of an LSTM are all in `bias`. The
loops are native (`native/features/network/network.hpp`), O(tokens · weights) without the embeddings.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.features.network.inputs import Encoded, NetworkInputs
from palmette.formats.corpus import Corpus

ACTIVATIONS = ("none", "tanh", "relu", "sigmoid")
CELLS = ("lstm", "gru")
MOST_LAYERS = 8
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Plan:
    """What the arrays of a network mean.

    letters: how letters are put together, "convolution", "lstm" or "gru". cell: of the recurrent layers. layers:
    how many recurrent ones there are; activations: of the feed-forward layers after them.
    """

    letters: str = "convolution"
    cell: str = "lstm"
    layers: int = 0
    activations: tuple[str, ...] = ()

    def settings(self) -> dict[str, Any]:
        """The plan as JSON has it."""
        return {
            "letters": self.letters,
            "cell": self.cell,
            "layers": self.layers,
            "activations": list(self.activations),
        }

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Plan:
        """The plan of a file; ValueError if it is not one."""
        letters, cell, layers, activations = (
            settings.get(name) for name in ("letters", "cell", "layers", "activations")
        )
        if letters not in ("convolution", *CELLS) or cell not in CELLS:
            raise ValueError("the network has layers of no known kind")
        if not isinstance(layers, int) or isinstance(layers, bool) or not 0 <= layers <= MOST_LAYERS:
            raise ValueError("the network has an impossible number of layers")
        if not isinstance(activations, list) or len(activations) > MOST_LAYERS:
            raise ValueError("the network has an impossible number of layers")
        if any(name not in ACTIVATIONS for name in activations) or not (layers or activations):
            raise ValueError("the network has no layers, or activations of no known kind")
        return cls(str(letters), str(cell), layers, tuple(map(str, activations)))


@dataclass(frozen=True, eq=False)
class Network:
    """Inputs, a plan and arrays of weights. Nothing in it changes by use, so threads may share one.

    int8: a file keeps its matrices as bytes, which its arrays are rounded to.
    """

    inputs: NetworkInputs
    plan: Plan
    arrays: Mapping[str, Floats]
    int8: bool = False

    def __getstate__(self) -> dict[str, Any]:
        """What is pickled: all but the copy in the native core."""
        return {name: value for name, value in vars(self).items() if name != "core"}

    @cached_property
    def core(self) -> _native.Network:
        """The network in the native core; ValueError where arrays are missing or do not fit each other."""
        made = _native.Network()
        for k, one in enumerate(self.inputs.inputs):
            table = self._matrix(f"input.{k}.table")
            if table.shape[0] != one.n_entries:
                raise ValueError(f"the network has {table.shape[0]} embeddings for {one.n_entries} values")
            if one.kind == "letters":
                self._add_letters(made, k, table)
            else:
                made.add_table(table.reshape(-1), table.shape[1], one.by_type)
        gated = self.plan.cell == "gru"
        for k in range(self.plan.layers):
            weights, bias, hidden, hidden_bias, size, directions = self._recurrent(f"recurrent.{k}", gated)
            made.add_recurrent(gated, size, directions, weights, bias, hidden, hidden_bias)
        for k, activation in enumerate(self.plan.activations):
            made.add_dense(
                self._matrix(f"dense.{k}.weights").reshape(-1),
                self._array(f"dense.{k}.bias", 1),
                ACTIVATIONS.index(activation),
            )
        return made

    @property
    def columns(self) -> set[str | int]:
        """The columns that it looks at beside the words."""
        found: set[str | int] = set(self.inputs.columns)
        for one in self.inputs.inputs:
            if one.features is not None:
                found |= {source.column or "form" for source in one.features.templates.sources}
        return found

    @property
    def n_outputs(self) -> int:
        """How many numbers there are for a token."""
        return int(self.core.outputs)

    @property
    def n_weights(self) -> int:
        """How many weights there are, embeddings included."""
        return sum(array.size for array in self.arrays.values())

    def __call__(self, given: Encoded | Corpus, *, stride: int | None = None, n_jobs: int = 1) -> Floats:
        """The outputs of all tokens, [tokens, stride]: zeros behind the outputs."""
        encoded = self.inputs.encode(given) if isinstance(given, Corpus) else given
        width = self.n_outputs if stride is None else stride
        rows = [(ids.rows, ids.ids) for ids in encoded.given]
        found = self.core.forward(encoded.offsets, encoded.types, encoded.n_types, rows, width, n_jobs)
        return found.reshape(-1, width)

    def _add_letters(self, made: _native.Network, k: int, table: Floats) -> None:
        width, name = table.shape[1], f"input.{k}"
        if self.plan.letters == "convolution":
            filters, bias = self._matrix(f"{name}.weights"), self._array(f"{name}.bias", 1)
            letters, rest = divmod(filters.shape[1], width)
            if rest or letters % 2 == 0:
                raise ValueError("the filters of a convolution have an impossible width")
            made.add_convolution(table.reshape(-1), width, filters.reshape(-1), bias, letters // 2)
            return
        gated = self.plan.letters == "gru"
        weights, bias, hidden, hidden_bias, size, directions = self._recurrent(name, gated)
        made.add_letters(
            table.reshape(-1), width, gated, size, directions, weights, bias, hidden, hidden_bias
        )

    def _recurrent(self, name: str, gated: bool) -> tuple[Floats, Floats, Floats, Floats, int, int]:
        hidden = self._matrix(f"{name}.hidden")
        size = hidden.shape[1]
        directions, rest = divmod(hidden.shape[0], size * (3 if gated else 4))
        if rest or directions not in (1, 2):
            raise ValueError(f"the layer {name!r} has an impossible size")
        flat = self._matrix(f"{name}.weights").reshape(-1)
        bias, hidden_bias = self._array(f"{name}.bias", 1), self._array(f"{name}.hidden_bias", 1)
        return flat, bias, hidden.reshape(-1), hidden_bias, size, directions

    def _matrix(self, name: str) -> Floats:
        found = self._array(name, 2)
        if not found.size:
            raise ValueError(f"the array {name!r} is empty")
        return found

    def _array(self, name: str, axes: int) -> Floats:
        found = self.arrays.get(name)
        if found is None or found.dtype != np.float32 or found.ndim != axes:
            raise ValueError(f"the array {name!r} of the network is missing, or is of another kind")
        if not np.isfinite(found).all():
            raise ValueError(f"the array {name!r} of the network has numbers that are not finite")
        return np.ascontiguousarray(found)
