"""Pipelines in model files.

options    steps: the names of the steps after the tokenizer; language: of the rules that cut text, where no
           tokenizer was learned; the record of the training
parts      each step under its name, and the learned tokenizer under "tokens"

A file of a dependency parser with its taggers is a pipeline too, without a learned tokenizer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from palmette.formats.model import ModelFile
from palmette.tools.pipeline.model import AnyTokenizer, PipelineModel, in_order
from palmette.tools.pipeline.step import PARSER, TOKENS
from palmette.tools.pipeline.steps import step_of
from palmette.tools.pipeline_file import PIPELINE, TEXT_PIPELINE, parts_of
from palmette.tools.text.tokenizer import Tokenizer

KIND = TEXT_PIPELINE
_GENERIC = "generic"


def pipeline_file(
    model: PipelineModel, training: Mapping[str, Any], *, compact: bool, fingerprint: str = ""
) -> ModelFile:
    """The content of a model file."""
    tokenizer = model.tokenizer
    language = tokenizer.language if isinstance(tokenizer, Tokenizer) else None
    whole = ModelFile(
        KIND,
        {"steps": list(model.names), "language": language, "training": dict(training)},
        {},
        {},
        fingerprint,
    )
    if not isinstance(tokenizer, Tokenizer):
        learned: Any = tokenizer
        whole = whole.put(TOKENS, learned.to_model(compact=compact))
    for step in model.steps:
        whole = whole.put(step.name, step.to_model(compact=compact))
    return whole


def load_pipeline(file: ModelFile) -> tuple[PipelineModel, Mapping[str, Any]]:
    """The pipeline of a file and the record of its training; FormatError if it is damaged, or holds none."""
    if file.kind == PIPELINE:
        return _of_parser(file)
    file.require_kind(KIND)
    names, language, training = (file.options.get(name) for name in ("steps", "language", "training"))
    parts = file.parts()
    if not isinstance(names, list) or not isinstance(training, dict):
        raise file.damaged("its steps are not there")
    missing = [name for name in names if name not in parts]
    if missing:
        raise file.damaged(f"its step {missing[0]!r} is missing")
    steps = in_order(step_of(parts[str(name)]) for name in names)
    for step in steps:
        if step.name not in names:
            raise file.damaged(f"the step {step.name!r} has another name in it")
    if TOKENS in parts:
        return PipelineModel(_tokenizer(parts[TOKENS]), steps), training
    if not isinstance(language, str) or not language:
        raise file.damaged("it has neither a tokenizer nor a language")
    return PipelineModel(Tokenizer(language), steps), training


def _of_parser(file: ModelFile) -> tuple[PipelineModel, Mapping[str, Any]]:
    """A dependency parser and its taggers as a pipeline."""
    parts = parts_of(file)
    steps = in_order(step_of(part) for part in parts.values())
    training = parts[PARSER].options.get("training") if PARSER in parts else None
    found = training if isinstance(training, dict) else {}
    language = found.get("language")
    return PipelineModel(Tokenizer(language if isinstance(language, str) else "en"), steps), found


def _tokenizer(part: ModelFile) -> AnyTokenizer:
    from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer

    return LearnedTokenizer.from_model(part)
