"""`palmette train lemmas`, and what the other commands do with a lemmatizer."""

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
    from palmette.tools.morphology.lemmatizer import Lemmatizer

HELD_OUT = HeldOut(("accuracy", "known_accuracy", "unknown_accuracy"))

EXAMPLES = {
    "train": [
        "palmette train lemmas --train train.conllu -o tr-lemmas.palm",
        "palmette train lemmas --train train.conllu --dictionary names.tsv -o tr-lemmas.palm",
    ],
    "predict": [
        "palmette predict tr-lemmas.palm tagged.conllu > output.conllu",
        "palmette predict tr-lemmas.palm tagged.conllu --keep --probabilities",
    ],
    "evaluate": ["palmette evaluate tr-lemmas.palm test.conllu"],
    "inspect": ["palmette inspect tr-lemmas.palm --top 3"],
    "explain": ["palmette explain tr-lemmas.palm --file test.conllu --sentence 3 --token 2"],
}


def _train_help() -> str:
    from palmette.tools.morphology.lemmatizer import Lemmatizer

    return learners_help(
        """Train a lemmatizer: the lemma of every word, by its form, upos and feats.

        Words of --dictionary come first, then words of the training data, then edit scripts that a model
        chooses. Words whose lemma is "_" are left out.""",
        Lemmatizer().offers,
    )


@helped(_train_help)
def train(
    run: Run,
    train: own.TreebankFile,
    dev: own.DevFile = None,
    dictionary: own.DictionaryFile = None,
    min_count: own.ScriptCount = 2,
    templates: own.Templates = None,
    compact: options.Compact = True,
    about: options.About = None,
) -> ModelFile:
    from palmette.cli.tools.morphology.training import train_words
    from palmette.tools.morphology.lemmatizer import Lemmatizer

    tool = Lemmatizer(dictionary=dictionary, min_count=min_count)
    return train_words(tool, run, train=train, dev=dev, templates=templates, compact=compact, about=about)


def predict(
    model: ModelFile,
    run: Run,
    source: options.Input = "-",
    format: options.FormatName = None,
    keep: own.KeepLemmas = False,
    language: options.Language = None,
    lines: options.Lines = False,
    probabilities: options.Probabilities = False,
    kbest: options.KBest = 1,
) -> Iterator[bytes]:
    """Fill the lemmas: CoNLL-U, columns (form, upos, feats) and text become CoNLL-U.

    The lemmatizer looks at the upos and feats of the input.
    """
    from palmette.cli.tools.morphology.prediction import annotated
    from palmette.cli.tools.morphology.training import reader

    tool = _loaded(model, run)
    sentences = reader(tool, source, format, language, lines, run)
    return annotated(
        _Annotator(tool, keep, run), sentences, probabilities=probabilities, kbest=kbest, run=run
    )


class _Annotator:
    filled = ("lemma",)

    def __init__(self, tool: Lemmatizer, keep: bool, run: Run) -> None:
        self.tool, self.keep, self.run, self.told = tool, keep, run, False

    def annotate(self, corpus: Corpus) -> Corpus:
        self._tell(corpus)
        return self.tool.annotate(corpus, keep=("lemma",) if self.keep else ())

    def confidence(self, corpus: Corpus) -> dict[str, NDArray[np.float32]]:
        import numpy as np

        return {"lemma": np.array(self.tool.confidence(corpus), dtype=np.float32)}

    def kbest(self, corpus: Corpus, k: int) -> list[list[tuple[list[tuple[str, ...]], float]]]:
        self._tell(corpus)
        return [
            [([(lemma,) for lemma in one.output], one.log_probability or 0.0) for one in ranked]
            for ranked in self.tool.kbest(corpus, k)
        ]

    def _tell(self, corpus: Corpus) -> None:
        from palmette.tools.morphology.words import has_values

        if not self.told and self.tool.training_.get("tags") and not has_values(corpus, "upos"):
            self.run.progress.warn(
                "the input has no upos, which this lemmatizer looks at: tag the text first"
            )
            self.told = True


def select(
    model: ModelFile,
    run: Run,
    format: options.FormatName = None,
    language: options.Language = None,
    lines: options.Lines = False,
) -> Selectable:
    """Choose the sentences most worth annotating, and write them with lemmas, with probabilities."""
    from palmette.cli.tools.sequence.selecting import selectable

    tool = _loaded(model, run)
    return selectable(tool, model, run, predict, format=format, language=language, lines=lines, columns=False)


def evaluate(
    model: ModelFile, run: Run, source: options.GoldFile, format: options.FormatName = None
) -> dict[str, Any]:
    """Compare a lemmatizer with gold lemmas, also of known and unknown words, by the upos and feats of the file.

    `seconds` is the time of prediction, without loading the model and reading the file.
    """
    from palmette.cli.tools.morphology.training import compared
    from palmette.errors import FormatError
    from palmette.formats.files import display_name

    tool = _loaded(model, run)
    scores, times = compared(tool, source, format, ("lemma",))
    if not scores.tokens:
        raise FormatError(
            "expected gold lemmas to compare with; the file has none", path=display_name(source)
        )
    interval = scores.interval()
    names = (
        "accuracy",
        "known_accuracy",
        "unknown_accuracy",
        "tokens",
        "correct",
        "unknown_tokens",
        "sentences",
    )
    report = {name: value for name, value in scores.to_dict().items() if name in names and value is not None}
    report = {
        "accuracy": report.pop("accuracy"),
        "accuracy_interval": [interval.low, interval.high],
        **report,
    }
    report |= times
    return report | {"confused": {f"{gold} as {guess}": n for gold, guess, n in scores.most_confused(10)}}


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
    """Why the words of a sentence got their lemmas.

    For each word its lemma and the next best, with their scripts and probabilities, the margin between them, and
    the features that make it up; or the dictionary that the lemma comes from.
    """
    from palmette.cli.tools.morphology.training import explained_words

    tool = _loaded(model, run)
    return explained_words(tool, text, file, sentence, token, top, format, language, run)


def inspect(model: ModelFile, run: Run, top: options.Top = 3) -> dict[str, Any]:
    """Show what is in a lemmatizer: scripts with their strongest features, exceptions, dictionary, training."""
    from palmette.cli.tools.sequence.report import top_features

    tool = _loaded(model, run)
    scripts = tool.model_.scripts
    report: dict[str, Any] = {
        "scripts": len(scripts.structure.labels),
        "lemmas": len(tool.model_.lemmas),
        "exceptions": len(tool.exact_),
        "dictionary": 0 if tool.dictionary_ is None else len(tool.dictionary_),
        "attributes": scripts.features.n_attributes,
        "weights": len(scripts.entries()[2]),
        "training": {name: value for name, value in tool.training_.items() if value is not None},
    }
    return report | ({"top_features": top_features(scripts, top)} if top else {})


def _loaded(model: ModelFile, run: Run) -> Lemmatizer:
    from palmette.cli.run import restored
    from palmette.tools.morphology.lemmatizer import Lemmatizer

    tool: Lemmatizer = restored(Lemmatizer, model, n_jobs=run.n_jobs)
    return tool
