"""Features of trees and sequences, and candidates as sparse vectors."""

from collections import Counter

import numpy as np
import pytest

from palmette import Tree
from palmette.features import SequenceTemplates, TreeTemplates
from palmette.features.candidate_features import CandidateMap, ListVectors, key_of
from palmette.features.tree_templates import GROUPS
from palmette.formats import Candidates
from samples.ranking_lists import tree_lists

pytestmark = pytest.mark.native
TREES = list(tree_lists()[0].outputs)


def counted(groups: tuple[str, ...], tree: str) -> Counter:
    (names,) = TreeTemplates(groups).names([Tree.parse(tree)])
    return Counter(names)


def test_rules_bigrams_and_branches() -> None:
    tree = "(S (NP (DT the) (NN dog)) (VP (VBZ barks)))"  # a final full stop may stand after the right edge
    assert counted(("rules",), tree) == Counter(
        {
            "rule S>NP VP": 1,
            "rule NP>DT NN": 1,
            "rule VP>VBZ": 1,
            "rule S^NP>DT NN": 1,
            "rule S^VP>VBZ": 1,
            "rules S>NP VP / NP>DT NN": 1,
            "rules S>NP VP / VP>VBZ": 1,
        }
    )
    bigrams = counted(("bigrams",), tree)
    assert bigrams["bigram NP: DT NN"] == bigrams["bigram S^NP: DT NN"] == 1
    assert bigrams["trigram NP: < DT NN"] == 1
    assert counted(("branches",), tree) == Counter({"branch right": 3})


def test_heads_paths_and_parallels() -> None:
    tree = "(S (NP (NP (NNS cats)) (CC and) (NP (NNS dogs))) (VP (VBP sleep) (PP (IN in) (NP (NN bed)))))"
    heads = counted(("heads",), tree)
    assert heads["pair VP VBP>PP sleep in"] == heads["pp sleep in bed"] == 1
    alike = {"parallel NP NP 3", "parallel NP 3", "parallel NP longer 0"}
    assert counted(("parallel",), tree) == Counter(alike)
    assert counted(("paths",), tree)["path S (NP NP NNS) (VP VBP)"] == 1


@pytest.mark.parametrize("group", GROUPS)
def test_a_tree_in_a_list_has_the_features_it_has_alone(group: str) -> None:
    templates = TreeTemplates((group,))
    together = templates.names(TREES)
    for tree, names in zip(TREES, together):
        assert Counter(names) == Counter(templates.names([tree])[0])
    names, table = templates.counts(TREES)
    for row, own in zip(table, together):
        assert {n: v for n, v in zip(names, row.tolist()) if v} == Counter(own)


def test_long_chains_are_no_problem() -> None:
    tree = Tree.parse("(A " * 3000 + "(T x)" + ")" * 3000)
    assert len(TreeTemplates(("rules",)).names([tree])[0]) > 3000


def test_sequences() -> None:
    output = (("Jack", "B-PER"), ("went", "O"), ("to", "O"), ("Jack", "B-LOC"))
    (names,) = SequenceTemplates().names([output])
    assert {"labels B-PER O", "word Jack B-PER", "span PER = Jack", "span LOC before to"} <= set(names)
    assert "same text False LOC PER" in names


def test_unknown_groups() -> None:
    for templates in (TreeTemplates, SequenceTemplates):
        with pytest.raises(ValueError, match="no group 'x'"):
            templates(("x",))


def test_vectors_are_what_tells_candidates_apart() -> None:
    given = Candidates([(("a", "X"),), (("a", "Y"),)], [-1.0, -3.0])
    own = ListVectors.of(given, lambda outputs: [{"both": 2.0, "x": 1.0}, {"both": 3.0}])
    assert own.keys.tolist() == [key_of("x"), key_of("both")]
    assert own.values.tolist() == [1.0, 1.0]
    features = CandidateMap.fit([own, own], 4.0, 2)
    assert features.n_features == 3
    rows, columns, values = features.numbered(given, own)
    table = np.zeros((2, 3))
    for c in range(2):
        table[c, columns[rows[c] : rows[c + 1]]] = values[rows[c] : rows[c + 1]]
    x = features.keys.tolist().index(key_of("x"))
    want = np.zeros((2, 3))
    want[0, x], want[1, 1 - x], want[1, 2] = 1.0, 1.0, -4.0  # √4 · (−3 + 1)
    np.testing.assert_allclose(table, want)
    assert CandidateMap.fit([own], 4.0, 2).n_features == 1
    with pytest.raises(ValueError, match="features of 1 outputs came for 2"):
        ListVectors.of(given, lambda outputs: [["x"]])
