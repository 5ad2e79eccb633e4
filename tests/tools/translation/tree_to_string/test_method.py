"""The method tree-to-string from text to translations: trees, a parser, files, and what is refused."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import pytest

from palmette import ConstituencyParser, Translator
from palmette.errors import FormatError
from palmette.formats.model import ModelFile
from palmette.grammars.synchronous import SynchronousGrammar
from palmette.tools.translation.source_trees import read_trees
from palmette.trees.tree import Tree

pytestmark = pytest.mark.native

GRAMMAR = SynchronousGrammar(
    """
    S -> NP1 VP2 , NP1 VP2
    NP -> D1 N2 , D1 N2
    D -> le , the
    N -> chien , dog
    N -> chat , cat
    N -> livre , book
    VP -> NE1 V2 PAS3 , NE1 does PAS3 V2
    VP -> PR1 V2 , V2 PR1
    NE -> ne , ε
    PAS -> pas , not
    PR -> la , it
    VP -> V1 NP2 , V1 NP2
    V -> voit , see
    V -> prend , take
    V -> mange , eat
    """,
    weighted=True,
)


def text(n: int) -> list[tuple[str, str, Tree]]:
    found = []
    for one in GRAMMAR.samples(n, random_state=5):
        source, _ = one.trees()
        found.append((" ".join(one.source_words), " ".join(one.target_words), source))
    return found


TEXT = text(300)
SOURCE, TARGET, TREES = ([row[k] for row in TEXT] for k in range(3))
OPTIONS = {"order": 3, "models": "fast", "tuning_rounds": 2}


@pytest.fixture(scope="module")
def trained() -> Translator:
    parser = ConstituencyParser(method="pcfg").fit(TREES[:150])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of counts that are too few for the discounts
        return Translator("tree-to-string", options=OPTIONS, tuning="mert", held_out=20).fit(
            SOURCE, TARGET, parser=parser
        )


def test_from_text_to_translations(trained: Translator, tmp_path: Path) -> None:
    known = dict(zip(SOURCE, TARGET))
    rows = random.Random(1).sample(sorted(known), 30)
    found = trained.predict(rows)
    right = sum(one == known[row] for row, one in zip(rows, found))
    assert right >= 27
    trained.save(tmp_path / "model.palm")
    again = Translator.load(tmp_path / "model.palm")
    assert again.predict(rows) == found
    assert again.predict(rows, minimum_risk="list")
    assert again.model_.facts()["parser"] == "pcfg"
    best = again.kbest(rows[:1], 3, probabilities=True)[0]
    assert sum(one.probability for one in best) <= 1.0001
    explained = again.explain(rows[0])
    assert explained.margin >= 0 if hasattr(explained, "margin") else str(explained)
    assert again.forced(rows[:1], found[:1])[0].translation.text == found[0]


def test_trees_in_place_of_a_parser(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = Translator("tree-to-string", options=OPTIONS, tuning="none").fit(SOURCE, TARGET, trees=TREES)
    sentence, want, tree = TEXT[7]
    assert given.predict([sentence]) == [want]
    given.save(tmp_path / "model.palm")
    bare = Translator.load(tmp_path / "model.palm")
    assert bare.model_.parses.parser is None
    assert bare.with_trees([tree]).predict([sentence]) == [want]
    assert bare.with_trees([str(tree), ""]).predict([sentence]) == [want]
    assert bare.predict([sentence])[0].split()  # word by word
    with pytest.raises(ValueError, match="has no use for trees"):
        Translator(tuning="none", options={"models": "fast"}).fit([("a", "b")] * 3).with_trees([tree])


def test_trees_of_a_dev_text() -> None:
    make = Translator("tree-to-string", options={**OPTIONS, "tuning_rounds": 1})
    dev = SOURCE[:8], TARGET[:8]
    found = make.fit(SOURCE[8:], TARGET[8:], trees=TREES[8:], dev=dev, dev_trees=TREES[:8])
    assert found.training_["tuned"]
    assert found.model_.parses.trees[tuple(SOURCE[0].split())] == [Tree.parse(str(TREES[0]))]
    with pytest.raises(ValueError, match="there are 8 source sentences, but 1 dev tree"):
        make.fit(SOURCE[8:], TARGET[8:], trees=TREES[8:], dev=dev, dev_trees=TREES[:1])
    with pytest.raises(ValueError, match="Dev tree 1 does not cover its sentence: it has 1 word"):
        make.fit(SOURCE[8:], TARGET[8:], trees=TREES[8:], dev=dev, dev_trees=["(S a)", *TREES[1:8]])
    with pytest.raises(ValueError, match="trees of a dev text, but no dev text"):
        make.fit(SOURCE, TARGET, trees=TREES, dev_trees=TREES[:8])
    with pytest.raises(ValueError, match="does not use trees of the dev text"):
        Translator("hiero").fit(SOURCE, TARGET, dev=dev, dev_trees=TREES[:8])


def test_forests(trained: Translator) -> None:
    rows = SOURCE[:20]
    narrow, wide = trained, trained.with_options(forest=5)
    for one, other in zip(narrow.kbest(rows, 1), wide.kbest(rows, 1)):
        assert other[0].score >= one[0].score - 0.05


def test_what_is_refused(tmp_path: Path) -> None:
    make = Translator("tree-to-string", options=OPTIONS, tuning="none")
    with pytest.raises(ValueError, match="needs trees of the source sentences, or a parser"):
        make.fit(SOURCE, TARGET)
    with pytest.raises(ValueError, match="300 source sentences, but 2 trees"):
        make.fit(SOURCE, TARGET, trees=TREES[:2])
    with pytest.raises(ValueError, match="Tree 1 does not cover its sentence"):
        make.fit(SOURCE, TARGET, trees=["(S a)", *TREES[1:]])
    with pytest.raises(ValueError, match="A parser is a ConstituencyParser"):
        make.fit(SOURCE, TARGET, parser=3)
    with pytest.raises(ValueError, match="does not use trees"):
        Translator(tuning="none").fit(SOURCE, TARGET, trees=TREES)
    with pytest.raises(ValueError, match=r"give them [(]dev_trees[)] or a parser"):
        Translator("tree-to-string").fit(SOURCE, TARGET, trees=TREES, dev=(SOURCE[:2], TARGET[:2]))
    (tmp_path / "trees").write_text("(S (A a) (B b))\n\n(S c)\n")
    assert [None if tree is None else str(tree) for tree in read_trees(tmp_path / "trees")] == [
        "(S (A a) (B b))",
        None,
        "(S c)",
    ]
    (tmp_path / "trees").write_text("(S (A a)\n   (B b))\n(S c)\n")
    assert len(read_trees(tmp_path / "trees")) == 2
    (tmp_path / "trees").write_text("(S (A a)\n")
    with pytest.raises(FormatError, match="trees"):
        read_trees(tmp_path / "trees")


def test_a_damaged_model(trained: Translator, tmp_path: Path) -> None:
    file = trained.model_.to_model()
    for name in ("child_symbol", "target_items", "rule_left"):
        arrays = dict(file.arrays)
        arrays[name] = arrays[name][:-1]
        with pytest.raises(FormatError, match="damaged"):
            type(trained.model_).from_model(ModelFile(file.kind, file.options, arrays, file.strings))
