"""Treebanks with something wrong in them: each fault is one sentence with its line, or is left out when asked."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from palmette.errors import FormatError
from palmette.formats.conllu import parse_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.tree_faults import faults, line_of_word
from palmette.learning.perceptron import Perceptron
from palmette.tools.dependency import model as models
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.dependency.treebank import check_trees
from samples import toy_tree_model
from samples.treebank import BAD_TREES, GOOD, conllu

pytestmark = pytest.mark.native


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(models.METHODS, "toy", toy_tree_model.METHOD)


def parser(**options) -> DependencyParser:
    return DependencyParser("toy", Perceptron(n_iter=1), **options)


@pytest.mark.parametrize("fault", BAD_TREES)
def test_a_tree_that_is_none(fault: str, tmp_path: Path) -> None:
    text, line, message = BAD_TREES[fault]
    (tmp_path / "x.conllu").write_text(GOOD + text + GOOD)
    with pytest.raises(FormatError) as caught:
        parser().fit(tmp_path / "x.conllu")
    assert (caught.value.line, caught.value.path) == (line, str(tmp_path / "x.conllu"))
    assert message in str(caught.value)
    fitted = parser().fit(tmp_path / "x.conllu", skip_bad=True)
    assert (fitted.training_["sentences"], fitted.training_["skipped"]) == (2, 1)


def test_faults_are_found_one_for_each_sentence() -> None:
    corpus = parse_conllu(GOOD + "".join(text for text, _, _ in BAD_TREES.values()) + GOOD)
    assert [fault.sentence for fault in faults(corpus)] == [1, 2, 3, 4, 5]


def test_random_heads_against_a_walk_to_the_root() -> None:
    rng = np.random.default_rng(1)
    lengths = rng.integers(0, 6, 300)
    heads = [[int(h) for h in rng.integers(-1 if rng.random() < 0.1 else 0, n + 1, n)] for n in lengths]
    corpus = Corpus.from_columns(
        {"form": [["w"] * n for n in lengths], "deprel": [["x"] * n for n in lengths]}, heads=heads
    )

    def good(row: list[int]) -> bool:
        def climbs(m: int) -> bool:
            for _ in row:
                m = row[m - 1] if m > 0 else m
            return m == 0

        return row.count(0) == 1 and all(climbs(m) for m in range(1, len(row) + 1))

    bad = {fault.sentence for fault in faults(corpus)}
    assert bad == {i for i, row in enumerate(heads) if row and not good(row)}
    kept = check_trees(corpus, skip_bad=True)
    assert len(kept) == sum(bool(row) and good(row) for row in heads)
    assert kept.n_skipped == len(bad)


def test_lists_name_the_sentence_and_the_word() -> None:
    X = [[("a", "X"), ("b", "X")]] * 2
    with pytest.raises(ValueError, match="Sentence 2, word 1: the heads go round in a circle, 1 → 2 → 1"):
        parser().fit(X, [[(0, "root"), (1, "dep")], [(2, "dep"), (1, "dep")]])
    with pytest.raises(ValueError, match="Head 3 in sentence 2, which has 2 words"):
        parser().fit(X, [[(0, "root"), (1, "dep")], [(3, "dep"), (1, "dep")]])
    with pytest.raises(ValueError, match="There are 2 sentences and trees for 1"):
        parser().fit(X, [[(0, "root"), (1, "dep")]])
    with pytest.raises(ValueError, match="Sentence 2 has 2 words and a tree for 1"):
        parser().fit(X, [[(0, "root"), (1, "dep")], [(0, "root")]])


def test_a_word_that_is_its_own_head(tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_text(GOOD + conllu(1, 0))
    with pytest.raises(FormatError, match=r":5: "):
        parser().fit(tmp_path / "x.conllu")


def test_heads_out_of_range(tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_text(GOOD + conllu(7, 0))
    with pytest.raises(FormatError, match=r"x\.conllu:5: .*7"):
        parser().fit(tmp_path / "x.conllu")
    assert parser().fit(tmp_path / "x.conllu", skip_bad=True).training_["skipped"] == 1


def test_several_roots_where_they_are_allowed(tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_text(GOOD + conllu(0, 1, 0))
    fitted = parser(options={"single_root": False}).fit(tmp_path / "x.conllu")
    assert fitted.training_["sentences"] == 2


def test_a_treebank_without_relations() -> None:
    corpus = parse_conllu(conllu(2, 0, relation="_") * 3)
    fitted = parser().fit(corpus)
    assert fitted.relations_ == ["dep"]
    assert fitted.predict(corpus)[0].labels == ("dep", "dep")


def test_nothing_to_learn_from(tmp_path: Path) -> None:
    for text in (conllu("_", "_"), conllu(2, 1)):
        (tmp_path / "x.conllu").write_text(text * 2)
        with pytest.raises(ValueError, match="There are no trees to learn from: all 2 sentences"):
            parser().fit(tmp_path / "x.conllu", skip_bad=True)
    for X in ([], [[]], [["a", "b"]], Corpus.from_columns({"form": [["a"]]})):
        with pytest.raises(ValueError, match="There are no trees to learn from"):
            parser().fit(X)
    with pytest.raises(FileNotFoundError):
        parser().fit("no-such.conllu")


def test_empty_sentences_stay_out() -> None:
    corpus = Corpus.from_columns(
        {"form": [[], ["a", "b"], []], "deprel": [[], ["x", "root"], []]}, heads=[[], [2, 0], []]
    )
    assert parser().fit(corpus).training_["sentences"] == 1


def test_a_dev_set_without_trees() -> None:
    with pytest.raises(ValueError, match="There are no trees to compare with"):
        parser().fit(parse_conllu(GOOD), dev=[["a"]])


@pytest.mark.parametrize(
    "X",
    [
        "text",
        b"x",
        3,
        ["a sentence"],
        [[1, 2]],
        [[("a", "X"), "b"]],
        [[{"upos": "X"}]],
        [[("a",) * 6]],
        {"a": 1},
    ],
)
def test_what_are_no_sentences(X) -> None:
    fitted = parser().fit(parse_conllu(GOOD))
    with pytest.raises(
        (TypeError, FileNotFoundError), match=r"Sentences must|A sentence must|A token must|No such"
    ):
        fitted.predict(X)


def test_the_line_of_a_word() -> None:
    text = (
        "# one\n# two\n1-2\tab\t_\t_\t_\t_\t_\t_\t_\t_\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n"
        "1.1\tx\t_\t_\t_\t_\t_\t_\t_\t_\n2\tb\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"
    )
    corpus = parse_conllu(text + text)
    lines = (text + text).split("\n")
    for i, word in [(0, 1), (0, 2), (1, 1), (1, 2)]:
        assert lines[line_of_word(corpus, i, word) - 1].startswith(f"{word}\t")
