"""What the training commands of all tools share: reports of passes and of Ctrl-C, facts for the model, help."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, Protocol, cast

from palmette.cli import signals
from palmette.cli.run import Run
from palmette.errors import UsageError
from palmette.learning.capabilities import SUMS, AnyLearner, Capabilities, fitting_learners
from palmette.learning.learner import Callback, Learner, Report
from palmette.learning.registry import (
    LEARNERS,
    check_name,
    learner_class,
    learner_name,
    make_learner,
    read_settings,
)
from palmette.parameters import refuse_unknown
from palmette.tools.methods import Methods


def learners_help(text: str, offers: Capabilities) -> str:
    """Return the help of a training command, and below it the learners that need only what is offered."""
    names = fitting_learners(offers)
    width = max(map(len, names))
    lines = [f"  {name:<{width}}  {LEARNERS[name].summary}" for name in names]
    heading = "Learners (--learner NAME, and their options with --set):"
    return "\n".join([inspect.cleandoc(text), "", "\b", heading, *lines])


def methods_help(methods: Methods, *, dotted: bool = False) -> Iterator[str]:
    """Return the help of methods, with a line for each option; methods with the same options come together.

    dotted: the name of the method comes before that of the option, as in --set hmm.p0=0.3.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for name, method in methods.items():
        groups.setdefault((method.options, str(method.preset)), []).append(name)
    for first, *others in groups.values():
        method = methods[first]
        setting = f"--set {first}.NAME=VALUE" if dotted else "--set"
        yield from ("", "\b", f"Options of --method {first} ({method.summary}), with {setting}:")
        yield from (f"  {line}" for line in method.options_class.help_lines(method.preset))
        yield from (f"--method {name}, with the same options: {methods[name].summary}." for name in others)


def run_learner(
    run: Run, usual: Sequence[AnyLearner], offers: Capabilities, *, other: Collection[str] = ()
) -> Any:
    """Return the learner that --learner names, or the first usual one, with what --set says of it.

    usual: learners as the tool sets them up: --set changes some options of one, and the rest stay. offers: what
    the tool offers, for a message about an unknown name. other: the settings that are not for the learner.
    """
    settings = {key: value for key, value in run.settings.items() if key not in other}
    name = run.learner or learner_name(usual[0])
    if name not in LEARNERS:
        check_name(name, fitting_learners(offers))
    known = learner_class(name)
    start = next((one for one in usual if type(one) is known), None)
    if start is None:
        return make_learner(name, settings, random_state=run.seed, n_jobs=run.n_jobs)
    common = {"random_state": run.seed, "n_jobs": run.n_jobs}
    own = {key: value for key, value in common.items() if key in known.names()}
    changed = read_settings(known, f"the learner {name!r}", settings)
    return replace(cast(Any, start), **own | changed)


def chosen_learner(method: str, usual: Sequence[Learner], known: Sequence[str], run: Run) -> Learner:
    """Return the learner of a method, as `run_learner` does; known: the method's own options."""
    try:
        learner: Learner = run_learner(run, usual, SUMS, other=known)
        return learner
    except ValueError as error:
        if "has no option" not in str(error):
            raise
        own = learner_class(run.learner or learner_name(usual[0])).names()
        for key in run.settings:
            if key not in own and set(get_close_matches(key, [*own, *known], 1)) & set(known):
                refuse_unknown([key], known, f"The method {method!r}")
        raise UsageError(f"{error}; the method {method!r} has {', '.join(known) or 'none'}") from None


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
        where = "".join(f"{value:<6}  " for value in report.where.values())
        run.progress.note(f"{where}pass {report.epoch:>3}  {report.seconds:6.1f} s  {numbers}{better}")

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
            raise UsageError(f"--about {pair}: expected KEY=VALUE, such as licence=CC-BY-SA-4.0")
        facts[key] = value
    return facts
