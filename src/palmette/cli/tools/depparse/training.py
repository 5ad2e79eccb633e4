"""Training a dependency parser from files: what `palmette train depparse` does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from palmette.cli.run import Run
from palmette.cli.tools.neural import Scorer, neural_options
from palmette.cli.tools.training import (
    chosen_learner,
    facts_of,
    pass_notes,
    tell_of_training,
)
from palmette.errors import UsageError
from palmette.features.network.options import Neural
from palmette.formats.conllu import parse_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.files import display_name, read_bytes
from palmette.formats.guess import guess_format
from palmette.formats.model import ModelFile, fingerprint
from palmette.learning.learner import Learner
from palmette.learning.registry import make_learner
from palmette.messages import counted
from palmette.tools.dependency.model import METHODS, SCORERS, plan_training
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.dependency.scorers import check_scorer
from palmette.tools.dependency.treebank import check_trees, relations_of, require_heads


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
    scorer: Scorer = Scorer.linear,
    start: str | None = None,
) -> ModelFile:
    """Train a parser, and make its model file; start: a model to go on from."""
    neural = scorer is Scorer.neural
    known = (SCORERS["neural"] if neural else METHODS.named(method)).options_class.names()
    chosen = {key: value for key, value in run.settings.items() if key in known}
    network = None
    if neural:
        settings = {key: value for key, value in run.settings.items() if key not in known}
        network = neural_options(replace(run, settings=settings), Neural.for_trees())
        check_scorer(network, method, None)
    elif run.learner is not None:  # what cannot work is said before anything is read
        DependencyParser(method, make_learner(run.learner, {}), options=chosen or None).check_learner()
    data = read_bytes(train)
    corpus = check_trees(
        parse_treebank(train, data, lenient=skip_bad),
        skip_bad=skip_bad,
        several_roots=chosen.get("single_root") is False,
        path=display_name(train),
    )
    learner = None if neural else learner_of(method, corpus, chosen, run)
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
        scorer=network,
    )
    parser.check_learner()
    if start is not None:
        go_on_from(start, parser)
    facts = facts_of(about)
    held_out = None
    if dev is not None:
        held_out = require_heads(read_treebank(dev), path=display_name(dev))
    run.progress.note(f"{counted(len(corpus), 'sentence')}, {counted(corpus.n_words, 'word')}")
    parser.fit(
        corpus, dev=held_out, callback=pass_notes(run), note=run.progress.note, warm_start=start is not None
    )
    tell_of_training(
        parser, run, "sentence whose heads do not form a tree", "sentences whose heads do not form a tree"
    )
    return parser.to_model(compact=compact, fingerprint=fingerprint(data), about=facts)


def go_on_from(start: str, parser: DependencyParser) -> None:
    """Give a parser the model of a file."""
    old = DependencyParser.load(start)
    parser.model_, parser.columns_, parser.taggers_ = old.model_, old.columns_, old.taggers_
    parser.training_ = old.training_


def read_treebank(source: str) -> Corpus:
    """Read a CoNLL-U file as `parse_treebank` does."""
    return parse_treebank(source, read_bytes(source))


def parse_treebank(source: str, data: bytes, *, lenient: bool = False) -> Corpus:
    """Parse the content of a CoNLL-U file; phrase structure trees are an error that names the command for them."""
    format = guess_format(data)
    if format is not None and format.holds == "trees":
        raise ValueError(
            f"{display_name(source)} holds trees of phrases ({format.name}), and a dependency parser needs "
            "CoNLL-U with heads: palmette train parse learns from trees of phrases"
        )
    return parse_conllu(data, lenient=lenient, path=display_name(source))


def learner_of(method: str, corpus: Corpus, options: Mapping[str, Any], run: Run) -> Learner:
    """The learner that the run names, or the method's choice for the treebank, with what --set says of it."""
    assert corpus.heads is not None
    n_labels = len(relations_of(corpus)[0])
    plan = plan_training(method, corpus.heads, corpus.offsets, n_labels, options)
    known, usual = METHODS.named(method).options_class.names(), METHODS.named(method).usual_learners
    try:
        return chosen_learner(method, (plan.learner, *usual), known, run)
    except ValueError as error:
        if run.learner is not None or plan.learner is usual[0]:
            raise
        raise UsageError(
            f"{error}; it is the default because arcs of this treebank cross: name another with --learner"
        ) from None
