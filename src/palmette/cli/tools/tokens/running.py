"""What the commands of `tokens` do."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from palmette.cli.report import Table, json_line
from palmette.cli.run import Run, restored
from palmette.cli.tools.sequence.output import decimals, with_note
from palmette.cli.tools.sequence.report import top_features
from palmette.cli.tools.tokens.options import Newlines, OutputFormat
from palmette.cli.tools.training import facts_of, pass_notes, run_learner, tell_of_interruption
from palmette.errors import FormatError, UsageError
from palmette.evaluation.raw_text import evaluate_raw_text
from palmette.evaluation.raw_text_scores import TITLES
from palmette.formats.batches import Unit
from palmette.formats.conllu import format_conllu, parse_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.files import display_name, read_bytes
from palmette.formats.model import ModelFile, fingerprint
from palmette.formats.reading import decoded
from palmette.tools.text.segmented import Segmented
from palmette.tools.tokens.learned_tokenizer import LearnedTokenizer
from palmette.tools.tokens.treebank_text import treebank_text


def train_tokenizer(
    run: Run, *, train: str, dev: str | None, min_count: int, compact: bool, about: Sequence[str] | None
) -> ModelFile:
    """Train a tokenizer from files, and make its model file."""
    facts = facts_of(about)
    tokenizer = LearnedTokenizer(min_count=min_count, n_jobs=run.n_jobs)
    if run.learner is not None or run.settings or run.seed:
        tokenizer.learner = run_learner(run, [tokenizer.default_learner()], tokenizer.offers)
    tokenizer.check_learner()
    data = read_bytes(train)
    corpus = parse_conllu(data, path=display_name(train))
    held_out = None if dev is None else _treebank(dev)
    run.progress.note(f"{len(corpus):,} sentences, {corpus.n_words:,} words")
    try:
        tokenizer.fit(corpus, dev=held_out, callback=pass_notes(run))
    except FormatError as error:
        raise FormatError(error.message, path=error.path or display_name(train), line=error.line) from error
    for note in tokenizer.notes_:
        run.progress.warn(note)
    if tokenizer.interrupted_:
        tell_of_interruption(tokenizer.history_, run)
    tokenizer.training_ |= facts
    return tokenizer.to_model(compact=compact, fingerprint=fingerprint(data))


def loaded(model: ModelFile, run: Run, newlines: Newlines | None = None, **reading: bool) -> LearnedTokenizer:
    """The tokenizer of a model, which reads text in this way."""
    tokenizer: LearnedTokenizer = restored(LearnedTokenizer, model, n_jobs=run.n_jobs)
    if newlines is not None:
        tokenizer.newlines = newlines.value
        if reading.get("presegmented") and newlines is not Newlines.sentence:
            raise UsageError("with --presegmented every line end ends a sentence: leave --newlines out")
    elif run.reading.line_buffered:
        tokenizer.newlines = Newlines.sentence.value
    return tokenizer.set_params(**reading)


def predictions(
    tokenizer: LearnedTokenizer, source: str, to: OutputFormat, run: Run, *, probabilities: bool = False
) -> Iterator[bytes]:
    """The sentences of a text file, some at a time."""
    if probabilities and to is OutputFormat.lines:
        raise UsageError("--probabilities does not apply to --to lines, which has the words alone")
    if run.jsonl and to is not OutputFormat.conllu:
        raise UsageError("use only one of --jsonl and --to")
    path = display_name(source)
    pieces = (
        decoded(piece.data, path, piece.lines_before) for piece in run.reading.batches(source, unit=Unit.text)
    )
    for found in tokenizer.segmented(pieces, probabilities=probabilities):
        if run.jsonl:
            yield from map(json_line, _objects(found))
        elif to is OutputFormat.lines:
            yield "".join(" ".join(sentence["form"]) + "\n" for sentence in found.corpus).encode()
        else:
            corpus = found.corpus
            for name, p in found.probabilities.items():
                corpus = with_note(corpus, f"{name.capitalize()}Prob", decimals(p))
            yield format_conllu(corpus)


def evaluation(tokenizer: LearnedTokenizer, source: str, worst: int) -> dict[str, Any]:
    """The scores of a tokenizer on the raw text of a treebank."""
    gold = _treebank(source)
    text = treebank_text(gold).text
    began = time.perf_counter()
    guess = tokenizer.corpus(text)
    seconds = time.perf_counter() - began
    scores = evaluate_raw_text(gold, guess)
    chosen = {name: scores.counts[name] for name in ("tokens", "sentences", "words")}
    report: dict[str, Any] = {name: one.f1 for name, one in chosen.items()}
    interval = scores.interval("words")
    report["words_interval"] = [interval.low, interval.high]
    report |= {"characters": len(text), "seconds": seconds}
    report["characters_per_second"] = len(text) / max(seconds, 1e-9)
    shown = ("precision", "recall", "f1", "gold", "guess", "correct")
    rows = {TITLES[name]: one.to_dict() for name, one in chosen.items()}
    report["layers"] = Table({title: {key: row[key] for key in shown} for title, row in rows.items()})
    found = scores.worst("words", worst) if worst else []
    if found:
        report["worst"] = {
            f"sentence {number}": f"{n} mistakes: {_shown(gold, number)}" for number, n in found
        }
    return report


def inspection(tokenizer: LearnedTokenizer, top: int) -> dict[str, Any]:
    """What is in a tokenizer."""
    model, lexicon, splitter = tokenizer.model_, tokenizer.lexicon_, tokenizer.splitter_
    report: dict[str, Any] = {
        "labels": list(model.structure.visible),
        "features": model.features.n_attributes,
        "line ends": tokenizer.newlines,
        "spaces inside tokens": tokenizer.spaces_,
        "lexicon": len(lexicon.tokens),
        "multiword classes": 0 if splitter.model is None else len(splitter.model.structure.labels) - 1,
        "training": {name: value for name, value in tokenizer.training_.items() if value is not None},
    }
    if tokenizer.notes_:
        report["notes"] = tokenizer.notes_
    if top:
        report["top_features"] = top_features(model, top)
    return report


def _treebank(source: str) -> Corpus:
    corpus = parse_conllu(read_bytes(source), path=display_name(source))
    if not corpus.n_words:
        raise FormatError("expected words to score; there are none", path=display_name(source))
    return corpus


def _objects(found: Segmented) -> Iterator[dict[str, Any]]:
    """Every sentence as an object, with the places of its words."""
    begins, ends = found.begins.tolist(), found.ends.tolist()
    for sentence, (a, b) in zip(found.corpus, pairwise(found.corpus.offsets.tolist())):
        likely = {f"{name}_probability": p[a:b] for name, p in found.probabilities.items()}
        words = [
            {"form": form, "begin": begin, "end": end}
            | {name: round(float(p[k]), 4) for name, p in likely.items()}
            for k, (form, begin, end) in enumerate(zip(sentence["form"], begins[a:b], ends[a:b]))
        ]
        tokens = [{"first": first, "last": last, "form": form} for first, last, form in sentence.ranges]
        yield {"text": sentence.metadata.get("text", ""), "words": words, "multiword": tokens}


def _shown(gold: Corpus, number: int) -> str:
    sentence = gold[number - 1]
    text = sentence.metadata.get("text") or " ".join(sentence["form"])
    return text if len(text) <= 60 else text[:57] + "..."
