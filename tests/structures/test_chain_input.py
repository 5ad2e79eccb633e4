"""Bad input to chains: one clear sentence each; and constraints by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from palmette import _native
from palmette.structures.chain import Chain
from palmette.structures.chain_scores import ChainScores


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([],), "at least one label"),
        ((0,), "at least one label"),
        ((["A", "B", "A"],), "'A' appears twice"),
        ((2, 4), "order must be 0, 1, 2 or 3, got 4"),
        ((2, -1), "order must be"),
        ((300, 3), "300 labels are too many for order 3"),
    ],
)
def test_bad_chains(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Chain(*arguments)


@pytest.mark.parametrize(
    ("tables", "message"),
    [
        ({"start": [True]}, "start must have the shape 2, got 1"),
        ({"pairs": [True, False]}, "pairs must have the shape 2 × 2, got 2"),
        ({"end": [0, 1]}, "end must be an array of True and False"),
    ],
)
def test_bad_constraints(tables: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Chain(2, **tables)


def test_order_0_has_no_pairs() -> None:
    with pytest.raises(ValueError, match="take order 1"):
        Chain(2, 0, pairs=np.ones((2, 2), dtype=bool))
    with pytest.raises(ValueError, match="order 0 has no transitions"):
        Chain(2, 0).best(ChainScores(np.zeros((2, 2)), np.zeros((2, 2))))


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (ChainScores(np.zeros((3, 3))), "unary scores must have the shape 3 × 2, got 3 × 3"),
        (ChainScores(np.zeros(3)), "unary scores must have the shape 3 × 2, got 3"),
        (ChainScores([[0.0, np.nan]]), r"unary scores must be finite or -inf; entry \[0, 1\] is nan"),
        (ChainScores([[np.inf, 0.0]]), r"entry \[0, 0\] is inf"),
        (ChainScores([["a", "b"]]), "unary scores must be an array of numbers"),
        (ChainScores(np.zeros((2, 2)), np.zeros((3, 3))), "transitions must have the shape 2 × 2"),
        (ChainScores(np.zeros((2, 2)), np.zeros((3, 2, 2))), "transitions must have the shape 2 × 2 × 2"),
        (ChainScores(np.zeros((2, 2)), [[0.0, np.nan], [0, 0]]), r"transitions must be finite.*\[0, 1\]"),
        (ChainScores(np.zeros((2, 2)), None, [[0.0]]), r"begin\[0\] must have the shape 2, got 1"),
        (ChainScores(np.zeros((2, 2)), None, [None, None]), "begin tables for 1 positions, got 2"),
    ],
)
def test_bad_scores(scores: ChainScores, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Chain(2).log_z(scores)


def test_bad_allowed_labels() -> None:
    with pytest.raises(ValueError, match="allowed labels must have the shape 2 × 2"):
        Chain(2).best(np.zeros((2, 2)), allowed=np.ones((3, 2), dtype=bool))
    with pytest.raises(ValueError, match="True and False"):
        Chain(2).best(np.zeros((2, 2)), allowed=np.ones((2, 2)))


def test_bad_sequences() -> None:
    chain, scores = Chain(2), np.zeros((2, 2))
    for y, message in (([0], "expected 2 labels"), ([0, 2], "between 0 and 1"), ([0.5, 1], "as integers")):
        with pytest.raises(ValueError, match=message):
            chain.score(scores, y)
        with pytest.raises(ValueError, match=message):
            chain.log_probability(scores, y)
    with pytest.raises(ValueError, match="'k' parameter must be an int"):
        chain.kbest(scores, 0)
    with pytest.raises(ValueError, match="'n' parameter must be an int"):
        chain.sample(scores, -1)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_a_dead_end_is_found_where_it_is(order: int) -> None:
    allowed = np.ones((5, 2), dtype=bool)
    allowed[3] = False
    with pytest.raises(ValueError, match="sentence 1, position 4: no label is allowed there"):
        Chain(2, order).best(np.zeros((5, 2)), allowed=allowed)


def test_labels_known_and_forbidden_by_name() -> None:
    chain = Chain(["O", "B-X", "I-X"])
    allowed = chain.allow(3, known={0: "B-X", 1: ["O", "I-X"]}, forbidden={1: "O"})
    assert allowed.tolist() == [[False, True, False], [False, False, True], [True, True, True]]
    best = chain.best(np.array([[9.0, 0, 0], [9.0, 0, 0], [9.0, 0, 0]]), allowed=allowed)
    assert chain.names(best.labels) == ["B-X", "I-X", "O"]
    with pytest.raises(ValueError, match="'B-Y' is not a label of this chain"):
        chain.allow(3, known={0: "B-Y"})
    with pytest.raises(ValueError, match="position 3 in a sentence of 3 tokens"):
        chain.allow(3, forbidden={3: "O"})


def test_arrays_of_other_layouts_are_read_right() -> None:
    generator = np.random.default_rng(0)
    unary, table = generator.normal(size=(3, 6)), generator.normal(size=(3, 3))
    chain = Chain(3)
    want = chain.log_z(ChainScores(np.ascontiguousarray(unary.T), np.ascontiguousarray(table.T)))
    assert chain.log_z(ChainScores(unary.T, table.T)) == want
    assert chain.log_z(ChainScores(unary.T.tolist(), table.T.tolist())) == want


def test_the_border_refuses_arrays_that_do_not_fit() -> None:
    def chains(**changes: Any) -> Any:
        given: dict[str, Any] = {
            "labels": 2,
            "order": 1,
            "offsets": np.array([0, 3]),
            "unary": np.zeros(6),
            "allowed": None,
            "first": None,
            "last": None,
            "begin": np.zeros(0),
            "table": np.zeros(4),
            "per_position": False,
        }
        return _native.DoubleChains(**(given | changes))

    assert chains().log_z(1) == pytest.approx(3 * np.log(2))
    for changes in (
        {"labels": 0},
        {"order": 4},
        {"order": -1},
        {"labels": 2**33, "order": 3},
        {"offsets": np.zeros(0, dtype=np.int64)},
        {"offsets": np.array([0, 4])},
        {"offsets": np.array([0, 5, 3])},
        {"offsets": np.array([-1, 3])},
        {"unary": np.zeros(5)},
        {"allowed": np.zeros(5, dtype=np.uint8)},
        {"first": np.zeros(1)},
        {"last": np.zeros(3)},
        {"begin": np.zeros(1)},
        {"table": np.zeros(5)},
        {"per_position": True},
    ):
        with pytest.raises(ValueError, match="do not fit together"):
            chains(**changes)
    for y in (np.zeros(2, dtype=np.int32), np.array([0, 1, 2], dtype=np.int32)):
        with pytest.raises(ValueError, match="do not fit together"):
            chains().scores(y)
    two = chains(offsets=np.array([0, 1, 3]))
    with pytest.raises(ValueError, match="do not fit together"):
        two.kbest(1)
    with pytest.raises(ValueError, match="do not fit together"):
        two.best_first(1.0, False)
