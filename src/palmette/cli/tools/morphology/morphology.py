"""`palmette train morphology`, and what the other commands do with one: upos, xpos and feats of every word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from palmette.cli.commands import helped
from palmette.cli.held_out import HeldOut
from palmette.cli.tools.morphology import options as own
from palmette.cli.tools.sequence import options as options
from palmette.cli.tools.training import learners_help

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from palmette.cli.run import Run
    from palmette.cli.selectable import Selectable
    from palmette.formats.corpus import Corpus
    from palmette.formats.model import ModelFile
    from palmette.tools.explanation import Explanation
    from palmette.tools.morphology.morphology import Morphology

HELD_OUT = HeldOut(("all_tags", "upos", "xpos", "feats"))

EXAMPLES = {
    "train": [
        "palmette train morphology --train train.conllu -o tr-morphology.palm",
        "palmette train morphology --train train.conllu --lexicon words.tsv --constrain -o tr.palm",
        "palmette train morphology --train train.conllu --learner crf -o tr.palm   probabilities of the model",
    ],
    "predict": [
        "palmette predict tr.palm input.conllu > output.conllu",
        "palmette predict tr.palm input.conllu --keep upos    features that agree with the tags of the input",
        "palmette predict tr.palm text.txt --probabilities",
    ],
    "evaluate": ["palmette evaluate tr.palm test.conllu"],
    "inspect": ["palmette inspect tr.palm --top 3"],
    "explain": ["palmette explain tr.palm --file test.conllu --sentence 3 --token 2"],
}


def _train_help() -> str:
    from palmette.tools.morphology.morphology import Morphology

    return learners_help(
        """Train a morphology: upos, xpos and feats for every word.

        Only analyses of the training data are predicted. Lemmas in the training data and in --lexicon help with
        words that it does not have. Columns without any value are left out, and a line says so.""",
        Morphology().offers,
    )


@helped(_train_help)
def train(
    run: Run,
    train: own.TreebankFile,
    dev: own.DevFile = None,
    lexicon: own.LexiconFile = None,
    constrain: own.Constrain = False,
    column: own.Columns = None,
    templates: own.Templates = None,
    compact: options.Compact = True,
    about: options.About = None,
) -> ModelFile:
    from palmette.cli.tools.morphology.training import train_words
    from palmette.errors import UsageError
    from palmette.tools.morphology.morphology import COLUMNS, Morphology

    for name in column or ():
        if name not in COLUMNS:
            raise UsageError(f"--column {name}: expected {', '.join(COLUMNS)}")
    if constrain and lexicon is None:
        raise UsageError("--constrain needs --lexicon FILE")
    tool = Morphology(columns=column, lexicon=lexicon, constrain=constrain)
    return train_words(tool, run, train=train, dev=dev, templates=templates, compact=compact, about=about)


def predict(
    model: ModelFile,
    run: Run,
    source: options.Input = "-",
    format: options.FormatName = None,
    keep: own.KeptColumns = None,
    language: options.Language = None,
    lines: options.Lines = False,
    probabilities: options.Probabilities = False,
    kbest: options.KBest = 1,
) -> Iterator[bytes]:
    """Fill upos, xpos and feats: CoNLL-U, columns and text become CoNLL-U."""
    from palmette.cli.tools.morphology.prediction import annotated
    from palmette.cli.tools.morphology.training import reader
    from palmette.errors import UsageError
    from palmette.tools.morphology.morphology import COLUMNS

    for name in keep or ():
        if name not in COLUMNS:
            raise UsageError(f"--keep {name}: expected {', '.join(COLUMNS)}")
    tool = _loaded(model, run)
    sentences = reader(tool, source, format, language, lines, run)
    annotator = _Annotator(tool, tuple(keep or ()))
    return annotated(annotator, sentences, probabilities=probabilities, kbest=kbest, run=run)


class _Annotator:
    def __init__(self, tool: Morphology, keep: tuple[str, ...]) -> None:
        self.tool, self.keep, self.filled = tool, keep, tool.columns_

    def annotate(self, corpus: Corpus) -> Corpus:
        return self.tool.annotate(corpus, keep=self.keep)

    def confidence(self, corpus: Corpus) -> dict[str, NDArray[np.float32]]:
        return self.tool.confidence(corpus)

    def kbest(self, corpus: Corpus, k: int) -> list[list[tuple[list[tuple[str, ...]], float]]]:
        from palmette.tools.morphology.analyses import Analysis

        places = [Analysis._fields.index(name) for name in self.filled]
        return [
            [
                ([tuple(word[place] for place in places) for word in one.output], one.log_probability or 0.0)
                for one in ranked
            ]
            for ranked in self.tool.kbest(corpus, k)
        ]


def select(
    model: ModelFile,
    run: Run,
    format: options.FormatName = None,
    language: options.Language = None,
    lines: options.Lines = False,
) -> Selectable:
    """Choose the sentences most worth annotating, and write them with tags and features, with probabilities."""
    from palmette.cli.tools.sequence.selecting import selectable

    tool = _loaded(model, run)
    return selectable(tool, model, run, predict, format=format, language=language, lines=lines, columns=False)


def evaluate(
    model: ModelFile, run: Run, source: options.GoldFile, format: options.FormatName = None
) -> dict[str, Any]:
    """Compare a morphology with gold analyses: upos, xpos, feats and all of them, also of unknown words.

    `seconds` is the time of prediction, without loading the model and reading the file.
    """
    from palmette.cli.tools.morphology.training import compared

    tool = _loaded(model, run)
    scores, times = compared(tool, source, format, tool.columns_)
    interval = scores.whole.interval()
    report = {name: value for name, value in scores.to_dict().items() if value is not None}
    report |= {"all_tags_interval": [interval.low, interval.high]}
    report |= times
    confused = {}
    for name, column in scores.columns.items():
        for gold, guess, n in column.most_confused(5):
            confused[f"{name} {gold} as {guess}"] = n
    return report | {"confused": confused}


def explain(
    model: ModelFile,
    run: Run,
    text: options.Text = None,
    file: options.SentenceFile = None,
    sentence: options.SentenceNumber = 1,
    token: options.TokenNumber = None,
    top: options.Top = 5,
    format: options.FormatName = None,
    language: options.Language = None,
) -> Explanation:
    """Why the words of a sentence got their analyses.

    For each word its analysis and the best other one, with their probabilities, the margin between them, and the
    features that make it up.
    """
    from palmette.cli.tools.morphology.training import explained_words

    tool = _loaded(model, run)
    return explained_words(tool, text, file, sentence, token, top, format, language, run)


def inspect(model: ModelFile, run: Run, top: options.Top = 3) -> dict[str, Any]:
    """Show what is in a morphology: columns, analyses, parts with their strongest features, training."""
    from palmette.cli.tools.sequence.report import top_features

    tool = _loaded(model, run)
    analyser = tool.model_
    report: dict[str, Any] = {
        "columns": list(tool.columns_),
        "analyses": len(analyser.table),
        "parts": len(analyser.table.parts),
        "classes": list(analyser.table.class_names),
        "attributes": analyser.parts.features.n_attributes,
        "weights": len(analyser.parts.entries()[2]),
        "lemmas": 0 if tool.preparation_.stems is None else len(tool.preparation_.stems.lemmas),
        "lexicon": 0 if tool.lexicon_ is None else len(tool.lexicon_),
        "constrain": bool(tool.constrain),
        "training": {name: value for name, value in tool.training_.items() if value is not None},
    }
    return report | ({"top_features": top_features(analyser.parts, top)} if top else {})


def _loaded(model: ModelFile, run: Run) -> Morphology:
    from palmette.cli.run import restored
    from palmette.tools.morphology.morphology import Morphology

    tool: Morphology = restored(Morphology, model, n_jobs=run.n_jobs)
    return tool
