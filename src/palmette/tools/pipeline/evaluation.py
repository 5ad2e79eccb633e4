"""The scores of a pipeline on a treebank: from its raw text, or from its words."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from palmette.evaluation.raw_text import evaluate_raw_text
from palmette.evaluation.raw_text_scores import MEASURES, OF_TREES, RawTextScores
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.tools.dependency.tags import is_empty
from palmette.tools.dependency.treebank import as_sentences
from palmette.tools.pipeline.joining import join_corpora
from palmette.tools.tokens.treebank_text import treebank_text

if TYPE_CHECKING:
    from palmette.tools.pipeline.pipeline import Pipeline

_PIECE = 1 << 16
LAYERS = ("lemma", "upos", "xpos", "feats", "deprel")
# The columns that a measure looks at; `mlas` needs features only where gold has some.
NEEDED = {
    "upos": ("upos",),
    "xpos": ("xpos",),
    "ufeats": ("feats",),
    "alltags": ("upos", "xpos", "feats"),
    "lemmas": ("lemma",),
    "mlas": ("upos", "feats"),
    "blex": ("lemma",),
}
_BY = ("las", "upos", "xpos", "ufeats", "lemmas", "words")  # what a pipeline is measured by, if it can be


def evaluate_pipeline(pipeline: Pipeline, X: Any, *, gold_tokens: bool) -> RawTextScores:
    """Compare what the pipeline says with gold."""
    gold = as_sentences(X)
    return evaluate_raw_text(gold, guessed(pipeline, gold, gold_tokens=gold_tokens))


def guessed(pipeline: Pipeline, gold: Corpus, *, gold_tokens: bool) -> Corpus:
    """What the pipeline says of the text of a treebank, or of its words."""
    if gold_tokens:
        lacking = pipeline.model_.lacking.values()
        return pipeline.annotate(bare(gold, keep=[name for needs in lacking for name in needs]))
    text = treebank_text(gold).text
    pieces = (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
    found = [one.corpus for one in pipeline.tokenizer_.segmented(pieces)]
    if not found:
        raise ValueError("The treebank has no text to begin with.")
    return pipeline.annotate(join_corpora(found))


def bare(gold: Corpus, *, keep: Collection[str] = ()) -> Corpus:
    """The words of a treebank without their annotation, except the columns to keep."""
    nothing = Column(np.zeros(gold.n_words, np.int32), ["_"])
    emptied = {
        name: nothing if name in LAYERS and name not in keep else column
        for name, column in gold.columns.items()
    }
    return Corpus(
        emptied,
        gold.offsets,
        comments=gold.comments,
        extras=gold.extras,
        extra_after=gold.extra_after,
        lines=gold.lines,
    )


def not_filled(fills: Collection[str], gold: Corpus) -> list[str]:
    """The measures of columns that gold has and these columns lack."""
    missing = {name for name in LAYERS if name not in fills and not is_empty(gold, name)}
    trees = [] if "head" in fills else list(OF_TREES)
    tags = [measure for measure, needed in NEEDED.items() if missing.intersection(needed)]
    return [measure for measure in MEASURES if measure in tags or measure in trees]


def measures_of(fills: Collection[str], gold: Corpus) -> list[str]:
    """The measures that say something: those of columns that gold has and that are filled."""
    left = set(not_filled(fills, gold))
    left |= {m for m, needed in NEEDED.items() if all(is_empty(gold, name) for name in needed)}
    return [measure for measure in MEASURES if measure not in left]


def main_measure(scores: RawTextScores, fills: Collection[str], gold: Corpus) -> str:
    """The measure that a pipeline is judged by: of its trees, or of the first layer that it has."""
    there = [name for name in measures_of(fills, gold) if name in scores.counts]
    return next(measure for measure in _BY if measure in there)
