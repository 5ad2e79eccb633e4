"""What a tool is told about one run of a command: the options that all tools share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from palmette.cli.progress import Progress
from palmette.formats.reading import Reading


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
