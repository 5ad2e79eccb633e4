"""`palmette train pipeline`, and what the other commands do with one: raw text to tokens, lemmas, tags,
trees, names.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from palmette.cli.held_out import HeldOut
from palmette.cli.tools.depparse import options as trees
from palmette.cli.tools.pipeline import options as own
from palmette.cli.tools.sequence import options as options
from palmette.deprecation import deprecated

if TYPE_CHECKING:
    from palmette.cli.run import Run
    from palmette.cli.selectable import Selectable
    from palmette.evaluation.guesses import Guesses
    from palmette.formats.model import ModelFile
    from palmette.tools.explanation import Explanation

HELD_OUT = HeldOut(("las", "uas", "upos", "ufeats", "lemmas", "words", "sentences"))

EXAMPLES = {
    "train": [
        "palmette train pipeline --train train.conllu --dev dev.conllu -o hu.palm",
        "palmette train pipeline --train train.conllu --entities ner.txt --lexicon words.tsv -o hu.palm",
        "palmette train pipeline --train train.conllu --start hu.palm --only lemmas -o hu2.palm",
        "palmette train pipeline --train more.conllu --start hu.palm -o hu3.palm     go on with more data",
    ],
    "predict": [
        "palmette predict hu.palm text.txt > text.conllu",
        'echo "Time flies." | palmette predict en --to json',
        "palmette predict hu.palm words.conllu --from conllu --keep upos --probabilities",
        "palmette predict hu.palm text.txt --dictionary words.tsv",
    ],
    "evaluate": [
        "palmette evaluate hu.palm test.conllu",
        "palmette evaluate hu.palm test.conllu --gold-tokens --json",
    ],
    "inspect": ["palmette inspect hu.palm"],
    "explain": [
        'palmette explain en "Time flies like an arrow"',
        'palmette explain hu.palm "Egy szép nap." --step morphology --token 2',
    ],
}


def train(
    run: Run,
    train: own.Treebanks,
    dev: own.DevTreebank = None,
    entities: own.Entities = None,
    entities_dev: own.EntitiesDev = None,
    lexicon: own.Lexicon = None,
    constrain: own.Constrain = False,
    without: own.Without = None,
    only: own.Only = None,
    use: own.Use = None,
    start: own.Start = None,
    language: own.Language = None,
    method: own.Method = None,
    jackknife: own.Jackknife = 5,
    skip_bad: trees.SkipBad = False,
    compact: options.Compact = True,
    about: options.About = None,
) -> ModelFile:
    """Train a pipeline from a treebank: tokens, words, morphology, lemmas, trees and names in one model file.

    Steps for which the treebank has no data are left out. Every step is trained on what the steps before it
    predict for sentences that they have not seen.
    """
    from palmette.cli.tools.pipeline.training import Wanted, train_pipeline

    return train_pipeline(
        run,
        Wanted(
            train=train,
            dev=dev,
            entities=entities,
            entities_dev=entities_dev,
            lexicon=lexicon,
            constrain=constrain,
            without=own.names_of(without),
            only=own.names_of(only),
            use=tuple(use or ()),
            start=start,
            language=language,
            method=None if method is None else method.value,
            jackknife=jackknife,
            skip_bad=skip_bad,
            compact=compact,
            about=about,
        ),
    )


train.hidden = ("learner", "help_learner", "settings")  # type: ignore[attr-defined]


def predict(
    model: ModelFile,
    run: Run,
    source: options.Input = "-",
    from_: own.From = None,
    to: own.To = own.OutputFormat.conllu,
    keep: own.Keep = None,
    newlines: own.Newlines = None,
    lines: options.Lines = False,
    presegmented: own.Presegmented = False,
    pretokenized: own.Pretokenized = False,
    probabilities: own.Probabilities = False,
    dictionary: own.Dictionary = None,
    kbest: trees.KBestTrees = 1,
    minimum_risk: trees.RiskTrees = False,
    unique: trees.Unique = None,
    search: trees.Search = None,
    draw: trees.Draw = False,
    svg: trees.Svg = False,
    keep_heads: own.KeepHeads = False,
) -> Iterator[bytes]:
    """Annotate a text: sentences, words, lemmas, tags, trees and names, as far as the pipeline has the steps.

    CoNLL-U and columns are read as words: their annotation is predicted again, except what --keep names.
    """
    from palmette.cli.tools.pipeline.prediction import Asked, predictions

    kept = own.names_of(keep)
    if keep_heads:
        deprecated("--keep-heads", "--keep head", "0.4", tell=run.progress.warn)
        kept = tuple(dict.fromkeys((*kept, "head")))
    asked = Asked(
        source=source,
        format=from_,
        to=to,
        keep=kept,
        reading=own.reading_of(newlines, lines, presegmented, pretokenized),
        probabilities=probabilities,
        dictionary=dictionary,
        kbest=kbest,
        minimum_risk=minimum_risk,
        unique=own.names_of(unique),
        search=tuple(search or ()),
        draw=draw,
        svg=svg,
    )
    return predictions(model, asked, run)


def select(
    model: ModelFile,
    run: Run,
    from_: own.From = None,
    newlines: own.Newlines = None,
    lines: options.Lines = False,
    presegmented: own.Presegmented = False,
    pretokenized: own.Pretokenized = False,
) -> Selectable:
    """Choose the sentences of a text most worth annotating, and write them annotated, with probabilities.

    The confidence of a word is the least of the probabilities of its layers.
    """
    from palmette.cli.tools.pipeline.prediction import Asked, selectable

    asked = Asked(
        source="-",
        format=from_,
        reading=own.reading_of(newlines, lines, presegmented, pretokenized),
    )
    return selectable(model, asked, run)


def evaluate(
    model: ModelFile,
    run: Run,
    source: trees.Treebanked,
    gold_tokens: own.GoldTokens = False,
    worst: own.Worst = 5,
) -> dict[str, Any]:
    """Compare a pipeline with a treebank, from its raw text, by the measures of the CoNLL 2018 shared task.

    Scores are F1, since the pipeline may cut the text into other words. `seconds` is the time of annotation,
    without loading the model and reading the file.
    """
    from palmette.cli.tools.pipeline.report import evaluation

    return evaluation(model, source, run, gold_tokens=gold_tokens, worst=worst)


def guesses(model: ModelFile, run: Run, source: str, probabilities: bool) -> dict[str, Guesses]:
    """Annotate the words of a gold treebank, for plots: guesses by layer."""
    from palmette.cli.tools.pipeline.guesses import guesses_by_layer

    return guesses_by_layer(model, source, probabilities=probabilities)


def inspect(model: ModelFile, run: Run) -> dict[str, Any]:
    """Show what is in a pipeline: its steps with their sizes, and the training with the figures of its dev set."""
    from palmette.cli.tools.pipeline.report import inspection

    return inspection(model)


def explain(
    model: ModelFile,
    run: Run,
    text: options.Text = None,
    file: options.SentenceFile = None,
    sentence: options.SentenceNumber = 1,
    step: own.StepName = None,
    token: options.TokenNumber = None,
    against: trees.Against = None,
    top: options.Top = 5,
    from_: own.From = None,
) -> Explanation:
    """Explain what a step says of the words of a sentence: the features that decided, and their contributions."""
    from palmette.cli.tools.pipeline.report import explained

    return explained(
        model,
        run,
        text=text,
        file=file,
        number=sentence,
        step=step,
        token=token,
        against=against,
        top=top,
        format=from_,
    )
