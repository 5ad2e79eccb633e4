"""Models of synchronous rules: a rule table, a language model, weights, and the limits of the search.

options   columns: names of the table; search: the limits
arrays    those of the table, and weights
parts     lm: the language model
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from palmette.formats.model import ModelFile
from palmette.parameters import Options
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.chart.features import rule_feature_names
from palmette.tools.translation.chart.search import ChartSearch
from palmette.tools.translation.chart.search_options import ChartOptions
from palmette.tools.translation.features import checked_weights
from palmette.tools.translation.model import Floats
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.rules.symbols import side_text
from palmette.tools.translation.searched_model import SearchedModel

_SEARCH = "A search by rules"


@dataclass(frozen=True, eq=False)
class RuleModel(SearchedModel):
    """A `TranslationModel` of rules over strings."""

    table: RuleTable
    lm: LanguageModel
    weights: Floats
    options: Any  # of the search: ChartOptions, or those of a method
    kind: ClassVar[str] = "rule model"
    searching: ClassVar[str] = _SEARCH
    table_kind: ClassVar[str] = "strings"
    has_orientations: ClassVar[bool] = False
    options_class: ClassVar[type[Options]] = ChartOptions

    @cached_property
    def search(self) -> ChartSearch:
        """The decoder."""
        return ChartSearch(self.table, self.lm, self.weights, self.options)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return rule_feature_names(self.table)

    def facts(self) -> dict[str, Any]:
        """What a person may want to know of it."""
        return {
            "rules": len(self.table),
            "labels": len(self.table.labels),
            "source_words": len(self.table.source_strings),
            "target_words": len(self.table.target_strings),
            "lm_order": self.lm.order,
            "lm_ngrams": sum(self.lm.sizes),
            "weights": {name: float(w) for name, w in zip(self.names, self.weights)},
            "search": self.options.to_dict(),
        }

    @staticmethod
    def read_table(path: str, reordering: str | None = None) -> RuleTable:
        """A rule table in the format of Moses, or of Joshua and cdec."""
        if reordering is not None:
            raise ValueError("A table of rules has no reordering table: rules have the order in them.")
        return RuleTable.read(path)

    @staticmethod
    def write_table(table: RuleTable, path: str, reordering: str | None = None) -> None:
        """Write a rule table in the format of Moses."""
        if reordering is not None:
            raise ValueError("A table of rules has no reordering table: rules have the order in them.")
        table.write(path)

    def lookup(self, source: Any, k: int | None = None) -> dict[str, tuple[float, ...]]:
        """The best target sides of a source side such as `ne [X,1] pas`, with their scores by column."""
        found = {}
        for rule in self.table.rules(source, k):
            target = side_text(rule.target)
            found[target if len(self.table.labels) == 1 else f"{rule.left} -> {target}"] = rule.scores
        return found

    def to_model(self) -> ModelFile:
        """The content of a part of a model file."""
        options: dict[str, Any] = {"columns": list(self.table.columns), "search": self.options.to_dict()}
        arrays = {**self.table.arrays(), "weights": self.weights.astype("<f8")}
        return ModelFile(self.kind, options, arrays, self.table.strings()).put("lm", self.lm.to_model())

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The model of a file; FormatError if it is damaged."""
        file.require_kind(cls.kind)
        match file.options:
            case {"columns": list(columns), "search": dict(search)}:
                pass
            case _:
                raise file.damaged("its columns or the limits of its search are not there")
        if not all(isinstance(name, str) for name in columns):
            raise file.damaged("a column of its table has no name")
        part = file.part("lm")
        if part is None:
            raise file.damaged("its language model is not there")
        with file.restoring():
            options = cls.options_class.of(search, _SEARCH)
            names = [str(name) for name in columns]
            table = RuleTable.from_arrays(
                file.arrays, file.strings, columns=names, kind=cls.table_kind, path=file.path
            )
            features = rule_feature_names(table)
            given = np.array(file.array("weights", "<f8", [len(features)]), dtype=np.float64)
            return cls(table, LanguageModel.from_model(part), checked_weights(given, features), options)


@dataclass(frozen=True, eq=False)
class StringToTreeModel(RuleModel):
    """A model of rules whose target sides are pieces of trees."""

    kind: ClassVar[str] = "string-to-tree model"


@dataclass(frozen=True, eq=False)
class HieroModel(RuleModel):
    """A model of hierarchical rules."""

    kind: ClassVar[str] = "hiero model"
