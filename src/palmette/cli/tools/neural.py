"""`--scorer neural`, which the tools share: its options, and the losses by the names of learners."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from palmette.errors import UsageError

if TYPE_CHECKING:
    from palmette.cli.run import Run
    from palmette.features.network.options import Neural

LOSSES = ("crf", "perceptron", "svm", "risk")


class Scorer(StrEnum):
    """Where scores come from."""

    linear = "linear"
    neural = "neural"


def neural_options(run: Run, usual: Neural | None = None) -> Neural:
    """Return the options of --set; --learner names the loss. usual: the defaults of the tool."""
    from palmette.features.network.options import Neural
    from palmette.learning.registry import read_settings

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
    return replace(usual or Neural(), **{"random_state": run.seed, **settings})


def with_neural_options(text: str, *, trees: bool = False) -> str:
    """Return a help text with the options of networks below it, those for sequences or those for trees."""
    from palmette.features.network.options import FOR_SEQUENCES, FOR_TREES, Neural

    without = FOR_SEQUENCES if trees else FOR_TREES
    usual = Neural.for_trees() if trees else Neural()
    lines = [f"  {line}" for line in Neural.help_lines(vars(usual)) if line.partition(":")[0] not in without]
    learners = f"--learner {'|'.join(LOSSES)} is its loss"
    return "\n".join([text, "", "\b", f"Options of --scorer neural ({learners}), with --set:", *lines])
