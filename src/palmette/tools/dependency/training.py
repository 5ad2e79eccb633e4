"""Training of a dependency parser: check the trees, tag the words by jackknifing, and let the method train."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from palmette.errors import UsageError
from palmette.formats.corpus import Corpus
from palmette.tools.dependency.going_on import check_options, start_of
from palmette.tools.dependency.model import METHODS, SCORERS, Trained, TreeModel, plan_training
from palmette.tools.dependency.tags import TAGGED, chosen_columns, completed, require_columns, views_of
from palmette.tools.dependency.treebank import (
    ANY_RELATION,
    UNLABELLED,
    Trees,
    as_sentences,
    check_trees,
    gold_trees,
    is_root,
    placed,
    relations_of,
)
from palmette.tools.sequence.jackknifing import jackknifed, train_taggers
from palmette.tools.training_record import training_record

if TYPE_CHECKING:
    from palmette.learning.learner import Callback
    from palmette.tools.dependency.parser import DependencyParser
    from palmette.tools.dependency.scorers import TrainedNetwork
    from palmette.tools.sequence.tagger import Tagger

FOLDS = 5  # of jackknifing, where none are named


class TrainedParser(NamedTuple):
    """What training gives a parser; record: for its users, as `training_`."""

    trained: Trained | TrainedNetwork
    columns: Sequence[str]
    taggers: dict[str, Tagger]
    record: dict[str, Any]
    notes: list[str]


def train_parser(
    parser: DependencyParser,
    X: Any,
    y: Trees | None,
    *,
    dev: Any,
    skip_bad: bool,
    callback: Callback | None,
    note: Callable[[str], None],
    n_jobs: int,
    warm_start: bool = False,
) -> TrainedParser:
    """Train with the parameters of a parser, which is not changed; the other arguments are those of its `fit`."""
    start = start_of(parser) if warm_start else None
    options = dict(parser.options or {})
    corpus = check_trees(
        as_sentences(X, y, lenient=skip_bad),
        skip_bad=skip_bad,
        several_roots=options.get("single_root") is False,
        path=os.fspath(X) if isinstance(X, (str, os.PathLike)) else None,
    )
    assert corpus.heads is not None
    names, labels = relations_of(corpus)
    if all(name == ANY_RELATION or is_root(name) for name in names):
        note(UNLABELLED)
    scorer, plan = parser.scorer, None
    if scorer is not None:
        from palmette.tools.dependency.scorers import check_scorer

        scorer = check_scorer(scorer, parser.method, parser.learner)
        choice = "" if start else SCORERS["neural"].plan_function(options, corpus.heads, corpus.offsets)[2]
    else:
        if start is not None:
            options = check_options(start.options, options)
        plan = plan_training(parser.method, corpus.heads, corpus.offsets, len(names), options, parser.learner)
        choice = "" if start else plan.choice
    if choice:
        note(choice)
    if start is None:
        columns = chosen_columns(parser.columns, corpus, taggers=parser.taggers)
    else:
        labels, names = start.labels_of(labels, names)
        columns = start.columns
        require_columns(corpus, columns, ())
        if scorer is not None:
            scorer = scorer.going_on(start.settings, type(scorer).for_trees())
    tagged = [name for name in columns if name in TAGGED]
    held_out = None if dev is None else gold_trees(*(dev if isinstance(dev, tuple) else (dev, None)))
    if held_out is not None:
        require_columns(held_out, columns, tagged if parser.taggers else ())
    folds = _folds(parser, tagged, len(corpus))
    seen = corpus
    if folds:
        seen = jackknifed(corpus, tagged, folds, parser.tag_learner, n_jobs=n_jobs, note=note)
    taggers = train_taggers(corpus, tagged, parser.tag_learner, parser.n_jobs) if parser.taggers else {}
    views = views_of(seen, columns)
    if start is not None:
        taggers = dict(parser.taggers_)
    score = None if held_out is None else _dev_score(held_out, columns, taggers, n_jobs)
    if scorer is not None:
        found: TrainedNetwork = SCORERS["neural"].train_function(
            views,
            corpus.heads,
            labels,
            names,
            columns,
            options=options,
            scorer=scorer,
            dev=score,
            callback=callback,
            n_jobs=n_jobs,
            start=None if start is None else start.model,
        )
        record = training_record(scorer, found, views) | {"jackknife": folds, "skipped": corpus.n_skipped}
        return TrainedParser(found, columns, taggers, record, list(found.notes))
    assert plan is not None
    learner = plan.learner
    if parser.n_jobs is not None:
        learner = dataclasses.replace(learner, n_jobs=n_jobs)
    trained: Trained = METHODS.named(parser.method).train_function(
        views,
        corpus.heads,
        labels,
        names,
        options=plan.options,
        learner=learner,
        dev=score,
        callback=callback,
        n_jobs=n_jobs,
        **({} if start is None else {"start": start.model}),
    )
    record = training_record(trained.learner, trained, views)
    record |= {"jackknife": folds, "skipped": corpus.n_skipped}
    return TrainedParser(trained, columns, taggers, record, [*plan.notes, *trained.notes])


def _folds(parser: DependencyParser, tagged: Sequence[str], sentences: int) -> int:
    folds = parser.jackknife
    if folds is None:  # a single sentence cannot be cut
        folds = min(FOLDS, sentences) if parser.taggers and tagged and sentences > 1 else 0
    if not isinstance(folds, int) or isinstance(folds, bool) or folds < 0 or folds == 1:
        raise UsageError(
            f"The 'jackknife' parameter must be 0 or a number of parts from 2 on. Got {folds!r}."
        )
    if tagged and folds > sentences:
        raise ValueError(
            f"{sentences} sentences cannot be cut into {folds} parts: take a smaller 'jackknife'."
        )
    return folds if tagged else 0


def _dev_score(
    gold: Corpus, columns: Sequence[str], taggers: Mapping[str, Tagger], n_jobs: int
) -> Callable[[TreeModel], float]:
    from palmette.evaluation.dependencies import evaluate_dependencies

    views = views_of(completed(gold, columns, taggers, retag=bool(taggers)), columns)

    def score(model: TreeModel) -> float:
        parses = model.parse(views, n_jobs=n_jobs)
        return float(evaluate_dependencies(gold, placed(gold, parses, model.labels)).las)

    return score
