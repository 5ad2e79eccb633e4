"""Tables of weights in model files: what goes in comes out, and damaged ones are refused."""

import numpy as np
import pytest

from palmette.tools.dependency.packed_weights import pack_weights, unpack_weights


@pytest.mark.parametrize("density", [0.0, 0.001, 0.3, 1.0])
@pytest.mark.parametrize("compact", [False, True])
def test_round_trip(density: float, compact: bool) -> None:
    rng = np.random.default_rng(1)
    w = (rng.normal(size=5000) * (rng.random(5000) < density)).astype(np.float32)
    back = unpack_weights(pack_weights("x", w, compact), "x", len(w))
    top = np.abs(w).max(initial=0)
    # In 8 bits the square roots are rounded: |√a − √b| is at most half a step.
    error = np.abs(np.sqrt(np.abs(w)) - np.sqrt(np.abs(back))) if compact else np.abs(w - back)
    assert error.max(initial=0) <= (np.sqrt(top) / 127 if compact else top / 32767) * 0.51 + 1e-6
    assert (np.sign(back) * np.sign(w) >= 0).all()


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
        ("x.unit", np.array([np.nan], np.float32)),
        ("x.unit", np.zeros(2, np.float32)),
    ):
        with pytest.raises(ValueError, match="damaged"):
            unpack_weights({**arrays, name: value}, "x", 300)
