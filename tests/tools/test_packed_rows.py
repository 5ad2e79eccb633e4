"""Sparse tables of weights: they score as full ones, files keep their decisions, and damaged ones are refused."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from palmette._native import SparseRows
from palmette.errors import FormatError
from palmette.formats.model import ModelFile
from palmette.learning.loglinear import CRF
from palmette.learning.perceptron import Perceptron
from palmette.tools import packed_rows
from palmette.tools.classification.classifier import Classifier
from palmette.tools.packed_rows import (
    DROPPED,
    SMALL,
    Entries,
    essential,
    levels_of,
    pack_rows,
    smallest_kept,
    unpack_rows,
)
from palmette.tools.sequence.file import load_sequence_model
from palmette.tools.sequence.model import SequenceModel, SparseWeights, TokenScores
from palmette.tools.sequence.tagger import Tagger
from samples.sequences import garden

pytestmark = pytest.mark.native


def random_table(rows: int, columns: int, seed: int = 0) -> np.ndarray:
    """Rows of every density, from empty to full."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(rows, columns)) * (rng.random((rows, columns)) < rng.random((rows, 1)) ** 3)
    return table.astype(np.float32)


def file_of(arrays: dict[str, Any]) -> ModelFile:
    return ModelFile("tagger", {}, arrays, {}, path="x.palm")


@pytest.mark.parametrize("columns", [1, 7, 24, 300])
@pytest.mark.parametrize("with_values", [False, True])
def test_sparse_sums_are_those_of_the_table(columns: int, with_values: bool) -> None:
    table, rng = random_table(200, columns), np.random.default_rng(1)
    rows = np.concatenate([[0], np.cumsum(rng.integers(0, 9, 50))]).astype(np.int64)
    ids = rng.integers(0, 200, rows[-1]).astype(np.int32)
    values = rng.normal(size=len(ids)).astype(np.float32) if with_values else None
    sparse = Entries.of_table(table).sparse
    found = sparse.sums(rows, ids, values, 2).reshape(50, -1)
    assert (len(sparse), sparse.n_columns, sparse.stride) == (200, columns, found.shape[1])
    assert not found[:, columns:].any()
    for t in range(50):
        at = slice(rows[t], rows[t + 1])
        factors = 1 if values is None else values[at, None].astype(np.float64)
        assert found[t, :columns] == pytest.approx((table[ids[at]] * factors).sum(axis=0), abs=1e-4)
    back = pickle.loads(pickle.dumps(sparse))
    assert all(np.array_equal(a, b) for a, b in zip(back.arrays(), sparse.arrays()))


def test_rows_that_do_not_fit_are_refused() -> None:
    def made(counts: list[int], columns: list[int], values: list[float], n: int = 4) -> SparseRows:
        return SparseRows(
            np.array(counts, np.uint32), np.array(columns, np.uint16), np.array(values, np.float32), n
        )

    good = made([1, 0, 2], [3, 0, 1], [1, 2, 3])
    assert good.sums(np.array([0, 2]), np.array([0, 2], np.int32), None, 1).tolist() == [
        2,
        3,
        0,
        1,
        0,
        0,
        0,
        0,
    ]
    for counts, columns, values in (
        ([1], [4], [1]),  # a column that is not there
        ([2], [1, 1], [1, 1]),  # the same one twice
        ([2], [1, 0], [1, 1]),
        ([3], [0, 1], [1, 1]),  # more entries than there are
        ([1], [0, 1], [1, 1]),
        ([5], [0, 1, 2, 3, 3], [1] * 5),
        ([2**32 - 1, 2], [0], [1]),
        ([1], [0], [float("nan")]),
        ([1], [0], [1, 2]),
    ):
        with pytest.raises(ValueError, match=r"rows|columns|entr|finite"):
            made(counts, columns, values)
    for n in (0, 65537):
        with pytest.raises(ValueError, match="columns"):
            made([], [], [], n)
    with pytest.raises(IndexError):
        good.sums(np.array([0, 1]), np.array([3], np.int32), None, 1)
    with pytest.raises(IndexError):
        good.sums(np.array([0, 1]), np.array([-1], np.int32), None, 1)
    for rows in ([], [0, 2], [1, 1], [0, 1, 0, 1]):
        with pytest.raises(ValueError, match="rows"):
            good.sums(np.array(rows, np.int64), np.array([0], np.int32), None, 1)
    with pytest.raises(ValueError, match="value"):
        good.sums(np.array([0, 1]), np.array([0], np.int32), np.zeros(2, np.float32), 1)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"hash_bits": 12},
        {"order": 2},
        {"templates": "w[0]\ny|w[0]\ny"},
        {"templates": "w[0]\nw[-1]|w[0]\ny"},
    ],
)
@pytest.mark.parametrize("learner", [CRF(n_iter=3), Perceptron(n_iter=3)])
def test_sparse_models_score_as_full_ones(options: dict[str, Any], learner: Any) -> None:
    tagger, test = Tagger(learner, **options).fit(garden()), garden("test")
    full = tagger.model_
    sparse = replace(full, held=SparseWeights(Entries.of_table(full.rows).sparse, full.rest))
    assert np.array_equal(sparse.weights, full.weights)
    assert np.array_equal(sparse.rows_of(np.array([3, 1], np.int32)), full.rows[[3, 1]])
    assert [a.tolist() for a in sparse.entries()] == [a.tolist() for a in full.entries()]
    a, b = full.encode(test), sparse.encode(test, 2)
    assert isinstance(b, TokenScores)
    if isinstance(a, TokenScores):
        assert np.array_equal(a.unary, b.unary)  # bit for bit
    assert np.array_equal(full.decode(a), sparse.decode(b))
    assert sparse.probabilities(b) == pytest.approx(full.probabilities(a), abs=1e-6)
    want, again = tagger.kbest(test, 2), Tagger()
    again.model_ = sparse
    for one, two in zip(again.kbest(test, 2), want):
        assert [labels for labels, _, _ in one] == [labels for labels, _, _ in two]
    words = "The cook leaves .".split()
    for one, two in zip(again.explain(words).decisions, tagger.explain(words).decisions):
        assert (one.chosen, one.rival) == (two.chosen, two.rival)
        assert one.margin == pytest.approx(two.margin)


def test_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    tagger, test = Tagger(CRF(n_iter=3)).fit(garden()), garden("test")
    want, risk = tagger.predict(test), tagger.predict(test, minimum_risk=True)
    assert len(tagger.model_.pieces(test)) == 1
    for scores in (1, 200, 1000):
        monkeypatch.setattr("palmette.tools.sequence.model._SCORES_AT_ONCE", scores)
        pieces = tagger.model_.pieces(test)
        assert 1 < len(pieces) <= len(test)
        assert sum(map(len, pieces)) == len(test)
        assert tagger.predict(test) == want
        assert tagger.predict(test, minimum_risk=True) == risk
    assert tagger.predict([]) == []
    assert tagger.predict([[], ["The"]]) == [[], ["DET"]]


def test_few_and_small_weights_are_left_out() -> None:
    table = random_table(2000, 60)
    assert np.count_nonzero(table) > SMALL
    kept = essential(table)
    back = kept.dense
    assert np.sum(table[back == 0] ** 2) <= DROPPED * np.sum(table**2)
    assert 0 < np.abs(table[back == 0]).max() <= np.abs(table[back != 0]).min()
    step = np.sqrt(np.abs(table).max()) / 126
    assert np.abs(np.sqrt(np.abs(back)) - np.sqrt(np.abs(table)))[back != 0].max() <= step / 2 * 1.01
    assert (np.sign(back) * np.sign(table) >= 0).all()
    assert len(np.unique(kept.values)) <= 254
    twice = essential(back).dense
    assert np.array_equal(twice, back)
    assert np.array_equal(essential(kept).dense, back)
    assert smallest_kept(np.zeros(5, np.float32), 0.1) == 0
    assert not essential(np.zeros((3, 2), np.float32)).values.size


def test_small_tables_and_few_levels_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    small = random_table(100, 40)
    assert np.array_equal(essential(small).dense, small)
    monkeypatch.setattr(packed_rows, "SMALL", 0)
    assert not np.array_equal(essential(small).dense, small)
    values = np.array([1, -2, 1e-6, 300], np.float32)[np.random.default_rng(0).integers(0, 4, 1000)]
    levels, places = levels_of(values)
    assert np.array_equal(levels[places], values)
    table = values.reshape(100, 10)
    assert np.array_equal(essential(table).dense, table)


@pytest.mark.parametrize("columns", [3, 300])
@pytest.mark.parametrize("compact", [False, True])
def test_tables_come_back(columns: int, compact: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_rows, "SMALL", 0)
    table = random_table(50, columns)
    found = unpack_rows(file_of(pack_rows("w", table, compact=compact)), "w", table.shape)
    assert isinstance(found, Entries)
    assert np.array_equal(found.dense, essential(table).dense if compact else table)
    again = pack_rows("w", found.sparse, compact=compact)
    assert all(np.array_equal(again[k], a) for k, a in pack_rows("w", table, compact=compact).items())
    full = np.ones((4, columns), np.float32) + np.arange(4 * columns).reshape(4, columns)
    assert np.array_equal(unpack_rows(file_of({"w": full.astype("<f2")}), "w", full.shape), full)


def test_damaged_tables_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_rows, "SMALL", 0)
    table = random_table(50, 9)
    good = pack_rows("w", table, compact=True)
    n = len(good["w.values"])
    for name, value in (
        ("w.counts", good["w.counts"][:-1]),
        ("w.counts", good["w.counts"] + np.uint8(1)),
        ("w.counts", good["w.counts"].astype(np.int8)),
        ("w.columns", np.full(n, 9, np.uint8)),
        ("w.columns", np.zeros(n, np.uint8)),
        ("w.columns", np.zeros(n, np.float32)),
        ("w.levels", good["w.levels"][:3]),
        ("w.levels", np.full(256, np.inf, np.float32)),
        ("w.levels", good["w.levels"].astype(np.float64)),
        ("w.values", good["w.values"][:-1]),
        ("w.values", good["w.values"].astype(np.int8)),
    ):
        with pytest.raises(FormatError, match=r"x\.palm: "):
            unpack_rows(file_of({**good, name: value}), "w", table.shape)
    for name in ("w.counts", "w.columns", "w.values"):
        with pytest.raises(FormatError, match="no array"):
            unpack_rows(file_of({k: a for k, a in good.items() if k != name}), "w", table.shape)
    with pytest.raises(FormatError, match="70,000 columns"):
        unpack_rows(file_of(good), "w", (50, 70_000))


@pytest.mark.parametrize("options", [{}, {"templates": "chunk"}])
@pytest.mark.parametrize("learner", [CRF(n_iter=10), Perceptron(n_iter=5)])
def test_small_files_decide_as_the_model_did(options: dict[str, Any], learner: Any, tmp_path: Path) -> None:
    data = garden()
    tagger = Tagger(learner, **options).fit(data)
    tagger.save(tmp_path / "small.palm")
    tagger.save(tmp_path / "full.palm", compact=False)
    small, full = (Tagger.load(tmp_path / f"{name}.palm") for name in ("small", "full"))
    assert small.predict(data) == full.predict(data) == tagger.predict(data)
    sizes = [(tmp_path / f"{name}.palm").stat().st_size for name in ("small", "full")]
    assert sizes[0] < (0.5 if isinstance(learner, CRF) else 1) * sizes[1]
    small.save(tmp_path / "again.palm")
    assert (tmp_path / "again.palm").read_bytes() == (tmp_path / "small.palm").read_bytes()
    full.save(tmp_path / "again.palm", compact=False)
    assert (tmp_path / "again.palm").read_bytes() == (tmp_path / "full.palm").read_bytes()


def test_a_small_model_can_go_on_learning(tmp_path: Path) -> None:
    Tagger(CRF(n_iter=5)).fit(garden()).save(tmp_path / "m.palm")
    tagger = Tagger.load(tmp_path / "m.palm")
    tagger.learner = CRF(n_iter=2)
    before = tagger.score(garden())
    assert tagger.fit(garden(), warm_start=True).score(garden()) >= before


def test_logarithms_and_values_are_kept_in_full(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(300, 5)) * [1, 1e4, 1e-4, 1, 1]).astype(float)
    y = (X @ [1, 1e-4, 1e4, 0, 0] > 0).astype(int).tolist()
    numbers = Classifier().fit(list(X), y)
    numbers.save(tmp_path / "n.palm")
    assert np.array_equal(
        Classifier.load(tmp_path / "n.palm").decision_function(list(X)), numbers.decision_function(list(X))
    )
    from palmette.tools.sequence.hmm import HMM

    tagger = Tagger(HMM()).fit(garden())
    tagger.save(tmp_path / "h.palm")
    assert np.array_equal(Tagger.load(tmp_path / "h.palm").model_.rows, tagger.model_.rows)


def test_classifiers_of_words_are_small(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    words = [f"w{k}" for k in range(3000)]
    X = [" ".join(rng.choice(words, 8)) + f" c{k % 9}" for k in range(900)]
    y = [k % 9 for k in range(900)]
    classifier = Classifier().fit(X, y)
    classifier.save(tmp_path / "small.palm")
    classifier.save(tmp_path / "full.palm", compact=False)
    loaded = Classifier.load(tmp_path / "small.palm")
    assert loaded.predict(X) == classifier.predict(X)
    assert (tmp_path / "small.palm").stat().st_size < 0.7 * (tmp_path / "full.palm").stat().st_size
    loaded.save(tmp_path / "again.palm")
    assert (tmp_path / "again.palm").read_bytes() == (tmp_path / "small.palm").read_bytes()


def test_older_files_have_half_precision(tmp_path: Path) -> None:
    tagger = Tagger(Perceptron(n_iter=3)).fit(garden())
    model: SequenceModel = tagger.model_
    file = tagger.to_model()
    entries = Entries.of_table(load_sequence_model(file).rows)
    arrays = {name: array for name, array in file.arrays.items() if not name.startswith("weights")} | {
        "weights.counts": entries.counts,
        "weights.columns": entries.columns.astype(np.uint8),
        "weights.values": entries.values.astype("<f2"),
    }
    old = Tagger.from_model(replace(file, arrays=arrays))
    assert old.predict(garden("test")) == tagger.predict(garden("test"))
    assert old.model_.structure == model.structure or old.classes_ == tagger.classes_
