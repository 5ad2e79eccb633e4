"""Models of phrases: a phrase table, a language model, weights, and the limits of the search.

options   columns, reordering_columns: names of the table; search: the limits
arrays    those of the table, and weights
parts     lm: the language model
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from palmette.formats.model import ModelFile
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.features import checked_weights, feature_names
from palmette.tools.translation.model import Floats
from palmette.tools.translation.phrases.search import PhraseSearch
from palmette.tools.translation.phrases.search_options import SearchOptions
from palmette.tools.translation.searched_model import SearchedModel
from palmette.tools.translation.tables.phrase_table import PhraseTable

KIND = "phrase model"


@dataclass(frozen=True, eq=False)
class PhraseModel(SearchedModel):
    """A `TranslationModel` of phrases."""

    has_orientations: ClassVar[bool] = True
    searching: ClassVar[str] = "A search by phrases"

    table: PhraseTable
    lm: LanguageModel
    weights: Floats
    options: SearchOptions

    @cached_property
    def search(self) -> PhraseSearch:
        """The decoder."""
        return PhraseSearch(self.table, self.lm, self.weights, self.options)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return feature_names(self.table)

    def facts(self) -> dict[str, Any]:
        """What a person may want to know of it."""
        return {
            "phrase_pairs": len(self.table),
            "source_words": len(self.table.source_strings),
            "target_words": len(self.table.target_strings),
            "lm_order": self.lm.order,
            "lm_ngrams": sum(self.lm.sizes),
            "weights": {name: float(w) for name, w in zip(self.names, self.weights)},
            "search": self.options.to_dict(),
        }

    @staticmethod
    def read_table(path: str, reordering: str | None = None) -> PhraseTable:
        """A phrase table, and its orientations, in the formats of Moses."""
        return PhraseTable.read(path, reordering)

    @staticmethod
    def write_table(table: PhraseTable, path: str, reordering: str | None = None) -> None:
        """Write a phrase table, and its orientations, in the formats of Moses."""
        table.write(path, reordering)

    def lookup(self, source: Any, k: int | None = None) -> dict[str, tuple[float, ...]]:
        """The best translations of a source phrase, with their scores by column."""
        return {" ".join(pair.target): pair.scores for pair in self.table.lookup(source, k)}

    def to_model(self) -> ModelFile:
        """The content of a part of a model file."""
        options: dict[str, Any] = {
            "columns": list(self.table.columns),
            "reordering_columns": list(self.table.reordering_columns),
            "search": self.options.to_dict(),
        }
        arrays = {**self.table.arrays(), "weights": self.weights.astype("<f8")}
        return ModelFile(KIND, options, arrays, self.table.strings()).put("lm", self.lm.to_model())

    @classmethod
    def from_model(cls, file: ModelFile) -> PhraseModel:
        """The model of a file; FormatError if it is damaged."""
        file.require_kind(KIND)
        match file.options:
            case {"columns": list(columns), "reordering_columns": list(orientations), "search": dict(search)}:
                pass
            case _:
                raise file.damaged("its columns or the limits of its search are not there")
        if not all(isinstance(name, str) for name in (*columns, *orientations)):
            raise file.damaged("a column of its table has no name")
        part = file.part("lm")
        if part is None:
            raise file.damaged("its language model is not there")
        with file.restoring():
            options = SearchOptions.of(search, cls.searching)
            table = PhraseTable.from_arrays(
                file.arrays,
                file.strings,
                columns=[str(name) for name in columns],
                reordering_columns=[str(name) for name in orientations],
                path=file.path,
            )
            names = feature_names(table)
            given = np.array(file.array("weights", "<f8", [len(names)]), dtype=np.float64)
            return cls(table, LanguageModel.from_model(part), checked_weights(given, names), options)
