"""Trained tools as steps of a pipeline."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile, with_article
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.dependency.relation_probabilities import relates_after, relation_probabilities
from palmette.tools.morphology.lemmatizer import Lemmatizer
from palmette.tools.morphology.lexicon import Lexicon, said_by
from palmette.tools.morphology.morphology import Morphology
from palmette.tools.morphology.votes import TagProbabilities, Votes
from palmette.tools.pipeline.known_heads import with_known_heads
from palmette.tools.pipeline.lighter import lighter
from palmette.tools.pipeline.notes import ENTITY
from palmette.tools.pipeline.step import ENTITIES, LEMMAS, MORPHOLOGY, PARSER, Step
from palmette.tools.sequence.jackknifing import NO_VALUE, NOTHING, fill
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tagger import Tagger

ARC, ESTIMATE = "arc", "head"  # the layers of probabilities of heads
TAGGED = ("upos", "xpos", "feats", "lemma")


@dataclass(frozen=True, eq=False)
class TaggerStep:
    """A tagger, which fills its column. dictionary: known words, whose parts of speech and features come first."""

    tool: Tagger
    column: str
    dictionary: Lexicon | None = None
    caveats: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its column."""
        return self.column

    @property
    def fills(self) -> tuple[str, ...]:
        """Its column."""
        return (self.column,)

    @property
    def needs(self) -> tuple[str, ...]:
        """Nothing but words."""
        return ()

    def annotate(self, corpus: Corpus, *, keep: Collection[str] = ()) -> Corpus:
        """The corpus with the column filled."""
        if not corpus.n_words:
            return corpus
        found = fill(corpus, {self.column: self.tool})
        if self.dictionary is None or self.column not in ("upos", "feats"):
            return found
        said = said_by(self.dictionary, found.column("form"), self.column, found.column(self.column))
        return found.with_column(self.column, said)

    def probabilities(self, corpus: Corpus) -> Mapping[str, NDArray[np.float32]]:
        """The probability of each tag."""
        column = corpus.column(self.column)
        known = set(self.tool.classes_)
        names = [NOTHING if text == NO_VALUE else text for text in column.strings]
        p = self.tool.confidence(
            corpus.only({"form": "form"}), Column(column.ids, [n if n in known else names[0] for n in names])
        )
        strange = np.array([name not in known for name in names], dtype=bool)[column.ids]
        return {self.column: np.where(strange, np.float32(0), p)}

    def all_probabilities(self, corpus: Corpus) -> TagProbabilities:
        """The probability of every value for every word."""
        found = self.tool.predict_proba(corpus.only({"form": "form"}))
        values = tuple(NO_VALUE if name == NOTHING else name for name in self.tool.classes_)
        return TagProbabilities(values, np.concatenate([np.zeros((0, len(values)), np.float32), *found]))

    def to_model(self, *, compact: bool = True) -> ModelFile:
        """The model file of the tagger."""
        return self.tool.to_model(compact=compact)


@dataclass(frozen=True, eq=False)
class MorphologyStep:
    """A morphology, which fills those of upos, xpos and feats that it has learned.

    hears: how much taggers for some of these columns count, which then decide together with it; 0: what a tagger
    fills stays as it is.
    """

    tool: Morphology
    hears: float = 0.0

    name = MORPHOLOGY
    needs: tuple[str, ...] = ()
    caveats: tuple[str, ...] = ()

    @property
    def fills(self) -> tuple[str, ...]:
        """The columns that it has learned."""
        return tuple(self.tool.columns_)

    def annotate(
        self, corpus: Corpus, *, keep: Collection[str] = (), taggers: Collection[TaggerStep] = ()
    ) -> Corpus:
        """The corpus with tags and features; taggers: those that it hears."""
        kept = [name for name in keep if name in self.fills]
        return self.tool.annotate(corpus, keep=kept, votes=self.votes(corpus, taggers))

    def probabilities(
        self, corpus: Corpus, taggers: Collection[TaggerStep] = ()
    ) -> Mapping[str, NDArray[np.float32]]:
        """The probability of each value."""
        return self.tool.confidence(corpus, votes=self.votes(corpus, taggers))

    def votes(self, corpus: Corpus, taggers: Collection[TaggerStep]) -> Votes | None:
        """What the taggers that it hears say of the words."""
        if not taggers or not corpus.n_words:
            return None
        return Votes({one.column: one.all_probabilities(corpus) for one in taggers}, self.hears)

    def to_model(self, *, compact: bool = True) -> ModelFile:
        """The model file of the morphology."""
        return self.tool.to_model(compact=compact)


@dataclass(frozen=True, eq=False)
class LemmaStep:
    """A lemmatizer."""

    tool: Lemmatizer

    name = LEMMAS
    fills = ("lemma",)
    caveats: tuple[str, ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns with values in its training data."""
        return self.tool.looks_at

    def annotate(self, corpus: Corpus, *, keep: Collection[str] = ()) -> Corpus:
        """The corpus with lemmas."""
        return self.tool.annotate(corpus, keep=[name for name in keep if name in self.fills])

    def probabilities(self, corpus: Corpus) -> Mapping[str, NDArray[np.float32]]:
        """The probability of each lemma."""
        return {"lemma": np.array(self.tool.confidence(corpus), dtype=np.float32)}

    def to_model(self, *, compact: bool = True) -> ModelFile:
        """The model file of the lemmatizer."""
        return self.tool.to_model(compact=compact)


@dataclass(frozen=True, eq=False)
class ParserStep:
    """A dependency parser."""

    tool: DependencyParser

    name = PARSER
    fills = ("head", "deprel")

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that the parser looks at."""
        return tuple(name for name in self.tool.columns_ if name not in self.tool.taggers_)

    def annotate(self, corpus: Corpus, *, keep: Collection[str] = ()) -> Corpus:
        """The corpus with heads and relations."""
        if "head" not in keep or corpus.heads is None:
            return self.tool.parse(corpus)
        return with_known_heads(self.tool, corpus)

    def probabilities(self, corpus: Corpus) -> Mapping[str, NDArray[np.float32]]:
        """The probabilities of the arcs, and of relations given their heads, as far as the parser has them.

        `arc` is a sum over trees or the moves of a step, `head` the estimate of the head filter.
        """
        if not corpus.n_words:
            return {}
        found = {}
        if self.tool.probabilities_from is not None:
            likely = self.tool.arc_probabilities(corpus, corpus)
            layer = ESTIMATE if self.tool.probabilities_from == "head filter" else ARC
            found[layer] = np.concatenate([np.zeros(0, np.float32), *likely])
        relations = relation_probabilities(self.tool, corpus)
        return found if relations is None else {**found, "deprel": relations}

    @property
    def caveats(self) -> tuple[str, ...]:
        """Why arcs or relations have no probabilities, or that those of heads are estimates."""
        found = []
        if self.tool.probabilities_from is None:
            found.append(
                f"the parser ({self.tool.method} with a beam) does not sum over trees: arcs get no probabilities"
            )
        if self.tool.probabilities_from == "head filter":
            found.append(
                "HeadProb is an estimate by the parser's head filter, which scores each word independently; "
                "the parser of a treebank with crossing arcs has no probabilities over trees"
            )
        if not relates_after(self.tool):
            found.append(
                "the parser chooses relations together with arcs: relations get no probabilities of their own"
            )
        return tuple(found)

    def to_model(self, *, compact: bool = True) -> ModelFile:
        """The model file of the parser."""
        return (lighter(self.tool) if compact else self.tool).to_model(compact=compact)


@dataclass(frozen=True, eq=False)
class EntityStep:
    """A span tagger, whose labels are the column `entity`."""

    tool: SpanTagger

    name = ENTITIES
    fills = (ENTITY,)
    caveats: tuple[str, ...] = ()

    @property
    def needs(self) -> tuple[str, ...]:
        """The columns that the tagger looks at beside the words."""
        return tuple(sorted(str(name) for name in (self.tool.model_.columns or ()) if name != "form"))

    def annotate(self, corpus: Corpus, *, keep: Collection[str] = ()) -> Corpus:
        """The corpus with the column `entity`."""
        if not corpus.n_words:
            return corpus
        return corpus.with_column(ENTITY, self.tool.predict_column(self._seen(corpus)))

    def probabilities(self, corpus: Corpus) -> Mapping[str, NDArray[np.float32]]:
        """The probability of the entity that a word is in, or that it is in none."""
        if ENTITY not in corpus.names:
            return {}
        return {ENTITY: self.tool.confidence(self._seen(corpus), corpus.column(ENTITY))}

    def _seen(self, corpus: Corpus) -> Corpus:
        """What the tagger looks at."""
        for name in self.needs:
            if name not in corpus.names:
                raise ValueError(f"The step {ENTITIES} looks at {name}, and no step before it fills that.")
        return corpus.only({name: name for name in ("form", *self.needs)})

    def to_model(self, *, compact: bool = True) -> ModelFile:
        """The model file of the span tagger."""
        return self.tool.to_model(compact=compact)


def step_of(file: ModelFile) -> Step:
    """The step of a model file; FormatError for a kind of model that cannot be one."""
    made = _MAKERS.get(file.kind)
    if made is None:
        raise FormatError(
            f"holds {with_article(file.kind)}, and a step of a pipeline is one of {', '.join(_MAKERS)}",
            path=file.path,
        )
    return made(file)


def as_step(tool: Any) -> Step:
    """A trained tool as a step; TypeError for a tool that cannot be one."""
    if isinstance(tool, SpanTagger):
        return EntityStep(tool)
    if isinstance(tool, Tagger):
        column = tool.training_.get("column") or tool.column
        if column not in TAGGED:
            raise ValueError(
                f"A tagger in a pipeline fills one of {', '.join(TAGGED)}; this one fills {column!r}."
            )
        return TaggerStep(tool, str(column))
    for kind, step in _STEPS.items():
        if isinstance(tool, kind):
            return step(tool)
    raise TypeError(f"A {type(tool).__name__} cannot be a step of a pipeline.")


def _loaded(load: Callable[[ModelFile], Any]) -> Callable[[ModelFile], Step]:
    return lambda file: as_step(load(file))


_STEPS: dict[type, Callable[[Any], Step]] = {
    DependencyParser: ParserStep,
    Morphology: MorphologyStep,
    Lemmatizer: LemmaStep,
}
_MAKERS: dict[str, Callable[[ModelFile], Step]] = {
    Tagger.kind: _loaded(Tagger.from_model),
    SpanTagger.kind: _loaded(SpanTagger.from_model),
    DependencyParser.kind: _loaded(DependencyParser.from_model),
    Morphology.kind: _loaded(Morphology.from_model),
    Lemmatizer.kind: _loaded(Lemmatizer.from_model),
}
