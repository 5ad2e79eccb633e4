"""The native forward pass against NumPy on random networks, and hostile arrays; torch is not needed."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from palmette import _native
from palmette.features.network.attribution import Attributions
from palmette.features.network.inputs import (
    Input,
    NetworkInputs,
    attribute_input,
    column_input,
    letters_input,
)
from palmette.features.network.network import Network, Plan
from palmette.features.network.reference import embeddings, outputs
from palmette.features.network.saving import network_arrays, network_settings, restore_network
from palmette.formats.corpus import Corpus

pytestmark = pytest.mark.native

WIDTHS = (5, 4, 3, 6)
LETTERS, SIZE, OUTPUTS = 7, 9, 5


def corpus(seed: int = 0, n: int = 12) -> Corpus:
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list("abcé9X"), rng.integers(1, 9))) for _ in range(30)] + ["x" * 90]
    forms = [[words[k] for k in rng.integers(0, 31, length)] for length in rng.integers(0, 9, n)]
    return Corpus.from_columns({"form": forms, "feats": [["A=1|B=2"] * len(s) for s in forms]})


def network(plan: Plan, seed: int = 0) -> Network:
    rng = np.random.default_rng(seed)
    train = corpus(seed)
    inputs = NetworkInputs(
        (
            attribute_input("collapsed", train, 2),
            letters_input(train),
            Input("vectors", "", ("ab", "b")),
            column_input("feats", train),
        )
    )

    def random(*shape: int) -> np.ndarray:
        return rng.normal(scale=0.5, size=shape).astype(np.float32)

    def recurrent(cell: str, width: int, size: int) -> dict[str, np.ndarray]:
        rows = 2 * size * (4 if cell == "lstm" else 3)
        hidden_bias = random(rows) if cell == "gru" else np.zeros(rows, dtype=np.float32)
        return {
            "weights": random(rows, width),
            "bias": random(rows),
            "hidden": random(rows, size),
            "hidden_bias": hidden_bias,
        }

    arrays = {
        f"input.{k}.table": random(one.n_entries, w) for k, (one, w) in enumerate(zip(inputs.inputs, WIDTHS))
    }
    if plan.letters == "convolution":
        arrays |= {"input.1.weights": random(LETTERS, 3 * WIDTHS[1]), "input.1.bias": random(LETTERS)}
        width = LETTERS
    else:
        made = recurrent(plan.letters, WIDTHS[1], LETTERS)
        arrays |= {f"input.1.{name}": array for name, array in made.items()}
        width = 2 * LETTERS
    width += sum(WIDTHS) - WIDTHS[1]
    for k in range(plan.layers):
        arrays |= {f"recurrent.{k}.{name}": a for name, a in recurrent(plan.cell, width, SIZE).items()}
        width = 2 * SIZE
    for k, _ in enumerate(plan.activations):
        arrays |= {f"dense.{k}.weights": random(OUTPUTS, width), f"dense.{k}.bias": random(OUTPUTS)}
        width = OUTPUTS
    return Network(inputs, plan, arrays)


PLANS = [
    Plan(letters, cell, layers, activations)
    for letters, cell, (layers, activations) in product(
        ("convolution", "lstm", "gru"),
        ("lstm", "gru"),
        [(0, ("tanh", "none")), (1, ("none",)), (2, ("relu", "sigmoid"))],
    )
]


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_native_equals_numpy(plan: Plan) -> None:
    made, given = network(plan), corpus(1)
    have = made(given, stride=24, n_jobs=2)
    assert not have[:, OUTPUTS:].any()
    at = 0
    for i in range(len(given)):
        one = given[i : i + 1]
        if one.n_words:
            x = np.concatenate(embeddings(made, made.inputs.encode(one)), axis=1)
            want, _ = outputs(made, x[None])
            np.testing.assert_allclose(have[at : at + one.n_words, :OUTPUTS], want[0], atol=2e-5)
            at += one.n_words
    assert at == given.n_words


@pytest.mark.parametrize("plan", PLANS[1:6:2], ids=str)
def test_attributions_sum_to_the_difference(plan: Plan) -> None:
    made, given = network(plan), corpus(1)
    sentence = given[int(np.diff(given.offsets).argmax()) :][:1]
    found = Attributions(made, made.inputs.encode(sentence))
    difference = np.random.default_rng(0).normal(size=found.outputs.shape)
    one = found.of(difference)
    assert one.total == pytest.approx(float((difference * made(sentence)).sum()), abs=1e-3)
    assert one.start + one.amounts.sum() == pytest.approx(one.total, rel=0.02)


def test_files_and_hostile_arrays() -> None:
    made = network(PLANS[4])
    arrays, settings = network_arrays(made), network_settings(made)
    np.testing.assert_array_equal(restore_network(arrays, settings)(corpus(2)), made(corpus(2)))
    for name, array in arrays.items():
        for wrong in (array[:-1], array[:0], array.reshape(1, *array.shape)):
            with pytest.raises(ValueError, match=r"."):
                restore_network({**arrays, name: wrong}, settings)


def test_the_core_checks_what_would_crash_it() -> None:
    core = _native.Network()
    table, ones = np.zeros(6, dtype=np.float32), np.ones(2, dtype=np.float32)
    with pytest.raises(ValueError, match="no layers"):
        core.forward(np.zeros(1, np.int64), np.zeros(0, np.int32), 0, [], 1, 1)
    with pytest.raises(ValueError, match="rows of its width"):
        core.add_table(table, 4, True)
    core.add_table(table, 3, False)
    with pytest.raises(ValueError, match="another size"):
        core.add_dense(table, np.ones(3, dtype=np.float32), 0)
    core.add_dense(table, ones, 0)
    offsets, types, rows = np.array([0, 1]), np.zeros(1, np.int32), np.array([0, 1])
    for ids in (2, -1):
        with pytest.raises(ValueError, match="an id is out of range"):
            core.forward(offsets, types, 1, [(rows, np.array([ids], dtype=np.int32))], 2, 1)
    with pytest.raises(ValueError, match="too short"):
        core.forward(offsets, types, 1, [(rows, np.zeros(1, np.int32))], 1, 1)
    with pytest.raises(ValueError, match="do not cut"):
        core.forward(offsets, types, 1, [(np.array([0, 2]), np.zeros(1, np.int32))], 2, 1)
