"""The native forward pass against torch on the same network."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from palmette import Corpus, Templates
from palmette.features.feature_map import FeatureMap
from palmette.features.network.inputs import (
    Input,
    NetworkInputs,
    attribute_input,
    column_input,
    letters_input,
)
from palmette.features.network.network import Network, Plan
from palmette.features.network.reference import embeddings, outputs
from palmette.features.network.saving import network_arrays, network_settings, restore_network, rounded

torch = pytest.importorskip("torch")
from palmette.neural.networks.module import Batch, Sizes, TokenNetwork  # noqa: E402
from palmette.neural.networks.restoring import put_back  # noqa: E402


def corpus(seed: int = 0, n: int = 40, longest: int = 17) -> Corpus:
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list("abcdeéß9X"), rng.integers(1, 9))) for _ in range(60)]
    lengths = rng.integers(0, longest, n)
    forms = [[words[k] for k in rng.integers(0, 60, length)] for length in lengths]
    feats = [
        [rng.choice(["_", "Case=Nom|Number=Sing", "Case=Acc"]).item() for _ in sentence] for sentence in forms
    ]
    return Corpus.from_columns({"form": forms, "feats": feats})


def inputs_of(train: Corpus) -> NetworkInputs:
    features, _ = FeatureMap.fit(Templates("w[-1..1]\nend2[0]"), train, min_count=2)
    return NetworkInputs(
        (
            attribute_input("collapsed", train, 2),
            letters_input(train),
            Input("vectors", "", ("ab", "b", "cd")),
            column_input("feats", train),
            Input("templates", "", (), features),
        )
    )


def torch_outputs(module: TokenNetwork, given: Corpus) -> np.ndarray:
    module.eval()
    encoded = module.inputs.encode(given)
    with torch.no_grad():
        sentences = np.flatnonzero(np.diff(encoded.offsets)).astype(np.int64)
        found: np.ndarray = module(Batch(encoded, sentences)).numpy()
    return found


PLANS = [
    Plan(letters, cell, layers, activations)
    for (letters, cell), (layers, activations) in product(
        [("convolution", "lstm"), ("lstm", "gru"), ("gru", "lstm")],
        [(1, ("none",)), (2, ("relu", "none")), (0, ("tanh", "sigmoid", "relu", "none")), (2, ())],
    )
]


@pytest.mark.native
@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_forward_equals_torch(plan: Plan) -> None:
    torch.manual_seed(1)
    train, other = corpus(0), corpus(1)
    dense = tuple(range(19, 19 + len(plan.activations)))
    module = TokenNetwork(inputs_of(train), plan, Sizes((7, 5, 4, 3, 6), 9, 11, dense, reach=2))
    network = module.export()
    want = torch_outputs(module, other)
    have = network(other)
    assert have.shape == want.shape
    np.testing.assert_allclose(have, want, rtol=0, atol=1e-5)
    np.testing.assert_array_equal(network(other, n_jobs=3), have)  # threads change nothing
    padded = network(other, stride=48)
    np.testing.assert_array_equal(padded[:, : have.shape[1]], have)
    assert not padded[:, have.shape[1] :].any()


def test_sentences_do_not_influence_each_other() -> None:
    torch.manual_seed(2)
    given = corpus(3)
    module = TokenNetwork(inputs_of(given), Plan("lstm", "lstm", 2, ("none",)), Sizes((5,) * 5, 6, 8, (4,)))
    network = module.export()
    whole = network(given)
    alone = np.concatenate([network(given[i : i + 1]) for i in range(len(given))])
    np.testing.assert_array_equal(whole, alone)


def test_large_states_and_a_very_long_sentence() -> None:
    torch.manual_seed(3)
    given = Corpus.from_columns({"form": [["a", "b"] * 5000, ["c"]], "feats": [["_"] * 10000, ["_"]]})
    module = TokenNetwork(
        inputs_of(given), Plan("convolution", "lstm", 1, ("none",)), Sizes((9,) * 5, 8, 13, (3,))
    )
    with torch.no_grad():
        for weights in module.parameters():
            weights.mul_(20)  # saturates the gates
    have, want = module.export()(given), torch_outputs(module, given)
    assert have.shape == (10001, 3)
    np.testing.assert_allclose(have / 400, want / 400, rtol=0, atol=1e-5)


def test_a_file_keeps_a_network() -> None:
    torch.manual_seed(4)
    given = corpus(5)
    module = TokenNetwork(
        inputs_of(given), Plan("convolution", "gru", 1, ("tanh", "none")), Sizes((6,) * 5, 7, 8, (9, 5))
    )
    network = module.export()
    again = restore_network(network_arrays(network), network_settings(network))
    np.testing.assert_array_equal(again(given), network(given))
    bytes_of = lambda arrays: sum(a.nbytes for name, a in arrays.items() if not name.endswith("keys"))  # noqa: E731
    assert bytes_of(network_arrays(network, int8=True)) < 0.5 * bytes_of(network_arrays(network))
    np.testing.assert_allclose(rounded(network)(given), network(given), atol=0.05)


def make() -> Network:
    torch.manual_seed(6)
    plan = Plan("convolution", "lstm", 1, ("none",))
    return TokenNetwork(inputs_of(corpus(5)), plan, Sizes((6,) * 5, 7, 8, (5,))).export()


@pytest.mark.native
@pytest.mark.parametrize("change", ["missing", "shape", "type", "nan", "empty", "flat"])
def test_damaged_arrays_are_refused(change: str) -> None:
    network = make()
    arrays, settings = network_arrays(network), network_settings(network)
    for name, array in arrays.items():
        broken = dict(arrays)
        if change == "missing":
            del broken[name]
        elif change == "shape":
            broken[name] = array[:-1]
        elif change == "type":
            broken[name] = array.astype(np.float64 if array.dtype != np.float64 else np.int32)
        elif change == "empty":
            broken[name] = array[:0]
        elif change == "flat":
            broken[name] = array.reshape(1, *array.shape)
        elif array.dtype == np.float32:
            broken[name] = np.full_like(array, np.nan)
        else:
            continue
        with pytest.raises(ValueError, match=r"."):
            restore_network(broken, settings)


@pytest.mark.parametrize(
    "change",
    [
        {"inputs": []},
        {"inputs": [{"kind": "magic", "name": ""}]},
        {"inputs": "words"},
        {"cell": "transformer"},
        {"letters": None},
        {"layers": -1},
        {"layers": True},
        {"layers": 2},
        {"layers": 10**9},
        {"activations": ["none", "none"]},
        {"activations": ["softmax"]},
        {"activations": None},
    ],
)
def test_damaged_settings_are_refused(change: dict[str, object]) -> None:
    network = make()
    with pytest.raises(ValueError, match=r"."):
        restore_network(network_arrays(network), {**network_settings(network), **change})


def test_another_column_set_is_one_sentence() -> None:
    with pytest.raises(ValueError, match="looks at the column 'feats', and the columns here are form"):
        make()(Corpus.from_columns({"form": [["a"]]}))


@pytest.mark.parametrize("plan", PLANS[:8], ids=str)
def test_numpy_equals_native_and_its_gradient_equals_differences(plan: Plan) -> None:
    torch.manual_seed(8)
    given = corpus(7, n=3, longest=6)
    given = given[int(np.diff(given.offsets).argmax()) :][:1]
    dense = tuple(range(6, 6 + len(plan.activations)))
    network = TokenNetwork(inputs_of(corpus(0)), plan, Sizes((7, 5, 4, 3, 6), 9, 11, dense)).export()
    x = np.concatenate(embeddings(network, network.inputs.encode(given)), axis=1)
    have, back = outputs(network, x[None])
    np.testing.assert_allclose(have[0], network(given), atol=1e-5)
    d = np.random.default_rng(0).normal(size=have.shape)
    gradient = back(d)[0]
    for _ in range(10):
        step = np.random.default_rng(1).normal(size=x.shape)
        high, low = (outputs(network, (x + sign * 1e-5 * step)[None])[0] for sign in (1, -1))
        assert float((gradient * step).sum()) == pytest.approx(
            ((high - low) * d).sum() / 2e-5, rel=1e-4, abs=1e-6
        )


@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_weights_go_back_into_torch(plan: Plan) -> None:
    inputs = inputs_of(corpus(0))
    sizes = Sizes((7, 5, 4, 3, 6), 9, 11, (19,) * len(plan.activations), reach=2)
    first, second = (TokenNetwork(inputs, plan, sizes) for _ in range(2))
    made = first.export()
    put_back(second, made)
    again = second.export()
    assert made.arrays.keys() == again.arrays.keys()
    for name, array in made.arrays.items():
        np.testing.assert_array_equal(again.arrays[name], array)
    other = TokenNetwork(inputs, plan, Sizes((8, 5, 4, 3, 6), *(9, 11, sizes.dense), reach=2))
    with pytest.raises(ValueError, match="weights where"):
        put_back(other, made)
