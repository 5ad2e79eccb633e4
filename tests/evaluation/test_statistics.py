"""Statistics of treebanks: by hand and against plain loops on real ones."""

from __future__ import annotations

from collections import Counter

import pytest

from palmette.evaluation.statistics import treebank_statistics
from palmette.formats.conllu import parse_conllu, read_conllu
from palmette.formats.corpus import Corpus
from palmette.trees.dependency_tree import DependencyTree
from samples.corpora import real_file

pytestmark = pytest.mark.native


def conllu(*sentences: list[tuple[str, str, str, str]]) -> Corpus:
    rows = [
        "".join(f"{i}\t{w}\t_\t{t}\t_\t_\t{h}\t{r}\t_\t_\n" for i, (w, t, h, r) in enumerate(sentence, 1))
        for sentence in sentences
    ]
    return parse_conllu("\n".join(rows) + "\n")


def test_by_hand() -> None:
    corpus = conllu(
        [("Birds", "N", "2", "nsubj"), ("fly", "V", "0", "root")],
        [("a", "N", "2", "x"), ("b", "N", "1", "x")],
        [("a", "N", "0", "root"), ("b", "N", "0", "root")],
        [("a", "N", "_", "_")],
    )
    found = treebank_statistics(corpus)
    assert (found["sentences"], found["words"], found["types"], found["mean"], found["longest"]) == (
        4,
        7,
        4,
        7 / 4,
        2,
    )
    assert found["tags"]["N"] == {"count": 6, "share": 6 / 7}
    assert list(found["relations"]) == ["root", "x", "nsubj"]
    trees = found["trees"]
    assert (trees["well_formed"], trees["ill_formed"], trees["multi_rooted"]) == (2, 2, 1)
    assert trees["first_ill_formed"] == {
        "sentence": 2,
        "line": 4,
        "problem": "words 1, 2 are heads of each other in a cycle",
    }
    assert trees["first_multi_rooted"]["line"] == 7
    assert (trees["projective_sentences"], trees["ill_nested"], trees["deepest"]) == (1, 0, 2)
    assert trees["gap_degrees"] == {"0": {"count": 2, "share": 1}}
    arcs = found["arcs"]
    assert (arcs["count"], arcs["left"], arcs["right"], arcs["mean_length"]) == (6, 2 / 6, 1 / 6, 1)
    assert arcs["lengths"] == {"root": {"count": 3, "share": 0.5}, "1": {"count": 3, "share": 0.5}}
    pairs = found["arcs_by_tags"]
    assert pairs["N → N"] == {"count": 2, "share": 2 / 6, "left": 0.5}
    assert pairs["root → V"]["count"] == 1


def test_against_loops() -> None:
    corpus = read_conllu(real_file("ud_tr_imst/dev.conllu"))[:300]
    found = treebank_statistics(corpus)
    trees = [DependencyTree.of(sentence) for sentence in corpus]
    n = len(trees)
    assert found["trees"]["projective_sentences"] == sum(t.is_projective for t in trees) / n
    assert found["trees"]["mean_depth"] == pytest.approx(sum(t.depth for t in trees) / n)
    degrees = Counter(str(t.gap_degree) for t in trees)
    assert {d: row["count"] for d, row in found["trees"]["gap_degrees"].items()} == degrees
    arcs = [(t, arc) for t in trees for arc in t.arcs]
    assert found["arcs"]["left"] == sum(a.word < a.head for _, a in arcs) / len(arcs)
    assert found["arcs"]["projective"] == 1 - sum(len(t.nonprojective_arcs()) for t in trees) / len(arcs)
    relations = Counter(a.label for _, a in arcs)
    assert {r: row["count"] for r, row in found["relations"].items()} == relations
    pairs = Counter(f"{t.tags[a.head - 1] if a.head else 'root'} → {t.tags[a.word - 1]}" for t, a in arcs)
    assert len(found["arcs_by_tags"]) == 20
    for name, row in found["arcs_by_tags"].items():
        assert row["count"] == pairs[name]
    assert [row["count"] for row in found["arcs_by_tags"].values()] == [c for _, c in pairs.most_common(20)]


def test_without_trees() -> None:
    plain = Corpus.from_columns({"form": [["a", "b"], ["a"]], "column2": [["X", "Y"], ["X"]]})
    found = treebank_statistics(plain)
    assert found["tags"] == {"X": {"count": 2, "share": 2 / 3}, "Y": {"count": 1, "share": 1 / 3}}
    assert "trees" not in found
    tagged = conllu([("Go", "V", "_", "_")])
    assert "trees" not in treebank_statistics(tagged)
    assert treebank_statistics(Corpus.from_columns({"form": [[]]}))["longest"] == 0
