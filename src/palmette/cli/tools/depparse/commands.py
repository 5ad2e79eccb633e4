"""`palmette train depparse`, and what the other commands do with a parser or a pipeline: a tree for every
sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from palmette.cli.commands import helped
from palmette.cli.held_out import HeldOut
from palmette.cli.tools.depparse import options as own
from palmette.cli.tools.neural import Scorer, with_neural_options
from palmette.cli.tools.sequence import options as options

if TYPE_CHECKING:
    from palmette.cli.run import Run
    from palmette.cli.selectable import Selectable
    from palmette.evaluation.guesses import Guesses
    from palmette.formats.model import ModelFile
    from palmette.tools.explanation import Explanation

HELD_OUT = HeldOut(("las", "uas", "clas", "exact"))

EXAMPLES = {
    "train": [
        "palmette train depparse --train train.conllu --dev dev.conllu -o en.palm",
        "palmette train depparse --train train.conllu --method transition --set beam=8 -o en.palm",
        "palmette train depparse --train train.conllu --dev dev.conllu --scorer neural -o en.palm",
        "palmette train depparse --train train.conllu --with-tags -o en.palm     tags and trees from plain text",
    ],
    "predict": [
        "palmette predict en.palm input.conllu > output.conllu",
        'echo "Time flies." | palmette predict en --draw',
        "palmette predict en.palm input.conllu --probabilities",
        "palmette predict en.palm input.conllu --keep-heads",
    ],
    "evaluate": ["palmette evaluate en.palm test.conllu", "palmette evaluate en.palm test.conllu --json"],
    "inspect": ["palmette inspect en.palm"],
    "explain": [
        'palmette explain en "Time flies like an arrow"',
        "palmette explain en --file test.conllu --sentence 3 --token 2",
    ],
}


def _train_help() -> str:
    from palmette.cli.tools.training import learners_help, methods_help
    from palmette.learning.capabilities import SUMS
    from palmette.tools.dependency.model import METHODS

    text = "\n".join(
        [
            learners_help(
                """Train a dependency parser: a head and a relation for every word.

                --set takes the options of the learner and those of the method.""",
                SUMS,
            ),
            *methods_help(METHODS),
        ]
    )
    return with_neural_options(text, trees=True)


@helped(_train_help)
def train(
    run: Run,
    train: own.Treebank,
    dev: own.DevTreebank = None,
    method: own.Method = own.MethodName.graph,
    columns: own.Columns = None,
    with_tags: own.WithTags = False,
    jackknife: own.Jackknife = None,
    tag_learner: own.TagLearner = None,
    skip_bad: own.SkipBad = False,
    compact: options.Compact = True,
    about: options.About = None,
    scorer: options.ScorerName = Scorer.linear,
    start: own.Start = None,
) -> ModelFile:
    from palmette.cli.tools.depparse.training import train_parser

    return train_parser(
        run,
        train=train,
        dev=dev,
        method=method.value,
        columns=columns,
        with_tags=with_tags,
        jackknife=jackknife,
        tag_learner=tag_learner,
        skip_bad=skip_bad,
        compact=compact,
        about=about,
        scorer=scorer,
        start=start,
    )


def predict(
    model: ModelFile,
    run: Run,
    source: options.Input = "-",
    format: own.FormatName = None,
    language: options.Language = None,
    lines: options.Lines = False,
    probabilities: own.ArcProbabilities = False,
    kbest: own.KBestTrees = 1,
    minimum_risk: own.RiskTrees = False,
    keep_heads: own.KeepHeads = False,
    unique: own.Unique = None,
    retag: own.Retag = False,
    search: own.Search = None,
    draw: own.Draw = False,
    svg: own.Svg = False,
) -> Iterator[bytes]:
    """Parse a file: CoNLL-U becomes CoNLL-U, and so does text if the model has taggers.

    Heads and relations are replaced, and missing tags are added; everything else is copied.
    """
    from palmette.cli.tools.depparse.prediction import Wanted, loaded, predictions
    from palmette.cli.tools.sequence.input import InputFormat, TokenReader, language_of

    parser = loaded(model, run, search)
    named = None if format is None else InputFormat(format.value)
    reader = TokenReader(
        source, named, language=language_of(parser.training_, language), lines=lines, reading=run.reading
    )
    once = tuple(name.strip() for name in (unique or "").split(",") if name.strip())
    wanted = Wanted(probabilities, kbest, minimum_risk, keep_heads, retag, draw, svg, once)
    return predictions(parser, reader, wanted, run)


def select(
    model: ModelFile,
    run: Run,
    format: own.FormatName = None,
    language: options.Language = None,
    lines: options.Lines = False,
) -> Selectable:
    """Choose the sentences most worth annotating, and write them parsed, with probabilities."""
    from palmette.cli.tools.depparse.prediction import loaded
    from palmette.cli.tools.sequence.input import InputFormat
    from palmette.cli.tools.sequence.selecting import selectable

    tool = loaded(model, run)
    named = None if format is None else InputFormat(format.value)
    return selectable(tool, model, run, predict, format=named, language=language, lines=lines, columns=False)


def evaluate(
    model: ModelFile,
    run: Run,
    source: own.Treebanked,
    gold_tags: own.GoldTags = False,
    probabilities: own.Calibration = False,
    search: own.Search = None,
) -> dict[str, Any]:
    """Compare a parser with gold trees.

    Attachment with relation (LAS) and without (UAS), of content words (CLAS), and of whole sentences, as the CoNLL
    2018 shared task counts; by relation and by distance. A pipeline predicts the tags too, unless --gold-tags.
    `seconds` is the time of parsing, without loading the model and reading the file.
    """
    from palmette.cli.tools.depparse.prediction import loaded
    from palmette.cli.tools.depparse.report import evaluation

    return evaluation(loaded(model, run, search), source, gold_tags, calibrated=probabilities)


def guesses(model: ModelFile, run: Run, source: str, probabilities: bool) -> Guesses:
    """Parse a gold treebank, for plots."""
    from palmette.cli.tools.depparse.prediction import loaded
    from palmette.cli.tools.depparse.report import guesses

    return guesses(loaded(model, run), source, probabilities)


def inspect(model: ModelFile, run: Run) -> dict[str, Any]:
    """Show what is in a parser: method, options, relations, training, taggers."""
    from palmette.cli.tools.depparse.prediction import loaded
    from palmette.cli.tools.depparse.report import inspection

    return inspection(loaded(model, run))


def explain(
    model: ModelFile,
    run: Run,
    text: options.Text = None,
    file: options.SentenceFile = None,
    sentence: options.SentenceNumber = 1,
    token: options.TokenNumber = None,
    against: own.Against = None,
    top: options.Top = 5,
    tags: own.ExplainTags = False,
    format: options.FormatName = None,
    language: options.Language = None,
) -> Explanation:
    """Explain why the words of a sentence have their heads.

    Show for each word its head and relation, the runner-up (the best tree where it has another head), their
    probabilities, the margin between the two trees, and the features that explain the margin.
    """
    from palmette.cli.tools.depparse.prediction import loaded
    from palmette.cli.tools.depparse.report import explained
    from palmette.cli.tools.sequence.input import language_of
    from palmette.cli.tools.sequence.report import sentence_to_explain

    parser = loaded(model, run)
    found = sentence_to_explain(text, file, sentence, format, language_of(parser.training_, language), run)
    return explained(parser, found, token, against, top, tags=tags)
