"""How a served model was trained, as the command line that trains another one on more examples."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from palmette.formats.conllu import read_conllu
from palmette.learning.registry import LEARNERS, learner_class
from palmette.serve.models import Served
from palmette.tools.dependency.tags import is_empty
from palmette.tools.pipeline.step import LEMMAS, MORPHOLOGY, PARSER

# What `palmette evaluate --json` says of a model, and how people call it.
MEASURES = {
    "tag": ("accuracy", "accuracy"),
    "spans": ("f1", "F1"),
    "depparse": ("las", "LAS"),
    "pipeline": ("las", "LAS from raw text"),
    "parse": ("f1", "F1 of brackets"),
}


def can_train(served: Served) -> bool:
    """Whether examples that a person corrected can train such a model; aligners learn from pairs without links."""
    return served.tool.name in MEASURES


def training_command(served: Served, examples: str, output: str, *, start: bool) -> list[str]:
    """The command that trains a model like this one. start: continue from its weights, where the tool can.

    A pipeline always begins with the served one: what does not learn from the examples stays, such as its names,
    its language and steps whose columns the examples do not have.
    """
    command = [*_palmette("train", served.tool.name), "--train", examples, "-o", output]
    if start and can_start(served):
        return [*command, "--start", served.path]
    if served.tool.name == "pipeline":
        method = _own(served).get("method")
        command += ["--start", served.path, "--only", ",".join(_learnable(served, examples))]
        return [*command, "--method", method] if isinstance(method, str) else command
    options = _own(served)
    facts = options.get("training")
    facts = facts if isinstance(facts, dict) else {}
    if served.tool.name in ("tag", "spans"):
        command += ["--column", str(facts["column"])] if facts.get("column") is not None else []
        command += ["--order", str(options["order"])] if isinstance(options.get("order"), int) else []
    if served.tool.name in ("depparse", "parse") and isinstance(options.get("method"), str):
        command += ["--method", options["method"]]
    if served.file.kind == "pipeline":
        command += ["--with-tags"]
    return command + _learner(facts)


def evaluation_command(model: str, examples: str) -> list[str]:
    """The command that measures a model on examples."""
    return [*_palmette("evaluate"), model, examples, "--json", "-q"]


def can_start(served: Served) -> bool:
    """Whether training can go on from the weights of the model."""
    return served.file.kind in ("tagger", "span tagger") or served.tool.name == "pipeline"


def _learnable(served: Served, examples: str) -> list[str]:
    """The steps of a pipeline that examples can train."""
    corpus = read_conllu(examples)
    has_heads = corpus.heads is not None and bool((corpus.heads >= 0).any())
    found = {
        MORPHOLOGY: not all(is_empty(corpus, name) for name in ("upos", "xpos", "feats")),
        LEMMAS: not is_empty(corpus, "lemma"),
        PARSER: has_heads,
    }
    steps = [step.name for step in served.object.steps_]
    able = [name for name, there in found.items() if there and name in steps]
    if not able:
        raise ValueError(
            f"the sentences have no values that a step of {served.name} learns: {', '.join(steps)}"
        )
    return able


def _palmette(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "palmette", *arguments]


def _own(served: Served) -> Mapping[str, Any]:
    """The options of the model, or of the parser in a pipeline."""
    parts = served.file.options.get("parts")
    if isinstance(parts, list):
        for part in parts:
            if isinstance(part, dict) and part.get("name") == "parser":
                found: Mapping[str, Any] = part["options"]
                return found
    return served.file.options


def _learner(facts: Mapping[str, Any]) -> list[str]:
    """The learner, with its options that are not the usual ones."""
    name = next((n for n in LEARNERS if learner_class(n).__name__ == facts.get("learner")), None)
    if name is None:
        return []
    usual: Any = learner_class(name)()
    given = facts.get("settings")
    changed = {
        key: value
        for key, value in (given.items() if isinstance(given, dict) else ())
        if value is not None and getattr(usual, key, None) != value and key != "random_state"
    }
    settings = [part for key, value in changed.items() for part in ("--set", f"{key}={value}")]
    return ["--learner", name, *settings]
