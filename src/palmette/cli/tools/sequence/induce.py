"""`palmette train induce`, and what the other commands do with an induced tagger: states for plain words."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated, Any, TypeAlias

import typer

from palmette.cli.report import Table
from palmette.cli.run import Run
from palmette.cli.tools.sequence import options as options
from palmette.cli.tools.sequence.explanation import explain as explain
from palmette.cli.tools.sequence.input import InputFormat, TokenReader, read_tokens
from palmette.cli.tools.sequence.options import column_of
from palmette.cli.tools.sequence.prediction import language_of, loaded, tagged, target_for
from palmette.cli.tools.sequence.report import inspection
from palmette.cli.tools.training import facts_of, pass_notes, tell_of_interruption
from palmette.errors import FormatError
from palmette.formats.corpus import Corpus
from palmette.formats.files import display_name, read_bytes, read_text
from palmette.formats.model import ModelFile, fingerprint
from palmette.learning.em import EM, VB
from palmette.learning.registry import with_settings
from palmette.tools.sequence.tag_inducer import TagInducer
from palmette.tools.sequence.tagger import UNLABELLED, Tagger, cut, words_of

EXAMPLES = {
    "train": [
        "palmette train induce --train text.txt --states 45 -o states.palm",
        "palmette train induce --train text.txt --learner em --restarts 5 --n-jobs 2 -o states.palm",
        "palmette train induce --train text.txt --dictionary tags.tsv -o tagger.palm   what words may be",
        "palmette train induce --train more.txt --start hmm.palm -o better.palm   go on from a counted one",
    ],
    "predict": ['echo "Time flies." | palmette predict states.palm'],
    "evaluate": ["palmette evaluate states.palm test.conllu"],
    "inspect": ["palmette inspect states.palm --top 10    the words of each state"],
    "explain": ['palmette explain states.palm "Time flies like an arrow"'],
}

TextFile: TypeAlias = Annotated[
    str, typer.Option("--train", metavar="FILE", help="Training sentences: text, CoNLL-U or columns.")
]
States: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--states", metavar="N", min=1, help="Number of states. [default: 45, or the number of given labels]"
    ),
]
StateOrder: TypeAlias = Annotated[
    int,
    typer.Option(
        "--order", metavar="N", min=1, max=2, help="Number of previous states that each state depends on."
    ),
]
Restarts: TypeAlias = Annotated[
    int,
    typer.Option("--restarts", metavar="N", min=1, help="Number of random starts; the best result is kept."),
]
Labels: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--labels", metavar="NAME", help='A column with the labels of some tokens; "_" means unknown.'
    ),
]
Dictionary: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dictionary", metavar="FILE", help="A dictionary: a word and its possible labels on each line."
    ),
]
Start: TypeAlias = Annotated[
    str | None,
    typer.Option("--start", metavar="MODEL", help="A tagger trained with --learner hmm to start from."),
]
_OWN = {"emission_prior": 0.0001, "noise": 0.1}


def train(
    run: Run,
    train: TextFile,
    states: States = None,
    order: StateOrder = 1,
    restarts: Restarts = 1,
    labels: Labels = None,
    dictionary: Dictionary = None,
    start: Start = None,
    format: options.FormatName = None,
    language: options.Language = None,
    lines: options.Lines = False,
    about: options.About = None,
) -> ModelFile:
    """Find states for the words of plain text: parts of speech without a treebank.

    \b
    Learners (--learner NAME, and their options with --set):
      vb          variational Bayes (default): n_iter, tolerance, prior of states, emission_prior of words
      em          expectation maximization: n_iter, tolerance, prior
    Both also take noise, the randomness of the start.
    """
    settings = {key: value for key, value in run.settings.items() if key not in _OWN}
    kinds: dict[str, type[EM]] = {"vb": VB, "em": EM}
    name = run.learner or "vb"
    if name not in kinds:
        raise ValueError(f"unknown learner {name!r}: states are learnt without labels, use vb or em")
    own = {key: _number(key, run.settings.get(key, usual)) for key, usual in _OWN.items()}
    usual = {"n_iter": 100} | ({"prior": 10.0} if name == "vb" else {})
    inducer = TagInducer(
        with_settings(kinds[name], name, settings, **usual),
        n_states=states,
        order=order,
        restarts=restarts,
        random_state=run.seed,
        n_jobs=run.n_jobs,
        emission_prior=own["emission_prior"],
        noise=own["noise"],
    )
    facts = facts_of(about)
    first = None if start is None else Tagger.load(start)
    may_be = None if dictionary is None else _dictionary(dictionary)
    data = read_bytes(train)
    corpus = _sentences(train, format, labels is None, language or "en", lines)
    run.progress.note(f"{len(corpus):,} sentences, {corpus.n_words:,} words")
    known = None if labels is None else _known(corpus, labels)
    try:
        inducer.fit(corpus, known, dictionary=may_be, start=first, callback=pass_notes(run))
    except ValueError as error:
        raise FormatError(str(error), path=display_name(train)) from error
    if inducer.interrupted_:
        tell_of_interruption(inducer.history_, run)
    if language:
        facts["language"] = language
    return inducer.to_model(fingerprint=fingerprint(data), about=facts)


def predict(
    model: ModelFile,
    run: Run,
    source: options.Input = "-",
    format: options.FormatName = None,
    column: options.ColumnName = None,
    append: options.Append = False,
    language: options.Language = None,
    lines: options.Lines = False,
    probabilities: options.Probabilities = False,
    kbest: options.KBest = 1,
    minimum_risk: options.MinimumRisk = False,
) -> Iterator[bytes]:
    """Give every word its state: CoNLL-U becomes CoNLL-U, columns become columns, text becomes CoNLL-U."""
    tagger = loaded(TagInducer, model, run)
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
        jsonl=run.jsonl,
    )


def evaluate(
    model: ModelFile,
    run: Run,
    source: options.GoldFile,
    format: options.FormatName = None,
    column: options.ColumnName = None,
) -> dict[str, Any]:
    """Compare states with gold labels: many-to-one and one-to-one accuracy, V-measure."""
    tagger = loaded(TagInducer, model, run)
    corpus, _ = read_tokens(source, format)
    tagger.column = column_of(column)
    tagger.label_column(corpus)
    began = time.perf_counter()
    predicted = tagger.predict_column(corpus)
    seconds = time.perf_counter() - began
    scores = tagger.evaluate(corpus, predicted=predicted)
    if not scores.tokens:
        raise FormatError(
            "expected gold labels to compare with; the file has none", path=display_name(source)
        )
    states = Table({state: {"label": label} for state, label in sorted(scores.labels_of_states.items())})
    return scores.to_dict() | {"seconds": seconds, "states": states}


def inspect(model: ModelFile, run: Run, top: options.Top = 5) -> dict[str, Any]:
    """Show what is in an induced tagger: the most likely words and successors of each state."""
    tagger = loaded(TagInducer, model, run)
    return inspection(tagger, 0) | ({"words": tagger.likeliest_words(top)} if top else {})


def _sentences(
    source: str, format: InputFormat | None, words_only: bool, language: str, lines: bool
) -> Corpus:
    if not words_only:
        return read_tokens(source, format)[0]
    parts = [batch.corpus for batch in TokenReader(source, format, language=language, lines=lines)]
    found = [words for part in parts for words in cut(part.column(words_of(part)).values(), part.offsets)]
    if not any(found):
        raise FormatError("expected words; the file has none", path=display_name(source))
    return Corpus.from_columns({"form": found})


def _known(corpus: Corpus, labels: str) -> list[list[str | None]]:
    name = Tagger(column=column_of(labels)).label_column(corpus)
    rows = cut(corpus.column(name).values(), corpus.offsets)
    return [[None if label == UNLABELLED else label for label in row] for row in rows]


def _dictionary(path: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        word, _, labels = line.partition("\t") if "\t" in line else line.strip().partition(" ")
        if not word or not labels.split():
            raise FormatError(
                "expected a word and its labels on each line", path=display_name(path), line=number
            )
        found[word] = list(dict.fromkeys([*found.get(word, ()), *labels.split()]))
    return found


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        raise ValueError(f"the option {name!r} must be a number of at least 0; got {value!r}")
    return float(value)
