"""Training by phrases: align, extract, estimate a language model, tune. CSC 448, §15 and §21.

    text ──Aligner──▶ links ──extract──▶ PhraseTable ┐
      └──────────LanguageModel.train───▶ LanguageModel ┴──tune on dev──▶ PhraseModel

Where there is no dev text, a part of the training text is put aside, a table and a language model of the rest are
tuned on it, and the final ones are made of all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from palmette.learning.loop import Callback
from palmette.tools.alignment.aligner import Aligner
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.schedule import PRESETS
from palmette.tools.alignment.text import ParallelText, TextSide
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.features import feature_names, start_weights
from palmette.tools.translation.held_out import chosen_links, chosen_pairs, default_size, split
from palmette.tools.translation.model import Dev, Given, Trained
from palmette.tools.translation.phrases.model import PhraseModel
from palmette.tools.translation.phrases.options import PhraseOptions
from palmette.tools.translation.stages import Record
from palmette.tools.translation.tables.extraction import extract
from palmette.tools.translation.tables.phrase_table import PhraseTable
from palmette.tools.translation.tuning_stage import TunedWeights, tuned
from palmette.tools.translation.weights import filled

Keep = Callable[[str, Any], None]


def train(
    text: ParallelText | None,
    *,
    options: Mapping[str, Any],
    given: Given,
    dev: Dev | None,
    held_out: int | None,
    tuning: str,
    keep: Keep,
    callback: Callback | None,
    n_jobs: int,
    seed: int,
) -> Trained:
    """Train a model of phrases; see `TrainFunction`."""
    own = PhraseOptions.of(options, "The method 'phrase'")
    record = Record(callback)
    work = _Work(own, given, record, n_jobs, seed)
    if text is not None:
        _check_text(text, given)
    links = work.align(text)
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
        small = work.model(work.table(part, chosen_links(links, rest)), work.lm(part.target))
        found = tuned(small, _dev(chosen_pairs(text, chosen)), tuning, own, record, n_jobs, seed)
    table = work.table(text, links)
    keep("table", table)
    lm = work.lm(None if text is None else text.target)
    if given.lm is None:
        keep("lm", lm)
    whole = work.model(table, lm)
    if wanted and dev is not None:
        found = tuned(whole, dev, tuning, own, record, n_jobs, seed)
    elif wanted and found is None:
        record.notes.append(
            "The weights are those of the start: there is no dev text, and too little text to put some aside."
        )
    return Trained(
        whole if found is None else whole.with_weights(found.weights),
        tuple(record.history),
        record.interrupted,
        1.0 if found is None else found.scale,
        {} if found is None else found.numbers,
        tuple(record.notes),
    )


class _Work:
    """The stages before tuning, each of which may be given."""

    def __init__(self, own: PhraseOptions, given: Given, record: Record, n_jobs: int, seed: int) -> None:
        self.own, self.given, self.record, self.n_jobs, self.seed = own, given, record, n_jobs, seed

    def align(self, text: ParallelText | None) -> Alignments | None:
        """The links of the text, if phrases are to be extracted; Ctrl-C keeps the models so far."""
        if self.given.alignments is not None or self.given.table is not None or text is None:
            return self.given.alignments
        models = self.own.models if self.own.models in PRESETS else tuple(self.own.models.split(","))
        aligner = Aligner(
            models, symmetrization=self.own.symmetrization, random_state=self.seed, n_jobs=self.n_jobs
        )
        links = aligner.fit_align(text, probabilities=False, callback=self.record.passes("align"))
        self.record.interrupted = aligner.interrupted_
        return links

    def table(self, text: ParallelText | None, links: Alignments | None) -> PhraseTable:
        """The phrase table."""
        if self.given.table is not None:
            found: PhraseTable = self.given.table
            if not len(found):
                raise ValueError("The phrase table that was given has no phrase pairs.")
            return found
        assert text is not None
        assert links is not None
        return self.record.run(
            "phrases",
            lambda: extract(text, links, self.own.table, n_jobs=self.n_jobs),
            lambda made: {"phrase pairs": len(made)},
        )

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
            lambda: LanguageModel.train(
                _lines(side),
                order=self.own.order,
                smoothing=self.own.lm_smoothing,
                marks="skip",
                n_jobs=self.n_jobs,
            ),
            lambda made: {"n-grams": sum(made.sizes)},
        )

    def model(self, table: PhraseTable, lm: LanguageModel) -> PhraseModel:
        """The model with start weights."""
        weights = filled(self.given.weights, feature_names(table), start_weights(table))
        return PhraseModel(table.without_counts(), lm, weights, self.own.search)


def _held_out(text: ParallelText | None, size: int | None, given: Given) -> int:
    if text is None or given.table is not None:
        return 0
    return default_size(len(text)) if size is None else min(size, len(text) // 2)


def _check_text(text: ParallelText, given: Given) -> None:
    if given.alignments is not None and len(given.alignments) != len(text):
        raise ValueError(
            f"There are {len(text):,} sentence pairs, but alignments of {len(given.alignments):,}."
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
