"""`--scorer neural`, which the tools share: its options, and the losses by the names of learners."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from enum import StrEnum
from typing import Any

from palmette.cli.run import Run
from palmette.errors import UsageError
from palmette.features.network.options import Neural
from palmette.learning.registry import read_settings

LOSSES = ("crf", "perceptron", "svm")


class Scorer(StrEnum):
    """Where scores come from."""

    linear = "linear"
    neural = "neural"


def neural_options(run: Run, usual: Neural | None = None) -> Neural:
    """Return the options of --set; --learner names the loss. usual: the defaults of the tool."""
    settings: dict[str, Any] = read_settings(Neural, "the neural scorer", run.settings)
    if run.learner is not None:
        if run.learner not in LOSSES:
            raise UsageError(
                f"a network is trained by one of the learners {', '.join(LOSSES)}; got --learner {run.learner}"
            )
        if settings.setdefault("loss", run.learner) != run.learner:
            raise UsageError(
                f"--learner {run.learner} and --set loss={settings['loss']} contradict each other"
            )
    return replace(usual or Neural(), random_state=run.seed, **settings)


def with_neural_options(text: str, without: Collection[str] = ()) -> str:
    """Return a help text with the options of networks below it. without: those that do nothing here."""
    lines = [f"  {line}" for line in Neural.help_lines() if line.partition(":")[0] not in without]
    learners = f"--learner {'|'.join(LOSSES)} is its loss"
    return "\n".join([text, "", "\b", f"Options of --scorer neural ({learners}), with --set:", *lines])
