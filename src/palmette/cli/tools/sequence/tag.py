"""`palmette train tag`, and what the other commands do with a tagger: a label for every token."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from palmette.cli.commands import helped
from palmette.cli.held_out import HeldOut
from palmette.cli.tools.neural import Scorer, with_neural_options
from palmette.cli.tools.sequence import options as options
from palmette.cli.tools.sequence.explanation import explain as explain
from palmette.cli.tools.sequence.options import column_of
from palmette.cli.tools.training import learners_help

if TYPE_CHECKING:
    from palmette.cli.run import Run
    from palmette.cli.selectable import Selectable
    from palmette.evaluation.guesses import Guesses
    from palmette.formats.model import ModelFile

HELD_OUT = HeldOut(("accuracy", "known_accuracy", "unknown_accuracy", "sentence_accuracy"))

EXAMPLES = {
    "train": [
        "palmette train tag --train train.conllu --dev dev.conllu -o en.palm",
        "palmette train tag --train train.conllu --column xpos --learner crf --set l2=0.5 -o en.palm",
        "palmette train tag --train train.tsv --column -1 --templates my.templates -o my.palm",
        "palmette train tag --train train.conllu --dev dev.conllu --scorer neural --set layers=2 -o en.palm",
        "palmette train tag --train more.conllu --start en.palm -o better.palm    continue training",
    ],
    "predict": [
        "palmette predict en.palm input.conllu > output.conllu",
        'echo "Time flies." | palmette predict en',
        "palmette predict en.palm input.conllu --probabilities",
    ],
    "evaluate": ["palmette evaluate en.palm test.conllu", "palmette evaluate en.palm test.conllu --json"],
    "inspect": ["palmette inspect en.palm --top 10"],
    "explain": [
        'palmette explain en "Time flies like an arrow"',
        "palmette explain en --file test.conllu --sentence 3 --token 2",
    ],
}


def _train_help() -> str:
    from palmette.tools.sequence.tagger import Tagger

    return with_neural_options(
        learners_help(
            """Train a tagger: a label for every token.

        Labels are the column upos of CoNLL-U, or the last column of other files, unless --column names another.
        "_" means that a token has no label.""",
            Tagger().offers,
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
    from palmette.tools.sequence.tagger import Tagger

    tagger = Tagger(column=column_of(column), order=order, min_count=min_count, hash_bits=hash_bits)
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
    language: options.Language = None,
    lines: options.Lines = False,
    keep_labels: options.KeepLabels = False,
    probabilities: options.Probabilities = False,
    kbest: options.KBest = 1,
    minimum_risk: options.MinimumRisk = False,
    search: options.Search = None,
) -> Iterator[bytes]:
    """Tag a file: CoNLL-U becomes CoNLL-U, columns become columns, text becomes CoNLL-U.

    Only the column of the labels is replaced; everything else is copied.
    """
    from palmette.cli.tools.sequence.input import TokenReader, language_of
    from palmette.cli.tools.sequence.prediction import loaded, tagged, target_for
    from palmette.tools.sequence.tagger import Tagger

    tagger = loaded(Tagger, model, run)
    reader = TokenReader(
        source, format, language=language_of(tagger.training_, language), lines=lines, reading=run.reading
    )
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
    """Choose the sentences most worth annotating, and write them tagged, with probabilities."""
    from palmette.cli.tools.sequence.prediction import loaded
    from palmette.cli.tools.sequence.selecting import selectable
    from palmette.tools.sequence.tagger import Tagger

    tool = loaded(Tagger, model, run)
    return selectable(tool, model, run, predict, format=format, language=language, lines=lines)


def evaluate(
    model: ModelFile,
    run: Run,
    source: options.GoldFile,
    format: options.FormatName = None,
    column: options.ColumnName = None,
    minimum_risk: options.MinimumRisk = False,
    search: options.Search = None,
) -> dict[str, Any]:
    """Compare a tagger with gold labels.

    Accuracy of all, known and unknown words, with a 95 % interval by the bootstrap over sentences; by label; the
    most frequent mistakes. `seconds` is the time of tagging, without loading the model and reading the file.
    """
    from palmette.cli.tools.sequence.prediction import loaded
    from palmette.cli.tools.sequence.report import evaluation
    from palmette.tools.sequence.tagger import Tagger

    return evaluation(loaded(Tagger, model, run), source, format, column_of(column), minimum_risk, search)


def guesses(model: ModelFile, run: Run, source: str, probabilities: bool) -> Guesses:
    """Label a file with gold labels, for plots."""
    from palmette.cli.tools.sequence.prediction import loaded
    from palmette.cli.tools.sequence.report import guesses
    from palmette.tools.sequence.tagger import Tagger

    return guesses(loaded(Tagger, model, run), source, probabilities)


def inspect(model: ModelFile, run: Run, top: options.Top = 5) -> dict[str, Any]:
    """Show what is in a tagger: labels, training, the strongest features of each label, label pairs."""
    from palmette.cli.tools.sequence.prediction import loaded
    from palmette.cli.tools.sequence.report import inspection
    from palmette.tools.sequence.tagger import Tagger

    return inspection(loaded(Tagger, model, run), top)
