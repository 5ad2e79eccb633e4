"""Tables of weights in model files: what goes in comes out, and damaged ones are refused."""

import numpy as np
import pytest

from palmette.tools.packed_weights import (
    DROPPED,
    LevelWeights,
    full_table,
    pack_weights,
    unpack_levels,
    unpack_sparse_rows,
    unpack_weights,
)


@pytest.fixture(autouse=True)
def nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palmette.tools.packed_weights.SMALL", 0)


@pytest.mark.parametrize("density", [0.0, 0.001, 0.3, 1.0])
@pytest.mark.parametrize("compact", [False, True])
def test_round_trip(density: float, compact: bool) -> None:
    rng = np.random.default_rng(1)
    w = (rng.normal(size=5000) * (rng.random(5000) < density)).astype(np.float32)
    back = unpack_weights(pack_weights("x", w, compact), "x", len(w))
    kept = back != 0
    if compact:
        assert np.sum(w[~kept] ** 2) <= DROPPED * np.sum(w**2)
        if kept.any():
            roots = np.sqrt(np.abs(w[kept]))
            half_a_step = (roots.max() - roots.min()) / 126 / 2
            assert np.abs(np.sqrt(np.abs(back[kept])) - roots).max() <= half_a_step * 1.01 + 1e-6
            assert (np.sign(back[kept]) == np.sign(w[kept])).all()
        again = unpack_weights(pack_weights("x", back, compact), "x", len(w))
        assert np.array_equal(again, back)  # what is compact stays as it is
    else:
        assert np.abs(w - back).max() <= np.abs(w).max() / 32767 * 0.51 + 1e-6


def test_older_compact_tables_are_read() -> None:
    arrays = {
        "x.gaps": np.array([1, 255, 0], np.uint8),
        "x.values": np.array([-127, 0, 2], np.int8),
        "x.unit": np.array([0.5], np.float32),
    }
    want = np.zeros(300, np.float32)
    want[[1, 257]] = [-127 * 127 * 0.5, 2]
    assert np.array_equal(unpack_weights(arrays, "x", 300), want)


def test_rare_weights_lie_far_apart() -> None:
    w = np.zeros(100_000, dtype=np.float32)
    w[[0, 254, 255, 511, 99_999]] = [1, -2, 3, -4, 5]
    arrays = pack_weights("x", w, compact=False)
    np.testing.assert_allclose(unpack_weights(arrays, "x", len(w)), w, atol=1e-3)
    assert arrays["x.gaps"].nbytes < 500


def test_what_does_not_fit_is_refused() -> None:
    arrays = pack_weights("x", np.ones(300, dtype=np.float32), compact=True)
    with pytest.raises(ValueError, match="longer than 200 weights"):
        unpack_weights(arrays, "x", 200)
    with pytest.raises(ValueError, match="missing"):
        unpack_weights({}, "x", 300)
    for name, value in (
        ("x.gaps", np.zeros(299, np.uint8)),
        ("x.gaps", np.zeros(300, np.int8)),
        ("x.values", np.zeros(300, np.float32)),
        ("x.levels", np.array([np.nan], np.float32)),
        ("x.levels", np.array([1e30], np.float32)),
        ("x.levels", np.zeros((1, 1), np.float32)),
        ("x.values", np.zeros(300, np.int8)),
    ):
        with pytest.raises(ValueError, match="damaged"):
            unpack_weights({**arrays, name: value}, "x", 300)
    with pytest.raises(ValueError, match="not among its 1 levels"):
        unpack_weights({**arrays, "x.values": np.ones(300, np.uint8)}, "x", 300)
    full = pack_weights("x", np.linspace(1, 2, 300, dtype=np.float32), compact=False)
    for unit in (np.array([np.nan], np.float32), np.zeros(2, np.float32), np.array([-1], np.float32)):
        with pytest.raises(ValueError, match="damaged"):
            unpack_weights({**full, "x.unit": unit}, "x", 300)


def test_tables_of_bytes_and_of_rows() -> None:
    rng = np.random.default_rng(2)
    w = (rng.normal(size=(500, 16)) * (rng.random((500, 16)) < 0.2)).astype(np.float32)
    w[:, 13:] = 0
    for compact in (False, True):
        arrays = pack_weights("x", w.reshape(-1), compact)
        want = unpack_weights(arrays, "x", w.size)
        few = unpack_levels(arrays, "x", w.size)
        assert isinstance(few, LevelWeights) is compact
        assert np.array_equal(full_table(few), want)
        rows = unpack_sparse_rows(arrays, "x", 500, 13, 16)
        assert np.array_equal(full_table(rows), want)
        again = pack_weights("x", full_table(few), False)
        assert not compact or np.array_equal(unpack_weights(again, "x", w.size), want)
    with pytest.raises(ValueError, match=r"columns|longer"):  # a weight behind the last label
        unpack_sparse_rows(arrays, "x", 500, 5, 16)
    for unpack in (unpack_levels, lambda a, name, n: unpack_sparse_rows(a, name, n // 16, 13, 16)):
        with pytest.raises(ValueError, match="longer than"):
            unpack(arrays, "x", w.size - 160)
        with pytest.raises(ValueError, match="not among its"):
            unpack({**arrays, "x.levels": arrays["x.levels"][:5]}, "x", w.size)
        with pytest.raises(ValueError, match="damaged"):
            unpack({**arrays, "x.levels": arrays["x.levels"][:0]}, "x", w.size)
