"""Trained tools put together as a pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from palmette.tools.pipeline.model import PipelineModel, in_order
from palmette.tools.pipeline.steps import as_step
from palmette.tools.text.tokenizer import Tokenizer


def assembled(tools: Sequence[Any], tokenizer: Any, language: str) -> PipelineModel:
    """The model of a pipeline of these tools; ValueError if a step lacks a column that no other fills."""
    steps = in_order([as_step(tool) for tool in tools])
    names = [step.name for step in steps]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"A pipeline has every step once; {name} is there {names.count(name)} times.")
    return PipelineModel(Tokenizer(language) if tokenizer is None else tokenizer, steps)
