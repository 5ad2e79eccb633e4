"""A text through a pipeline, some sentences at a time: what `palmette predict` does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palmette.cli.options import parse_settings
from palmette.cli.report import json_line
from palmette.cli.run import Run, restored
from palmette.cli.tools.depparse.prediction import Wanted, with_trees
from palmette.cli.tools.pipeline.options import OutputFormat
from palmette.cli.tools.sequence.input import InputFormat, TokenReader
from palmette.errors import UsageError
from palmette.formats.column import Column
from palmette.formats.columns import format_columns
from palmette.formats.conllu import NAMES, format_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile
from palmette.formats.reading import decoded
from palmette.tools.pipeline.document import Document
from palmette.tools.pipeline.model import PipelineModel, check_kept
from palmette.tools.pipeline.notes import ENTITY, for_conllu
from palmette.tools.pipeline.pipeline import Pipeline
from palmette.tools.pipeline.step import PARSER, Step
from palmette.tools.pipeline.steps import ParserStep
from palmette.tools.pipeline.texts import text_of
from palmette.tools.text.segmented import Segmented
from palmette.tools.text.tokenizer import Tokenizer

if TYPE_CHECKING:
    from palmette.tools.dependency.parser import DependencyParser

_ABOUT = ("sent_id", "text", "kbest", "score", "log_probability")
_COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", ENTITY)


@dataclass(frozen=True)
class Asked:
    """What is asked of `predict`: the options of the command."""

    source: str
    format: InputFormat | None = None
    to: OutputFormat = OutputFormat.conllu
    keep: tuple[str, ...] = ()
    newlines: str | None = None
    presegmented: bool = False
    pretokenized: bool = False
    probabilities: bool = False
    kbest: int = 1
    minimum_risk: bool = False
    unique: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    draw: bool = False
    svg: bool = False
    arcs: bool = True  # whether the parser has probabilities

    @property
    def trees(self) -> Wanted:
        """What is asked of the parser."""
        return Wanted(
            probabilities=self.probabilities and self.arcs,
            kbest=self.kbest,
            minimum_risk=self.minimum_risk,
            keep_heads="head" in self.keep,
            draw=self.draw,
            svg=self.svg,
            unique=self.unique,
        )


def predictions(model: ModelFile, asked: Asked, run: Run) -> Iterator[bytes]:
    """The annotated text in the format that is asked for."""
    check_kept(asked.keep)
    if sum((run.jsonl, asked.draw, asked.svg, asked.to is not OutputFormat.conllu)) > 1:
        raise UsageError("use only one of --jsonl, --to, --draw and --svg")
    pipeline: Pipeline = restored(Pipeline, model).set_jobs(run.n_jobs)
    annotator = Steps(pipeline, asked, run)
    if (asked.draw or asked.svg) and annotator.parser is None:
        raise UsageError("this pipeline has no parser, so there are no trees to draw")
    found = annotator.batches(PlacedReader(asked, pipeline, run))
    if run.jsonl:
        return map(json_line, (one for batch in found for one in _objects(batch)))
    if asked.to is OutputFormat.json:
        return _json(found)
    if asked.to is OutputFormat.columns:
        return (_columns(batch.corpus) for batch in found)
    if asked.draw or asked.svg:
        from palmette.cli.tree_drawing import drawn, page

        corpora = (batch.corpus for batch in found)
        return page(corpora) if asked.svg else drawn(corpora)
    return (format_conllu(for_conllu(_conllu(batch.corpus), batch.probabilities)) for batch in found)


class PlacedReader(TokenReader):
    """A file as words with their places: text is cut by the pipeline's tokenizer."""

    def __init__(self, asked: Asked, pipeline: Pipeline, run: Run) -> None:
        super().__init__(asked.source, asked.format, reading=run.reading)
        newlines = "sentence" if run.reading.line_buffered and asked.newlines is None else asked.newlines
        self._tokenizer = told_of_text(
            pipeline.tokenizer_, newlines, presegmented=asked.presegmented, pretokenized=asked.pretokenized
        )

    def segments(self) -> Iterator[Segmented]:
        """Some sentences at a time."""
        found = self._reading.batches(self.source, self._size, unit=self.decide)
        first = next(found, None)
        pieces = chain([] if first is None else [first], found)
        if self.format is InputFormat.text:
            texts = (decoded(piece.data, self.path, piece.lines_before) for piece in pieces)
            for found_text in self._tokenizer.segmented(texts):
                self.check_lengths(found_text.corpus)
                yield found_text
            return
        at = 0
        for batch in self.of(pieces):
            corpus = batch.corpus
            if batch.format is InputFormat.columns:
                corpus = corpus.only({"form": 0})
            placed = text_of(corpus)
            yield Segmented(corpus, placed.begins + at, placed.ends + at)
            at += len(placed.text) + 1


def told_of_text(tokenizer: Any, newlines: str | None, *, presegmented: bool, pretokenized: bool) -> Any:
    """The tokenizer with what is known of the text."""
    if newlines is None and not presegmented and not pretokenized:
        return tokenizer
    if not isinstance(tokenizer, Tokenizer):
        made = copy(tokenizer)
        made.newlines = newlines or made.newlines
        made.presegmented, made.pretokenized = presegmented, pretokenized
        return made
    if presegmented or pretokenized or newlines == "space":
        raise UsageError(
            "--presegmented, --pretokenized and --newlines space need a learned tokenizer, and this pipeline "
            "cuts text by rules"
        )
    return Tokenizer(tokenizer.language, lines=newlines == "sentence")


class Steps:
    """The steps of a pipeline around its parser, of which more can be asked than a tree."""

    def __init__(self, pipeline: Pipeline, asked: Asked, run: Run) -> None:
        self.asked, self.run = asked, run
        steps = list(pipeline.steps_)
        places = [i for i, step in enumerate(steps) if step.name == PARSER]
        at = places[0] if places else len(steps)
        self.parser: DependencyParser | None = steps[at].tool if places else None
        self._before = PipelineModel(pipeline.tokenizer_, tuple(steps[:at]))
        self._after = PipelineModel(pipeline.tokenizer_, tuple(steps[at + 1 :]))
        self._layers: list[Step] = [step for step in steps if step.name != PARSER]
        self._check()

    def _check(self) -> None:
        asked, parser = self.asked, self.parser
        trees = asked.trees
        if parser is None:
            if trees.kbest > 1 or trees.minimum_risk or trees.unique or asked.search:
                raise UsageError(
                    "this pipeline has no parser: --kbest, --minimum-risk, --unique and --set do not apply"
                )
            return
        if asked.search:
            self.parser = parser.with_options(**parse_settings(asked.search))
        if asked.probabilities and parser.probabilities_from is None:
            self.run.progress.warn(
                f"the parser ({parser.method} with a beam) does not sum over trees: arcs get no probabilities"
            )
            self.asked = replace(asked, arcs=False)
        if asked.probabilities and parser.probabilities_from == "head filter":
            self.run.progress.warn(
                "HeadProb is an estimate by the parser's head filter, which scores each word independently; "
                "the parser of a treebank with crossing arcs has no probabilities over trees"
            )

    def batches(self, reader: PlacedReader) -> Iterator[Document]:
        """What the steps say, some sentences at a time."""
        for found in reader.segments():
            if found.corpus.n_words:
                yield self._annotated(found)

    def _annotated(self, found: Segmented) -> Document:
        keep = self.asked.keep
        corpus = self._before.annotate(found.corpus, keep=keep)
        if self.parser is not None:
            corpus = self._parsed(self.parser, corpus)
        corpus = self._after.annotate(corpus, keep=keep)
        if "deprel" in keep and "deprel" in found.corpus.names:
            corpus = corpus.with_column("deprel", found.corpus.column("deprel"))
        p: dict[str, NDArray[np.float32]] = {}
        if self.asked.probabilities:
            for step in self._layers:
                p.update(step.probabilities(corpus))
        begins, ends = found.begins, found.ends
        if self.asked.kbest > 1:
            begins, ends = np.zeros(corpus.n_words, np.int64), np.zeros(corpus.n_words, np.int64)
        return Document("", corpus, begins, ends, p)

    def _parsed(self, parser: DependencyParser, corpus: Corpus) -> Corpus:
        wanted = self.asked.trees
        if wanted == Wanted(keep_heads=True):
            return ParserStep(parser).annotate(corpus, keep=self.asked.keep)
        return with_trees(parser, corpus, wanted, self.run)


def _conllu(corpus: Corpus) -> Corpus:
    """The corpus with the columns that CoNLL-U has, and entities."""
    foreign = [name for name in corpus.names if name not in (*NAMES, ENTITY)]
    if not foreign:
        return corpus
    kept = {name: column for name, column in corpus.columns.items() if name not in foreign}
    return Corpus(kept, corpus.offsets, heads=corpus.heads, comments=corpus.comments)


def _columns(corpus: Corpus) -> bytes:
    """The filled columns, with heads as numbers."""
    columns = {name: corpus.column(name) for name in _COLUMNS if name in corpus.names}
    if corpus.heads is not None:
        columns["head"] = Column.of(map(str, corpus.heads.tolist()))
    chosen = {name: columns[name] for name in _COLUMNS if name in columns}
    return format_columns(Corpus(chosen, corpus.offsets))


def _objects(document: Document) -> Iterator[dict[str, Any]]:
    """What JSON has of every sentence."""
    for i, sentence in enumerate(document.sentences):
        data = document.corpus[i].metadata
        about: dict[str, Any] = {
            name: data[name] for name in ("sent_id", "text", "kbest", "score") if name in data
        }
        yield {**about, "tokens": [token.to_dict() for token in sentence]}


def _json(found: Iterator[Document]) -> Iterator[bytes]:
    """One object with all sentences, written as they come."""
    yield b'{"sentences": ['
    between = b"\n"
    for document in found:
        for one in _objects(document):
            yield between + json.dumps(one, ensure_ascii=False).encode()
            between = b",\n"
    yield b"\n]}\n"
