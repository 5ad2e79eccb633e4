"""A network in NumPy, forwards and backwards: for explanations, and as an oracle of the native one.

All functions take x as [points, tokens, width]: several points at which one sentence is looked at, such as those
on the way from nothing to its embeddings. `embeddings` gives x of a sentence; letters are one block of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.features.network.inputs import Encoded, Ids
from palmette.features.network.network import Network

Doubles = NDArray[np.float64]
Backward = Callable[[Doubles], Doubles]  # from the derivative by outputs to that by inputs
Layer = tuple[Doubles, Backward]


def embeddings(network: Network, encoded: Encoded) -> list[Doubles]:
    """For every input, the vectors of the tokens, [tokens, width]."""
    found = []
    for k, (one, ids) in enumerate(zip(network.inputs.inputs, encoded.given)):
        table = network.arrays[f"input.{k}.table"].astype(np.float64)
        if one.kind == "letters":
            rows = np.array(
                [_letters(network, f"input.{k}", table[_row(ids, r)]) for r in range(encoded.n_types)]
            )
        else:
            rows = np.array([table[_row(ids, r)].sum(axis=0) for r in range(len(ids.rows) - 1)])
        rows = rows.reshape(-1, rows.shape[-1]) if rows.size else np.zeros((0, table.shape[1]))
        found.append(rows[encoded.types] if one.by_type else rows)
    return found


def outputs(network: Network, x: Doubles) -> Layer:
    """The outputs [points, tokens, outputs] for embeddings, and the way back."""
    ways: list[Backward] = []
    for k in range(network.plan.layers):
        x, way = _recurrent(x, _arrays(network, f"recurrent.{k}"), network.plan.cell)
        ways.append(way)
    for k, activation in enumerate(network.plan.activations):
        arrays = {
            name: network.arrays[f"dense.{k}.{name}"].astype(np.float64) for name in ("weights", "bias")
        }
        x, way = _dense(x, arrays["weights"], arrays["bias"], activation)
        ways.append(way)

    def back(d: Doubles) -> Doubles:
        for way in reversed(ways):
            d = way(d)
        return d

    return x, back


def _row(ids: Ids, r: int) -> NDArray[np.int32]:
    return ids.ids[ids.rows[r] : ids.rows[r + 1]]


def _arrays(network: Network, name: str) -> dict[str, Doubles]:
    parts = ("weights", "bias", "hidden", "hidden_bias")
    return {part: network.arrays[f"{name}.{part}"].astype(np.float64) for part in parts}


def _letters(network: Network, name: str, letters: Doubles) -> Doubles:
    """A word's vector: the maxima of filters over its letters, or the last states of both directions."""
    if network.plan.letters != "convolution":
        states, _ = _recurrent(letters[None], _arrays(network, name), network.plan.letters)
        half = states.shape[2] // 2
        return np.concatenate([states[0, -1, :half], states[0, 0, half:]])
    filters, width = network.arrays[f"{name}.weights"].astype(np.float64), letters.shape[1]
    reach = filters.shape[1] // width // 2
    around = np.pad(letters, ((reach, reach), (0, 0)))
    windows = np.stack([around[k : k + 2 * reach + 1].reshape(-1) for k in range(len(letters))])
    found: Doubles = np.maximum((windows @ filters.T + network.arrays[f"{name}.bias"]).max(axis=0), 0)
    return found


def _sigmoid(x: Doubles) -> Doubles:
    found: Doubles = 0.5 * (1 + np.tanh(0.5 * x))
    return found


def _dense(x: Doubles, weights: Doubles, bias: Doubles, activation: str) -> Layer:
    a = x @ weights.T + bias
    if activation == "tanh":
        y: Doubles = np.tanh(a)
        slope: Any = 1 - y**2
    elif activation == "relu":
        y, slope = np.maximum(a, 0), a > 0
    elif activation == "sigmoid":
        y = _sigmoid(a)
        slope = y * (1 - y)
    else:
        y, slope = a, 1.0
    return y, lambda d: (d * slope) @ weights


def _recurrent(x: Doubles, arrays: dict[str, Doubles], cell: str) -> Layer:
    """Both directions of a recurrent layer, side by side."""
    size = arrays["hidden"].shape[1]
    width = size * (4 if cell == "lstm" else 3)
    step = _lstm if cell == "lstm" else _gru
    ways, found = [], []
    for direction in range(len(arrays["hidden"]) // width):
        part = slice(direction * width, (direction + 1) * width)
        own = {name: array[part] for name, array in arrays.items()}
        turn = slice(None, None, -1 if direction else 1)
        h, way = step((x @ own["weights"].T + own["bias"])[:, turn], own, size)
        found.append(h[:, turn])
        ways.append((way, own["weights"], turn))

    def back(d: Doubles) -> Doubles:
        parts = np.split(d, len(ways), axis=2)
        sums = [way(part[:, turn])[:, turn] @ weights for part, (way, weights, turn) in zip(parts, ways)]
        return np.sum(sums, axis=0)  # type: ignore[no-any-return]

    return np.concatenate(found, axis=2), back


def _lstm(a: Doubles, own: dict[str, Doubles], size: int) -> Layer:
    points, n, _ = a.shape
    h = c = np.zeros((points, size))
    kept: list[tuple[Doubles, ...]] = []
    states = np.zeros((points, n, size))
    for t in range(n):
        i, f, g, o = np.split(a[:, t] + h @ own["hidden"].T, 4, axis=1)
        i, f, g, o = _sigmoid(i), _sigmoid(f), np.tanh(g), _sigmoid(o)
        before, c = c, f * c + i * g
        h = o * np.tanh(c)
        states[:, t] = h
        kept.append((i, f, g, o, before, np.tanh(c)))

    def back(d: Doubles) -> Doubles:
        found, dh, dc = np.zeros_like(a), np.zeros((points, size)), np.zeros((points, size))
        for t in range(n - 1, -1, -1):
            i, f, g, o, before, squashed = kept[t]
            dh = dh + d[:, t]
            dc = dc + dh * o * (1 - squashed**2)
            gates = (
                dc * g * i * (1 - i),
                dc * before * f * (1 - f),
                dc * i * (1 - g**2),
                dh * squashed * o * (1 - o),
            )
            found[:, t] = np.concatenate(gates, axis=1)
            dh, dc = found[:, t] @ own["hidden"], dc * f
        return found

    return states, back


def _gru(a: Doubles, own: dict[str, Doubles], size: int) -> Layer:
    points, n, _ = a.shape
    h = np.zeros((points, size))
    kept: list[tuple[Doubles, ...]] = []
    states = np.zeros((points, n, size))
    for t in range(n):
        u = h @ own["hidden"].T + own["hidden_bias"]
        r, z = (_sigmoid(a[:, t, k : k + size] + u[:, k : k + size]) for k in (0, size))
        fresh = np.tanh(a[:, t, 2 * size :] + r * u[:, 2 * size :])
        kept.append((r, z, fresh, u[:, 2 * size :], h))
        h = (1 - z) * fresh + z * h
        states[:, t] = h

    def back(d: Doubles) -> Doubles:
        found, dh = np.zeros_like(a), np.zeros((points, size))
        for t in range(n - 1, -1, -1):
            r, z, fresh, u, before = kept[t]
            dh = dh + d[:, t]
            dn = dh * (1 - z) * (1 - fresh**2)
            dz, dr = dh * (before - fresh) * z * (1 - z), dn * u * r * (1 - r)
            found[:, t] = np.concatenate([dr, dz, dn], axis=1)
            dh = dh * z + np.concatenate([dr, dz, dn * r], axis=1) @ own["hidden"]
        return found

    return states, back
