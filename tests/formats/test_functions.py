from __future__ import annotations

import random

import pytest

from palmette.formats.brackets import read_brackets
from palmette.formats.export import read_export
from palmette.formats.functions import (
    NO_FUNCTIONS,
    PENN,
    Functions,
    functions_named,
    functions_of,
    told_of_functions,
)
from palmette.trees.tree import Tree
from samples.corpora import corpus_file, real_file

FORMS = (
    "{f}+{c}",
    "{c}+{f}",
    "{f}-{c}",
    "{c}-{f}",
    "{c}={f}",
    "{f}={c}",
    "{c}:{f}",
    "{f}:{c}",
    "{c}/{f}",
    "{c}_{f}",
)


def in_form(trees, form, *, everywhere=None, tags=False, parts=None):
    """The trees with their functions written in another way; everywhere: the function of labels without one."""

    def change(old: Tree, below):
        if old.is_preterminal and not tags:
            return Tree(old.label, below, old.note)
        category, function = parts(old)
        function = function or everywhere
        return Tree(form.format(c=category, f=function) if function else category, below, old.note)

    return [tree.fold(lambda leaf: leaf, change) for tree in trees]


def penn_parts(node: Tree) -> tuple[str, str]:
    label = PENN.without_indices(node.label)
    category = PENN.bare(label)
    return category, label[len(category) + 1 :]


def pattern_of(form: str) -> str:
    found = form.format(c="label", f="function")
    return "label-=function" if found in ("label-function", "label=function") else found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("everywhere", [None, "HD"])
@pytest.mark.parametrize("name", ["const_en_ptb", "const_is_icepahc"])
def test_penn_and_icelandic_labels_in_every_form(name, form, everywhere):
    # A function on every node takes a large treebank to be seen.
    file = real_file if everywhere is None else corpus_file
    trees = read_brackets(file(f"{name}/dev.mrg"))[:300]
    found = functions_of(in_form(trees, form, everywhere=everywhere, parts=penn_parts))
    assert str(found) == pattern_of(form)
    assert not found.tags


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("n", [100, 700])
def test_edges_of_alpino_in_every_form(form, n):
    trees = read_export(corpus_file("disc_nl_alpino/dev.export"))[:n]
    written = in_form(
        trees, form, tags=True, parts=lambda node: (node.label, getattr(node.note, "edge", "--"))
    )
    found = functions_of(written)
    assert str(found) == pattern_of(form)
    assert found.tags
    assert functions_of(trees) == PENN  # labels without any separator


@pytest.mark.parametrize("name", ["const_en_ptb", "const_is_icepahc"])
def test_treebanks_as_they_are(name):
    trees = read_brackets(real_file(f"{name}/dev.mrg"))
    assert functions_of(trees) == PENN
    assert "(label-=function)" in told_of_functions(trees, PENN)


def grown(labels: dict[str, list[str]], tags: dict[str, list[str]], n: int = 200) -> list[Tree]:
    """Random trees: children of each label, then words."""
    chosen = random.Random(0)

    def text(label: str, depth: int) -> str:
        if label in tags:
            return f"({label} {chosen.choice(tags[label])})"
        children = chosen.choice(labels[label]).split()
        return f"({label} {' '.join(text(child, depth + 1) for child in children)})"

    return [Tree.parse(f"(TOP {text(chosen.choice(list(labels)), 0)})") for _ in range(n)]


def test_bars_are_not_functions():
    trees = grown(
        {
            "NP": ["D N-bar"],
            "N-bar": ["N", "A N"],
            "VP": ["V-bar"],
            "V-bar": ["V", "V NP"],
            "PP": ["P-bar"],
            "P-bar": ["P NP"],
        },
        {tag: ["a", "b"] for tag in ("D", "N", "A", "V", "P")},
    )
    found = functions_of(trees)
    assert found.bare("N-bar") == "N-bar"


@pytest.mark.parametrize("separator", ["+", "-", "|", "^"])
def test_chains_of_categories_are_not_functions(separator):
    trees = grown(
        {
            "S": ["NP VP", "VP"],
            f"S{separator}VP": ["V", "V NP"],
            "VP": ["V NP", f"V S{separator}VP", f"V SBAR{separator}S"],
            f"SBAR{separator}S": ["NP VP"],
            f"NP{separator}QP": ["N N"],
            "QP": ["N N N"],
            "SBAR": ["C S"],
            "NP": ["D N", f"NP{separator}QP N"],
        },
        {tag: ["a", "b"] for tag in ("D", "N", "C", "V")},
    )
    assert functions_of(trees).bare(f"S{separator}VP") == f"S{separator}VP"


def test_few_labels_are_read_as_penn_writes_them():
    assert functions_of([Tree.parse("(S (SBJ-NP (N a)) (VP (V b)))")]) == PENN
    assert functions_of([]) == PENN


def test_patterns():
    assert functions_named("label-=function") == PENN
    assert functions_named("none") == NO_FUNCTIONS
    for functions in (PENN, NO_FUNCTIONS, Functions("+", first=True), Functions("_")):
        assert functions_named(str(functions)) == functions
    for wrong in ("", "-", "label", "labelfunction", "label-", "function", "np-SUJ"):
        with pytest.raises(ValueError, match="label-function or function"):
            functions_named(wrong)


@pytest.mark.parametrize(
    ("functions", "label", "bare", "kept"),
    [
        (PENN, "NP-SBJ-1", "NP", "NP-SBJ"),
        (PENN, "PP-LOC-CLR=2", "PP", "PP-LOC-CLR"),
        (PENN, "-LRB-", "-LRB-", "-LRB-"),
        (PENN, "NP-10", "NP", "NP"),
        (Functions("+", first=True), "SUBJ+np", "np", "SUBJ+np"),
        (Functions("+", first=True), "SUBJ-1+np-2", "np", "SUBJ+np"),
        (Functions("+", first=True), "np", "np", "np"),
        (Functions("+", first=True), "+", "+", "+"),
        (NO_FUNCTIONS, "NP-SBJ-1", "NP-SBJ-1", "NP-SBJ-1"),
    ],
)
def test_labels(functions, label, bare, kept):
    assert functions.bare(label) == bare
    assert functions.without_indices(label) == kept
    assert functions.bare(bare) == bare
