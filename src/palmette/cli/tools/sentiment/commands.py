"""`palmette train sentiment`, and what the other commands do with its models: the polarity of documents."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from palmette.cli.commands import helped
from palmette.cli.held_out import HeldOut, documents
from palmette.cli.report import Table, json_line
from palmette.cli.run import Run, restored
from palmette.cli.selectable import Examples, Selectable
from palmette.cli.tools.sentiment import options as own
from palmette.cli.tools.sentiment.input import Given, read_documents, read_labelled_sentences
from palmette.cli.tools.sequence.options import About, Top
from palmette.cli.tools.training import facts_of, learners_help, pass_notes, run_learner, tell_of_interruption
from palmette.errors import UsageError
from palmette.formats.files import display_name, read_text
from palmette.formats.model import ModelFile, fingerprint
from palmette.learning.registry import make_learner, read_settings
from palmette.messages import counted
from palmette.tools.explanation import Explanation
from palmette.tools.sentiment.options import SentimentOptions
from palmette.tools.sentiment.sentiment import Sentiment

HELD_OUT = HeldOut(("accuracy", "macro_f1"), cut=documents)

EXAMPLES = {
    "train": [
        "palmette train sentiment --train reviews.tsv --subjectivity sentences.tsv --dev dev.tsv -o reviews.palm",
        "palmette train sentiment --train reviews.tsv --learner bayes-weighted -o reviews.palm",
    ],
    "predict": [
        "palmette predict reviews.palm new.tsv",
        "palmette predict reviews.palm new.tsv --extract --sentences 5",
    ],
    "evaluate": ["palmette evaluate reviews.palm test.tsv --json"],
    "inspect": ["palmette inspect reviews.palm"],
    "explain": [
        'palmette explain reviews.palm "He meets a girl. The film is a delight."',
        "palmette explain reviews.palm --file test.tsv --document 3 --keep 2",
    ],
}


def _train_help() -> str:
    text = """Train sentiment: the polarity of documents.

    With --subjectivity, a first classifier finds the sentences that say what the author thinks. They are chosen
    together, by a minimum cut, because neighbours are often of the same kind; the second classifier sees no
    others."""
    lines = [f"  {line}" for line in SentimentOptions.help_lines()]
    return "\n".join([learners_help(text, Sentiment().offers), "", "\b", "Options, with --set:", *lines])


@helped(_train_help)
def train(
    run: Run,
    train: own.TrainFile,
    dev: own.DevFile = None,
    subjectivity: own.SubjectivityFile = None,
    sentence_learner: own.SentenceLearner = None,
    about: About = None,
) -> ModelFile:
    facts = facts_of(about)
    settings = {key: value for key, value in run.settings.items() if key in SentimentOptions.names()}
    sentiment = Sentiment(options=read_settings(SentimentOptions, "sentiment", settings), n_jobs=run.n_jobs)
    sentiment.learner = run_learner(
        run, [sentiment.default_learner()], sentiment.offers, other=list(settings)
    )
    sentiment.check_learner()
    if sentence_learner is not None:
        if subjectivity is None:
            raise UsageError("--sentence-learner needs sentences to learn from: --subjectivity FILE")
        sentiment.sentence_learner = make_learner(
            sentence_learner, {}, random_state=run.seed, n_jobs=run.n_jobs
        )
    given = read_documents(train, labelled=True)
    held_out = None if dev is None else read_documents(dev, labelled=True)
    if subjectivity is not None:
        sentiment.subjectivity = read_labelled_sentences(subjectivity)
    run.progress.note(f"{counted(len(given.documents), 'document')}")
    sentiment.fit(
        given.documents,
        given.labels or [],
        dev=None if held_out is None else (held_out.documents, held_out.labels or []),
        callback=pass_notes(run),
    )
    if sentiment.interrupted_:
        tell_of_interruption(sentiment.history_, run)
    classes = sentiment.classes_.tolist()
    if len(classes) == 1:
        run.progress.warn(f"all documents have the label {classes[0]!r}; it is always predicted")
    files = [train, *([subjectivity] if subjectivity is not None else [])]
    data = fingerprint(*(read_text(file).encode() for file in files))
    return sentiment.to_model(fingerprint=data, about=facts)


def predict(
    model: ModelFile,
    run: Run,
    source: own.Documents = "-",
    extract: own.ExtractOnly = False,
    sentences: own.Sentences = None,
    probabilities: own.Probabilities = False,
) -> Iterator[bytes]:
    """Predict the label of every document; write its name and its label.

    With --extract, write the sentences that stay, as a file of three columns: document, number, words.
    """
    if extract and probabilities and not run.jsonl:
        raise UsageError("--extract writes sentences, not labels: --probabilities needs --jsonl beside it")
    sentiment = _loaded(model, run, sentences)
    given = read_documents(source, labelled=False, reading=run.reading)
    for number, (name, document) in enumerate(zip(given.names, given.documents), 1):
        (best,) = sentiment.kbest([document], 1)[0]
        (cut,) = sentiment.extracts([document])
        stays = [i for i, stay in enumerate(cut.stays, 1) if stay]
        p = best.probability if probabilities else None
        if run.jsonl:
            told = {
                "number": number,
                "document": name,
                "label": best.output,
                "probability": p,
                "stays": stays,
            }
            yield json_line(told | ({"extract": [cut.sentences[i - 1] for i in stays]} if extract else {}))
        elif extract:
            yield "".join(f"{name}\t{i}\t{cut.sentences[i - 1]}\n" for i in stays).encode()
        else:
            yield "\t".join([name, str(best.output), *([] if p is None else [f"{p:.4f}"])]).encode() + b"\n"


def select(model: ModelFile, run: Run) -> Selectable:
    """Choose the documents most worth a label, and write each as in training, with a probability at the end."""
    sentiment = _loaded(model, run, None)

    def read(source: str) -> Iterator[Examples]:
        given = read_documents(source, labelled=False, reading=run.reading)
        words = [_text(document).split() for document in given.documents]
        files = [_lines(name, document) for name, document in zip(given.names, given.documents)]
        yield Examples(given.documents, words, files)

    def annotate(content: Any) -> Iterator[bytes]:
        given = read_documents(content, labelled=False)
        found = sentiment.kbest(given.documents, 1)
        for name, document, (best,) in zip(given.names, given.documents, found, strict=True):
            p = None if best.probability is None else round(best.probability, 4)
            if run.jsonl:
                yield json_line({"label": best.output, "probability": p, "text": _text(document)})
                continue
            lines = _lines(name, document).decode().splitlines()
            likely = "" if p is None else f"\t{p:.4f}"
            yield "".join(f"{best.output}\t{line}{likely}\n" for line in lines).encode()

    return Selectable(sentiment, read, annotate)


def _text(document: str | Sequence[str]) -> str:
    return document if isinstance(document, str) else " ".join(document)


def _lines(name: str, document: str | Sequence[str]) -> bytes:
    """A document as a file has it, without a label."""
    if isinstance(document, str):
        return f"{document}\n".encode()
    return "".join(f"{name}\t{i}\t{sentence}\n" for i, sentence in enumerate(document, 1)).encode()


def evaluate(
    model: ModelFile, run: Run, source: own.GoldFile, sentences: own.Sentences = None
) -> dict[str, Any]:
    """Compare polarities with gold labels.

    Report accuracy with its interval, precision, recall and F1 of every label, and `kept`, the part of the words
    that are in the extracts. `seconds` is the time of predicting.
    """
    sentiment = _loaded(model, run, sentences)
    given = read_documents(source, labelled=True)
    began = time.perf_counter()
    guess = sentiment.predict(given.documents)
    seconds = time.perf_counter() - began
    scores = sentiment.evaluate([], given.labels or [], predicted=guess)
    interval = scores.interval()
    return {
        "accuracy": scores.accuracy,
        "accuracy_interval": [interval.low, interval.high],
        "macro_f1": scores.macro_f1,
        "documents": scores.tokens,
        "kept": _kept(sentiment, given),
        "seconds": seconds,
        "unknown_labels": list(scores.unknown_labels),
        "labels": Table({name: counts.to_dict() for name, counts in scores.labels.items()}),
    }


def inspect(model: ModelFile, run: Run) -> dict[str, Any]:
    """Show what is in a sentiment model: labels, the cut, both classifiers, training."""
    sentiment = Sentiment.from_model(model)
    inside = sentiment.model_
    found = inside.subjectivity
    return {
        "classes": sentiment.classes_.tolist(),
        "polarity": {"model": inside.polarity.model_.noun, **inside.polarity.model_.facts()},
        "subjectivity": None
        if found is None
        else {
            "model": found.classifier.model_.noun,
            **found.classifier.model_.facts(),
            "classes": found.classifier.classes_.tolist(),
            "slope": found.slope,
            "offset": found.offset,
        },
        "options": inside.options.to_dict(),
        "training": {name: value for name, value in sentiment.training_.items() if value is not None},
    }


def explain(
    model: ModelFile,
    run: Run,
    text: own.Text = None,
    file: own.ExampleFile = None,
    document: own.ExampleNumber = 1,
    keep: own.Keep = None,
    drop: own.Drop = None,
    top: Top = 10,
) -> Explanation:
    """Explain the label of a document.

    Show its sentences: those that stay have a star, their probability of being subjective, and what they add to
    the margin over the runner-up.
    """
    if (text is None) == (file is None):
        raise UsageError("expected a document to explain: give a text or --file FILE")
    given = Given(["1"], None, [text]) if text is not None else read_documents(file or "", labelled=False)
    if document > len(given.documents):
        n = len(given.documents)
        raise ValueError(
            f"{display_name(file or '-')} has {counted(n, 'document')}; there is no document {document}"
        )
    sentiment = _loaded(model, run, None)
    chosen = given.documents[document - 1]
    n = len(sentiment.extracts([chosen])[0].sentences)
    return sentiment.explain(chosen, known=_known(n, keep or (), drop or ())).of(top=top)


def _loaded(model: ModelFile, run: Run, sentences: int | None) -> Sentiment:
    sentiment: Sentiment = restored(Sentiment, model, n_jobs=run.n_jobs)
    return sentiment if sentences is None else sentiment.keeping(sentences)


def _known(n: int, keep: Sequence[int], drop: Sequence[int]) -> list[bool | None] | None:
    if not keep and not drop:
        return None
    for number in (*keep, *drop):
        if number > n:
            raise UsageError(
                f"--keep and --drop: the document has {counted(n, 'sentence')}, and no sentence {number}"
            )
    if both := set(keep) & set(drop):
        raise UsageError(f"--keep and --drop: sentence {min(both)} cannot both stay and go")
    return [True if i in keep else False if i in drop else None for i in range(1, n + 1)]


def _kept(sentiment: Sentiment, given: Given) -> float:
    """The part of the words that stay."""
    lengths = [
        (len(sentence.split()), stay)
        for cut in sentiment.extracts(given.documents)
        for sentence, stay in zip(cut.sentences, cut.stays)
    ]
    return sum(n for n, stay in lengths if stay) / max(sum(n for n, _ in lengths), 1)
