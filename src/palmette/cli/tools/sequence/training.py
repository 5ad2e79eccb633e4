"""Training a tagger from files: what `palmette train tag` and `palmette train spans` share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from palmette.cli.run import Run
from palmette.cli.tools.neural import Scorer, neural_options
from palmette.cli.tools.sequence.input import InputFormat, read_tokens
from palmette.cli.tools.training import facts_of, pass_notes, run_learner, tell_of_interruption
from palmette.errors import FormatError, UsageError
from palmette.features import Templates
from palmette.features.default_templates import DEFAULTS
from palmette.formats.corpus import Corpus
from palmette.formats.files import display_name, read_text
from palmette.formats.model import ModelFile, fingerprint
from palmette.messages import counted
from palmette.tools.sequence.histories import read_automaton
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tagger import Tagger


def train_tagger(
    tagger: Tagger,
    run: Run,
    *,
    train: str,
    dev: str | None,
    start: str | None = None,
    format: InputFormat | None,
    templates: str | None,
    automaton: str | None = None,
    gazetteers: Sequence[str] | None,
    clusters: Sequence[str] | None,
    compact: bool,
    about: Sequence[str] | None = None,
    scorer: Scorer = Scorer.linear,
) -> ModelFile:
    """Train a tagger that has its other parameters, and make its model file.

    start: a model to go on from.
    """
    tagger.n_jobs = run.n_jobs
    if scorer is Scorer.neural:
        tagger.scorer = neural_options(run)
        counts, looks = False, tagger.scorer.looks_at_templates
        if not looks and (templates or gazetteers or clusters):
            raise UsageError(
                "a recurrent network with linear=false looks at no templates; remove --templates, --gazetteer and "
                "--clusters"
            )
    else:
        learner = run_learner(run, [tagger.default_learner()], tagger.offers)
        tagger.learner = learner
        tagger.check_learner()
        counts, looks = "counts" in learner.needs, True
    if start is not None:
        _go_on_from(start, tagger, [templates, gazetteers, clusters, automaton])
    if automaton is not None:
        tagger.automaton = read_automaton(automaton)
    facts = facts_of(about)
    lists = {name: _lines(path) for name, path in _named_files(gazetteers, "gazetteer").items()}
    groups = {name: _clusters(path) for name, path in _named_files(clusters, "clusters").items()}
    corpus, data = read_tokens(train, format)
    held_out = None if dev is None else read_tokens(dev, format)[0]
    if start is not None or not looks:
        pass  # the features are those of the model, or there are none
    elif not counts:
        tagger.templates = _templates(templates, tagger, corpus, lists, groups)
    elif templates or lists or groups:
        raise UsageError(
            "the learner 'hmm' uses only words and their suffixes; remove --templates, --gazetteer and --clusters"
        )
    run.progress.note(f"{counted(len(corpus), 'sentence')}, {counted(corpus.n_words, 'token')}")
    try:
        tagger.fit(corpus, dev=held_out, callback=pass_notes(run), warm_start=start is not None)
    except FormatError as error:
        path = {None: train, "<dev>": dev}.get(error.path, error.path)
        raise FormatError(error.message, path=display_name(path or "-"), line=error.line) from error
    for text in tagger.training_.get("notes", ()):
        run.progress.warn(text)
    if tagger.interrupted_:
        tell_of_interruption(tagger.history_, run)
    return tagger.to_model(compact=compact, fingerprint=fingerprint(data), about=facts)


def _go_on_from(start: str, tagger: Tagger, features: Sequence[object]) -> None:
    """Give a tagger the model of a file; ValueError if it is also told to make its own features."""
    own = tagger.order is not None or tagger.min_count != 1 or tagger.hash_bits is not None
    if own or any(features):
        raise UsageError(
            "--start keeps the features and the histories of its model; remove --templates, --gazetteer, "
            "--clusters, --order, --automaton, --min-count and --hash-bits"
        )
    if tagger.learner is not None and "counts" in tagger.learner.needs:
        raise UsageError("the learner 'hmm' cannot continue from a model; remove --start")
    old = type(tagger).load(start)
    tagger.model_ = old.model_
    tagger.order = old.order
    tagger.training_ = old.training_
    if isinstance(tagger, SpanTagger) and isinstance(old, SpanTagger):
        tagger.scheme = old.scheme
    if tagger.column is None:
        tagger.column = old.column


def _templates(
    named: str | None,
    tagger: Tagger,
    corpus: Corpus,
    gazetteers: Mapping[str, list[str]],
    clusters: Mapping[str, dict[str, str]],
) -> Templates:
    """The templates of a name or a file, and for each list that they do not look at some that do."""
    given: dict[str, Any] = {"gazetteers": gazetteers, "clusters": clusters}
    if named is not None and named not in DEFAULTS:
        if not Path(named).exists() and "." not in named and "/" not in named:
            raise UsageError(f"unknown templates {named!r}: expected {', '.join(DEFAULTS)}, or a file")
        return Templates.read(named, **given)
    label = tagger.label_column(corpus)
    text = Templates.default(named or tagger.task, [name for name in corpus.names if name != label]).text
    text += "".join(f"\ngaz:{name}[-1..1]" for name in gazetteers)
    text += "".join(f"\ncluster:{name}[-1..1]\ncluster:{name}/4[-1..1]" for name in clusters)
    return Templates(text, **given)


def _named_files(pairs: Sequence[str] | None, option: str) -> dict[str, str]:
    named: dict[str, str] = {}
    for pair in pairs or ():
        name, equals, path = pair.partition("=")
        if not equals or not name or not path:
            raise UsageError(f"--{option} {pair}: expected NAME=FILE, such as cities=cities.txt")
        if name in named:
            raise UsageError(f"--{option} {name} is given twice")
        named[name] = path
    return named


def _lines(path: str) -> list[str]:
    return [line.strip() for line in read_text(path).splitlines() if line.strip()]


def _clusters(path: str) -> dict[str, str]:
    """Word to cluster; a first column of bits, as in Brown's files, is the cluster, else the second is."""
    rows = [line.split("\t") if "\t" in line else line.split() for line in _lines(path)]
    for number, row in enumerate(rows, 1):
        if len(row) < 2:
            raise FormatError("expected a cluster and a word on each line", path=path, line=number)
    bits = all(set(row[0]) <= {"0", "1"} for row in rows)
    return {row[1]: row[0] for row in rows} if bits else {row[0]: row[1] for row in rows}
