"""Spectral starts: exact moments give the model back, and a text gives a start that EM goes on from."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from palmette.cli import main
from palmette.learning.em import EM
from palmette.tools.sequence.spectral_start import emissions_of, pairs_of_states
from palmette.tools.sequence.tag_inducer import TagInducer

pytestmark = pytest.mark.native


def exact_model(seed: int, n: int = 3, V: int = 8) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Emissions [words, states], transitions [state, next] and the stationary probabilities."""
    rng = np.random.default_rng(seed)
    E = rng.dirichlet(np.full(V, 0.5), size=n).T
    T = rng.dirichlet(np.full(n, 0.7), size=n)
    values, vectors = np.linalg.eig(T.T)
    pi = np.abs(vectors[:, int(np.argmax(values.real))].real)
    return E, T, pi / pi.sum()


@pytest.mark.parametrize("seed", range(6))
def test_exact_moments_give_the_model_back(seed: int) -> None:
    E, T, pi = exact_model(seed)
    V, n = E.shape
    table = np.einsum("a,xa,ab,yb,bc,zc->xyz", pi, E, T, E, T, E)
    first, second, third = (grid.ravel() for grid in np.meshgrid(*[np.arange(V)] * 3, indexing="ij"))
    found = emissions_of(first, second, third, table.ravel(), V, n, seed)
    order = min(permutations(range(n)), key=lambda p: np.abs(found[:, p] - E).sum())
    np.testing.assert_allclose(found[:, order], E, atol=1e-6)
    pairs = np.einsum("a,xa,ab,yb->xy", pi, E, T, E)
    one, two = (grid.ravel() for grid in np.meshgrid(*[np.arange(V)] * 2, indexing="ij"))
    joint = pairs_of_states(found[:, order], one, two, pairs.ravel())
    np.testing.assert_allclose(joint, pi[:, None] * T, atol=1e-5)


def sampled_text(seed: int, n: int = 300) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    E, T, pi = exact_model(seed, 3, 12)
    text = []
    for _ in range(n):
        state, words = rng.choice(3, p=pi), []
        for _ in range(8):
            words.append(f"w{rng.choice(12, p=E[:, state])}")
            state = rng.choice(3, p=T[state])
        text.append(words)
    return text


@pytest.mark.parametrize("order", [1, 2])
def test_em_goes_on_from_it(order: int) -> None:
    text = sampled_text(1)
    options = {"n_states": 3, "order": order, "initial": "spectral"}
    found = TagInducer(EM(n_iter=10, tolerance=0), **options).fit(text)
    likely = [report.numbers["objective"] for report in found.history_]
    assert likely == sorted(likely)
    again = TagInducer(EM(n_iter=10, tolerance=0), **options).fit(text)
    assert found.predict(text) == again.predict(text)


def test_too_little_text() -> None:
    with pytest.raises(ValueError, match="more words"):
        TagInducer(EM(), n_states=3, initial="spectral").fit([["a", "b", "a"], ["b", "a", "b"]])
    with pytest.raises(ValueError, match="noise"):
        TagInducer(EM(), n_states=3, initial="spectral", noise=0.5).fit([["a", "b", "a"]])
    with pytest.raises(ValueError, match="'initial'"):
        TagInducer(EM(), initial="spectral").fit([["a", "b"]] * 3, [["A", "B"], [None, None], ["A", "A"]])
    with pytest.raises(ValueError, match="'initial' parameter"):
        TagInducer(EM(), n_states=3, initial="x").fit([["a", "b", "a"]])


def test_on_the_command_line(tmp_path: Path) -> None:
    text, model = tmp_path / "t.txt", tmp_path / "m.palm"
    text.write_text("\n".join(" ".join(words) for words in sampled_text(2)), encoding="utf-8")
    command = ["train", "induce", "--train", str(text), "--states", "3", "--set", "initial=spectral"]
    assert main([*command, "--set", "n_iter=3", "-q", "-o", str(model)]) == 0
