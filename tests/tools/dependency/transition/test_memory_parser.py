"""Memory-based parsing: what was seen is known, and what is like it."""

from collections import Counter

import numpy as np
import pytest

from palmette.features.token_views import TokenViews
from palmette.formats import read_conllu
from palmette.structures.transitions import SYSTEMS
from palmette.tools.dependency.transition.memory_parser import train_memory
from samples.corpora import real_file
from samples.transitions import LABELS, random_trees

pytestmark = pytest.mark.native
NAMES = tuple(f"r{k}" for k in range(LABELS))


@pytest.mark.parametrize("system", SYSTEMS)
def test_what_was_seen_is_known(system: str) -> None:
    """With one neighbour every training sentence whose words are unlike all others comes out as it went in."""
    data = random_trees(1, 25, projective=system != "swap", distinct=True)
    parser = train_memory(data.views, data.heads, data.labels, NAMES, system=system, k=1)
    parses = parser.parse(data.views)
    assert (parses.heads == data.heads).all()
    assert (parses.labels == data.labels).all()
    assert (parser.parse(data.views, n_jobs=3).heads == data.heads).all()
    assert len(parser.memory) >= 2 * len(data.heads)


def test_gain_ratio_of_one_feature() -> None:
    data = random_trees(2, 30)
    parser = train_memory(data.views, data.heads, data.labels, NAMES)
    assert all(0 <= gain <= 2 for gain in parser.gains.values())
    assert parser.gains["s0.t"] > 0
    # Words that are all alike tell nothing.
    views = TokenViews(
        data.views.offsets,
        np.zeros_like(data.views.values),
        np.zeros_like(data.views.piece_rows),
        data.views.pieces[:0],
    )
    same = train_memory(views, data.heads, data.labels, NAMES)
    assert same.gains["s0.w"] == 0
    assert Counter(gain > 0 for gain in same.gains.values())[True] > 3


def test_english() -> None:
    train = read_conllu(real_file("ud_en_ewt/train.conllu.gz"))[:800]
    test = read_conllu(real_file("ud_en_ewt/dev.conllu.gz"))[:200]
    names = tuple(sorted(set(train.column("deprel").strings)))
    column = train.column("deprel")
    labels = np.array([names.index(name) for name in column.strings], dtype=np.int32)[column.ids]
    parser = train_memory(TokenViews.of(train), train.heads, labels, names)
    parses = parser.parse(TokenViews.of(test))
    assert (parses.heads == test.heads).mean() > 0.6


def test_bad_input() -> None:
    data = random_trees(3, 3)
    with pytest.raises(ValueError, match="'k' parameter"):
        train_memory(data.views, data.heads, data.labels, NAMES, k=0)
    with pytest.raises(ValueError, match="'system' parameter"):
        train_memory(data.views, data.heads, data.labels, NAMES, system="x")
    with pytest.raises(ValueError, match="sentence 1"):
        train_memory(data.views, np.ones_like(data.heads), data.labels, NAMES)
