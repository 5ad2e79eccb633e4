"""The methods with a chart from training to files."""

import re

import numpy as np
import pytest

from palmette import Translator
from palmette.errors import FormatError
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.trees.tree import Tree

pytestmark = pytest.mark.native

NOUNS = {"chien": "dog", "chat": "cat", "roi": "king", "garçon": "boy"}
VERBS = {"dort": "sleeps", "mange": "eats", "court": "runs", "chante": "sings"}


def pairs_and_trees():
    """Sentences with a negation around the verb, and the trees of their translations."""
    pairs, trees = [], []
    for noun, n in NOUNS.items():
        for verb, v in VERBS.items():
            pairs.append((f"le {noun} {verb}", f"the {n} {v}"))
            trees.append(f"(S (NP (DT the) (NN {n})) (VP (VB {v})))")
            pairs.append((f"le {noun} ne {verb} pas", f"the {n} not {v}"))
            trees.append(f"(S (NP (DT the) (NN {n})) (VP (RB not) (VB {v})))")
    return pairs * 2, trees * 2


@pytest.fixture(scope="module", params=["hiero", "string-to-tree"])
def translator(request):
    pairs, trees = pairs_and_trees()
    options = {"min_hole": 1} if request.param == "hiero" else {}
    made = Translator(request.param, options=options, tuning="none")
    return made.fit(pairs, trees=trees if request.param == "string-to-tree" else None)


def test_it_translates_what_it_has_not_seen(translator):
    assert translator.predict(["le chien ne chante pas", "le roi"]) == ["the dog not sings", "the king"]
    best = translator.translate(["le chat ne dort pas"], probabilities=True)[0]
    assert 0 < best.probability <= 1
    assert len(best.words) == 4
    assert any(node.children and node.kind == "table" for node in best.derivation.derivation)
    assert translator.predict(["le chien mange"], minimum_risk="graph") == ["the dog eats"]
    told = translator.explain("le chien ne mange pas")
    assert "the dog not eats" in str(told)
    assert "<svg" in told.svg()


def test_a_file_keeps_the_model(translator, tmp_path):
    path = tmp_path / "model.palm"
    translator.save(path)
    again = Translator.load(path)
    assert again.method == translator.method
    sentences = ["le chien ne chante pas", "le xyz dort"]
    assert again.predict(sentences) == translator.predict(sentences)
    np.testing.assert_array_equal(again.model_.weights, translator.model_.weights)
    file = translator.to_model()
    file.part("model").options.pop("search")
    with pytest.raises(FormatError, match="limits"):
        Translator.from_model(file)


def test_a_grammar_from_outside(translator, tmp_path):
    path = tmp_path / "rules.gz"
    model = translator.model_
    model.write_table(model.table, str(path))
    table = model.read_table(str(path))
    assert len(table) == len(model.table)
    made = Translator(translator.method, tuning="none", lm=model.lm).fit(None, table=table)
    assert made.predict(["le chien ne chante pas"]) == ["the dog not sings"]
    with pytest.raises(ValueError, match="no reordering table"):
        model.read_table(str(path), "reordering")
    with pytest.raises(ValueError, match="another table"):
        Translator("phrase", tuning="none", lm=model.lm).fit(None, table=table)


def test_a_parser_makes_the_trees():
    pairs, trees = pairs_and_trees()
    parser = ConstituencyParser("pcfg").fit([Tree.parse(text) for text in trees])
    made = Translator("string-to-tree", tuning="none").fit(pairs, parser=parser)
    assert made.predict(["le chien ne chante pas"]) == ["the dog not sings"]


def test_what_is_refused():
    pairs, trees = pairs_and_trees()
    with pytest.raises(ValueError, match="needs trees of the target"):
        Translator("string-to-tree", tuning="none").fit(pairs)
    with pytest.raises(ValueError, match="but 3 trees"):
        Translator("string-to-tree", tuning="none").fit(pairs, trees=trees[:3])
    with pytest.raises(ValueError, match="does not use trees"):
        Translator("hiero", tuning="none").fit(pairs, trees=trees)
    wrong = [*trees[:4], "(S (A the))", *trees[5:]]
    with pytest.raises(ValueError, match="Tree 5 does not cover its sentence"):  # also if some are put aside
        Translator("string-to-tree", held_out=6).fit(pairs, trees=wrong)
    with pytest.raises(ValueError, match="has no rules"):
        Translator("hiero", tuning="none").fit(pairs, table=RuleTable.from_rules([]))


def test_weights_are_tuned_without_a_dev_text():
    pairs, trees = pairs_and_trees()
    made = Translator("string-to-tree", options={"tuning_rounds": 2}, held_out=8).fit(pairs, trees=trees)
    assert "dev" in made.training_["tuned"]


@pytest.mark.parametrize("method", ["string-to-tree", "tree-to-string"])
def test_notes_about_trees(method):
    pairs, trees = pairs_and_trees()
    if method == "tree-to-string":
        pairs = [(target, source) for source, target in pairs]

    def notes(given):
        made = Translator(method, tuning="none").fit(pairs, trees=given)
        return [note for note in made.training_["notes"] if "tree" in note]

    assert notes(trees) == []
    assert notes(["", None, *trees[2:]]) == [
        "2 of 64 sentences have no tree, and no rules are extracted from them"
    ]
    (note,) = notes([re.sub(r"[^ ()]+\)", "x)", tree) for tree in trees])
    assert note.startswith("only 0 of 224 words of the trees are those of the ")


def test_why_weights_are_those_of_the_start(translator):
    model = translator.model_
    made = Translator(translator.method, lm=model.lm).fit(pairs_and_trees()[0] * 4, table=model.table)
    assert "no dev text, and with a given table nothing is put aside" in made.training_["notes"][-1]
