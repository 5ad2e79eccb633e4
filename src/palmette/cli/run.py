"""What a tool is told about one run of a command, the options that all tools share, and tools from model files.

A server keeps the tools that it made, so that a model is restored once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from palmette.cli.progress import Progress
from palmette.formats.reading import Reading

if TYPE_CHECKING:
    from palmette.formats.model import ModelFile

# By the identity of the model file: the file, so that it stays, and its tools by class.
_KEPT: dict[int, tuple[ModelFile, dict[type, Any]]] = {}


@dataclass(frozen=True)
class Run:
    """The common options.

    learner: its name, or None for the tool's own choice; settings: what --set gave it.
    seed: for everything random. n_jobs: threads, at least 1. progress: where to show what goes on.
    reading: how the input of `predict` is read. jsonl: whether `predict` writes JSON lines.
    """

    learner: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    seed: int = 0
    n_jobs: int = 1
    progress: Progress = field(default_factory=lambda: Progress(quiet=True))
    reading: Reading = field(default_factory=Reading)
    jsonl: bool = False


def keep(model: ModelFile) -> None:
    """From now on, keep what is made from this file."""
    _KEPT[id(model)] = (model, {})


def forget(model: ModelFile) -> None:
    """Keep no tool of this file any longer."""
    _KEPT.pop(id(model), None)


def restored(kind: type, model: ModelFile, **parameters: Any) -> Any:
    """Return the tool of a model file, with other values of some parameters.

    A kept tool is returned as a copy of its outermost object, so that a command may set parameters of its own.
    """
    maker: Any = kind
    if id(model) not in _KEPT:
        tool = maker.from_model(model)
    else:
        _, tools = _KEPT[id(model)]
        made = tools.get(kind)
        if made is None:
            made = tools.setdefault(kind, maker.from_model(model))
        tool = object.__new__(kind)
        tool.__dict__.update(made.__dict__)
    for name, value in parameters.items():
        setattr(tool, name, value)
    return tool
