"""Training a dependency parser from files: what `palmette train depparse` does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from palmette.cli.run import Run
from palmette.cli.tools.training import (
    chosen_learner,
    facts_of,
    method_help,
    pass_notes,
    tell_of_training,
)
from palmette.formats.conllu import parse_conllu
from palmette.formats.errors import FormatError
from palmette.formats.files import display_name, read_bytes
from palmette.formats.model import ModelFile, fingerprint
from palmette.learning.learner import Learner
from palmette.learning.registry import make_learner
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
    parser.check_learner()
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
    tell_of_training(parser, "sentence that is no tree", "sentences that are no trees")
    return parser.to_model(compact=compact, fingerprint=fingerprint(data), about=facts)


def methods_help() -> Iterator[str]:
    """The methods with their options, for the help of the command."""
    for name, method in METHODS.items():
        yield from method_help(name, method.summary, method_options(name))


def learner_and_options(method: str, run: Run) -> tuple[Learner, dict[str, Any]]:
    """The learner, and the options of the method: --set is for both."""
    known = method_options(method)
    chosen = {key: value for key, value in run.settings.items() if key in known}
    return chosen_learner(method, default_learner(method), known, run), chosen
