"""A trained pipeline: a tokenizer and steps, which fill the columns of a corpus one after the other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from palmette.features.attributes import shared_attributes
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.tools.pipeline.document import Probabilities
from palmette.tools.pipeline.notes import with_entities_of_misc
from palmette.tools.pipeline.step import STEPS, Step
from palmette.tools.text.segmented import Segmented

KEPT = ("lemma", "upos", "xpos", "feats", "head", "deprel", "entity")
_NOTHING = "_"


class AnyTokenizer(Protocol):
    """What a pipeline asks of a tokenizer."""

    def segmented(self, pieces: Iterable[str]) -> Iterator[Segmented]:
        """The sentences of a text that comes in pieces, in bounded memory."""


@dataclass(frozen=True, eq=False)
class PipelineModel:
    """The tokenizer and the steps after it, in their order."""

    tokenizer: AnyTokenizer
    steps: tuple[Step, ...]

    def annotate(self, corpus: Corpus, *, keep: Collection[str] = ()) -> Corpus:
        """The corpus with the columns of all steps; values that are there stay in the columns of `keep`."""
        check_kept(keep)
        if "entity" in keep:
            corpus = with_entities_of_misc(corpus)
        given = corpus
        if not corpus.n_words:
            return corpus
        with shared_attributes():
            return self._filled(corpus, given, keep)

    def _filled(self, corpus: Corpus, given: Corpus, keep: Collection[str]) -> Corpus:
        for step in self.steps:
            kept = [name for name in keep if name in step.fills and _has(given, name)]
            if kept and len(kept) == len(step.fills) and all(_is_full(given, name) for name in kept):
                continue  # there is nothing to fill
            corpus = step.annotate(corpus, keep=kept)
            for name in kept:
                corpus = _restored(corpus, given, name)
        return corpus

    def probabilities(self, corpus: Corpus) -> Probabilities:
        """The probabilities of all layers of an annotated corpus."""
        found: dict[str, NDArray[np.float32]] = {}
        for step in self.steps:
            if corpus.n_words:
                found.update(step.probabilities(corpus))
        return found

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the steps after the tokenizer."""
        return tuple(step.name for step in self.steps)

    @property
    def fills(self) -> tuple[str, ...]:
        """The columns that are filled."""
        return tuple(dict.fromkeys(name for step in self.steps for name in step.fills))


def in_order(steps: Iterable[Step]) -> tuple[Step, ...]:
    """The steps so that each comes after those whose columns it needs: taggers, then as in `step.STEPS`."""
    return tuple(sorted(steps, key=lambda step: STEPS.index(step.name) if step.name in STEPS else -1))


def check_kept(keep: Collection[str]) -> None:
    """ValueError for a name that is not a column that a step fills."""
    for name in keep:
        if name not in KEPT:
            raise ValueError(f"A column to keep is one of {', '.join(KEPT)}. Got {name!r}.")


def _has(corpus: Corpus, name: str) -> bool:
    return corpus.heads is not None if name == "head" else name in corpus.names


def _is_full(corpus: Corpus, name: str) -> bool:
    """Whether every word has a value; no features and no treebank's tag are values, if any word has some."""
    if name == "head":
        return corpus.heads is not None and bool((corpus.heads >= 0).all())
    column = corpus.column(name)
    used = {column.strings[k] for k in np.unique(column.ids).tolist()}
    return _NOTHING not in used or (name in ("feats", "xpos") and len(used) > 1)


def _restored(corpus: Corpus, given: Corpus, name: str) -> Corpus:
    """The corpus with the values that were given, where there were some."""
    if name == "head":
        if corpus.heads is None or given.heads is None:
            return corpus
        return corpus.with_heads(np.where(given.heads >= 0, given.heads, corpus.heads))
    old, new = given.column(name), corpus.column(name)
    empty = np.array([text == _NOTHING for text in old.strings], dtype=bool)[old.ids]
    if name in ("feats", "xpos") and not empty.all():
        return corpus.with_column(name, old)
    ids = np.where(empty, new.ids + len(old.strings), old.ids).astype(np.int32)
    return corpus.with_column(name, Column(ids, [*old.strings, *new.strings]))
