"""Smaller parsers: the largest weights stay, and little is lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from palmette.tools.dependency.graph.pruning import prune
from palmette.tools.dependency.parser import DependencyParser
from samples.treebank import garden_trees

pytestmark = pytest.mark.native


def test_the_largest_weights_stay(tmp_path: Path) -> None:
    parser = DependencyParser(options={"bits": 16, "label_bits": 12}).fit(garden_trees())
    whole = parser.model_
    assert np.array_equal(prune(whole, 1.0).tree_weights, whole.tree_weights)
    for share in (0.5, 0.1):
        small = prune(whole, share)
        for before, after in (
            (whole.tree_weights, small.tree_weights),
            (whole.label_weights, small.label_weights),
        ):
            kept = after != 0
            assert np.array_equal(after[kept], before[kept])
            assert kept.sum() >= share * np.count_nonzero(before)
            assert kept.sum() == pytest.approx(share * np.count_nonzero(before), rel=0.01)
            assert np.abs(before[~kept]).max() <= np.abs(after[kept]).min()
        assert np.array_equal(small.filter_weights, whole.filter_weights)
    parser.save(tmp_path / "whole.palm", compact=True)
    score = parser.score(garden_trees("test"))
    parser.model_ = prune(whole, 0.5)
    parser.save(tmp_path / "half.palm", compact=True)
    assert (tmp_path / "half.palm").stat().st_size < 0.9 * (tmp_path / "whole.palm").stat().st_size
    assert DependencyParser.load(tmp_path / "half.palm").score(garden_trees("test")) > score - 0.15


@pytest.mark.parametrize("share", [0, -1, 1.5])
def test_shares_that_are_none(share: float) -> None:
    parser = DependencyParser(options={"bits": 12, "label_bits": 8}).fit(garden_trees()[:5])
    with pytest.raises(ValueError, match="'share' parameter"):
        prune(parser.model_, share)
