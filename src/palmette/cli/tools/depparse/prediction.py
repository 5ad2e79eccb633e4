"""Parsing a file, batch by batch: what `palmette predict` does with parsers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from palmette.cli.options import parse_settings
from palmette.cli.report import json_line
from palmette.cli.run import restored
from palmette.cli.tools.sequence.input import InputFormat, TokenReader
from palmette.cli.tools.sequence.output import decimals, with_note
from palmette.errors import SentenceError, UsageError
from palmette.formats.column import Column
from palmette.formats.conllu import format_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.listed_corpus import RELATION

if TYPE_CHECKING:
    from palmette.cli.run import Run
    from palmette.formats.model import ModelFile
    from palmette.formats.sentence import Sentence
    from palmette.tools.dependency.parser import DependencyParser
    from palmette.tools.ranked import Ranked

PROBABILITY = "ArcProb"
ESTIMATE = "HeadProb"  # what MISC calls the probabilities of a head filter
_COLUMNS = ("lemma", "upos", "xpos", "feats")


@dataclass(frozen=True)
class Wanted:
    """What is asked of `predict`."""

    probabilities: bool = False
    kbest: int = 1
    minimum_risk: bool = False
    keep_heads: bool = False
    retag: bool = False
    draw: bool = False
    svg: bool = False
    unique: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.draw and self.svg:
            raise UsageError("use either --draw (text) or --svg (HTML page)")
        if self.kbest > 1 and (self.probabilities or self.minimum_risk or self.unique):
            raise UsageError("--kbest cannot be combined with --probabilities, --minimum-risk or --unique")


def loaded(model: ModelFile, run: Run, search: Sequence[str] | None = None) -> DependencyParser:
    """The parser of a model, for this run, with other options of search if there are any."""
    from palmette.tools.dependency.parser import DependencyParser

    parser: DependencyParser = restored(DependencyParser, model, n_jobs=run.n_jobs)
    for tagger in parser.taggers_.values():
        tagger.n_jobs = run.n_jobs
    return parser.with_options(**parse_settings(search)) if search else parser


def predictions(parser: DependencyParser, reader: TokenReader, wanted: Wanted, run: Run) -> Iterator[bytes]:
    """The file again with trees, or drawings of them, or an object for every sentence."""
    if run.jsonl and (wanted.draw or wanted.svg):
        raise UsageError("use only one of --jsonl, --draw and --svg")
    if wanted.probabilities and parser.probabilities_from == "head filter":
        run.progress.warn(
            f"{ESTIMATE} is an estimate by the parser's head filter, which scores each word independently; "
            "probabilities over trees need a parser trained with --learner crf"
        )
    if run.jsonl:
        return map(json_line, _objects(parser, reader, wanted, run))
    parsed = _trees(parser, reader, wanted, run)
    if wanted.svg or wanted.draw:
        from palmette.cli.tree_drawing import drawn, page

        return page(parsed) if wanted.svg else drawn(parsed)
    return map(format_conllu, parsed)


def _sentences(reader: TokenReader) -> Iterator[Corpus]:
    for batch in reader:
        if batch.format is InputFormat.columns:
            raise UsageError(
                f"{reader.path}: expected CoNLL-U or text, got columns; "
                "convert them with palmette convert, or specify another --format"
            )
        yield batch.corpus


def _trees(parser: DependencyParser, reader: TokenReader, wanted: Wanted, run: Run) -> Iterator[Corpus]:
    before = 0
    for corpus in _sentences(reader):
        with _counted_from(before):
            yield with_trees(parser, corpus, wanted, run)
        before += len(corpus)


@contextmanager
def _counted_from(before: int) -> Iterator[None]:
    """Errors inside count sentences from the beginning of the file."""
    try:
        yield
    except SentenceError as error:
        raise SentenceError(error.number + before, error.message) from None


def with_trees(parser: DependencyParser, corpus: Corpus, wanted: Wanted, run: Run) -> Corpus:
    """The sentences with trees, each as often as there are of them."""
    if wanted.kbest > 1:
        from palmette.cli.tools.sequence.prediction import repeated

        tagged, found = _ranked(parser, corpus, wanted)
        notes = [[f"# {name} = {value:.4f}" for name, value in map(_value, ranked)] for ranked in found]
        trees = [one.output for ranked in found for one in ranked]
        heads = [head for tree in trees for head in tree.heads]
        relations = Column.of([relation for tree in trees for relation in tree.labels or ()])
        return repeated(tagged, notes).with_heads(heads).with_column(RELATION, relations)
    parsed = _parsed(parser, corpus, wanted, run)
    if wanted.probabilities:
        likely = np.concatenate([np.zeros(0, np.float32), *parser.arc_probabilities(parsed, parsed)])
        estimated = parser.probabilities_from == "head filter"
        parsed = with_note(parsed, ESTIMATE if estimated else PROBABILITY, decimals(likely))
    return parsed


def _objects(
    parser: DependencyParser, reader: TokenReader, wanted: Wanted, run: Run
) -> Iterator[dict[str, Any]]:
    """What JSON lines have of every sentence."""
    from palmette.cli.tools.sequence.prediction import identity

    before = 0
    for corpus in _sentences(reader):
        if wanted.kbest > 1:
            with _counted_from(before):
                tagged, found = _ranked(parser, corpus, wanted)
            for i, (sentence, ranked) in enumerate(zip(tagged, found)):
                trees = [
                    dict([_value(one)])
                    | {"tokens": _tokens(sentence, one.output.heads, one.output.labels or ())}
                    for one in ranked
                ]
                yield identity(tagged, i, before) | {"kbest": trees}
        else:
            with _counted_from(before):
                parsed = _parsed(parser, corpus, wanted, run)
            likely: list[Any] = [None] * len(parsed)
            if wanted.probabilities:
                likely = [p.astype(float).round(4).tolist() for p in parser.arc_probabilities(parsed, parsed)]
            for i, (sentence, p) in enumerate(zip(parsed, likely)):
                found_tokens = _tokens(sentence, sentence.heads.tolist(), sentence[RELATION], p)
                yield identity(parsed, i, before) | {"tokens": found_tokens}
        before += len(corpus)


def _tokens(
    sentence: Sentence, heads: Sequence[int], relations: Sequence[str], likely: Sequence[float] | None = None
) -> list[dict[str, Any]]:
    from palmette.cli.tools.sequence.prediction import tokens

    columns = {name: sentence[name] for name in _COLUMNS if name in sentence.corpus.names}
    filled = {name: values for name, values in columns.items() if any(value != "_" for value in values)}
    return tokens(sentence["form"], **filled, head=heads, relation=relations, probability=likely)


def _parsed(parser: DependencyParser, corpus: Corpus, wanted: Wanted, run: Run) -> Corpus:
    return parser.parse(
        corpus,
        known=corpus.heads if wanted.keep_heads else None,
        unique=wanted.unique,
        minimum_risk=wanted.minimum_risk,
        retag=wanted.retag,
        note=run.progress.warn,
    )


def _ranked(
    parser: DependencyParser, corpus: Corpus, wanted: Wanted
) -> tuple[Corpus, list[list[Ranked[Any]]]]:
    tagged = parser.tag(corpus, retag=wanted.retag)
    known = None
    if wanted.keep_heads and corpus.heads is not None:
        known = [sentence.heads.tolist() for sentence in corpus]
    return tagged, parser.kbest(tagged, wanted.kbest, known=known)


def _value(ranked: Ranked[Any]) -> tuple[str, float]:
    if ranked.log_probability is None:
        return "score", ranked.score
    return "log_probability", ranked.log_probability
