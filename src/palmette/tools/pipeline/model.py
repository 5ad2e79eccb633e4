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
from palmette.tools.dependency.tags import is_empty, listed
from palmette.tools.pipeline.document import Probabilities
from palmette.tools.pipeline.notes import with_entities_of_misc
from palmette.tools.pipeline.step import STEPS, Step
from palmette.tools.pipeline.steps import MorphologyStep, TaggerStep
from palmette.tools.text.segmented import Segmented

KEPT = ("lemma", "upos", "xpos", "feats", "head", "deprel", "entity")
_NOTHING = "_"


class AnyTokenizer(Protocol):
    """What a pipeline asks of a tokenizer."""

    @property
    def probabilities_from(self) -> str | None:
        """What the probabilities of tokens are; None if there are none."""

    def segmented(self, pieces: Iterable[str], *, probabilities: bool = False) -> Iterator[Segmented]:
        """The sentences of a text that comes in pieces, in bounded memory.

        probabilities: those of tokens and of the ends of sentences too; ValueError if there are none.
        """


@dataclass(frozen=True, eq=False)
class PipelineModel:
    """The tokenizer and the steps after it, in their order; what a step fills stays in later ones."""

    tokenizer: AnyTokenizer
    steps: tuple[Step, ...]

    def annotate(self, corpus: Corpus, *, keep: Collection[str] = ()) -> Corpus:
        """The corpus with the columns of all steps; values that are there stay in the columns of `keep`."""
        check_kept(keep)
        if "entity" in keep:
            corpus = with_entities_of_misc(corpus)
        if not corpus.n_words:
            return corpus
        with shared_attributes():
            return self._filled(corpus, keep)

    def _filled(self, corpus: Corpus, keep: Collection[str]) -> Corpus:
        done: set[str] = set()
        for step in self.steps:
            if step in self.heard:
                continue  # the morphology asks it
            given = corpus
            kept = [n for n in step.fills if n in done or (n in keep and _has(given, n))]
            _check_needs(step, given, done)
            done.update(step.fills)
            if kept and len(kept) == len(step.fills) and all(_is_full(given, name) for name in kept):
                continue  # there is nothing to fill
            if isinstance(step, MorphologyStep):
                corpus = step.annotate(
                    given, keep=kept, taggers=[t for t in self.heard if t.column not in kept]
                )
            else:
                corpus = step.annotate(given, keep=kept)
            for name in kept:
                corpus = with_kept(corpus, given, name)
        return corpus

    def probabilities(self, corpus: Corpus) -> Probabilities:
        """The probabilities of all layers of an annotated corpus, each by the step that filled it."""
        found: dict[str, NDArray[np.float32]] = {}
        for step in self.steps:
            if not corpus.n_words or step in self.heard:
                continue
            own = (
                step.probabilities(corpus, self.heard)
                if isinstance(step, MorphologyStep)
                else step.probabilities(corpus)
            )
            found = {**own, **found}
        return found

    @property
    def heard(self) -> tuple[TaggerStep, ...]:
        """The taggers that decide together with the morphology."""
        for step in self.steps:
            if isinstance(step, MorphologyStep) and step.hears:
                taggers = (one for one in self.steps if isinstance(one, TaggerStep))
                return tuple(one for one in taggers if one.column in step.fills)
        return ()

    def segmented(self, pieces: Iterable[str], *, probabilities: bool = False) -> Iterator[Segmented]:
        """The sentences of a text, with probabilities if they are asked for and the tokenizer has any."""
        if not probabilities or self._uncertain is None:
            return self.tokenizer.segmented(pieces)
        return self.tokenizer.segmented(pieces, probabilities=probabilities)

    @property
    def caveats(self) -> tuple[str, ...]:
        """What to know about probabilities: which layers have none, and why, and which are estimates."""
        rules = "rules cut the text: tokens and sentences get no probabilities"
        own = (rules,) if self._uncertain is None else ()
        return (*own, *self.step_caveats)

    @property
    def step_caveats(self) -> tuple[str, ...]:
        """The same of the steps after the tokenizer."""
        return tuple(text for step in self.steps for text in step.caveats)

    @property
    def _uncertain(self) -> str | None:
        """What the probabilities of tokens are; None if there are none, as with a tokenizer of a user's own."""
        return getattr(self.tokenizer, "probabilities_from", None)

    @property
    def lacking(self) -> dict[str, tuple[str, ...]]:
        """The steps that look at columns that no step before them fills: the input must have these columns."""
        found, filled = {}, set[str]()
        for step in self.steps:
            if missing := tuple(name for name in step.needs if name not in filled):
                found[step.name] = missing
            filled.update(step.fills)
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


def _check_needs(step: Step, corpus: Corpus, done: Collection[str]) -> None:
    """ValueError if the input lacks what a step looks at; but words without any features are possible."""
    missing = [name for name in step.needs if name not in done and is_empty(corpus, name)]
    if missing and missing != ["feats"]:
        raise ValueError(
            f"The step {step.name} looks at {listed(missing)}, and no step before it fills that: give words that "
            "have it, such as CoNLL-U."
        )


def _is_full(corpus: Corpus, name: str) -> bool:
    """Whether every word has a value; no features and no treebank's tag are values, if any word has some."""
    if name == "head":
        return corpus.heads is not None and bool((corpus.heads >= 0).all())
    column = corpus.column(name)
    used = {column.strings[k] for k in np.unique(column.ids).tolist()}
    return _NOTHING not in used or (name in ("feats", "xpos") and len(used) > 1)


def with_kept(corpus: Corpus, given: Corpus, name: str) -> Corpus:
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
