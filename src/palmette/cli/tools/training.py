"""What the training commands of all tools share: reports of passes and of Ctrl-C, facts for the model, help."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Protocol

from palmette.cli import signals
from palmette.cli.run import Run
from palmette.learning.capabilities import Capabilities, fitting_learners
from palmette.learning.learner import Callback, Learner, Report
from palmette.learning.registry import LEARNERS, learner_class, make_learner
from palmette.parameters import refuse_unknown


def learners_help(text: str, offers: Capabilities) -> str:
    """Return the help of a training command, and below it the learners that need only what is offered."""
    lines = [f"  {name:<12}{LEARNERS[name].summary}" for name in fitting_learners(offers)]
    heading = "Learners (--learner NAME, and their options with --set):"
    return "\n".join([inspect.cleandoc(text), "", "\b", heading, *lines])


def method_help(name: str, summary: str, lines: Iterable[str]) -> Iterator[str]:
    """Return the help of a method, with a line for each option."""
    yield from ("", "\b", f"Options of --method {name} ({summary}), with --set:")
    yield from (f"  {line}" for line in lines)


def chosen_learner(method: str, usual: Learner, known: Sequence[str], run: Run) -> Learner:
    """The learner that the run names, or that which the method has; --set without the method's own options."""
    settings = {key: value for key, value in run.settings.items() if key not in known}
    name = run.learner or _name_of(usual)
    try:
        asked = make_learner(name, settings, random_state=run.seed, n_jobs=run.n_jobs)
    except ValueError as error:
        if "has no option" not in str(error):
            raise
        own = learner_class(name).__dataclass_fields__
        for key in settings:
            if key not in own and set(get_close_matches(key, [*own, *known], 1)) & set(known):
                refuse_unknown([key], known, f"The method {method!r}")
        raise ValueError(f"{error}; the method {method!r} has {', '.join(known) or 'none'}") from None
    if type(asked) is not type(usual):
        return asked
    # The method's own settings of its learner hold where nothing else is asked for.
    return replace(usual, **{"random_state": run.seed, "n_jobs": run.n_jobs} | settings)


def _name_of(learner: Learner) -> str:
    found = (name for name in LEARNERS if learner_class(name) is type(learner))
    name = next(found, None)
    if name is None:
        raise ValueError(f"{type(learner).__name__} is not among the learners: name one with --learner.")
    return name


class Told(Protocol):
    """The fields of a freshly trained parser that the training report prints."""

    history_: tuple[Report, ...]
    interrupted_: bool
    training_: dict[str, Any]


def tell_of_training(parser: Told, run: Run, one: str, several: str) -> None:
    """Report an interruption, deviations from the request, and the number of sentences left out.

    one, several: what is left out, in words.
    """
    if parser.interrupted_:
        tell_of_interruption(parser.history_, run)
    for text in parser.training_.get("notes", ()):
        run.progress.warn(text)
    skipped = parser.training_["skipped"]
    if skipped:
        what = f"1 {one}" if skipped == 1 else f"{skipped:,} {several}"
        run.progress.warn(f"left out {what}")


def pass_notes(run: Run) -> Callback:
    """Return a callback that notes every pass in a line: counts as whole numbers, others with four decimals."""

    def note(report: Report) -> None:
        numbers = "  ".join(
            f"{name} {value:,}" if isinstance(value, int) else f"{name} {value:,.4f}"
            for name, value in report.numbers.items()
        )
        better = "  *" if report.best and "dev" in report.numbers else ""
        run.progress.note(f"pass {report.epoch:>3}  {report.seconds:6.1f} s  {numbers}{better}")

    return note


def tell_of_interruption(history: Sequence[Report], run: Run) -> None:
    """Report that a signal ended the training; raise KeyboardInterrupt if no pass was completed."""
    if not history:
        raise KeyboardInterrupt  # nothing was learnt that would be worth keeping
    n = len(history)
    run.progress.interrupt(
        f"{signals.verb()} after {n} pass{'' if n == 1 else 'es'}; the best so far is saved"
    )


def facts_of(pairs: Sequence[str] | None) -> dict[str, str]:
    """The facts of --about KEY=VALUE."""
    facts: dict[str, str] = {}
    for pair in pairs or ():
        key, equals, value = pair.partition("=")
        if not equals or not key.isidentifier():
            raise ValueError(f"--about {pair}: expected KEY=VALUE, such as licence=CC-BY-SA-4.0")
        facts[key] = value
    return facts
