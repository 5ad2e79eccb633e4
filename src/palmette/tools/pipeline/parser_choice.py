"""Which parser a treebank needs: by the length of its sentences, its arcs that cross, its size, and its dev set.

Graph-based parsing is the rule. Where a tenth of the sentences have arcs that cross, its search allows them
(`plan_graph`). Very long sentences are parsed by transitions, whose time is linear. On small treebanks no rule
holds: on 400 sentences each, graphs are better by 2 points of LAS in Turkish and by 1 in Japanese, and transitions
with a beam by 1 in Uyghur and by 3 to 5 in Tamil; the treebank's own tags (XPOS) cost 2 or 3 points in Japanese
and Tamil, and gain 1 in Turkish. So small treebanks with a dev set get the best of a few parsers by that dev set;
a beam, which has no probabilities of arcs, must be better by a point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from palmette.formats.corpus import Corpus
from palmette.messages import counted
from palmette.tools.dependency.model import METHODS, plan_training
from palmette.tools.dependency.treebank import relations_of
from palmette.trees.shapes import projectivise

MOST_WORDS = 500  # of a sentence that the graph-based method learns from
SMALL = 50_000  # words of a treebank for which several parsers are tried
BEAM = {"beam": 16}
WORTH = 1.0  # points of LAS that probabilities of arcs are worth, which a beam does not have
COLUMNS = ("upos", "xpos", "feats")
WITHOUT_XPOS = ("upos", "feats")


class ParserChoice(NamedTuple):
    """A method with its options, and the columns that it looks at."""

    method: str
    options: Mapping[str, Any]
    columns: tuple[str, ...]

    def __str__(self) -> str:
        told = "".join(f" {name}={value}" for name, value in self.options.items())
        return f"{self.method}{told} with {', '.join(self.columns) or 'words alone'}"


class Choices(NamedTuple):
    """The parsers to try, of which the first is the rule, and a sentence about the treebank."""

    parsers: tuple[ParserChoice, ...]
    facts: str


def parser_choices(trees: Corpus, filled: Sequence[str], method: str | None, *, dev: bool) -> Choices:
    """The parsers for a treebank, whose trees are known to be trees.

    filled: the columns that the steps before fill. method: named by the user, or None. dev: whether there is a dev
    set to choose by.
    """
    assert trees.heads is not None
    lengths = np.diff(trees.offsets)
    _, lifts = projectivise(np.ascontiguousarray(trees.heads, np.int32), trees.offsets)
    crossing = float((np.add.reduceat(lifts > 0, trees.offsets[:-1]) > 0).mean())
    long = float((lengths > MOST_WORDS).mean())
    facts = (
        f"{counted(len(trees), 'sentence')} of {lengths.mean():.0f} words, {crossing:.0%} with crossing arcs"
    )
    columns = tuple(name for name in COLUMNS if name in filled)
    if method is not None:
        METHODS.named(method)
        return Choices((ParserChoice(method, {}, columns),), f"as asked for; {facts}")
    if long > 0.5:
        why = f"{long:.0%} of the sentences have more than {MOST_WORDS} words"
        return Choices((ParserChoice("transition", {}, columns),), f"{why}; {facts}")
    plan = plan_training("graph", trees.heads, trees.offsets, len(relations_of(trees)[0]), {})
    kind = "no crossing arcs" if plan.options.get("projective") else "crossing arcs"
    facts = f"{facts}: a graph has {kind}, by {type(plan.learner).__name__}"
    seen = dict.fromkeys((columns, tuple(name for name in WITHOUT_XPOS if name in filled)))
    graphs = [ParserChoice("graph", {}, one) for one in seen]
    if not dev or trees.n_words > SMALL:
        return Choices((graphs[0],), facts)
    return Choices((*graphs, *(ParserChoice("transition", BEAM, one) for one in seen)), facts)
