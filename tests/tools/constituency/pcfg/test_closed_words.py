"""Words that no longer phrase begins or ends with: learned, kept in files, and heeded by every search."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from palmette._native import ChartItems, ChartSearcher
from palmette.tools.constituency.lexicon import Lexicon
from palmette.tools.constituency.pcfg.chart_batch import SentenceBatch
from palmette.tools.constituency.pcfg.closed_words import Closure, boundaries
from palmette.tools.constituency.pcfg.model import PcfgModel, train
from palmette.tools.constituency.treebank import clean_trees
from palmette.trees.tree import Tree
from samples.phrase_treebank import garden

TREES = [tree for tree in clean_trees(garden()) if tree is not None]
SENTENCES = [tree.words for tree in clean_trees(garden("test")) if tree is not None]


@pytest.fixture(scope="module")
def model() -> PcfgModel:
    made = train(TREES, options={"horizontal": 2, "vertical": 2, "closed": 0.1}).model
    assert isinstance(made, PcfgModel)
    return made


def crosses(tree: Tree, closed: list[int]) -> bool:
    """Whether a longer phrase begins or ends with a closed word inside of the sentence."""
    for _, segments in tree.spans():
        start, end = segments[0]
        if end - start > 1 and (
            (start > 0 and closed[start] & 1) or (end < len(closed) and closed[end - 1] & 2)
        ):
            return True
    return False


@pytest.mark.parametrize("coarse", [False, True])
def test_every_search_heeds_what_is_closed(model: PcfgModel, coarse: bool) -> None:
    """Against an exact search over the items that are left."""
    searched = model.with_options({"coarse": coarse, "threshold": 1e-9, "closed": 0})
    exact = model.with_options({"coarse": False, "closed": 0})
    batch = SentenceBatch.of(model.lexicon, SENTENCES)
    random = np.random.default_rng(0)
    for share in (0.2, 0.5, 0.8):
        closed = random.choice(
            4,
            size=batch.lengths.sum(),
            p=[(1 - share) ** 2, share * (1 - share), share * (1 - share), share**2],
        ).astype(np.uint8)
        bounds = np.cumsum([0, *batch.lengths])
        parts = model.grammar.parts
        rows = [closed[a:b] for a, b in pairwise(bounds)]
        allowed = [ChartItems(len(row), len(parts), True).closed(row, parts) for row in rows]
        want = exact._kbest(SENTENCES, batch, 3, list(allowed), 1)
        have = searched._kbest(SENTENCES, replace(batch, closed=closed), 3, None, 2)
        free = exact._kbest(SENTENCES, batch, 3, None, 1)
        for words, some, all_, without, row in zip(SENTENCES, have, want, free, rows):
            if all_[0].note:  # no tree heeds it: what is closed does not count
                all_ = without
            else:
                assert not any(crosses(parse.tree, row.tolist()) for parse in some)
            assert [p.score for p in some] == pytest.approx([p.score for p in all_], abs=1e-3), words


@pytest.mark.parametrize("coarse", [False, True])
def test_probabilities_given_what_is_closed(model: PcfgModel, coarse: bool) -> None:
    searched = model.with_options({"coarse": coarse, "threshold": 1e-9, "closed": 0})
    exact = model.with_options({"coarse": False, "closed": 0})
    for words in SENTENCES[:4]:
        n, batch = len(words), SentenceBatch.of(model.lexicon, [words])
        closed = np.array([2 * (i % 3 == 1) + (i % 4 == 2) for i in range(n)], dtype=np.uint8)
        parts = model.grammar.parts
        items = ChartItems(n, len(parts), True).closed(closed, parts)
        (want,), _, (log_want,), _ = exact._posteriors(batch, [items], 1)
        (have,), _, (log_have,), _ = searched._posteriors(replace(batch, closed=closed), None, 1)
        if log_want == -math.inf:
            continue
        assert log_have == pytest.approx(log_want, abs=1e-3)
        assert {b for b, p in want.items() if p > 1e-3} <= set(have)
        for bracket, p in have.items():
            assert p == pytest.approx(want.get(bracket, 0.0), abs=1e-3)


def test_words_are_closed_as_the_trees_say(model: PcfgModel) -> None:
    assert model.closure is not None
    corpus = model.closure.words.corpus([tree.words for tree in TREES])
    begins, ends = model.closure.probabilities(corpus)
    truth = np.concatenate([boundaries(tree) for tree in TREES])
    assert ((begins > 0.5) == (truth & 1 > 0)).mean() > 0.95
    assert ((ends > 0.5) == (truth & 2 > 0)).mean() > 0.95
    closed = model.closure.closed(corpus, 0.1)
    assert closed.tolist() == ((begins < 0.1) * 1 + (ends < 0.1) * 2).tolist()
    (tagged,) = (model.closure.words.corpus([["x", "y"]], [["", "NNP"]]).column("xpos").values(),)
    assert tagged[1] == "NNP"


def test_what_is_closed_is_heeded_by_default_from_coarse_to_fine(model: PcfgModel) -> None:
    assert model.closed_below == 0.1
    usual = model.with_options({"closed": None})
    assert usual.closed_below > 0
    assert usual.with_options({"coarse": False}).closed_below == 0
    small = train(TREES, options={}).model
    assert isinstance(small, PcfgModel)
    assert small.closure is None  # of so few trees, unless it is asked for
    with pytest.raises(ValueError, match="trained without what closes words"):
        small.with_options({"closed": 0.1})
    with pytest.raises(
        ValueError, match=r"'closed' parameter must be a number in the range \[0, 1\) or None"
    ):
        model.with_options({"closed": 1.5})


def test_a_file_has_what_closes_words(model: PcfgModel) -> None:
    settings = json.loads(json.dumps(model.settings()))
    again = PcfgModel.restore(model.arrays(), model.strings(), settings)
    assert [p.tree for p in again.parse(SENTENCES)] == [p.tree for p in model.parse(SENTENCES)]
    lost = {name: a for name, a in model.arrays().items() if not name.startswith("closure.features")}
    with pytest.raises(ValueError, match="array"):
        PcfgModel.restore(lost, model.strings(), settings)
    tables = {**model.strings(), "closure.labels": ["a", "b", "c", "d"]}
    with pytest.raises(ValueError, match="other labels"):
        PcfgModel.restore(model.arrays(), tables, settings)
    with pytest.raises(ValueError, match="damaged"):
        PcfgModel.restore(model.arrays(), model.strings(), {**settings, "closure": 3})
    with pytest.raises(ValueError, match="trained without"):
        PcfgModel.restore(model.arrays(), model.strings(), {**settings, "closure": None})
    old = {
        **settings,
        "closure": None,
        "options": {k: v for k, v in settings["options"].items() if k != "closed"},
    }
    assert PcfgModel.restore(model.arrays(), model.strings(), old).closed_below == 0


def test_the_same_seed_gives_the_same_model() -> None:
    lexicon = Lexicon.of(TREES)
    one, two = (Closure.of(TREES, lexicon, seed=1) for _ in range(2))
    assert np.array_equal(one.model.weights, two.model.weights)


def test_bad_input_is_refused_in_a_sentence(model: PcfgModel) -> None:
    grammar, batch = model.grammar, SentenceBatch.of(model.lexicon, [["the", "end"]])
    search = model._search
    with pytest.raises(ValueError, match="every word is closed or not"):
        search.best(*batch.arrays(), np.zeros(3, dtype=np.uint8), None, 1, 1)
    with pytest.raises(ValueError, match="every symbol of the grammar is a part of a phrase or not"):
        ChartSearcher(grammar.chart, None, None, np.zeros(2, dtype=np.uint8), 0.1, 10**8)
    with pytest.raises(ValueError, match="a part of a phrase has two children"):
        ChartSearcher(grammar.chart, None, None, np.ones(len(grammar.names), np.uint8), 0.1, 10**8)
