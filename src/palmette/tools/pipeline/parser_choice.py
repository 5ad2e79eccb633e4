"""Which parser a treebank needs: by its size, the length of its sentences, and its arcs that cross."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from palmette.formats.corpus import Corpus
from palmette.tools.dependency.model import METHODS, plan_training
from palmette.tools.dependency.treebank import relations_of
from palmette.trees.shapes import projectivise

MOST_WORDS = 500  # of a sentence that the graph-based method learns from


class ParserChoice(NamedTuple):
    """A method with its options, the columns that it may look at, and a sentence that says why."""

    method: str
    options: Mapping[str, Any]
    columns: tuple[str, ...]
    reason: str


def choose_parser(trees: Corpus, method: str | None = None) -> ParserChoice:
    """The parser for a treebank, whose trees are known to be trees. method: named by the user, or None."""
    assert trees.heads is not None
    lengths = np.diff(trees.offsets)
    _, lifts = projectivise(np.ascontiguousarray(trees.heads, np.int32), trees.offsets)
    crossing = float((np.add.reduceat(lifts > 0, trees.offsets[:-1]) > 0).mean())
    long = float((lengths > MOST_WORDS).mean())
    facts = f"{len(trees):,} sentences of {lengths.mean():.0f} words, {crossing:.0%} with crossing arcs"
    columns = ("upos", "xpos", "feats")
    if method is not None:
        METHODS.named(method)
        return ParserChoice(method, {}, columns, f"{method}, as asked for; {facts}")
    if long > 0.5:
        why = f"transition: {long:.0%} of the sentences have more than {MOST_WORDS} words; {facts}"
        return ParserChoice("transition", {}, columns, why)
    plan = plan_training("graph", trees.heads, trees.offsets, len(relations_of(trees)[0]), {})
    projective = plan.options.get("projective")
    kind = "without crossing arcs" if projective else "with crossing arcs"
    learner = type(plan.learner).__name__
    return ParserChoice("graph", {}, columns, f"graph, trees {kind}, by {learner}: {facts}")
