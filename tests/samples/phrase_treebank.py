"""Small treebanks for tests of constituency parsers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from palmette.formats.brackets import read_brackets
from palmette.tools.constituency import model as models
from palmette.trees.tree import Tree
from samples import toy_constituency_model

GARDEN = Path(__file__).parents[2] / "examples" / "constituency"

CATS = [
    "(S (NP (NNS dogs)) (VP (VBP see) (NP (NNS cats)) (PP (IN with) (NP (NNS eyes)))))",
    "(S (NP-SBJ (NNS cats)) (VP (VBP eat) (NP (NP (NNS mice)) (PP (IN with) (NP (NNS tails))))))",
    "(S (NP (NNS cats)) (VP (VBP sleep)) (. .))",
]
SENTENCE = ["dogs", "eat", "mice", "with", "eyes"]


def cats() -> list[Tree]:
    """Three trees, in which a phrase can be attached in two ways."""
    return [Tree.parse(text) for text in CATS]


def garden(name: str = "train") -> list[Tree]:
    """The trees of the example."""
    return read_brackets(GARDEN / f"{name}.mrg")


@contextmanager
def toy_method() -> Iterator[None]:
    """The method "toy" is there."""
    models.METHODS["toy"] = toy_constituency_model.METHOD
    try:
        yield
    finally:
        del models.METHODS["toy"]
