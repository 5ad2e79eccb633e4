"""What is in a corpus: lengths, words, tags; and of one with trees their relations, shapes and arcs.

Everything is counted over arrays; the shapes come from `tree_shapes`. O(words · log of the longest sentence). All
results are plain numbers, shares are fractions of one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.evaluation.tree_pairs import LENGTHS, length_bins, tag_column
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.trees.dependency_tree import DependencyTree
from palmette.trees.shapes import TreeShapes, tree_shapes

_COMMONEST = 20  # arcs by tags
_FEW = 100  # a column with more values than this is not of tags


def treebank_statistics(corpus: Corpus) -> dict[str, Any]:
    """The counts of a corpus; with heads for any word also those of its trees.

    >>> corpus = Corpus.from_columns({"form": [["Birds", "fly"], ["Go"]]}, heads=[[2, 0], [0]])
    >>> found = treebank_statistics(corpus)
    >>> found["words"], found["trees"]["projective_sentences"], found["arcs"]["left"]
    (3, 1.0, 0.3333333333333333)
    """
    lengths = np.diff(corpus.offsets)
    form = corpus.column("form" if "form" in corpus.names else 0)
    report: dict[str, Any] = {
        "sentences": len(corpus),
        "words": corpus.n_words,
        "types": int(np.count_nonzero(np.bincount(form.ids, minlength=1))),
        "mean": _share(corpus.n_words, len(corpus)),
        "longest": int(lengths.max(initial=0)),
        "distinct": {name: len(column.strings) for name, column in corpus.columns.items()},
    }
    tags = tag_column(corpus)
    if not _is_empty(tags):
        report["tags"] = shares(tags)
    elif corpus.heads is None and len(corpus.names) > 1:
        last = corpus.column(-1)  # a column file has its labels there
        if len(last.strings) <= _FEW:
            report["tags"] = shares(last)
    if corpus.heads is not None and (corpus.heads >= 0).any():
        report |= _of_trees(corpus, corpus.heads, tags)
    return report


def shares(column: Column, rows: NDArray[np.bool_] | None = None) -> dict[str, dict[str, Any]]:
    """How often each value of a column occurs, the most frequent first."""
    ids = column.ids if rows is None else column.ids[rows]
    counts = np.bincount(ids, minlength=len(column.strings))
    order = np.argsort(-counts, kind="stable").tolist()
    return {
        column.strings[i]: {"count": int(counts[i]), "share": _share(int(counts[i]), len(ids))}
        for i in order
        if counts[i]
    }


def _of_trees(corpus: Corpus, heads: NDArray[np.int32], tags: Column) -> dict[str, Any]:
    shapes = tree_shapes(heads, corpus.offsets)
    has_head = heads >= 0
    report: dict[str, Any] = {}
    if "deprel" in corpus.names and not _is_empty(corpus.column("deprel")):
        report["relations"] = shares(corpus.column("deprel"), has_head)
    report["trees"] = _shapes(corpus, shapes)
    report["arcs"] = _arcs(corpus, heads, shapes)
    if not _is_empty(tags):
        report["arcs_by_tags"] = _arcs_by_tags(corpus, heads, tags)
    return report


def _shapes(corpus: Corpus, shapes: TreeShapes) -> dict[str, Any]:
    words = np.diff(corpus.offsets) > 0
    good = shapes.is_tree & words
    n = int(good.sum())
    report: dict[str, Any] = {
        "well_formed": n,
        "ill_formed": int((words & ~shapes.is_tree).sum()),
        "multi_rooted": int((good & ~shapes.is_single_rooted).sum()),
    }
    for name, wrong in (
        ("ill_formed", words & ~shapes.is_tree),
        ("multi_rooted", good & ~shapes.is_single_rooted),
    ):
        if wrong.any():
            report[f"first_{name}"] = _place(corpus, int(np.flatnonzero(wrong)[0]))
    depths = shapes.depth[good]
    return report | {
        "projective_sentences": _share(int((good & shapes.is_projective).sum()), n),
        "ill_nested": _share(int((good & ~shapes.is_well_nested).sum()), n),
        "gap_degrees": {
            str(degree): {"count": int(count), "share": _share(int(count), n)}
            for degree, count in enumerate(np.bincount(shapes.gap_degree[good]).tolist())
            if count
        },
        "mean_depth": float(depths.mean()) if n else 0.0,
        "deepest": int(depths.max(initial=0)),
    }


def _place(corpus: Corpus, sentence: int) -> dict[str, Any]:
    """Where a tree is, and what is wrong with it."""
    tree = DependencyTree(corpus[sentence].heads.tolist())
    line = {} if corpus.lines is None else {"line": int(corpus.lines[sentence])}
    return {"sentence": sentence + 1, **line, "problem": tree.problem()}


def _arcs(corpus: Corpus, heads: NDArray[np.int32], shapes: TreeShapes) -> dict[str, Any]:
    lengths = np.diff(corpus.offsets)
    numbers = np.arange(1, corpus.n_words + 1) - np.repeat(corpus.offsets[:-1], lengths)
    wide = heads.astype(np.int64)
    n = int((heads >= 0).sum())
    inner = heads > 0
    distances = np.abs(wide - numbers)[inner]
    bins = np.bincount(length_bins(wide, numbers), minlength=len(LENGTHS)).tolist()
    return {
        "count": n,
        "projective": _share(n - int(shapes.crossed.sum()), n),
        "left": _share(int((inner & (wide > numbers)).sum()), n),  # the dependent is left of its head
        "right": _share(int((inner & (wide < numbers)).sum()), n),
        "mean_length": float(distances.mean()) if distances.size else 0.0,
        "longest": int(distances.max(initial=0)),
        "lengths": {
            name: {"count": count, "share": _share(count, n)}
            for name, count in zip(LENGTHS[:-1], bins)
            if count
        },
    }


def _arcs_by_tags(corpus: Corpus, heads: NDArray[np.int32], tags: Column) -> dict[str, Any]:
    """The commonest pairs of the tag of a head and of its dependent, and how many are left of their heads."""
    starts = np.repeat(corpus.offsets[:-1], np.diff(corpus.offsets))
    rows = np.flatnonzero(heads >= 0)
    above = starts[rows] + heads[rows] - 1
    k = len(tags.strings)
    head_tags = np.where(heads[rows] > 0, tags.ids[np.maximum(above, 0)], k)
    pairs = head_tags.astype(np.int64) * k + tags.ids[rows]
    kinds, which, counts = np.unique(pairs, return_inverse=True, return_counts=True)
    left = np.bincount(which, weights=above > rows, minlength=len(kinds))
    names = [*tags.strings, "root"]
    return {
        f"{names[kinds[i] // k]} → {names[kinds[i] % k]}": {
            "count": int(counts[i]),
            "share": _share(int(counts[i]), len(rows)),
            "left": float(left[i] / counts[i]),
        }
        for i in np.argsort(-counts, kind="stable")[:_COMMONEST].tolist()
    }


def _is_empty(column: Column) -> bool:
    return set(column.strings) <= {"_"}


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
