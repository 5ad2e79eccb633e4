"""A text through a pipeline, some sentences at a time: what `palmette predict` does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.cli.options import parse_settings
from palmette.cli.report import json_line
from palmette.cli.run import Run, restored
from palmette.cli.tools.depparse.prediction import Wanted, with_trees
from palmette.cli.tools.pipeline.objects import objects, whole_object
from palmette.cli.tools.pipeline.options import OutputFormat
from palmette.cli.tools.sequence.input import InputFormat, TokenReader
from palmette.errors import UsageError
from palmette.formats.batches import Batch
from palmette.formats.column import Column
from palmette.formats.columns import format_columns
from palmette.formats.conllu import NAMES, format_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.files import Source
from palmette.formats.model import ModelFile
from palmette.formats.reading import decoded
from palmette.tools.pipeline.document import Document, Probabilities
from palmette.tools.pipeline.model import PipelineModel, check_kept, with_kept
from palmette.tools.pipeline.notes import ENTITY, MISC, for_conllu
from palmette.tools.pipeline.pipeline import Pipeline
from palmette.tools.pipeline.reading import Reading, asked_of_text, told_of_text
from palmette.tools.pipeline.step import PARSER
from palmette.tools.pipeline.steps import ParserStep
from palmette.tools.pipeline.streaming import Annotator, KeptText
from palmette.tools.text.segmented import Segmented
from palmette.tools.tokens.treebank_text import treebank_text

if TYPE_CHECKING:
    from palmette.cli.selectable import Examples, Selectable
    from palmette.tools.dependency.parser import DependencyParser

_COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", ENTITY)


class Placed(NamedTuple):
    """Sentences with their text, which begins at `base` in that of the file."""

    text: str
    base: int
    segmented: Segmented


@dataclass(frozen=True)
class Asked:
    """What is asked of `predict`: the options of the command."""

    source: Source
    format: InputFormat | None = None
    to: OutputFormat = OutputFormat.conllu
    keep: tuple[str, ...] = ()
    reading: Reading = field(default_factory=Reading)
    probabilities: bool = False
    kbest: int = 1
    minimum_risk: bool = False
    unique: tuple[str, ...] = ()
    search: tuple[str, ...] = ()
    draw: bool = False
    svg: bool = False
    dictionary: Source | None = None

    @property
    def trees(self) -> Wanted:
        """What is asked of the parser."""
        return Wanted(
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
    if asked.dictionary is not None:
        pipeline = pipeline.with_dictionary(asked.dictionary)
    annotator = Steps(pipeline, asked, run)
    reader = PlacedReader(asked, pipeline, run)
    if (asked.draw or asked.svg) and annotator.parser is None:
        raise UsageError("this pipeline has no parser, so there are no trees to draw")
    found = annotator.batches(reader)
    if run.jsonl:
        return map(json_line, (one for batch in found for one in objects(batch, entities=True)))
    if asked.to is OutputFormat.json:
        return whole_object(found, reader)
    if asked.to is OutputFormat.columns:
        return map(_columns, found)
    if asked.draw or asked.svg:
        from palmette.cli.tree_drawing import drawn, page

        corpora = (batch.corpus for batch in found)
        return page(corpora) if asked.svg else drawn(corpora)
    return (format_conllu(for_conllu(_conllu(batch.corpus), batch.probabilities)) for batch in found)


def joined_predictions(model: ModelFile, many: Sequence[Asked], run: Run) -> list[list[bytes]]:
    """The JSON lines of several short inputs with the same options, which the steps see at once."""
    first = many[0]
    check_kept(first.keep)
    pipeline: Pipeline = restored(Pipeline, model).set_jobs(run.n_jobs)
    steps = Steps(pipeline, first, run)
    read = [list(steps.read(PlacedReader(asked, pipeline, run))) for asked in many]
    whole = [placed for found in read for placed in found]
    annotator = Annotator(pipeline.model_, probabilities=first.probabilities, keep=first.keep)
    documents = annotator.placed([one.text for one in whole], [one.segmented for one in whole])
    for document, placed in zip(documents, whole):
        document.base = placed.base
    made = iter(documents)
    return [[json_line(one) for _ in found for one in objects(next(made), entities=True)] for found in read]


def selectable(model: ModelFile, asked: Asked, run: Run) -> Selectable:
    """The sentences of texts for `palmette select`."""
    from palmette.cli.selectable import Selectable
    from palmette.cli.tools.sequence.selecting import examples

    pipeline: Pipeline = restored(Pipeline, model).set_jobs(run.n_jobs)

    def read(source: str) -> Iterator[Examples]:
        for found in PlacedReader(replace(asked, source=source), pipeline, run).segments():
            yield from examples(found.segmented.corpus)

    def annotate(content: Any) -> Iterator[bytes]:
        chosen = replace(asked, format=InputFormat.conllu, probabilities=True, reading={})
        return predictions(model, replace(chosen, source=content), run)

    return Selectable(pipeline, read, annotate)


class PlacedReader(TokenReader):
    """A file as words with their places: text is cut by the pipeline's tokenizer.

    copied: gets the text of the file as it is read; that of CoNLL-U is put together.
    """

    copied: Callable[[str], None] | None = None

    def __init__(self, asked: Asked, pipeline: Pipeline, run: Run) -> None:
        super().__init__(asked.source, asked.format, reading=run.reading)
        self._asked = asked
        told = asked.reading
        if run.reading.line_buffered and told.get("newlines") is None:
            told = {**told, "newlines": "sentence"}
        tokenizer = told_of_text(pipeline.tokenizer_, **told)
        self._model = replace(pipeline.model_, tokenizer=tokenizer)

    def segments(self) -> Iterator[Placed]:
        """Some sentences at a time, with their text."""
        found = self._reading.batches(self.source, self._size, unit=self.decide)
        first = next(found, None)
        pieces = chain([] if first is None else [first], found)
        if self.format is InputFormat.text:
            yield from self._of_text(pieces)
            return
        if told := asked_of_text(self._asked.reading):
            raise UsageError(f"{self.path} has words already, so --{told[0]} does not apply: it is for text")
        at = 0
        for batch in self.of(pieces):
            corpus = batch.corpus
            if batch.format is InputFormat.columns:
                corpus = corpus.only({"form": 0})
            placed = treebank_text(corpus)
            self._copy("\n" * (at > 0) + placed.text)
            yield Placed(placed.text, at, placed.segmented(corpus, at))
            at += len(placed.text) + 1

    def _of_text(self, pieces: Iterable[Batch]) -> Iterator[Placed]:
        if self._asked.keep:
            raise UsageError(f"{self.path} is text, so there is nothing to --keep: it is for CoNLL-U")
        kept = KeptText(self._copying(decoded(one.data, self.path, one.lines_before) for one in pieces))
        for found in self._model.segmented(kept, probabilities=self._asked.probabilities):
            self.check_lengths(found.corpus)
            if found.corpus.n_words:
                begin, end = int(found.begins[0]), int(found.ends[-1])
                yield Placed(kept.cut(begin, end), begin, found)

    def _copying(self, texts: Iterable[str]) -> Iterator[str]:
        for text in texts:
            self._copy(text)
            yield text

    def _copy(self, text: str) -> None:
        if self.copied is not None:
            self.copied(text)


class Steps:
    """The steps of a pipeline around its parser, of which more can be asked than a tree."""

    def __init__(self, pipeline: Pipeline, asked: Asked, run: Run) -> None:
        self.asked, self.run = asked, run
        steps = list(pipeline.steps_)
        places = [i for i, step in enumerate(steps) if step.name == PARSER]
        at = places[0] if places else len(steps)
        self.parser: DependencyParser | None = steps[at].tool if places else None
        self._check()
        if self.parser is not None:
            steps[at] = ParserStep(self.parser)
        self._model = PipelineModel(pipeline.tokenizer_, tuple(steps))
        self._before = replace(self._model, steps=tuple(steps[:at]))
        self._after = replace(self._model, steps=tuple(steps[at + 1 :]))

    def _check(self) -> None:
        asked, parser = self.asked, self.parser
        if asked.probabilities and asked.kbest > 1:
            raise UsageError("--kbest cannot be combined with --probabilities")
        if parser is None:
            wanted = {
                "--kbest": asked.kbest > 1,
                "--minimum-risk": asked.minimum_risk,
                "--unique": bool(asked.unique),
                "--set": bool(asked.search),
            }
            useless = [name for name, there in wanted.items() if there]
            if useless:
                raise UsageError(f"this pipeline has no parser, so {useless[0]} does not apply")
        elif asked.search:
            self.parser = parser.with_options(**parse_settings(asked.search))

    def batches(self, reader: PlacedReader) -> Iterator[Document]:
        """What the steps say, some sentences at a time."""
        return map(self._annotated, self.read(reader))

    def read(self, reader: PlacedReader) -> Iterator[Placed]:
        """The sentences of a file, some at a time."""
        words_only = True
        for found in reader.segments():
            if words_only and self.asked.probabilities:
                self._warn(text=reader.format is InputFormat.text)
                words_only = False
            if found.segmented.corpus.n_words:
                yield found

    def _warn(self, *, text: bool) -> None:
        """Say what has no probabilities, and what are estimates; tokens that are there need none."""
        for caveat in self._model.caveats if text else self._model.step_caveats:
            self.run.progress.warn(caveat)

    def _annotated(self, found: Placed) -> Document:
        keep, given = self.asked.keep, found.segmented
        corpus = self._before.annotate(given.corpus, keep=keep)
        if self.parser is not None:
            corpus = self._parsed(self.parser, corpus)
        corpus = self._after.annotate(corpus, keep=keep)
        rows = _rows(corpus, given.corpus) if self.asked.kbest > 1 else slice(None)
        if "deprel" in keep and "deprel" in given.corpus.names:
            there = given.corpus.column("deprel")
            old = Corpus({"deprel": Column(there.ids[rows], there.strings)}, corpus.offsets)
            corpus = with_kept(corpus, old, "deprel")
        p: Probabilities = {}
        if self.asked.probabilities:
            p = {**given.probabilities, **self._model.probabilities(corpus)}
        document = Document(found.text, corpus, given.begins[rows], given.ends[rows], p)
        document.base = found.base
        return document

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


def _columns(document: Document) -> bytes:
    """The filled columns, with heads as numbers; probabilities are a last column, as MISC has them."""
    corpus = document.corpus
    columns = {name: corpus.column(name) for name in _COLUMNS if name in corpus.names}
    if corpus.heads is not None:
        columns["head"] = Column.of(map(str, corpus.heads.tolist()))
    chosen = {name: columns[name] for name in _COLUMNS if name in columns}
    if document.probabilities:
        words = Corpus({"form": corpus.column("form")}, corpus.offsets)
        chosen[MISC] = for_conllu(words, document.probabilities).column(MISC)
    return format_columns(Corpus(chosen, corpus.offsets))


def _rows(corpus: Corpus, given: Corpus) -> NDArray[np.int64]:
    """For every word of the k best trees, the word of the given sentences."""
    source = np.cumsum([sentence.metadata.get("kbest") == "1" for sentence in corpus]) - 1
    starts = given.offsets[source] - corpus.offsets[:-1]
    rows: NDArray[np.int64] = np.arange(corpus.n_words) + np.repeat(starts, np.diff(corpus.offsets))
    return rows
