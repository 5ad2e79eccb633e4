"""What the commands of `morphology` and `lemmas` share: training, input, gold files, explanations."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from palmette.cli.run import Run
from palmette.cli.tools.morphology.prediction import in_conllu
from palmette.cli.tools.sequence.input import InputFormat, TokenReader, language_of, read_tokens
from palmette.cli.tools.sequence.report import sentence_to_explain
from palmette.cli.tools.training import facts_of, pass_notes, run_learner, tell_of_interruption
from palmette.errors import FormatError
from palmette.features import Templates
from palmette.formats.corpus import Corpus
from palmette.formats.files import display_name
from palmette.formats.model import ModelFile, fingerprint
from palmette.tools.explanation import Explanation
from palmette.tools.morphology.words import has_values

if TYPE_CHECKING:
    from palmette.tools.morphology.lemmatizer import Lemmatizer
    from palmette.tools.morphology.morphology import Morphology


def train_words(
    tool: Lemmatizer | Morphology,
    run: Run,
    *,
    train: str,
    dev: str | None,
    templates: str | None,
    compact: bool,
    about: Sequence[str] | None,
) -> ModelFile:
    """Train a tool that has its other parameters on a file, and make its model file."""
    tool.learner = run_learner(run, [tool.default_learner()], tool.offers)
    tool.n_jobs = run.n_jobs
    tool.check_learner()
    facts = facts_of(about)
    if templates is not None:
        tool.templates = Templates.read(templates)
    corpus, data = read_tokens(train, None)
    held_out = None if dev is None else read_tokens(dev, None)[0]
    run.progress.note(f"{len(corpus):,} sentences, {corpus.n_words:,} words")
    try:
        tool.fit(corpus, dev=held_out, callback=pass_notes(run))
    except FormatError:
        raise
    except ValueError as error:
        path = dev if "dev set" in str(error) and dev is not None else train
        raise FormatError(str(error), path=display_name(path)) from error
    for text in tool.training_["notes"]:
        run.progress.warn(text)
    if tool.interrupted_:
        tell_of_interruption(tool.history_, run)
    return tool.to_model(compact=compact, fingerprint=fingerprint(data), about=facts)


def compared(
    tool: Lemmatizer | Morphology, source: str, format: InputFormat | None, names: Sequence[str]
) -> tuple[Any, dict[str, float]]:
    """The scores of a tool on a gold file, and the time of its predictions as a report has it."""
    corpus = _gold_corpus(source, format, names)
    began = time.perf_counter()
    predicted = tool.annotate(corpus)
    seconds = time.perf_counter() - began
    times = {"seconds": seconds, "tokens_per_second": corpus.n_words / max(seconds, 1e-9)}
    return tool.evaluate(corpus, predicted=predicted), times


def reader(
    tool: Lemmatizer | Morphology,
    source: str,
    format: InputFormat | None,
    language: str | None,
    lines: bool,
    run: Run,
) -> TokenReader:
    """The sentences of a file for a tool."""
    spoken = language_of(tool.training_, language)
    return TokenReader(source, format, language=spoken, lines=lines, reading=run.reading)


def _gold_corpus(source: str, format: InputFormat | None, names: Sequence[str]) -> Corpus:
    """The sentences of a file with gold values in some columns; FormatError if it has none."""
    corpus = in_conllu(read_tokens(source, format)[0])
    missing = [name for name in names if not has_values(corpus, name)]
    if missing:
        raise FormatError(
            f"expected gold values of {', '.join(missing)} to compare with; the file has none",
            path=display_name(source),
        )
    return corpus


def explained_words(
    tool: Lemmatizer | Morphology,
    text: str | None,
    file: str | None,
    number: int,
    token: int | None,
    top: int,
    format: InputFormat | None,
    language: str | None,
    run: Run,
) -> Explanation:
    """The explanation of a sentence of a text or file, or of one word in it."""
    found = sentence_to_explain(text, file, number, format, language_of(tool.training_, language), run)
    if token is not None and token > found.n_words:
        raise ValueError(f"the sentence has {found.n_words} tokens; there is no token {token}")
    return tool.explain(in_conllu(found)).of(token, top)
