"""Training a pipeline from files: what `palmette train pipeline` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from palmette.cli.run import Run
from palmette.cli.tools.depparse.training import parse_treebank
from palmette.cli.tools.sequence.input import read_tokens
from palmette.cli.tools.training import facts_of
from palmette.errors import UsageError
from palmette.formats.corpus import Corpus
from palmette.formats.files import display_name, read_bytes
from palmette.formats.model import ModelFile, fingerprint
from palmette.messages import counted
from palmette.tools.dependency.treebank import check_trees
from palmette.tools.loading import load
from palmette.tools.pipeline.asked import used_steps
from palmette.tools.pipeline.joining import join_corpora
from palmette.tools.pipeline.pipeline import Pipeline


@dataclass(frozen=True)
class Wanted:
    """What is asked of `train`: the options of the command."""

    train: Sequence[str]
    dev: str | None
    entities: str | None
    entities_dev: str | None
    lexicon: str | None
    constrain: bool
    without: tuple[str, ...]
    only: tuple[str, ...]
    use: tuple[str, ...]
    start: str | None
    language: str | None
    method: str | None
    jackknife: int
    skip_bad: bool
    compact: bool
    about: Sequence[str] | None


def train_pipeline(run: Run, wanted: Wanted) -> ModelFile:
    """Train a pipeline, and make its model file."""
    if run.learner is not None or run.settings:
        raise UsageError(
            "each step of a pipeline has a learner of its own: train the step with its tool and take it by --use"
        )
    goes_on = wanted.start is not None and not wanted.only
    if goes_on and (wanted.entities or wanted.lexicon or wanted.use or wanted.without):
        raise UsageError(
            "--start without --only goes on with the steps that are there: --entities, --lexicon, --use and "
            "--without need --only"
        )
    if goes_on and wanted.jackknife != Pipeline().jackknife:
        raise UsageError(
            "--start without --only trains no step on predictions of others: leave --jackknife out"
        )
    if wanted.constrain and wanted.lexicon is None:
        raise UsageError("--constrain needs --lexicon FILE")
    if wanted.entities_dev is not None and wanted.entities is None:
        raise UsageError("--entities-dev needs --entities")
    facts = facts_of(wanted.about)
    data = [read_bytes(path) for path in wanted.train]
    parts = [
        parse_treebank(path, one, lenient=wanted.skip_bad)
        for path, one in zip(wanted.train, data, strict=True)
    ]
    corpus = join_corpora(parts)
    pipeline = Pipeline() if wanted.start is None else started(wanted.start)
    language = wanted.language or facts.pop("language", None) or pipeline.language
    pipeline.set_params(
        without=wanted.without,
        language=language,
        jackknife=wanted.jackknife,
        method=wanted.method,
        random_state=run.seed,
        n_jobs=run.n_jobs,
    )
    if "parser" not in wanted.without and (not wanted.only or "parser" in wanted.only):
        for path, part in zip(wanted.train, parts, strict=True):
            if (
                part.heads is not None and not (part.heads < 0).all()
            ):  # what is wrong is said before anything is learned
                check_trees(part, skip_bad=wanted.skip_bad, path=display_name(path))
    run.progress.note(f"{counted(len(corpus), 'sentence')}, {counted(corpus.n_words, 'word')}")
    skipped = sum(part.n_skipped for part in parts)
    if skipped:
        run.progress.warn(
            f"left out {skipped:,} sentences with something wrong in {display_name(wanted.train[0])}"
        )
    pipeline.fit(
        corpus,
        dev=None if wanted.dev is None else parse_treebank(wanted.dev, read_bytes(wanted.dev)),
        entities=_entities(wanted),
        lexicon=wanted.lexicon,
        constrain=wanted.constrain,
        use=[_used(path) for path in wanted.use],
        only=wanted.only,
        skip_bad=wanted.skip_bad,
        warm_start=goes_on,
        note=run.progress.note,
    )
    return pipeline.to_model(compact=wanted.compact, fingerprint=fingerprint(*data), about=facts)


def _used(path: str) -> Any:
    """A trained tool that can be a step, or a pipeline, whose steps are taken."""
    tool = load(path)
    try:
        used_steps([tool])
    except TypeError as error:
        raise UsageError(f"--use {path}: {error}") from None
    return tool


def started(path: str) -> Pipeline:
    """The pipeline to go on from."""
    found: Any = load(path)
    if not isinstance(found, Pipeline):
        raise UsageError(f"--start takes a pipeline; {path} is a {type(found).__name__}")
    return found


def _entities(wanted: Wanted) -> tuple[Corpus, Corpus | None] | None:
    if wanted.entities is None:
        return None
    dev = None if wanted.entities_dev is None else _labelled(wanted.entities_dev)
    return _labelled(wanted.entities), dev


def _labelled(path: str) -> Corpus:
    """A corpus with names; what is wrong with it is said before anything is learned."""
    corpus, _ = read_tokens(path, option=False)
    if set(corpus.column(corpus.names[-1]).values()) <= {"_", "O"}:
        raise ValueError(
            f"{display_name(path)}: expected labels such as B-PER in the last column, and there is none"
        )
    return corpus
