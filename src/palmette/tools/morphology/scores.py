"""How good analyses are: column by column, and all columns of a word together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from palmette.drawing.tables import ReportPicture
from palmette.evaluation.tagging import TaggingScores
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.tools.sentences import Gold
from palmette.tools.sequence.tag_scores import tag_scores
from palmette.tools.sequence.tokens import UNLABELLED

if TYPE_CHECKING:
    from palmette.features.word_hashes import KnownWords


@dataclass(frozen=True)
class MorphologyScores(ReportPicture):
    """The scores of each column that was predicted, and of all together (`whole`)."""

    columns: Mapping[str, TaggingScores]
    whole: TaggingScores = field(repr=False)

    @property
    def tokens(self) -> int:
        """How many words have gold analyses."""
        return self.whole.tokens

    @property
    def all_tags(self) -> float:
        """The part of the words whose values are right in all columns."""
        return self.whole.accuracy

    def to_dict(self) -> dict[str, Any]:
        """Rates as fractions of one, and counts."""
        found: dict[str, Any] = {name: scores.accuracy for name, scores in self.columns.items()}
        found["all_tags"] = self.all_tags
        for name, scores in self.columns.items():
            if scores.unknown_accuracy is not None:
                found[f"{name}_unknown"] = scores.unknown_accuracy
        unknown = self.whole.unknown
        return {**found, "tokens": self.tokens, "unknown_tokens": None if unknown is None else unknown[0]}

    def __str__(self) -> str:
        parts = [f"{name} {100 * scores.accuracy:.2f}" for name, scores in self.columns.items()]
        return ", ".join([*parts, f"all {100 * self.all_tags:.2f}"]) + f" % of {self.tokens} words"


def morphology_scores(
    gold: Corpus, guess: Corpus, names: Sequence[str], known: KnownWords | None
) -> MorphologyScores:
    """Compare two annotations of the same words in some columns; a word without a gold upos does not count."""
    for name in names:
        if name not in gold.names:
            raise ValueError(f"There are no gold values of {name} to compare with.")
    columns = {name: _scores(gold, gold.column(name), guess.column(name), known) for name in names}
    return MorphologyScores(columns, _scores(gold, _joined(gold, names), _joined(guess, names), known))


def _joined(corpus: Corpus, names: Sequence[str]) -> Column:
    return Column.of(map("\t".join, zip(*(corpus.column(name).values() for name in names))))


def _scores(corpus: Corpus, gold: Column, guess: Column, known: KnownWords | None) -> TaggingScores:
    ids = gold.ids.astype(np.int32)
    if "upos" in corpus.names:
        tags = corpus.column("upos")
        without = np.array([string == UNLABELLED for string in tags.strings], dtype=bool)[tags.ids]
        # A column in which nobody has a part of speech counts by itself.
        ids = ids if without.all() else np.where(without, np.int32(-1), ids)
    return tag_scores(Gold(ids, gold.strings, corpus.offsets), guess, corpus, known, guess.strings)
