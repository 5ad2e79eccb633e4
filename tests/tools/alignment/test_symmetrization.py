"""The native symmetrization against the one in sets, and both against what their names say."""

from __future__ import annotations

import numpy as np
import pytest

from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.symmetrization import METHODS, SYMMETRIZATIONS, symmetrize, symmetrize_all
from palmette.tools.alignment.text import ParallelText

pytestmark = pytest.mark.native


def random_case(seed: int):
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 8, (40, 2))
    text = ParallelText.of([(["a"] * length, ["b"] * m) for length, m in lengths.tolist()])
    forth, back, p, q = [], [], [], []
    for length, m in lengths.tolist():
        near = np.clip(
            np.arange(1, m + 1) + rng.integers(-1, 2, m), 0, length
        )  # so that both agree now and then
        forth.append(near)
        back.append(np.clip(np.arange(1, length + 1) + rng.integers(-1, 2, length), 0, m))
        p.append(rng.random(length * m))
        q.append(rng.random(length * m))
    flat = [np.concatenate(rows) for rows in (forth, back, p, q)]
    best = flat[0].astype(np.int32), flat[1].astype(np.int32)
    posteriors = flat[2].astype(np.float32), flat[3].astype(np.float32)
    return text, lengths.tolist(), (forth, back), best, posteriors


@pytest.mark.parametrize("method", SYMMETRIZATIONS)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_native_agrees_with_sets(method: str, n_jobs: int) -> None:
    text, _, (forth, back), best, _ = random_case(1)
    found = symmetrize_all(text, method, best=best, n_jobs=n_jobs)
    for s, (row, column) in enumerate(zip(forth, back)):
        there = {(int(i) - 1, j) for j, i in enumerate(row) if i}
        here = {(i, int(j) - 1) for i, j in enumerate(column) if j}
        assert found[s] == symmetrize(there, here, method), s
    assert not len(found.probability)


def test_posterior_threshold() -> None:
    text, lengths, _, _, (p, q) = random_case(2)
    found = symmetrize_all(text, "posterior", posteriors=(p, q), threshold=0.6)
    at = 0
    for s, (length, m) in enumerate(lengths):
        mean = (p[at : at + length * m].reshape(length, m) + q[at : at + length * m].reshape(m, length).T) / 2
        at += length * m
        assert found[s] == [(i, j) for i, j in np.argwhere(mean > 0.6).tolist()]
        assert found.probabilities(s) == pytest.approx(mean[mean > 0.6].tolist())


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_of_links(method: str) -> None:
    text, lengths, _, best, (p, q) = random_case(3)
    found = symmetrize_all(text, method, best=best, posteriors=(p, q))
    at = 0
    for s, (length, m) in enumerate(lengths):
        there, here = p[at : at + length * m].reshape(length, m), q[at : at + length * m].reshape(m, length).T
        at += length * m
        values = {"source": there, "target": here}.get(method, (there + here) / 2)
        assert found.probabilities(s) == pytest.approx([float(values[link]) for link in found[s]])


def test_names() -> None:
    forth, back = {(0, 0), (1, 1), (3, 4)}, {(0, 0), (2, 1), (1, 2)}
    assert symmetrize(forth, back, "intersection") == [(0, 0)]
    assert symmetrize(forth, back, "union") == sorted(forth | back)
    assert symmetrize(forth, back, "grow-diag") == [(0, 0), (1, 1), (1, 2), (2, 1)]
    assert symmetrize(forth, back, "grow-diag-final-and") == [(0, 0), (1, 1), (1, 2), (2, 1), (3, 4)]
    with pytest.raises(ValueError, match="no symmetrization 'grow'"):
        symmetrize(forth, back, "grow")
    with pytest.raises(ValueError, match="no symmetrization 'grow'"):
        symmetrize_all(ParallelText.of([]), "grow")


def test_sizes_are_checked() -> None:
    text = ParallelText.of([("a b", "c")])
    none = np.zeros(0, np.int32)
    with pytest.raises(ValueError, match="one place for every word"):
        symmetrize_all(text, "union", best=(none, none))
    with pytest.raises(ValueError, match="outside its sentence"):
        symmetrize_all(text, "union", best=(np.array([3], np.int32), np.array([0, 0], np.int32)))
    with pytest.raises(ValueError, match="for every link"):
        symmetrize_all(text, "posterior", posteriors=(np.ones(1, np.float32), np.ones(2, np.float32)))


def test_alignments() -> None:
    rows = [[(1, 2), (0, 0)], [], [(3, 1)]]
    found = Alignments.of(rows)
    assert list(found) == [[(0, 0), (1, 2)], [], [(3, 1)]] == found[:]
    assert found[-1] == [(3, 1)]
    assert found.pharaoh() == "0-0 1-2\n\n3-1\n"
    with pytest.raises(ValueError, match="no probabilities"):
        found.pharaoh(probabilities=True)
    known = Alignments(found.offsets, found.source, found.target, np.array([1, 0.12345, 0.00004], np.float32))
    assert known.pharaoh(probabilities=True) == "0-0:1.0000 1-2:0.1235\n\n3-1:0.0000\n"
    joined = Alignments.joined([known, known])
    assert list(joined) == [*found, *found]
    assert joined.probabilities(3) == pytest.approx([1, 0.12345])
    assert list(Alignments.joined([])) == []
