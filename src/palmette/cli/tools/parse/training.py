"""Training a constituency parser from files: what `palmette train parse` does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from palmette.cli.run import Run
from palmette.cli.tools.training import (
    chosen_learner,
    facts_of,
    pass_notes,
    tell_of_training,
)
from palmette.errors import FormatError, UsageError
from palmette.formats.files import display_name, read_bytes
from palmette.formats.functions import functions_of, told_of_functions
from palmette.formats.model import ModelFile, fingerprint
from palmette.learning.learner import Learner
from palmette.messages import counted
from palmette.tools.constituency.input import parse_trees, read_trees
from palmette.tools.constituency.model import METHODS
from palmette.tools.constituency.parser import ConstituencyParser


def train_parser(
    run: Run,
    *,
    train: str,
    dev: str | None,
    method: str,
    functions: str | None,
    keep_functions: bool,
    skip_bad: bool,
    about: Sequence[str] | None,
) -> ModelFile:
    """Train a parser, and make its model file."""
    learner, chosen = learner_and_options(method, run)
    parser = ConstituencyParser(
        method,
        learner,
        options=chosen or None,
        functions=functions,
        keep_functions=keep_functions,
        random_state=run.seed,
        n_jobs=run.n_jobs,
    )
    parser.check_learner()
    facts = facts_of(about)
    data = read_bytes(train)
    trees = parse_trees(data, train, lenient=skip_bad)
    held_out = None if dev is None else read_trees(dev)
    run.progress.note(f"{counted(len(trees), 'tree')}")
    told = told_of_functions(trees, functions_of(trees, functions))
    if told:
        verb, option = ("kept", "") if keep_functions else ("stripped", "; --keep-functions keeps them")
        run.progress.note(f"{told}: {verb}{option}")
    try:
        parser.fit(trees, dev=held_out, skip_bad=skip_bad, callback=pass_notes(run))
    except FormatError as error:
        raise FormatError(error.message, path=error.path or display_name(train), line=error.line) from error
    if held_out is not None and (chooses := METHODS[method].dev):
        scores = [report.numbers["dev"] for report in parser.history_ if "dev" in report.numbers]
        run.progress.note(
            f"chose {chooses} on {display_name(str(dev))}" + (f": F1 {max(scores):.4f}" if scores else "")
        )
    tell_of_training(parser, run, "tree that cannot be learnt", "trees that cannot be learnt")
    return parser.to_model(fingerprint=fingerprint(data), about=facts)


def learner_and_options(method: str, run: Run) -> tuple[Learner | None, dict[str, Any]]:
    """The learner of a method that learns, and the options of the method: --set is for both."""
    chosen_method = METHODS.named(method)
    known, usual = chosen_method.options_class.names(), chosen_method.usual_learners
    chosen = {key: value for key, value in run.settings.items() if not usual or key in known}
    if usual:
        return chosen_learner(method, usual, known, run), chosen
    if run.learner is not None:
        learning = ", ".join(METHODS.learning) or "none"
        raise UsageError(
            f"the method {method!r} counts, and takes no --learner; methods that learn: {learning}"
        )
    return None, chosen
