"""The lexicalised method on the Penn sample: accuracy, minimum risk against Viterbi, and k-best oracles."""

from __future__ import annotations

import pytest

from palmette.evaluation.brackets import evaluate_brackets
from palmette.formats.brackets import read_brackets
from palmette.tools.constituency.lexicalized.model import train
from palmette.tools.constituency.model import ConstituencyModel
from palmette.tools.constituency.treebank import clean_trees
from palmette.trees.tree import Tree
from samples.corpora import corpus_file, real_file


def _trees(name: str) -> list[Tree]:
    return [
        tree for tree in clean_trees(read_brackets(real_file(f"const_en_ptb/{name}"))) if tree is not None
    ]


@pytest.fixture(scope="module")
def model() -> ConstituencyModel:
    return train(_trees("train.mrg.gz"), options={}).model


def test_accuracy_and_minimum_risk(model: ConstituencyModel) -> None:
    corpus_file("const_en_ptb/train.mrg.gz")
    gold = _trees("dev.mrg")[:100]
    sentences = [tree.words for tree in gold]
    best = evaluate_brackets(gold, [parse.tree for parse in model.parse(sentences, minimum_risk=False)]).f1
    safest = evaluate_brackets(gold, [parse.tree for parse in model.parse(sentences)]).f1
    assert best > 0.83
    assert safest > best


def test_the_best_of_fifty(model: ConstituencyModel) -> None:
    gold = _trees("dev.mrg")[:30]
    lists = model.kbest([tree.words for tree in gold], 50)
    chosen = [
        max((parse.tree for parse in own), key=lambda tree: evaluate_brackets([right], [tree]).f1)
        for right, own in zip(gold, lists, strict=True)
    ]
    assert evaluate_brackets(gold, chosen).f1 > 0.93
