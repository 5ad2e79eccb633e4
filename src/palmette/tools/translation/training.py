"""The stages of training that all methods share: align, extract, estimate a language model, tune (CSC 448, §21).

    text ──Aligner──▶ links ──table──▶ rules ┐
      └──────LanguageModel.fit─────▶ n-grams ┴──tune on dev──▶ model

Where there is no dev text, a part of the training text is put aside, a table and a language model of the rest are
tuned on it, and the final ones are made of all of it. A method adds how a table and a model are made.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from palmette.course import alone
from palmette.learning.loop import Callback, History
from palmette.messages import counted
from palmette.tools.alignment.aligner import Aligner
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.schedule import PRESETS
from palmette.tools.alignment.text import ParallelText, TextSide
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.held_out import chosen_links, chosen_pairs, default_size, split
from palmette.tools.translation.model import Dev, Given, Trained, TranslationModel
from palmette.tools.translation.stage_options import StageOptions
from palmette.tools.translation.stages import Record
from palmette.tools.translation.tuning_stage import TunedWeights, tuned

Keep = Callable[[str, Any], None]
Numbers = NDArray[np.int64]


class Training(ABC):
    """From a text of two languages to a model: an entry of `METHODS`.

    Every stage may be given in place of what would be made. A method adds how a table and a model are made.
    options: of the method, unchecked.
    """

    name: ClassVar[str]
    options_class: ClassVar[type[StageOptions]]

    def __init__(
        self,
        options: Mapping[str, Any],
        given: Given,
        *,
        callback: Callback | None = None,
        n_jobs: int = 1,
        seed: int = 0,
    ) -> None:
        self.own = self.options_class.of(options, f"The method {self.name!r}")
        self.given, self.n_jobs, self.seed = given, n_jobs, seed
        self.record = Record(callback)

    def prepare(self, text: ParallelText | None, dev: Dev | None) -> None:
        """Check the text, and make what all stages need; dev: what to tune on, None if nothing is tuned."""
        if text is not None:
            _check_text(text, self.given)

    @abstractmethod
    def table(self, text: ParallelText, links: Alignments, numbers: Numbers | None) -> Any:
        """The table of an aligned text; numbers: which pairs of the training text these are, None for all."""

    @abstractmethod
    def checked(self, table: Any) -> Any:
        """A table that was given; ValueError if it is of another kind, or empty."""

    @abstractmethod
    def model(self, table: Any, lm: LanguageModel) -> TranslationModel:
        """The model with start weights."""

    def run(
        self,
        text: ParallelText | None,
        *,
        dev: Dev | None,
        held_out: int | None,
        tuning: str,
        keep: Keep,
    ) -> Trained:
        """Train; the stages that are given are not run.

        held_out: pairs to tune on where there is no dev; None: by the size of the text. tuning: the method of
        tuning, or "none". keep: called with the name and the result of a stage as soon as it is finished.
        """
        given, record = self.given, self.record
        self.prepare(text, None if tuning == "none" else dev)
        table = None if given.table is None else self.checked(given.table)
        links = self.align(text)
        if links is not None and given.alignments is None:
            keep("alignments", links)
        wanted = tuning != "none" and not record.interrupted
        aside = _held_out(text, held_out, given) if wanted and dev is None else 0
        found: TunedWeights | None = None
        if aside:
            assert text is not None
            assert links is not None
            rest, chosen = split(text, aside)
            part = chosen_pairs(text, rest)
            small = self.model(self.table(part, chosen_links(links, rest), rest), self.lm(part.target))
            found = self._tuned(small, _dev(chosen_pairs(text, chosen)), tuning)
        if table is None:
            assert text is not None
            assert links is not None
            table = self.table(text, links, None)
        keep("table", table)
        lm = self.lm(None if text is None else text.target)
        if given.lm is None:
            keep("lm", lm)
        whole = self.model(table, lm)
        if wanted and dev is not None:
            found = self._tuned(whole, dev, tuning)
        elif wanted and found is None:
            why = (
                "too little text to put some aside"
                if given.table is None
                else "with a given table nothing is put aside"
            )
            record.notes.append(f"The weights are those of the start: there is no dev text, and {why}.")
        return Trained(
            whole if found is None else whole.with_weights(found.weights),
            History(record.history),
            record.interrupted,
            1.0 if found is None else found.scale,
            {} if found is None else found.numbers,
            tuple(record.notes),
        )

    def _tuned(self, model: TranslationModel, dev: Dev, tuning: str) -> TunedWeights:
        with alone():  # the candidates of a dev text are few
            return tuned(model, dev, tuning, self.own, self.record, self.n_jobs, self.seed)

    def align(self, text: ParallelText | None) -> Alignments | None:
        """The links of the text, if a table is to be extracted; Ctrl-C keeps the models so far."""
        if self.given.alignments is not None or self.given.table is not None or text is None:
            return self.given.alignments
        models = self.own.models if self.own.models in PRESETS else tuple(self.own.models.split(","))
        aligner = Aligner(
            models, symmetrization=self.own.symmetrization, random_state=self.seed, n_jobs=self.n_jobs
        )
        links = aligner.fit_align(text, probabilities=False, callback=self.record.passes("align"))
        self.record.interrupted = aligner.interrupted_
        return links

    def lm(self, side: TextSide | None) -> LanguageModel:
        """The language model of target sentences."""
        if self.given.lm is not None:
            return self.given.lm
        if side is None:
            raise ValueError(
                "There are no target sentences to estimate a language model from: give one (lm)."
            )
        return self.record.run(
            "language model",
            lambda: LanguageModel.fit(
                _lines(side),
                order=self.own.order,
                smoothing=self.own.lm_smoothing,
                marks="skip",
                n_jobs=self.n_jobs,
            ),
            lambda made: {"n-grams": sum(made.sizes)},
        )


def _held_out(text: ParallelText | None, size: int | None, given: Given) -> int:
    if text is None or given.table is not None:
        return 0
    return default_size(len(text)) if size is None else min(size, len(text) // 2)


def _check_text(text: ParallelText, given: Given) -> None:
    if given.alignments is not None and len(given.alignments) != len(text):
        raise ValueError(
            f"There are {counted(len(text), 'sentence pair')}, but alignments of {len(given.alignments):,}."
        )
    if given.alignments is not None:
        wrong = given.alignments.outside(text.source.offsets, text.target.offsets)
        if wrong is not None:
            raise ValueError(f"Alignment {wrong[0] + 1}: {wrong[1]}.")
    if given.table is None:
        for side, name in ((text.source, "source"), (text.target, "target")):
            if not len(side.ids):
                raise ValueError(f"There is nothing to learn from: all {name} sentences are empty.")


def _lines(side: TextSide) -> Iterator[list[str]]:
    return (side[s] for s in range(len(side)))


def _dev(text: ParallelText) -> Dev:
    return Dev([source for source, _ in text], [[" ".join(target) for _, target in text]])
