"""The first pass of parsers of features."""

import numpy as np
import pytest

from palmette.structures.anchored_rules import AnchoredRules
from palmette.tools.constituency.features.coarse_pass import CoarsePass
from palmette.tools.constituency.lexicon import Lexicon
from palmette.tools.constituency.model import Bracket, Constraints
from palmette.transforms.binarization import Binarization
from samples.phrase_trees import phrase_trees

FORM = Binarization(0, 1)


@pytest.fixture(scope="module")
def coarse() -> CoarsePass:
    trees = phrase_trees(80)
    binarized = [FORM(tree) for tree in trees]
    return CoarsePass.of(binarized, AnchoredRules.of(binarized, "TOP"), Lexicon.of(trees))


def test_right_items_are_kept_and_most_others_are_not(coarse: CoarsePass) -> None:
    trees = phrase_trees(30, seed=1)
    rows, items, log_z = coarse.items([tree.words for tree in trees], 1e-3)
    kept_right = right = 0
    for i, tree in enumerate(trees):
        kept = set(map(tuple, items.reshape(-1, 3)[rows[i] : rows[i + 1]].tolist()))
        nodes = coarse.rules.nodes(FORM(tree))
        assert nodes is not None
        gold = coarse.rules.items(nodes)
        right += len(gold)
        kept_right += len(gold & kept)
        n = len(tree.words)
        assert len(kept) < 0.2 * n * (n + 1) / 2 * len(coarse.rules.symbols)
    assert kept_right / right > 0.98
    assert np.isfinite(log_z).all()


def test_a_lower_threshold_keeps_more_and_threads_change_nothing(coarse: CoarsePass) -> None:
    sentences = [tree.words for tree in phrase_trees(20, seed=2)]
    rows, items, _ = coarse.items(sentences, 1e-3)
    more_rows, more, _ = coarse.items(sentences, 1e-6)
    other_rows, other, _ = coarse.items(sentences, 1e-3, n_jobs=3)
    assert (rows == other_rows).all()
    assert (items == other).all()
    assert len(items) < len(more)
    for i in range(len(sentences)):
        few = set(map(tuple, items.reshape(-1, 3)[rows[i] : rows[i + 1]].tolist()))
        many = set(map(tuple, more.reshape(-1, 3)[more_rows[i] : more_rows[i + 1]].tolist()))
        assert few <= many


def test_every_sentence_has_a_tree(coarse: CoarsePass) -> None:
    strange = [["of", "of", "."], ["zzz"], ["saw"] * 40, [".", "dog", "the", "!!"]]
    rows, _, log_z = coarse.items(strange, 1e-3)
    assert np.isfinite(log_z).all()
    assert (np.diff(rows) > 0).all()


def test_constraints_close_what_crosses_them(coarse: CoarsePass) -> None:
    words = "Kim saw a dog with the telescope .".split()
    given = coarse.constraints(
        [Constraints(required=(Bracket(2, 7, "NP"),), forbidden=(Bracket(4, 7, None),))]
    )
    rows, items, _ = coarse.items([words], 1e-6, constraints=given)
    found = items.reshape(-1, 3).tolist()
    assert all(not (s < 2 < e < 7 or 2 < s < 7 < e) for s, e, _ in found)
    labels = {coarse.rules.labels[symbol] for s, e, symbol in found if (s, e) == (4, 7)}
    assert not labels & {"NP", "PP", "VP", "S"}
    assert rows[-1] == len(found)


def test_files_are_checked(coarse: CoarsePass) -> None:
    lexicon = coarse.lexicon
    arrays, strings, settings = coarse.arrays(), lexicon.strings(), lexicon.settings()
    same = CoarsePass.restore(coarse.rules, arrays, strings, settings)
    assert (same.items([["the", "dog"]], 1e-3)[1] == coarse.items([["the", "dog"]], 1e-3)[1]).all()
    for change in (
        {"coarse_binary": coarse.binary[:-1]},
        {"coarse_unary": coarse.unary + np.int32(1000)},
        {"coarse_weights": np.full_like(coarse.unary_weights, np.nan)},
    ):
        with pytest.raises(ValueError, match=r"\w"):
            CoarsePass.restore(coarse.rules, arrays | change, strings, settings)
    with pytest.raises(ValueError, match="tag"):
        CoarsePass.restore(coarse.rules, arrays, {**strings, "tags": ["Q", *lexicon.tags[1:]]}, settings)
