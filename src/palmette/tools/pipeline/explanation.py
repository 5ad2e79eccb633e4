"""Why a pipeline says what it says of a sentence: the explanation of one of its steps."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any

from palmette.errors import UsageError
from palmette.formats.corpus import Corpus
from palmette.formats.listed_corpus import as_corpus, conllu_names
from palmette.tools.pipeline.model import PipelineModel
from palmette.tools.pipeline.step import PARSER
from palmette.tools.pipeline.steps import MorphologyStep
from palmette.tools.pipeline.streaming import Annotator

if TYPE_CHECKING:
    from palmette.tools.explanation import Explanation
    from palmette.tools.pipeline.pipeline import Pipeline


def explain_step(pipeline: Pipeline, text: Any, step: str = PARSER, **asked: Any) -> Explanation:
    """The explanation that a step's tool gives of the first sentence, after the steps before it; asked: its own
    arguments.
    """
    tool = pipeline.step(step)
    earlier = tuple(takewhile(lambda one: one.name != step, pipeline.steps_))
    corpus = PipelineModel(pipeline.tokenizer_, earlier).annotate(first_sentence(pipeline, text))
    for one in pipeline.steps_:
        if one.name == step and isinstance(one, MorphologyStep):
            asked |= {"votes": one.votes(corpus, pipeline.model_.heard)}
    found: Explanation = tool.explain(corpus, **asked)
    return found


def first_sentence(pipeline: Pipeline, text: Any) -> Corpus:
    """The first sentence of a text, or of words that are there."""
    if isinstance(text, str):
        document = Annotator(pipeline.model_.__class__(pipeline.tokenizer_, ())).documents([text])[0]
        corpus = document.corpus
    else:
        corpus = as_corpus(text, conllu_names)
    if not corpus.n_words:
        raise UsageError("there is no word to explain")
    return corpus[:1]
