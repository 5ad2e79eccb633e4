"""What instances refuse, and choosing sentences of them."""

import numpy as np
import pytest

from palmette.features import Instances

GOOD = {
    "offsets": np.array([0, 2, 2, 3]),
    "rows": np.array([0, 1, 3, 4]),
    "attributes": np.array([0, 1, 2, 0], np.int32),
    "values": np.array([1, 2, 3, 4], np.float32),
    "pair_rows": np.array([0, 0, 1, 2]),
    "pair_attributes": np.array([1, 0], np.int32),
    "n_attributes": 3,
    "n_pair_attributes": 2,
}


def test_select_takes_sentences_in_any_order():
    chosen = Instances(**GOOD).select([2, 0, 1])
    assert len(chosen) == 3
    assert chosen.n_tokens == 3
    assert chosen.offsets.tolist() == [0, 1, 3, 3]
    assert chosen.attributes.tolist() == [0, 0, 1, 2]
    assert chosen.values.tolist() == [4, 1, 2, 3]
    assert chosen.pair_rows.tolist() == [0, 1, 1, 2]
    assert chosen.pair_attributes.tolist() == [0, 1]
    with pytest.raises(IndexError, match="between 0 and 2"):
        Instances(**GOOD).select([3])
    assert len(Instances(**GOOD).select([])) == 0


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("offsets", np.array([1, 2]), "'offsets' must begin with 0"),
        ("offsets", np.array([0, 2, 1]), "never fall"),
        ("offsets", np.array([0, 5]), "5 rows, one per token. Got 3"),
        ("rows", np.array([0, 1, 3, 9]), "'rows' must end with 4"),
        ("rows", [0, 1, 3, 4], "must be a row of int64. Got list"),
        ("attributes", np.array([0, 1, 3, 0], np.int32), "between 0 and 2. Got 3"),
        ("attributes", np.array([0, -1, 2, 0], np.int32), "Got -1"),
        ("attributes", np.array([0, 1, 2, 0]), "a row of int32. Got 1-d int64"),
        ("values", np.array([1, np.nan, 3, 4], np.float32), "Got nan at token 1, attribute 1"),
        ("values", np.array([1, 2, 3], np.float32), "4 values. Got 3"),
        ("pair_rows", None, "must come together"),
        ("pair_attributes", np.array([2, 0], np.int32), "pair_attributes must lie between 0 and 1"),
        ("values", np.ones(8, np.float32)[::2], "contiguous"),
    ],
)
def test_what_is_refused(name, value, message):
    with pytest.raises(ValueError, match=message):
        Instances(**{**GOOD, name: value})
