"""The scores of a pipeline on a treebank: from its raw text, or from its words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from palmette.evaluation.raw_text import evaluate_raw_text
from palmette.evaluation.raw_text_scores import RawTextScores
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.tools.dependency.treebank import as_sentences
from palmette.tools.pipeline.joining import join_corpora
from palmette.tools.pipeline.texts import text_of

if TYPE_CHECKING:
    from palmette.tools.pipeline.pipeline import Pipeline

_PIECE = 1 << 16
LAYERS = ("lemma", "upos", "xpos", "feats", "deprel")


def evaluate_pipeline(pipeline: Pipeline, X: Any, *, gold_tokens: bool) -> RawTextScores:
    """Compare what the pipeline says with gold."""
    gold = as_sentences(X)
    return evaluate_raw_text(gold, guessed(pipeline, gold, gold_tokens=gold_tokens))


def guessed(pipeline: Pipeline, gold: Corpus, *, gold_tokens: bool) -> Corpus:
    """What the pipeline says of the text of a treebank, or of its words."""
    if gold_tokens:
        return pipeline.annotate(bare(gold))
    text = text_of(gold).text
    pieces = (text[at : at + _PIECE] for at in range(0, len(text), _PIECE))
    found = [one.corpus for one in pipeline.tokenizer_.segmented(pieces)]
    if not found:
        raise ValueError("The treebank has no text to begin with.")
    return pipeline.annotate(join_corpora(found))


def bare(gold: Corpus) -> Corpus:
    """The words of a treebank without their annotation."""
    nothing = Column(np.zeros(gold.n_words, np.int32), ["_"])
    emptied = {name: nothing if name in LAYERS else column for name, column in gold.columns.items()}
    return Corpus(
        emptied,
        gold.offsets,
        comments=gold.comments,
        extras=gold.extras,
        extra_after=gold.extra_after,
        lines=gold.lines,
    )
