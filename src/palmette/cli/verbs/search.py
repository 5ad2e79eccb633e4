"""`palmette search TOOL ...`: which options, learner and method suit the examples."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from palmette.cli.experiments import (
    DevFolds,
    PlotFile,
    Processes,
    Reference,
    experiment,
    run_experiment,
    settings_of,
)
from palmette.cli.options import (
    AsJson,
    HelpLearner,
    Learner,
    Quiet,
    Seed,
    Settings,
    parse_settings,
)
from palmette.cli.progress import Progress

if TYPE_CHECKING:
    from palmette.cli.experiments import TrainedTool

_COMMA = re.compile(r",(?![^\[]*\])")  # not inside of a list


def search(
    work: TrainedTool,
    /,
    *,
    tried: Annotated[
        list[str] | None,
        typer.Option(
            "--try",
            metavar="KEY=VALUE,VALUE",
            help="Values to try, of an option of the learner or the method (as in --set), or of the command "
            "(order=1,2); repeatable: all combinations are tried.",
        ),
    ] = None,
    learners: Annotated[
        str | None,
        typer.Option("--learners", metavar="NAMES", help="Learners to try, between commas."),
    ] = None,
    at_most: Annotated[
        int | None,
        typer.Option("--at-most", metavar="N", min=1, help="Try N of the combinations, chosen at random."),
    ] = None,
    folds: DevFolds = None,
    reference: Reference = None,
    plot: PlotFile = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="MODEL",
            help="Also train the best on all examples, and save it (*.palm).",
        ),
    ] = None,
    learner: Learner = None,
    help_learner: HelpLearner = None,
    settings: Settings = None,
    seed: Seed = 0,
    n_jobs: Processes = 1,
    json: AsJson = False,
    quiet: Quiet = False,
    **own: Any,
) -> None:
    """Try options, learners and methods on the same folds of the examples, or on a dev set; the best comes first.

    "behind" is the mean difference to the best; its 95 % interval and p-value are those of a t-test for folds
    that share their training data (Nadeau and Bengio 2003).
    """
    from palmette.formats.model import check_target
    from palmette.tools.experiments.search import Search
    from palmette.tools.experiments.search import search as find

    if output is not None:
        check_target(output)
    candidates = candidates_of(work, tried, learners)
    with Progress(quiet, plain=True) as progress:
        run = settings_of(learner, settings, seed, progress)
        found = run_experiment(
            work,
            run,
            own,
            reference,
            n_jobs,
            plot,
            lambda material, jobs, told: find(
                material,
                candidates=candidates,
                at_most=at_most,
                folds=folds,
                random_state=seed,
                n_jobs=jobs,
                callback=told,
            ),
            lambda trials, measures, lower: Search(trials, candidates, measures, lower),
            json=json,
            title=f"{work.tool.name}: search",
        )
        if output is not None:
            _save(work, run, own, found.best, output)


def _save(work: TrainedTool, run: Any, own: Mapping[str, Any], best: Mapping[str, Any], output: Path) -> None:
    from palmette.cli.file_material import with_settings
    from palmette.tools.experiments.search import named

    chosen, more = with_settings(work, run, best)
    work(chosen, **{**own, **more}).save(output)
    run.progress.note(f"saved {output}: {named(best)}")


def candidates_of(
    work: TrainedTool, tried: Sequence[str] | None, learners: str | None
) -> list[dict[str, Any]]:
    """Return the settings to try: of each learner all combinations of the options that are its own or anyone's."""
    from palmette.learning.registry import LEARNERS, check_name, learner_class
    from palmette.tools.experiments.search import grid

    choices = _choices(work, tried)
    names = [name.strip() for name in (learners or "").split(",") if name.strip()]
    if not choices and not names:
        raise typer.BadParameter(
            "expected something to try: --try KEY=VALUE,VALUE or --learners", param_hint="'--try'"
        )
    if not names:
        return grid(choices)
    for name in names:
        check_name(name, list(LEARNERS))
    options = {name: set(learner_class(name).names()) for name in names}
    anyone = set().union(*options.values())
    found: list[dict[str, Any]] = []
    for name in names:
        own = {key: values for key, values in choices.items() if key in options[name] or key not in anyone}
        found += [{"learner": name, **one} for one in grid(own)]
    return found


def _choices(work: TrainedTool, tried: Sequence[str] | None) -> dict[str, list[Any]]:
    known = inspect.signature(work).parameters
    found: dict[str, list[Any]] = {}
    for pair in tried or ():
        key, equals, values = pair.partition("=")
        if not equals or not key or not values:
            raise typer.BadParameter(
                f"{pair!r} is not KEY=VALUE,VALUE, as in l2=0.1,1,10", param_hint="'--try'"
            )
        name = key.replace("-", "_")
        if key in found or name in found:
            raise typer.BadParameter(f"{key!r} is tried twice", param_hint="'--try'")
        if name in known and name != "run":
            found[name] = [_value(work, name, value) for value in _COMMA.split(values)]
        else:
            found[key] = [parse_settings([f"{key}={value}"])[key] for value in _COMMA.split(values)]
    return found


def _value(work: TrainedTool, name: str, text: str) -> Any:
    """A value of an option of the command, in its type."""
    annotation = inspect.signature(work).parameters[name].annotation
    if isinstance(annotation, str):
        annotation = eval(annotation, work.func.__globals__)
    kinds = get_args(get_args(annotation)[0]) or (get_args(annotation)[0],)
    value = parse_settings([f"{name}={text}"])[name]
    if value is None and type(None) in kinds:
        return None
    for kind in kinds:
        if isinstance(kind, type) and issubclass(kind, Enum):
            names = [str(one.value) for one in kind]
            if text not in names:
                raise typer.BadParameter(
                    f"{name}={text}: expected one of {', '.join(names)}", param_hint="'--try'"
                )
            return kind(text)
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            return float(value)
        if isinstance(kind, type) and type(value) is kind:
            return value
    if str in kinds:
        return text
    wanted = " or ".join(kind.__name__ for kind in kinds if kind is not type(None))
    raise typer.BadParameter(f"{name}={text}: expected {wanted}", param_hint="'--try'")


command = experiment(
    search,
    "Find the options, the learner and the method that suit the examples, by trying them on the same folds.",
    [
        "palmette search tag --train train.conllu --learners crf,perceptron,mira --folds 5",
        "palmette search spans --train names.txt --try l2=0.1,1 --try order=1,2 --plot search.svg",
        "palmette search depparse --train train.conllu --dev dev.conllu --try method=graph,transition",
    ],
)
