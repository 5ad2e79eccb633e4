"""`palmette train classify`, and what the other commands do with a classifier: a label for every line of a
file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from palmette.cli.commands import helped
from palmette.cli.held_out import HeldOut, filled_lines
from palmette.cli.run import Run
from palmette.cli.selectable import Examples, Selectable
from palmette.cli.tools.classify import options as own
from palmette.cli.tools.classify.input import cut, line_batches
from palmette.cli.tools.classify.report import evaluation, explained, inspection, loaded, predictions
from palmette.cli.tools.classify.report import guesses as told_guesses
from palmette.cli.tools.classify.training import options_help, train_classifier
from palmette.cli.tools.sequence import options as options
from palmette.cli.tools.training import learners_help
from palmette.evaluation.guesses import Guesses
from palmette.formats.model import ModelFile
from palmette.tools.classification.classifier import Classifier
from palmette.tools.explanation import Explanation

_AT_ONCE = 500  # lines

HELD_OUT = HeldOut(("accuracy", "macro_f1"), cut=filled_lines)

EXAMPLES = {
    "train": [
        "palmette train classify --train reviews.tsv -o reviews.palm",
        "palmette train classify --train questions.tsv --columns label,-,text --parser en-parse.palm "
        "--set C=5 -o q.palm",
        "palmette train classify --train pp.tsv --columns word,word,word,word,label --learner knn "
        "--set metric=mvdm --set k=25 -o pp.palm",
    ],
    "predict": ["palmette predict questions.palm new.tsv", "palmette predict pp.palm new.tsv --append"],
    "evaluate": ["palmette evaluate questions.palm test.tsv --json"],
    "inspect": ["palmette inspect questions.palm"],
    "explain": ["palmette explain questions.palm --file test.tsv --example 3 --top 10"],
}


def _train_help() -> str:
    return "\n".join(
        [
            learners_help(
                """Train a classifier: a label for every line of a file.

                Columns are separated by tabs, words of texts by spaces; --columns gives the type of each column.
                The default learner is a kernel SVM with --parser or columns of trees or strings, and a
                log-linear model otherwise.""",
                Classifier().offers,
            ),
            *options_help(),
        ]
    )


@helped(_train_help)
def train(
    run: Run,
    train: own.TrainFile,
    dev: own.DevFile = None,
    columns: own.ColumnKinds = None,
    parser: own.ParserModel = None,
    compact: options.Compact = True,
    about: options.About = None,
) -> ModelFile:
    return train_classifier(
        run, train=train, dev=dev, columns=columns, parser=parser, compact=compact, about=about
    )


def predict(
    model: ModelFile,
    run: Run,
    source: own.InputFile = "-",
    append: own.Append = False,
    probabilities: own.Probabilities = False,
) -> Iterator[bytes]:
    """Predict the label of every line of a file; write one label per line."""
    classifier, reader = loaded(model, run)
    return predictions(classifier, reader, source, run, append=append, probabilities=probabilities)


def select(model: ModelFile, run: Run) -> Selectable:
    """Choose the lines most worth a label, and write each with the label and the probability that it gets."""
    classifier, reader = loaded(model, run)

    def read(source: str) -> Iterator[Examples]:
        for first, lines in line_batches(source, run.reading, _AT_ONCE):
            given = cut(lines, source, reader.columns, labelled=False, first=first)
            items = reader.items(given.rows, path=given.path, first=first)
            yield Examples(items, [line.split() for line in lines], [f"{line}\n".encode() for line in lines])

    def annotate(content: Any) -> Iterator[bytes]:
        likely = classifier.probabilities_from is not None
        return predictions(classifier, reader, content, run, append=True, probabilities=likely)

    return Selectable(classifier, read, annotate)


def evaluate(model: ModelFile, run: Run, source: own.GoldFile) -> dict[str, Any]:
    """Compare a classifier with gold labels.

    Report accuracy with its interval, precision, recall and F1 of every label, and the confusion matrix: a row
    of `confusion` is a gold label. `seconds` is the time of predicting, and of parsing where the model
    parses.
    """
    return evaluation(*loaded(model, run), source)


def guesses(model: ModelFile, run: Run, source: str, probabilities: bool) -> Guesses:
    """Classify examples with gold labels, for plots."""
    return told_guesses(*loaded(model, run), source, probabilities)


def inspect(model: ModelFile, run: Run) -> dict[str, Any]:
    """Show what is in a classifier: classes, kernel or features, columns, training."""
    return inspection(Classifier.from_model(model))


def explain(
    model: ModelFile,
    run: Run,
    line: own.Line = None,
    file: own.ExampleFile = None,
    example: own.ExampleNumber = 1,
    top: options.Top = 10,
) -> Explanation:
    """Explain why an example has its label.

    Compare the label with the runner-up: show the margin, and the words, fragments of the tree or nearest
    examples that explain it.
    """
    return explained(*loaded(model, run), line, file, example, top, run)
