"""What the training commands of all tools share: telling of passes and of Ctrl-C, facts for the model, help."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence

from palmette.cli.run import Run
from palmette.learning.learner import Callback, Report
from palmette.learning.registry import LEARNERS, learner_names


def learners_help(text: str, without: Sequence[str] = ()) -> str:
    """The help of a training command, with the learners below; without: those that it cannot use."""
    usable = [name for name in learner_names() if name not in without]
    lines = [f"  {name:<12}{LEARNERS[name].summary}" for name in usable]
    heading = "Learners (--learner NAME, and their options with --set):"
    return "\n".join([inspect.cleandoc(text), "", "\b", heading, *lines])


def pass_notes(run: Run) -> Callback:
    """Tells of every pass in a line."""

    def note(report: Report) -> None:
        numbers = "  ".join(f"{name} {value:,.4f}" for name, value in report.numbers.items())
        better = "  *" if report.best and "dev" in report.numbers else ""
        run.progress.note(f"pass {report.epoch:>3}  {report.seconds:6.1f} s  {numbers}{better}")

    return note


def tell_of_interruption(history: Sequence[Report]) -> None:
    """Say that Ctrl-C ended the training; KeyboardInterrupt again if there was not one pass."""
    if not history:
        raise KeyboardInterrupt  # nothing was learnt that would be worth keeping
    n = len(history)
    print(
        f"palmette: interrupted after {n} pass{'' if n == 1 else 'es'}; the best so far is saved",
        file=sys.stderr,
    )


def facts_of(pairs: Sequence[str] | None) -> dict[str, str]:
    """The facts of --about KEY=VALUE."""
    facts: dict[str, str] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not equals or not key.isidentifier():
            raise ValueError(f"--about {pair}: write KEY=VALUE, as in licence=CC-BY-SA-4.0")
        facts[key] = value
    return facts
