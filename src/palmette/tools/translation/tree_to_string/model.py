"""Models of rules over source trees: a rule table, a parser, a language model, weights, limits of the search.

options   columns: names of the table; search: the limits
arrays    those of the table, and weights
parts     lm: the language model; parser: the parser of source sentences, if there is one
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

from palmette.formats.model import ModelFile
from palmette.parameters import Options
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.translation.chart.model import RuleModel
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.tree_to_string.options import TreeSearchOptions
from palmette.tools.translation.tree_to_string.parses import SourceParses
from palmette.tools.translation.tree_to_string.search import TreeSearch
from palmette.trees.tree import Tree

_PARSER = "parser"


@dataclass(frozen=True, eq=False)
class TreeToStringModel(RuleModel):
    """A `TranslationModel` of rules over source trees."""

    parses: SourceParses = field(default_factory=SourceParses)
    kind: ClassVar[str] = "tree-to-string model"
    table_kind: ClassVar[str] = "trees"
    options_class: ClassVar[type[Options]] = TreeSearchOptions

    @cached_property
    def search(self) -> TreeSearch:
        """The decoder."""
        options: TreeSearchOptions = self.options
        parses = self.parses.with_k(options.forest)
        return TreeSearch(self.table, self.lm, parses, self.weights, options.chart)

    def with_trees(self, trees: Iterable[Tree]) -> Self:
        """The same with trees for some sentences, in place of the parser's; several of one are a forest."""
        return replace(self, parses=self.parses.with_trees(trees))

    def telling(self, tell: Callable[[str], None]) -> Self:
        """The same, which tells about sentences without trees in another way than by a warning."""
        return replace(self, parses=self.parses.telling(tell))

    def facts(self) -> dict[str, Any]:
        """What a person may want to know of it."""
        facts: Mapping[str, Any] = super().facts()
        parser = self.parses.parser
        return {**facts, "parser": None if parser is None else parser.method}

    @staticmethod
    def write_table(table: RuleTable, path: str, reordering: str | None = None) -> None:
        """Write a rule table in the format of Joshua and cdec, with fragments as source sides."""
        if reordering is not None:
            raise ValueError("A table of rules has no reordering table: rules have the order in them.")
        table.write(path, "joshua")

    def to_model(self) -> ModelFile:
        """The content of a part of a model file."""
        file = super().to_model()
        parser = self.parses.parser
        return file if parser is None else file.put(_PARSER, parser.to_model())

    @classmethod
    def from_model(cls, file: ModelFile) -> Self:
        """The model of a file; FormatError if it is damaged."""
        model = super().from_model(file)
        part = file.part(_PARSER)
        if part is None:
            return model
        return replace(model, parses=SourceParses(ConstituencyParser.from_model(part)))
