"""`palmette train spans`, and what the other commands do with a span tagger: entities, chunks."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from palmette.cli.commands import helped
from palmette.cli.held_out import HeldOut
from palmette.cli.tools.neural import Scorer, with_neural_options
from palmette.cli.tools.sequence import options as options
from palmette.cli.tools.sequence.explanation import explain as explain
from palmette.cli.tools.sequence.options import column_of
from palmette.cli.tools.training import learners_help
from palmette.errors import UsageError

if TYPE_CHECKING:
    from palmette.cli.run import Run
    from palmette.cli.selectable import Selectable
    from palmette.evaluation.guesses import Guesses
    from palmette.formats.model import ModelFile

HELD_OUT = HeldOut(("f1", "precision", "recall"))

EXAMPLES = {
    "train": [
        "palmette train spans --train esp.train --dev esp.testa -o ner.palm",
        "palmette train spans --train chunks.txt --templates chunk --learner crf --set l2=0.5 -o chunk.palm",
        "palmette train spans --train train.tsv --gazetteer cities=cities.txt -o ner.palm",
        'palmette train spans --train train.tsv --automaton "@count(2)" -o ner.palm',
    ],
    "predict": [
        "palmette predict ner.palm input.txt --format columns > output.txt",
        "palmette predict ner.palm input.conllu --spans tsv",
        "palmette predict ner.palm input.tsv --append    keep the existing labels, as conlleval expects",
    ],
    "evaluate": ["palmette evaluate ner.palm esp.testb", "palmette evaluate ner.palm esp.testb --json"],
    "inspect": ["palmette inspect ner.palm --top 10"],
    "explain": ["palmette explain ner.palm --file esp.testb --sentence 3 --token 2"],
}


class Scheme(StrEnum):
    """Span schemes."""

    iob1 = "IOB1"
    iob2 = "IOB2"
    iobes = "IOBES"
    bilou = "BILOU"


def _train_help() -> str:
    from palmette.tools.sequence.span_tagger import SpanTagger

    return with_neural_options(
        learners_help(
            """Train a tagger of spans: entities, chunks, anything labelled in IOB1, IOB2, IOBES or BILOU.

        Labels are the last column unless --column names another. Their scheme is detected and kept in predictions.
        """,
            SpanTagger().offers,
        ),
    )


@helped(_train_help)
def train(
    run: Run,
    train: options.TrainFile,
    dev: options.DevFile = None,
    start: options.StartModel = None,
    column: options.ColumnName = None,
    format: options.FormatName = None,
    scheme: Annotated[
        Scheme,
        typer.Option(
            "--scheme",
            case_sensitive=False,
            help="The scheme of the model's internal labels; files keep their own.",
        ),
    ] = Scheme.iobes,
    lenient: Annotated[
        bool, typer.Option("--lenient", help="Read labels that break their scheme as conlleval does.")
    ] = False,
    templates: options.TemplateSet = None,
    order: options.LabelOrder = None,
    automaton: options.AutomatonText = None,
    min_count: options.MinCount = 1,
    hash_bits: options.HashBits = None,
    gazetteer: options.Gazetteers = None,
    clusters: options.ClusterFiles = None,
    compact: options.Compact = True,
    about: options.About = None,
    scorer: options.ScorerName = Scorer.linear,
) -> ModelFile:
    from palmette.cli.tools.sequence.training import train_tagger
    from palmette.tools.sequence.span_tagger import SpanTagger

    tagger = SpanTagger(
        column=column_of(column) if column is not None else -1,
        order=order,
        min_count=min_count,
        hash_bits=hash_bits,
        scheme=scheme.value,
        lenient=lenient,
    )
    return train_tagger(
        tagger,
        run,
        train=train,
        dev=dev,
        start=start,
        format=format,
        templates=templates,
        automaton=automaton,
        gazetteers=gazetteer,
        clusters=clusters,
        compact=compact,
        about=about,
        scorer=scorer,
    )


def predict(
    model: ModelFile,
    run: Run,
    source: options.Input = "-",
    format: options.FormatName = None,
    column: options.ColumnName = None,
    append: options.Append = False,
    spans: Annotated[
        options.SpanFormat | None,
        typer.Option("--spans", help="Print only the spans, with probabilities; tokens are counted from 1."),
    ] = None,
    language: options.Language = None,
    lines: options.Lines = False,
    keep_labels: options.KeepLabels = False,
    probabilities: options.Probabilities = False,
    kbest: options.KBest = 1,
    minimum_risk: options.MinimumRisk = False,
    search: options.Search = None,
) -> Iterator[bytes]:
    """Find the spans of a file: columns become columns, CoNLL-U and text become CoNLL-U.

    Only the column of the labels is replaced; CoNLL-U has no column for spans and gets Span=… in MISC.
    """
    from palmette.cli.tools.sequence.input import TokenReader, language_of
    from palmette.cli.tools.sequence.prediction import loaded, span_lines, tagged, target_for
    from palmette.tools.sequence.span_tagger import SpanTagger

    tagger = loaded(SpanTagger, model, run)
    reader = TokenReader(
        source, format, language=language_of(tagger.training_, language), lines=lines, reading=run.reading
    )
    if spans is not None:
        if run.jsonl:
            raise UsageError("use either --spans or --jsonl; JSON lines contain the spans too")
        if search is not None:
            raise UsageError(
                "--spans prints the spans of the best labels; it cannot be combined with --search"
            )
        if keep_labels:
            raise UsageError(
                "--spans cannot be combined with --keep-labels; JSON lines contain the spans too"
            )
        return span_lines(tagger, reader, spans)
    target = target_for(tagger, column_of(column), append)
    return tagged(
        tagger,
        reader,
        target,
        probabilities=probabilities,
        kbest=kbest,
        minimum_risk=minimum_risk,
        search=search,
        run=run,
        keep=keep_labels,
    )


def select(
    model: ModelFile,
    run: Run,
    format: options.FormatName = None,
    language: options.Language = None,
    lines: options.Lines = False,
) -> Selectable:
    """Choose the sentences most worth annotating, and write them with spans, with probabilities."""
    from palmette.cli.tools.sequence.prediction import loaded
    from palmette.cli.tools.sequence.selecting import selectable
    from palmette.tools.sequence.span_tagger import SpanTagger

    tool = loaded(SpanTagger, model, run)
    return selectable(tool, model, run, predict, format=format, language=language, lines=lines, columns=True)


def evaluate(
    model: ModelFile,
    run: Run,
    source: options.GoldFile,
    format: options.FormatName = None,
    column: options.ColumnName = None,
    minimum_risk: options.MinimumRisk = False,
    search: options.Search = None,
) -> dict[str, Any]:
    """Compare a span tagger with gold labels.

    Precision, recall and F1 of all spans and of each type, as conlleval counts them, with a 95 % interval of F1 by
    the bootstrap over sentences. `seconds` is the time of tagging, without loading the model and reading the file.
    """
    from palmette.cli.tools.sequence.prediction import loaded
    from palmette.cli.tools.sequence.report import evaluation
    from palmette.tools.sequence.span_tagger import SpanTagger

    return evaluation(loaded(SpanTagger, model, run), source, format, column_of(column), minimum_risk, search)


def guesses(model: ModelFile, run: Run, source: str, probabilities: bool) -> Guesses:
    """Label a file with gold labels, for plots."""
    from palmette.cli.tools.sequence.prediction import loaded
    from palmette.cli.tools.sequence.report import guesses
    from palmette.tools.sequence.span_tagger import SpanTagger

    return guesses(loaded(SpanTagger, model, run), source, probabilities)


def inspect(model: ModelFile, run: Run, top: options.Top = 5) -> dict[str, Any]:
    """Show what is in a span tagger: labels, training, the strongest features of each label, label pairs."""
    from palmette.cli.tools.sequence.prediction import loaded
    from palmette.cli.tools.sequence.report import inspection
    from palmette.tools.sequence.span_tagger import SpanTagger

    return inspection(loaded(SpanTagger, model, run), top)
