"""What may be asked of training: steps to leave out, to train alone, to take from trained tools, to go on with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from palmette.errors import UsageError
from palmette.tools.pipeline.model import AnyTokenizer, PipelineModel
from palmette.tools.pipeline.step import ENTITIES, MORPHOLOGY, PARSER, TOKENS, WORDS, Step
from palmette.tools.pipeline.steps import as_step
from palmette.tools.text.tokenizer import Tokenizer
from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer

if TYPE_CHECKING:
    from palmette.tools.pipeline.pipeline import Pipeline


def used_steps(tools: Iterable[Any]) -> tuple[list[AnyTokenizer], dict[str, Step]]:
    """Trained tools as tokenizers and as steps by their names; of a pipeline, all that it has learned."""
    from palmette.tools.pipeline.pipeline import Pipeline

    tokenizers: list[AnyTokenizer] = []
    steps: dict[str, Step] = {}
    for tool in tools:
        found: Sequence[Step] = ()
        if isinstance(tool, Pipeline):
            tokenizers += [tool.tokenizer_] if isinstance(tool.tokenizer_, LearnedTokenizer) else []
            found = tool.steps_
        elif isinstance(tool, (LearnedTokenizer, Tokenizer)):
            tokenizers.append(tool)
        else:
            found = (as_step(tool),)
        for step in found:
            if step.name in steps:
                raise UsageError(f"The step {step.name} is given twice: a pipeline has every step once.")
            steps[step.name] = step
    return tokenizers, steps


def kept_steps(
    earlier: PipelineModel, without: Collection[str], only: Collection[str], used: Mapping[str, Step]
) -> dict[str, Step]:
    """The steps of an earlier pipeline by their names; taggers stay with the morphology that hears them."""
    alone = MORPHOLOGY in {*without, *only, *used}
    return {step.name: step for step in earlier.steps if not (alone and step in earlier.heard)}


def check_asked(
    without: Collection[str],
    only: Collection[str],
    used: Mapping[str, Step],
    tokenizers: Sequence[Any],
    *,
    labelled: bool,
) -> None:
    """UsageError if what is asked contradicts itself. labelled: whether there are labels of entities."""
    for name in only:
        if name in without:
            raise UsageError(f"The step {name} is to be left out (without) and to be trained alone (only).")
        if name in used or (name == TOKENS and tokenizers):
            raise UsageError(f"The step {name} is given: it cannot be trained too.")
    if ENTITIES in only and not labelled:
        raise UsageError(
            "To train the step entities needs sentences with labels of entities (entities=..., --entities)."
        )
    if len(tokenizers) > 1:
        raise UsageError(f"A pipeline has one tokenizer. Got {len(tokenizers)}.")


def check_warm_start(
    pipeline: Pipeline, only: Collection[str], use: Sequence[Any], lexicon: Any, entities: Any
) -> None:
    """UsageError if a pipeline cannot go on with more data as it is asked to."""
    if not hasattr(pipeline, "model_") or only or lexicon is not None or use or entities is not None:
        raise UsageError(
            "A warm start needs a trained pipeline, and goes with neither 'only' nor 'use' nor a lexicon nor "
            "labels of entities."
        )
    there = {*pipeline.model_.names}
    if not isinstance(pipeline.tokenizer_, Tokenizer):
        there |= {TOKENS, WORDS} if pipeline.tokenizer_.words else {TOKENS}
    dropped = sorted(there & set(pipeline.without))
    if dropped:
        raise UsageError(
            f"A warm start keeps the steps that are there: 'without' names {', '.join(dropped)}."
        )
    if pipeline.method is not None and PARSER in there and pipeline.step(PARSER).method != pipeline.method:
        raise UsageError(
            f"A warm start keeps the parser's method, {pipeline.step(PARSER).method}: {pipeline.method!r} needs "
            "a parser that is trained again."
        )
