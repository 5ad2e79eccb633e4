"""Training a classifier from files: what `palmette train classify` does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from palmette.cli.run import Run
from palmette.cli.tools.classify.input import cut, kinds_of, read_lines
from palmette.cli.tools.training import facts_of, pass_notes, run_learner, tell_of_interruption
from palmette.errors import FormatError, UsageError
from palmette.formats.files import display_name
from palmette.formats.model import ModelFile, fingerprint
from palmette.learning.capabilities import LINEAR
from palmette.learning.registry import LEARNERS, learner_class, learner_name, learner_names, read_settings
from palmette.messages import counted
from palmette.parameters import Options
from palmette.tools.classification.classifier import Classifier
from palmette.tools.classification.families import FAMILIES, model_class
from palmette.tools.classification.item_options import ABOUT, KernelOptions, ReaderOptions
from palmette.tools.classification.item_reader import ItemReader
from palmette.tools.constituency.parser import ConstituencyParser

_NOUNS = {
    "tree": "trees",
    "words": "texts and trees",
    "string": "strings",
    "symbols": "symbols and words",
    "numbers": "numbers",
    "raw": "raw texts",
}


def train_classifier(
    run: Run,
    *,
    train: str,
    dev: str | None,
    columns: str | None,
    parser: str | None,
    compact: bool,
    about: Sequence[str] | None,
) -> ModelFile:
    """Train a classifier, and make its model file."""
    facts = facts_of(about)
    lines = read_lines(train)
    if not lines:
        raise FormatError("expected examples; the file has none", path=display_name(train))
    kinds = kinds_of(columns, train, lines)
    loaded = None if parser is None else ConstituencyParser.load(parser)
    if loaded is not None:
        loaded.n_jobs = run.n_jobs
    reading = _taken(run, ReaderOptions)
    reader = ItemReader(kinds, loaded, **reading)
    untrained = Classifier(reader=reader)
    usual = untrained.default_learner()
    name = run.learner or learner_name(usual)
    family = LEARNERS[name].family if name in LEARNERS else LINEAR
    sees = model_class(family).sees if family in FAMILIES else "features"
    of_kernels = _taken(run, KernelOptions) if sees == "kernel" else {}
    own = [*reading, *of_kernels]
    reader = reader.seen_as(sees)
    check_used(reader, own)
    learner = run_learner(run, [usual], untrained.offers, other=own)
    kernel = reader.kernel(**of_kernels) if sees == "kernel" else None
    classifier = Classifier(learner, kernel=kernel, reader=reader)
    classifier.check_learner()
    given = cut(lines, train, kinds, labelled=True)
    run.progress.note(f"{counted(len(given.rows), 'example')}")
    items, labels = reader.items(given.rows, path=given.path), reader.labels(given.rows)
    held_out = None
    if dev is not None:
        other = cut(read_lines(dev), dev, kinds, labelled=True)
        if not other.rows:
            raise FormatError("expected examples; the file has none", path=other.path)
        held_out = reader.items(other.rows, path=other.path), reader.labels(other.rows)
    chooses = held_out if "dev" in learner.takes else None
    classifier.fit(items, labels, dev=chooses, callback=pass_notes(run))
    if classifier.interrupted_:
        tell_of_interruption(classifier.history_, run)
    if held_out is not None:
        score = classifier.score(*held_out)
        classifier.training_["dev_score"] = score
        run.progress.note(f"dev accuracy {score:.4f}")
    if len(classifier.classes_.tolist()) == 1:
        run.progress.warn(
            f"all examples have the label {classifier.classes_.tolist()[0]!r}; the classifier always predicts it"
        )
    data = fingerprint("\n".join(lines).encode())
    return classifier.to_model(compact=compact, fingerprint=data, about=facts)


def check_used(reader: ItemReader, options: Sequence[str]) -> None:
    """ValueError where an option is about what no column has."""
    for option in options:
        if not reader.uses(option):
            raise UsageError(
                f"--set {option} applies to {_NOUNS[ABOUT[option]]}, but the columns are "
                f"{','.join(reader.columns)}"
            )


def _taken(run: Run, table: type[Options]) -> dict[str, Any]:
    """Return the settings of the run that a table of options has."""
    own = {key: value for key, value in run.settings.items() if key in table.names()}
    return read_settings(table, "classify", own)


def options_help() -> Iterator[str]:
    """Return the help of learners of items with the names of their options, and of kernels and readers."""
    for name in learner_names(*(family for family in FAMILIES if family != LINEAR)):
        words = ", ".join(learner_class(name).names())
        yield from ("", "\b", f"--learner {name} ({LEARNERS[name].summary}), with --set:", f"  {words}")
    tables: tuple[tuple[str, type[Options]], ...] = (
        ("kernels", KernelOptions),
        ("texts and trees", ReaderOptions),
    )
    for title, table in tables:
        yield from ("", "\b", f"Options of {title}, with --set:")
        yield from (f"  {line}" for line in table.help_lines())
