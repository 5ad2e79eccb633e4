"""Training a classifier from files: what `palmette train classify` does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from palmette.cli.run import Run
from palmette.cli.tools.classify.input import cut, kinds_of, read_lines
from palmette.cli.tools.training import facts_of, pass_notes, tell_of_interruption
from palmette.errors import FormatError
from palmette.formats.files import display_name
from palmette.formats.model import ModelFile, fingerprint
from palmette.learning.capabilities import fitting_learners
from palmette.learning.learner import Learner
from palmette.learning.registry import LEARNERS, OF_ITEMS, options_class, with_settings
from palmette.parameters import Options
from palmette.tools.classification.classifier import Classifier
from palmette.tools.classification.item_reader import OPTIONS, ItemReader
from palmette.tools.constituency.parser import ConstituencyParser

KERNEL_OPTIONS = {
    "fragments": "kernel of trees: partial (default), subset or complete",
    "decay": "decay of the tree kernel, in (0, 1] (default 0.4)",
    "mu": "second decay of partial trees, in (0, 1] (default 0.4)",
    "degree": "degree of the polynomial kernel of symbols (default 3)",
    "gamma": "γ of the Gaussian kernel of numbers (default 1)",
    "n": "length of the longest character n-grams of strings (default 3)",
}
READER_OPTIONS = {
    "ngrams": "length of the longest word n-grams of texts (default 2)",
    "lower": "convert words to lower case (default true)",
    "language": "language of raw texts (default en)",
    "max_nodes": "largest tree to read, in nodes (default 5000)",
}
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
    name = run.learner or usual_learner(kinds, parser)
    settings = dict(run.settings)
    reading = _taken(settings, READER_OPTIONS)
    of_kernels = _taken(settings, KERNEL_OPTIONS) if name.startswith("kernel-") else {}
    loaded = None if parser is None else ConstituencyParser.load(parser)
    if loaded is not None:
        loaded.n_jobs = run.n_jobs
    reader = ItemReader(kinds, loaded, flat=name == "knn", **reading)
    check_used(reader, [*reading, *of_kernels])
    kernel = reader.kernel(**of_kernels) if name.startswith("kernel-") else None
    learner = chosen_learner(name, settings, run)
    classifier = Classifier(learner, kernel=kernel, reader=reader)  # type: ignore[arg-type]
    classifier.check_learner()
    given = cut(lines, train, kinds, labelled=True)
    run.progress.note(f"{len(given.rows):,} examples")
    items, labels = reader.items(given.rows, path=given.path), reader.labels(given.rows)
    held_out = None
    if dev is not None:
        other = cut(read_lines(dev), dev, kinds, labelled=True)
        if not other.rows:
            raise FormatError("expected examples; the file has none", path=other.path)
        held_out = reader.items(other.rows, path=other.path), reader.labels(other.rows)
    chooses = held_out if isinstance(learner, Learner) else None
    classifier.fit(items, labels, dev=chooses, callback=pass_notes(run))
    if classifier.interrupted_:
        tell_of_interruption(classifier.history_, run)
    if held_out is not None:
        score = classifier.score(*held_out)
        classifier.training_["dev_score"] = score
        run.progress.note(f"dev accuracy {score:.4f}")
    if len(classifier.classes_) == 1:
        run.progress.warn(
            f"all examples have the label {classifier.classes_[0]!r}; the classifier always predicts it"
        )
    data = fingerprint("\n".join(lines).encode())
    return classifier.to_model(compact=compact, fingerprint=data, about=facts)


def usual_learner(kinds: Sequence[str], parser: str | None) -> str:
    """A kernel SVM where there are trees or strings, which have no features that are written down."""
    return "kernel-svm" if parser is not None or {"tree", "string"} & set(kinds) else "crf"


def check_used(reader: ItemReader, options: Sequence[str]) -> None:
    """ValueError where an option is about what no column has."""
    for option in options:
        if not reader.uses(option):
            raise ValueError(
                f"--set {option} applies to {_NOUNS[OPTIONS[option]]}, but the columns are "
                f"{','.join(reader.columns)}"
            )


def chosen_learner(name: str, settings: dict[str, Any], run: Run) -> Options:
    """Return the learner of that name with its options."""
    if name not in OF_ITEMS and name not in LEARNERS:
        known = [*OF_ITEMS, *fitting_learners(Classifier().offers)]
        raise ValueError(f"unknown learner {name!r}: expected one of {', '.join(known)}")
    return with_settings(options_class(name), name, settings, random_state=run.seed, n_jobs=run.n_jobs)


def _taken(settings: dict[str, Any], options: Iterable[str]) -> dict[str, Any]:
    """These settings, which are then no longer among the others."""
    return {key: settings.pop(key) for key in options if key in settings}


def options_help() -> Iterator[str]:
    """The learners of its own with their options, and those of kernels and texts."""
    for name, entry in OF_ITEMS.items():
        words = ", ".join(options_class(name).names())
        yield from ("", "\b", f"--learner {name} ({entry.summary}), with --set:", f"  {words}")
    for title, options in (("kernels", KERNEL_OPTIONS), ("texts and trees", READER_OPTIONS)):
        yield from ("", "\b", f"Options of {title}, with --set:")
        yield from (f"  {option:<13}{line}" for option, line in options.items())
