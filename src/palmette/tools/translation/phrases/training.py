"""Training by phrases: align, extract, estimate a language model, tune. CSC 448, §15 and §21."""

from __future__ import annotations

from typing import Any

from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.features import feature_names, start_weights
from palmette.tools.translation.phrases.model import PhraseModel
from palmette.tools.translation.phrases.options import PhraseOptions
from palmette.tools.translation.tables.extraction import extract
from palmette.tools.translation.tables.phrase_table import PhraseTable
from palmette.tools.translation.training import Numbers, Training
from palmette.tools.translation.weights import filled


class PhraseTraining(Training):
    """The stages of the method."""

    own: PhraseOptions
    name = "phrase"
    options_class = PhraseOptions

    def table(self, text: ParallelText, links: Alignments, numbers: Numbers | None) -> PhraseTable:
        """The phrase table."""
        return self.record.run(
            "phrases",
            lambda: extract(text, links, self.own.table, n_jobs=self.n_jobs),
            lambda made: {"phrase pairs": len(made)},
        )

    def checked(self, table: Any) -> PhraseTable:
        """A table that was given."""
        if not isinstance(table, PhraseTable):
            raise ValueError("The method 'phrase' needs a phrase table, and was given another table.")
        if not len(table):
            raise ValueError("The phrase table that was given has no phrase pairs.")
        return table

    def model(self, table: PhraseTable, lm: LanguageModel) -> PhraseModel:
        """The model with start weights."""
        weights = filled(self.given.weights, feature_names(table), start_weights(table))
        return PhraseModel(table.without_counts(), lm, weights, self.own.search)
