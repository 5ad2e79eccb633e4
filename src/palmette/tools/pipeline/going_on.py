"""A pipeline that goes on with more data: steps that can begin with the weights they have do so, the others stay.

What earlier steps say of the new sentences is what the parser will meet, because nobody has seen them yet.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import TYPE_CHECKING, Any

from palmette.formats.corpus import Corpus
from palmette.tools.dependency.graph.model import GraphModel
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.dependency.tags import is_empty
from palmette.tools.dependency.treebank import check_trees
from palmette.tools.pipeline.learned_tokens import spoken
from palmette.tools.pipeline.model import PipelineModel, in_order
from palmette.tools.pipeline.step import Step
from palmette.tools.pipeline.steps import ParserStep, TaggerStep
from palmette.tools.pipeline.training import TrainedPipeline, bare_trees

if TYPE_CHECKING:
    from palmette.tools.pipeline.pipeline import Pipeline

Note = Callable[[str], None]


def go_on(
    pipeline: Pipeline, treebank: Corpus, dev: Corpus | None, skip_bad: bool, note: Note
) -> TrainedPipeline:
    """Train the steps that can go on from their weights; ValueError if there is none."""
    model, done = pipeline.model_, []
    steps: list[Step] = []
    for step in model.steps:
        before = PipelineModel(model.tokenizer, in_order(steps))
        found = _gone_on(step, before, treebank, dev, skip_bad)
        steps.append(step if found is None else found)
        if found is not None:
            done.append(step.name)
        note(f"{step.name:<10}  {'kept' if found is None else f'went on with {len(treebank):,} sentences'}")
    if not done:
        raise ValueError(
            "No step of this pipeline can go on from its weights, as graph-based parsers and taggers can with a "
            "treebank that has their columns: name the steps to learn again (only=..., --only)."
        )
    more = {"steps": done, "sentences": len(treebank), "words": treebank.n_words}
    language = pipeline.language or pipeline.training_.get("language")
    continued = [*pipeline.training_.get("continued", []), more]
    record = {**pipeline.training_, "language": language, "continued": continued}
    return TrainedPipeline(PipelineModel(spoken(model.tokenizer, language), in_order(steps)), record)


def _gone_on(
    step: Step, before: PipelineModel, treebank: Corpus, dev: Corpus | None, skip_bad: bool
) -> Step | None:
    """The step after more training; None if it stays as it is."""
    if isinstance(step, ParserStep) and isinstance(step.tool.model_, GraphModel):
        heads = treebank.heads
        if heads is None or (heads < 0).all():
            return None
        return ParserStep(_parser(step.tool, before, treebank, dev, skip_bad))
    if isinstance(step, TaggerStep) and not is_empty(treebank, step.column):
        tagger = copy(step.tool)
        tagger.column = step.column
        tagger.fit(treebank.only({"form": "form", step.column: step.column}), warm_start=True)
        return TaggerStep(tagger, step.column)
    return None


def _parser(
    old: DependencyParser, before: PipelineModel, treebank: Corpus, dev: Corpus | None, skip_bad: bool
) -> DependencyParser:
    made = copy(old)
    made.taggers = False
    seen = check_trees(before.annotate(bare_trees(treebank)), skip_bad=skip_bad)
    held_out: Any = None
    if dev is not None and dev.heads is not None and not (dev.heads < 0).any():
        held_out = before.annotate(bare_trees(dev))
    return made.fit(seen, dev=held_out, warm_start=True)
