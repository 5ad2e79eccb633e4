"""How much is in a file of tokens or trees."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from palmette.formats.files import Source, display_name
from palmette.formats.registry import Format

if TYPE_CHECKING:
    from palmette.formats.treebank import Treebank


def summarize(source: Source, format: Format) -> dict[str, Any]:
    """The counts of a file, as plain data; the whole file is read."""
    content: Any = format.read(source)
    if format.holds == "tokens":
        from palmette.evaluation.statistics import treebank_statistics

        counts = treebank_statistics(content)
    else:
        counts = _of_trees(content)
    return {"path": display_name(source), "format": format.name, **counts}


def _of_trees(bank: Treebank) -> dict[str, Any]:
    lengths = [len(tree.words) for tree in bank]
    tags = {tag for tree in bank for tag in tree.tags}
    labels = {node.label for tree in bank for node in tree.preorder() if not node.is_preterminal}
    words = {word for tree in bank for word in tree.words}
    return {
        "trees": len(bank),
        "words": sum(lengths),
        "longest": max(lengths),
        "discontinuous": sum(tree.is_discontinuous for tree in bank),
        "distinct": {"words": len(words), "tags": len(tags), "labels": len(labels)},
    }
