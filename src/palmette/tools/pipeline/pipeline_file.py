"""Pipelines in model files.

tables     dictionary.*: known words that came after training, for taggers
options    steps: the names of the steps after the tokenizer; language: of the rules that cut text, where no
           tokenizer was learned; hears: how much taggers count beside the morphology; the record of the training
parts      each step under its name, and the learned tokenizer under "tokens"

A file of a dependency parser with its taggers is a pipeline too, without a learned tokenizer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import inf
from typing import Any

from palmette.formats.model import ModelFile
from palmette.tools.morphology.lexicon import Lexicon
from palmette.tools.pipeline.model import AnyTokenizer, PipelineModel, in_order
from palmette.tools.pipeline.step import PARSER, STEPS, TOKENS, Step
from palmette.tools.pipeline.steps import MorphologyStep, TaggerStep, step_of
from palmette.tools.pipeline_file import PIPELINE, TEXT_PIPELINE, parts_of
from palmette.tools.text.tokenizer import Tokenizer

DICTIONARY = "dictionary"
KIND = TEXT_PIPELINE
# What the values of parameters look like in a file; others are not taken.
_PARAMETERS: Mapping[str, Callable[[Any], bool]] = {
    "without": lambda value: isinstance(value, list) and set(value) <= set(STEPS),
    "language": lambda value: isinstance(value, str) and bool(value),
    "jackknife": lambda value: type(value) is int,
    "method": lambda value: isinstance(value, str),
    "random_state": lambda value: type(value) is int,
}


def pipeline_file(
    model: PipelineModel, training: Mapping[str, Any], *, compact: bool, fingerprint: str = ""
) -> ModelFile:
    """The content of a model file."""
    tokenizer = model.tokenizer
    language = tokenizer.language if isinstance(tokenizer, Tokenizer) else None
    told = [step.dictionary for step in model.steps if isinstance(step, TaggerStep) and step.dictionary]
    hears = [step.hears for step in model.steps if isinstance(step, MorphologyStep) and step.hears]
    options = {"steps": list(model.names), "language": language, "training": dict(training)}
    whole = ModelFile(
        KIND,
        {**options, "hears": hears[0]} if hears else options,
        {},
        {} if not told else dict(told[0].tables(DICTIONARY)),
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
    told = Lexicon.of_file(file, DICTIONARY)
    hears = file.options.get("hears", 0.0)
    if isinstance(hears, bool) or not isinstance(hears, int | float) or not 0 <= hears < inf:
        raise file.damaged("how much its taggers count is not a number")
    steps = in_order(_told(step_of(parts[str(name)]), told, float(hears)) for name in names)
    for step in steps:
        if step.name not in names:
            raise file.damaged(f"the step {step.name!r} has another name in it")
    if TOKENS in parts:
        return PipelineModel(_tokenizer(parts[TOKENS]), steps), training
    if not isinstance(language, str) or not language:
        raise file.damaged("it has neither a tokenizer nor a language")
    return PipelineModel(Tokenizer(language), steps), training


def parameters_of(training: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of `Pipeline` that the record of a training has, for more training."""
    kept = training.get("parameters")
    found = {**(kept if isinstance(kept, dict) else {}), "language": training.get("language")}
    return {name: found[name] for name, fits in _PARAMETERS.items() if name in found and fits(found[name])}


def _of_parser(file: ModelFile) -> tuple[PipelineModel, Mapping[str, Any]]:
    """A dependency parser and its taggers as a pipeline."""
    parts = parts_of(file)
    steps = in_order(step_of(part) for part in parts.values())
    training = parts[PARSER].options.get("training") if PARSER in parts else None
    found = training if isinstance(training, dict) else {}
    language = found.get("language")
    return PipelineModel(Tokenizer(language if isinstance(language, str) else "en"), steps), found


def _told(step: Step, dictionary: Lexicon | None, hears: float) -> Step:
    if isinstance(step, MorphologyStep):
        return replace(step, hears=hears)
    return replace(step, dictionary=dictionary) if isinstance(step, TaggerStep) else step


def _tokenizer(part: ModelFile) -> AnyTokenizer:
    from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer

    return LearnedTokenizer.from_model(part)
