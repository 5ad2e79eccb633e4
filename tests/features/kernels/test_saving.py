"""Kernels and items come back from JSON as they were, and damaged ones are refused in a sentence."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from palmette import Tree
from palmette.features.kernels import (
    FunctionKernel,
    GaussianKernel,
    Kernel,
    LinearKernel,
    MismatchKernel,
    PolynomialKernel,
    SpectrumKernel,
    SubsequenceKernel,
    TaggedSequenceKernel,
    TreeKernel,
    with_log_probability,
)
from palmette.features.kernels.saving import item_of, kernel_of, saved_item, saved_kernel

TREE = Tree.parse("(S (NP (DT a) (NN dog)) (VP (VBZ barks)))")
CROSSING = Tree.parse("(S (VP 0=What 2=done) (VBZ 1=is))", positions=True)
TAGGED = (("Elba", "LOC"), ("is", "O"))


@pytest.mark.parametrize(
    ("kernel", "item"),
    [
        (TreeKernel("partial", decay=0.3, mu=0.2, words=False), TREE),
        (TreeKernel(decay=0.5).normalized, CROSSING),
        (with_log_probability(TreeKernel(), 0.3), (TREE, -2.5)),
        (TaggedSequenceKernel(decay=0.5), TAGGED),
        (TaggedSequenceKernel(shape=None), TAGGED),
        (TaggedSequenceKernel(longest=2), TAGGED),
        (SpectrumKernel(2, least=1) * SubsequenceKernel(2), "barks"),
        (MismatchKernel(2, alphabet="abkrs"), "barks"),
        (PolynomialKernel(3, 0.5), {"a": 1.0, 7: 2.0}),
        (GaussianKernel(0.1) + LinearKernel(), {"a", "b"}),
        (2.0 * GaussianKernel(0.1, of=LinearKernel()), np.array([1.0, 2.0])),
    ],
)
def test_a_kernel_and_its_items_come_back(kernel: Kernel, item: Any) -> None:
    again = kernel_of(json.loads(json.dumps(saved_kernel(kernel))))
    same = item_of(json.loads(json.dumps(saved_item(item))))
    assert again.form == kernel.form or "MismatchKernel" in repr(kernel)
    assert again.gram([same])[0, 0] == kernel.gram([item])[0, 0]
    assert kernel.gram([same], [item])[0, 0] == kernel.gram([item])[0, 0]


@pytest.mark.parametrize(
    "kernel", [FunctionKernel(lambda a, b: 1.0), TreeKernel().on(str), TaggedSequenceKernel(shape=str.lower)]
)
def test_functions_are_not_saved(kernel: Kernel) -> None:
    with pytest.raises(ValueError, match="holds no code"):
        saved_kernel(kernel)


def test_an_item_of_another_kind_is_not_saved() -> None:
    with pytest.raises(ValueError, match="type object cannot be saved"):
        saved_item(object())


def test_damaged_kernels_are_refused() -> None:
    deep: Any = {"type": "LinearKernel"}
    for _ in range(100):
        deep = {"type": "Normalized", "kernel": deep}
    damaged: list[Any] = [
        *(None, [], "TreeKernel", {}, {"type": "os.system"}, {"type": "TreeKernel"}, deep),
        {"type": "LinearKernel", "more": 1},
        {"type": "TaggedSequenceKernel", "decay": 1.0, "shape": {"function": "eval"}, "longest": None},
        {"type": "TaggedSequenceKernel", "decay": 9.0, "shape": None, "longest": None},
        {"type": "TaggedSequenceKernel", "decay": 1.0, "shape": None, "longest": 10**9},
        {"type": "PolynomialKernel", "degree": "two", "constant": 1.0, "of": {"type": "LinearKernel"}},
        {"type": "PolynomialKernel", "degree": 2, "constant": 1.0, "of": 3},
        {"type": "Normalized", "kernel": 3},
        {"type": "Sum", "one": {"type": "LinearKernel"}, "two": None},
    ]
    for bad in damaged:
        with pytest.raises(ValueError, match=r"kernel|parameter|function|range"):
            kernel_of(bad)


def test_an_older_kernel_without_the_longest_fragment() -> None:
    saved = saved_kernel(TaggedSequenceKernel(decay=0.5))
    del saved["longest"]
    assert kernel_of(saved) == TaggedSequenceKernel(decay=0.5)


def test_damaged_items_are_refused() -> None:
    deep: Any = "leaf"
    for _ in range(100):
        deep = [deep]
    for bad in (
        *({}, {"tree": 1}, {"tree": "(S"}, {"tree": "(S a)", "more": 1}, {"code": "x"}, deep),
        *({"vector": [["a"]]}, {"vector": [[None, 1.0]]}, {"vector": 1}, {"set": [[1]]}, {"row": ["a"]}),
    ):
        with pytest.raises(ValueError, match=r"damaged|bracket|tree|closed|text"):
            item_of(bad)
