"""Trained tools put together as a pipeline, and a pipeline with a dictionary of its user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from palmette.tools.morphology.lexicon import Given, Lexicon
from palmette.tools.pipeline.model import PipelineModel, in_order
from palmette.tools.pipeline.step import Step
from palmette.tools.pipeline.steps import LemmaStep, MorphologyStep, TaggerStep, as_step
from palmette.tools.text.tokenizer import Tokenizer


def assembled(tools: Sequence[Any], tokenizer: Any, language: str) -> PipelineModel:
    """The model of a pipeline of these tools; ValueError if a step lacks a column that no other fills."""
    steps = in_order([as_step(tool) for tool in tools])
    names = [step.name for step in steps]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"A pipeline has every step once; {name} is there {names.count(name)} times.")
    return PipelineModel(Tokenizer(language) if tokenizer is None else tokenizer, steps)


def with_dictionary(model: PipelineModel, dictionary: Given) -> PipelineModel:
    """The model whose tags and lemmas obey a dictionary; ValueError if it has no steps for them."""
    found = Lexicon.given(dictionary)
    if found is None:
        raise TypeError("A dictionary must be a file, or rows of form, lemma, upos and feats as strings.")

    def told(step: Step) -> Step:
        if isinstance(step, LemmaStep):
            return LemmaStep(step.tool.with_dictionary(found))
        if isinstance(step, TaggerStep):
            whole = found if step.dictionary is None else found.before(step.dictionary)
            return replace(step, dictionary=whole)
        if isinstance(step, MorphologyStep):
            return replace(step, tool=step.tool.with_lexicon(found))
        return step

    steps = tuple(map(told, model.steps))
    if all(new is old for new, old in zip(steps, model.steps, strict=True)):
        raise ValueError(
            "A dictionary is for the steps that fill tags and lemmas, and this pipeline has none of them."
        )
    return replace(model, steps=steps)
