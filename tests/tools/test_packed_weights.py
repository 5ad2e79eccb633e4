"""Tables of weights in model files: what goes in comes out, and damaged ones are refused."""

import numpy as np
import pytest

from palmette.tools.dependency.packed_weights import DROPPED, pack_weights, unpack_weights


@pytest.fixture(autouse=True)
def nothing_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("palmette.tools.dependency.packed_weights.SMALL", 0)


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
    full = pack_weights("x", np.ones(300, dtype=np.float32), compact=False)
    for unit in (np.array([np.nan], np.float32), np.zeros(2, np.float32), np.array([-1], np.float32)):
        with pytest.raises(ValueError, match="damaged"):
            unpack_weights({**full, "x.unit": unit}, "x", 300)
