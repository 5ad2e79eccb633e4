"""`palmette train induce`, and what the other commands do with an induced tagger: states for plain words."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Annotated, Any, TypeAlias

import typer

from palmette.cli.held_out import HeldOut
from palmette.cli.report import Table
from palmette.cli.run import Run
from palmette.cli.selectable import Selectable
from palmette.cli.tools.sequence import options as options
from palmette.cli.tools.sequence.explanation import explain as explain
from palmette.cli.tools.sequence.input import InputFormat, TokenReader, language_of, read_tokens
from palmette.cli.tools.sequence.options import column_of
from palmette.cli.tools.sequence.prediction import loaded, tagged, target_for
from palmette.cli.tools.sequence.report import inspection
from palmette.cli.tools.training import (
    facts_of,
    learners_help,
    pass_notes,
    run_learner,
    tell_of_interruption,
)
from palmette.errors import FormatError, UsageError
from palmette.formats.corpus import Corpus
from palmette.formats.files import display_name, read_bytes, read_text
from palmette.formats.model import ModelFile, fingerprint
from palmette.learning.em import EM
from palmette.messages import counted
from palmette.tools.sequence.tag_inducer import InductionOptions, TagInducer
from palmette.tools.sequence.tagger import Tagger
from palmette.tools.sequence.tokens import UNLABELLED, cut, words_of

HELD_OUT = HeldOut(("many_to_one", "one_to_one", "v_measure"))

EXAMPLES = {
    "train": [
        "palmette train induce --train text.txt --states 45 -o states.palm",
        "palmette train induce --train text.txt --learner em --restarts 5 --n-jobs 2 -o states.palm",
        "palmette train induce --train text.txt --dictionary tags.tsv -o tagger.palm   what words may be",
        "palmette train induce --train more.txt --start hmm.palm -o better.palm   go on from a counted one",
        "palmette train induce --train more.txt --labelled few.conllu --dev dev.conllu -o tagger.palm",
        "palmette train induce --train more.txt --states 150 --label-states few.conllu -o tagger.palm",
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
Labelled: TypeAlias = Annotated[
    str | None,
    typer.Option("--labelled", metavar="FILE", help="Labelled sentences to start from: CoNLL-U or columns."),
]
DevLabels: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--dev",
        metavar="FILE",
        help="Labelled sentences that choose the passes after --labelled or --labels. "
        "[default: cross-validation over the labelled sentences]",
    ),
]
LabelWeight: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--label-weight",
        metavar="W",
        min=0,
        help="How many times each labelled sentence counts. [default: the best of 1, 10, 30, 100]",
    ),
]
LabelStates: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--label-states",
        metavar="FILE",
        help="Labelled sentences from which every state gets a label after training.",
    ),
]
LabelColumn: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--column", metavar="NAME", help="The column with the labels of --labelled, --dev and --label-states."
    ),
]
# The options of `InductionOptions` that have no flag of their own.
_OWN = ("emission_prior", "noise", "initial")


def train(
    run: Run,
    train: TextFile,
    states: States = None,
    order: StateOrder = 1,
    restarts: Restarts = 1,
    labels: Labels = None,
    dictionary: Dictionary = None,
    start: Start = None,
    labelled: Labelled = None,
    dev: DevLabels = None,
    label_weight: LabelWeight = None,
    label_states: LabelStates = None,
    column: LabelColumn = None,
    format: options.FormatName = None,
    language: options.Language = None,
    lines: options.Lines = False,
    about: options.About = None,
) -> ModelFile:
    if label_states is not None and (labelled or labels or start or dictionary):
        raise UsageError("--label-states is for states without labels: leave out the other sources of labels")
    if label_weight is not None and not (labelled or labels):
        raise UsageError("--label-weight is for --labelled or --labels")
    if column is not None and not (labelled or dev or label_states):
        raise UsageError("--column is for --labelled, --dev and --label-states")
    own = {key: value for key, value in run.settings.items() if key in _OWN}
    untrained = TagInducer()
    usual = [EM()] if labelled or labels else [untrained.default_learner(), EM(n_iter=100)]
    learner = run_learner(run, usual, untrained.offers, other=_OWN)
    inducer = TagInducer(
        learner,
        n_states=states,
        order=order,
        random_state=run.seed,
        n_jobs=run.n_jobs,
        **InductionOptions(restarts=restarts, **own).get_params(),
        label_weight=label_weight,
        column=column_of(column),
    )
    inducer.check_learner()
    if "emission_prior" in own and not learner.bayesian:
        raise UsageError("--set emission_prior applies to vb; EM has one prior, --set prior")
    facts = facts_of(about)
    first = None if start is None else Tagger.load(start)
    may_be = None if dictionary is None else _dictionary(dictionary)
    data = read_bytes(train)
    corpus = _sentences(train, format, labels is None, language or "en", lines)
    run.progress.note(f"{counted(len(corpus), 'sentence')}, {counted(corpus.n_words, 'word')}")
    known = None if labels is None else _known(corpus, labels)
    few, held, naming = (
        None if path is None else read_tokens(path)[0] for path in (labelled, dev, label_states)
    )
    for given in (few, held, naming):
        if given is not None:
            inducer.label_column(given)
    try:
        inducer.fit(
            corpus,
            known,
            labelled=few,
            dev=held,
            dictionary=may_be,
            start=first,
            callback=pass_notes(run),
        )
        if naming is not None:
            inducer.label_states(naming)
    except ValueError as error:
        raise FormatError(str(error), path=display_name(train)) from error
    if inducer.interrupted_:
        tell_of_interruption(inducer.history_, run)
    if "labels_alone" in inducer.training_:
        run.progress.note(_told(inducer.training_))
    if language:
        facts["language"] = language
    return inducer.to_model(fingerprint=fingerprint(data), about=facts)


train.__doc__ = "\n".join(
    [
        learners_help(
            """Find states for the words of plain text: parts of speech without a treebank.

            The default learner is vb, with n_iter=100 and prior=10 for states. With --labelled the states are its
            labels, the learner is em, and passes are made only if they make the labels of --dev (or of
            --labelled, in cross-validation) better.""",
            TagInducer().offers,
        ),
        *("", "\b", "Options of both, with --set:"),
        *(f"  {line}" for line in InductionOptions.help_lines() if line.partition(":")[0] in _OWN),
    ]
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
    probabilities: options.Probabilities = False,
    kbest: options.KBest = 1,
    minimum_risk: options.MinimumRisk = False,
    search: options.Search = None,
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
        search=search,
        run=run,
    )


def select(
    model: ModelFile,
    run: Run,
    format: options.FormatName = None,
    language: options.Language = None,
    lines: options.Lines = False,
) -> Selectable:
    """Choose the sentences most worth annotating, and write them tagged, with probabilities."""
    from palmette.cli.tools.sequence.selecting import selectable

    tool = loaded(TagInducer, model, run)
    return selectable(tool, model, run, predict, format=format, language=language, lines=lines)


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


def _told(training: dict[str, Any]) -> str:
    """What was chosen, and by what."""
    n = training["passes"]
    passes = f"{n} pass{'' if n == 1 else 'es'} of {training['learner']}"
    if training["labels_alone"] is None:
        return f"{passes}: too few labelled sentences to choose by"
    weight = f", label weight {training['label_weight']:g}" if training["passes"] else ""
    found, alone = 100 * training["dev_score"], 100 * training["labels_alone"]
    return f"chosen: {passes}{weight}; accuracy {found:.2f}, with the labels alone {alone:.2f}"


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
