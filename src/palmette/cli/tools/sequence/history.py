"""`palmette train history`, and what the other commands do with its models: labels by a predictor that sees all
labels before.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from palmette.cli.commands import helped
from palmette.cli.tools.sequence import options as options
from palmette.cli.tools.sequence.options import column_of

if TYPE_CHECKING:
    from palmette.cli.run import Run
    from palmette.formats.model import ModelFile

EXAMPLES = {
    "train": [
        "palmette train history --train train.conllu --dev dev.conllu -o en.palm",
        "palmette train history --train train.conllu --set training=beam --set width=8 -o en.palm",
    ],
    "predict": [
        "palmette predict en.palm input.conllu > output.conllu",
        "palmette predict en.palm input.conllu --width 1    greedy",
    ],
    "evaluate": ["palmette evaluate en.palm test.conllu --width 8"],
}

Width: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--width", metavar="N", min=1, help="Sequences that the beam keeps; 1: greedy. [default: as trained]"
    ),
]


def _train_help() -> str:
    from palmette.features.network.history import HistoryOptions

    text = """Train a tagger by a recurrent network that sees all labels it gave before.

    Search is greedy or by a beam: there are no probabilities of labels. `palmette train tag --scorer neural` is
    the same network with a chain, exact search and probabilities. Training needs torch, prediction does not."""
    return "\n".join(
        [text, "", "\b", "Options, with --set:", *(f"  {line}" for line in HistoryOptions.help_lines())]
    )


@helped(_train_help)
def train(
    run: Run,
    train: options.TrainFile,
    dev: options.DevFile = None,
    column: options.ColumnName = None,
    format: options.FormatName = None,
    about: options.About = None,
) -> ModelFile:
    from palmette.cli.tools.sequence.input import read_tokens
    from palmette.cli.tools.training import facts_of, pass_notes, tell_of_interruption
    from palmette.errors import FormatError, UsageError
    from palmette.features.network.history import HistoryOptions
    from palmette.formats.files import display_name
    from palmette.formats.model import fingerprint
    from palmette.learning.registry import read_settings
    from palmette.messages import counted
    from palmette.tools.sequence.history_tagger import HistoryTagger

    if run.learner is not None:
        raise UsageError(
            "a recurrent predictor has no learner: --set training=teacher or beam; remove --learner"
        )
    given = {
        "random_state": run.seed,
        **read_settings(HistoryOptions, "the recurrent predictor", run.settings),
    }
    HistoryOptions(**given)
    facts = facts_of(about)
    corpus, data = read_tokens(train, format)
    held_out = None if dev is None else read_tokens(dev, format)[0]
    run.progress.note(f"{counted(len(corpus), 'sentence')}, {counted(corpus.n_words, 'token')}")
    tagger = HistoryTagger(given, column=column_of(column), n_jobs=run.n_jobs)
    try:
        tagger.fit(corpus, dev=held_out, callback=pass_notes(run))
    except FormatError as error:
        raise FormatError(error.message, path=display_name(train), line=error.line) from error
    for text in tagger.training_.get("notes", ()):
        run.progress.warn(text)
    if tagger.interrupted_:
        tell_of_interruption(tagger.history_, run)
    return tagger.to_model(fingerprint=fingerprint(data), about=facts)


def predict(
    model: ModelFile,
    run: Run,
    source: options.Input = "-",
    format: options.FormatName = None,
    column: options.ColumnName = None,
    append: options.Append = False,
    language: options.Language = None,
    lines: options.Lines = False,
    width: Width = None,
) -> Iterator[bytes]:
    """Tag a file: CoNLL-U becomes CoNLL-U, columns become columns, text becomes CoNLL-U.

    Only the column of the labels is replaced; everything else is copied.
    """
    from palmette.cli.report import json_line
    from palmette.cli.run import restored
    from palmette.cli.tools.sequence.input import TokenReader, language_of
    from palmette.cli.tools.sequence.output import Target, written
    from palmette.cli.tools.sequence.prediction import identity, tokens, words_by_sentence
    from palmette.tools.sequence.history_tagger import HistoryTagger
    from palmette.tools.sequence.tokens import cut

    tagger = restored(HistoryTagger, model, n_jobs=run.n_jobs)
    spoken = language_of(tagger.training_, language)
    reader = TokenReader(source, format, language=spoken, lines=lines, reading=run.reading)
    trained, columns = tagger.training_.get("column"), tagger.training_.get("columns")
    target = Target(column_of(column), trained, columns or [], "Tag", append)
    before = 0
    for batch in reader:
        labels = tagger.predict_column(batch.corpus, width=width)
        if not run.jsonl:
            yield written(target.fill(batch, labels, None), batch)
            continue
        rows = zip(words_by_sentence(batch.corpus), cut(labels.values(), batch.corpus.offsets))
        for i, (words, own) in enumerate(rows):
            yield json_line({**identity(batch.corpus, i, before), "tokens": tokens(words, label=own)})
        before += len(batch.corpus)


def evaluate(
    model: ModelFile,
    run: Run,
    source: options.GoldFile,
    format: options.FormatName = None,
    column: options.ColumnName = None,
    width: Width = None,
) -> dict[str, Any]:
    """Compare a tagger with gold labels.

    Accuracy of all, known and unknown words, with a 95 % interval by the bootstrap over sentences; by label; the
    most frequent mistakes. `seconds` is the time of tagging, without loading the model and reading the file.
    """
    from palmette.cli.run import restored
    from palmette.cli.tools.sequence.input import read_tokens
    from palmette.cli.tools.sequence.report import gold_column, measures
    from palmette.errors import FormatError
    from palmette.formats.files import display_name
    from palmette.tools.sequence.history_tagger import HistoryTagger

    tagger = restored(HistoryTagger, model, n_jobs=run.n_jobs)
    corpus, _ = read_tokens(source, format)
    tagger.column = column_of(column) if column is not None else gold_column(tagger, corpus)
    try:
        tagger.label_column(corpus)
        began = time.perf_counter()
        predicted = tagger.predict_column(corpus, width=width)
        seconds = time.perf_counter() - began
        return measures(tagger.evaluate(corpus, predicted=predicted), seconds, source)
    except FormatError as error:
        raise FormatError(error.message, path=display_name(source), line=error.line) from error


def inspect(model: ModelFile, run: Run) -> dict[str, Any]:
    """Show what is in a recurrent predictor: labels, network, beam, training."""
    from palmette.cli.run import restored
    from palmette.tools.sequence.history_tagger import HistoryTagger
    from palmette.tools.sequence.network import network_facts

    tagger = restored(HistoryTagger, model)
    made = tagger.model_
    return {
        "labels": list(made.labels),
        "beam": made.width,
        "scores": "log-probabilities of steps" if made.history.normalised else "of whole sequences",
        "network": network_facts(made.network),
        "state": int(made.history.arrays["hidden"].shape[1]),
        "training": {name: value for name, value in tagger.training_.items() if value is not None},
    }
