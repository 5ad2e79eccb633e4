"""Pruned models: what goes, what stays, and that scores change by no more than the threshold allows."""

import numpy as np
import pytest

from palmette.tools.sequence.pruning import prune, prune_to
from palmette.tools.sequence.tagger import Tagger

X = [["Time", "flies"], ["Fruit", "flies", "like", "a", "banana"], ["I", "like", "time"]]
Y = [["NOUN", "VERB"], ["NOUN", "NOUN", "VERB", "DET", "NOUN"], ["PRON", "VERB", "NOUN"]]


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    return Tagger().fit(X, Y)


def test_threshold_zero_changes_nothing(tagger):
    pruned = prune(tagger.model_, 0.0)
    assert (pruned.model.rows == tagger.model_.rows[tagger.model_.rows.any(axis=1)]).all()
    assert (pruned.model.ngrams(1) == tagger.model_.ngrams(1)).all()


def test_what_is_left_is_what_was_large(tagger):
    before = tagger.model_.rows
    threshold = float(np.median(np.abs(before)))
    pruned = prune(tagger.model_, threshold)
    large = np.abs(before) >= threshold
    names = tagger.model_.features.names(np.flatnonzero(large.any(axis=1)))
    assert pruned.model.features.names() == names
    assert pruned.n_attributes == len(names) == len(pruned.model.rows)
    assert pruned.n_weights == np.count_nonzero(large) == np.count_nonzero(pruned.model.rows)
    assert (np.sort(pruned.model.rows[pruned.model.rows != 0]) == np.sort(before[large])).all()


def test_pruned_tagger_predicts_saves_and_loads(tagger, tmp_path):
    small = Tagger()
    small.model_ = prune(tagger.model_, 0.05).model
    assert small.predict(X) == Y
    small.save(tmp_path / "small.palm", compact=True)
    assert Tagger.load(tmp_path / "small.palm").predict(X) == Y


@pytest.mark.parametrize("max_bytes", [1, 100, 500, 1000, 2000, 10**6])
def test_size_is_kept_and_used(tagger, max_bytes):
    def size(rows):
        return 9 * np.count_nonzero(rows.any(axis=1)) + 2 * np.count_nonzero(rows)

    pruned = prune_to(tagger.model_, max_bytes)
    assert size(pruned.model.rows) <= max_bytes
    rows = tagger.model_.rows
    smaller = np.abs(rows)[(rows != 0) & (np.abs(rows) < pruned.threshold)]
    if smaller.size:
        assert size(np.where(np.abs(rows) >= smaller.max(), rows, 0)) > max_bytes


def test_bad_thresholds(tagger):
    with pytest.raises(ValueError, match="'threshold' parameter must be a number in the range"):
        prune(tagger.model_, -1.0)
    with pytest.raises(ValueError, match="'max_bytes' parameter"):
        prune_to(tagger.model_, 0)
