"""Reports on classifiers: measures, the content of a model, labels of a file, explanations."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from palmette.cli.report import Table, json_line
from palmette.cli.run import Run, restored
from palmette.cli.text_or_file import text_or_file
from palmette.cli.tools.classify.input import LabelWatch, Lines, cut, line_batches, read_lines
from palmette.errors import FormatError
from palmette.evaluation.guesses import Guesses
from palmette.evaluation.tagging import TaggingScores
from palmette.formats.files import display_name
from palmette.formats.model import ModelFile
from palmette.messages import counted
from palmette.tools.classification.classifier import Classifier
from palmette.tools.classification.item_reader import ItemReader
from palmette.tools.explanation import Explanation

_AT_ONCE = 500


def loaded(model: ModelFile, run: Run) -> tuple[Classifier, ItemReader]:
    """The classifier of a model for this run, and what reads its files."""
    classifier: Classifier = restored(Classifier, model, n_jobs=run.n_jobs)
    reader = classifier.reader_
    if reader is None:
        raise FormatError(
            "this classifier was trained from Python and has no file format attached: use it from Python, or "
            "train it with an ItemReader",
            path=model.path,
        )
    if reader.parser is not None:
        reader.parser.n_jobs = run.n_jobs
    return classifier, reader


def predictions(
    classifier: Classifier, reader: ItemReader, source: str, run: Run, *, append: bool, probabilities: bool
) -> Iterator[bytes]:
    """The label of every line of a file."""
    place = {label: i for i, label in enumerate(classifier.classes_.tolist())}
    watch = LabelWatch(reader.columns, classifier.classes_.tolist())
    done = 0
    for first, lines in line_batches(source, run.reading, _AT_ONCE):
        watch.look(lines)
        given = cut(lines, source, reader.columns, labelled=False, first=first)
        items = reader.items(given.rows, path=given.path, first=first)
        labels = classifier.predict(items)
        likely: list[float | None] = [None] * len(items)
        if probabilities:
            likely = [p[place[label]] for label, p in zip(labels, classifier.predict_proba(items))]
        if run.jsonl:
            for number, (line, label, p) in enumerate(zip(lines, labels, likely), done + 1):
                sure = None if p is None else round(float(p), 4)
                item = line if append else None
                yield json_line({"number": number, "item": item, "label": label, "probability": sure})
        else:
            rows = [
                [*([line] if append else []), str(label), *([] if p is None else [f"{p:.4f}"])]
                for line, label, p in zip(lines, labels, likely)
            ]
            yield "".join("\t".join(row) + "\n" for row in rows).encode()
        done += len(items)
    watch.tell(run.progress.warn)


def evaluation(classifier: Classifier, reader: ItemReader, source: str) -> dict[str, Any]:
    """The measures of a classifier on a file."""
    given = _labelled(reader, source)
    gold = reader.labels(given.rows)
    began = time.perf_counter()
    guess = classifier.predict(reader.items(given.rows, path=given.path))
    seconds = time.perf_counter() - began
    scores = classifier.evaluate([], gold, predicted=guess)
    interval = scores.interval()
    return {
        "accuracy": scores.accuracy,
        "accuracy_interval": [interval.low, interval.high],
        "macro_f1": scores.macro_f1,
        "examples": scores.tokens,
        "seconds": seconds,
        "examples_per_second": scores.tokens / max(seconds, 1e-9),
        "unknown_labels": list(scores.unknown_labels),
        "labels": Table({name: counts.to_dict() for name, counts in scores.labels.items()}),
        "confusion": Table(_confusion(scores)),
    }


def guesses(classifier: Classifier, reader: ItemReader, source: str, probabilities: bool) -> Guesses:
    """The classes of gold and guess of every example of a file."""
    given = _labelled(reader, source)
    items = reader.items(given.rows, path=given.path)
    found = classifier.predict(items)
    p = classifier.predict_proba(items) if probabilities else None
    place = {label: i for i, label in enumerate(classifier.classes_.tolist())}
    likely = None if p is None else p[np.arange(len(found)), [place[label] for label in found]]
    return Guesses([*map(str, reader.labels(given.rows))], [*map(str, found)], likely)


def inspection(classifier: Classifier) -> dict[str, Any]:
    """What is in a classifier."""
    model, reader = classifier.model_, classifier.reader_
    return {
        "model": model.noun,
        "classes": classifier.classes_.tolist(),
        **model.facts(),
        "columns": None if reader is None else list(reader.columns),
        "parser": None if reader is None or reader.parser is None else reader.parser.method,
        "training": {name: value for name, value in classifier.training_.items() if value is not None},
    }


def explained(
    classifier: Classifier,
    reader: ItemReader,
    line: str | None,
    file: str | None,
    number: int,
    top: int,
    run: Run,
) -> Explanation:
    """Why a line, given or of a file, has its label."""
    line, file = text_or_file(line, file, "an example", run)
    lines = [line] if line is not None else read_lines(file or "")
    if number > len(lines):
        raise ValueError(
            f"{display_name(file or '-')} has {counted(len(lines), 'line')}; there is no line {number}"
        )
    watch = LabelWatch(reader.columns, classifier.classes_.tolist())
    watch.look(lines)
    watch.tell(run.progress.warn)
    given = cut(lines[number - 1 : number], file or "-", reader.columns, labelled=False)
    return classifier.explain(reader.items(given.rows, path=given.path)[0]).of(top=top)


def _confusion(scores: TaggingScores) -> dict[str, dict[str, int]]:
    rows = scores.confusion.tolist()
    return {gold: dict(zip(scores.names, row)) for gold, row in zip(scores.names, rows)}


def _labelled(reader: ItemReader, source: str) -> Lines:
    if "label" not in reader.columns:
        raise ValueError("cannot compare labels: the classifier's columns do not include a label")
    given = cut(read_lines(source), source, reader.columns, labelled=True)
    if not given.rows:
        raise FormatError("expected examples; the file has none", path=given.path)
    return given
