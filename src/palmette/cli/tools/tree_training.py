"""Training a dependency parser from files: what `palmette train depparse` does."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from palmette.cli.run import Run
from palmette.cli.tools.training import facts_of, pass_notes, tell_of_interruption
from palmette.formats.conllu import parse_conllu
from palmette.formats.errors import FormatError
from palmette.formats.files import display_name, read_bytes
from palmette.formats.model import ModelFile, fingerprint
from palmette.learning.learner import Learner
from palmette.learning.registry import LEARNERS, learner_class, make_learner
from palmette.tools.dependency.model import METHODS, default_learner, method_options
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.dependency.treebank import require_heads


def train_parser(
    run: Run,
    *,
    train: str,
    dev: str | None,
    method: str,
    columns: str | None,
    with_tags: bool,
    jackknife: int | None,
    tag_learner: str | None,
    skip_bad: bool,
    compact: bool,
    about: Sequence[str] | None,
) -> ModelFile:
    """Train a parser, and make its model file."""
    learner, chosen = learner_and_options(method, run)
    tagging = None if tag_learner is None else make_learner(tag_learner, {}, random_state=run.seed)
    parser = DependencyParser(
        method,
        learner,
        options=chosen or None,
        columns=None if columns is None else [name.strip() for name in columns.split(",") if name.strip()],
        taggers=with_tags,
        jackknife=jackknife,
        tag_learner=tagging,
        n_jobs=run.n_jobs,
    )
    facts = facts_of(about)
    data = read_bytes(train)
    corpus = parse_conllu(data, lenient=skip_bad, path=display_name(train))
    held_out = None
    if dev is not None:
        path = display_name(dev)
        held_out = require_heads(parse_conllu(read_bytes(dev), path=path), path=path)
    run.progress.note(f"{len(corpus):,} sentences, {corpus.n_words:,} words")
    try:
        parser.fit(corpus, dev=held_out, skip_bad=skip_bad, callback=pass_notes(run), note=run.progress.note)
    except FormatError as error:
        raise FormatError(error.message, path=error.path or display_name(train), line=error.line) from error
    if parser.interrupted_:
        tell_of_interruption(parser.history_)
    for text in parser.training_.get("notes", ()):
        print(f"palmette: {text}", file=sys.stderr)
    skipped = parser.training_["skipped"]
    if skipped:
        what = "1 sentence that is no tree" if skipped == 1 else f"{skipped:,} sentences that are no trees"
        print(f"palmette: left out {what}", file=sys.stderr)
    return parser.to_model(compact=compact, fingerprint=fingerprint(data), about=facts)


def methods_help() -> Iterator[str]:
    """The methods with their options, for the help of the command."""
    for name, method in METHODS.items():
        yield from ("", "\b", f"Options of --method {name} ({method.summary}), with --set:")
        yield from (f"  {option:<13}{line}" for option, line in method_options(name).items())


def learner_and_options(method: str, run: Run) -> tuple[Learner, dict[str, Any]]:
    """The learner, and the options of the method: --set is for both."""
    known = method_options(method)
    chosen = {key: value for key, value in run.settings.items() if key in known}
    settings = {key: value for key, value in run.settings.items() if key not in known}
    usual = default_learner(method)
    name = run.learner or _name_of(usual)
    try:
        asked = make_learner(name, settings, random_state=run.seed, n_jobs=run.n_jobs)
    except ValueError as error:
        if "has no option" not in str(error):
            raise
        raise ValueError(f"{error}; the method {method!r} has {', '.join(known) or 'none'}") from None
    if type(asked) is not type(usual):
        return asked, chosen
    # The method's own settings of its learner hold where nothing else is asked for.
    return replace(usual, **{"random_state": run.seed, "n_jobs": run.n_jobs} | settings), chosen


def _name_of(learner: Learner) -> str:
    found = (name for name in LEARNERS if learner_class(name) is type(learner))
    name = next(found, None)
    if name is None:
        raise ValueError(f"{type(learner).__name__} is not among the learners: name one with --learner.")
    return name
