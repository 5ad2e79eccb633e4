"""Training with trees of target sentences: align, parse, extract rules, estimate n-grams, tune (CSC 448, §19)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText
from palmette.tools.translation.chart.model import StringToTreeModel
from palmette.tools.translation.chart.search_options import ChartOptions
from palmette.tools.translation.chart.training import RuleTraining
from palmette.tools.translation.model import Dev
from palmette.tools.translation.rules.ghkm import GhkmOptions, extract_ghkm
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.rules.tree_arrays import parsed
from palmette.tools.translation.source_trees import checked_trees, tree_notes
from palmette.tools.translation.stage_options import StageOptions
from palmette.tools.translation.training import Numbers
from palmette.trees.tree import Tree


@dataclass(frozen=True, kw_only=True)
class StringToTreeOptions(ChartOptions, GhkmOptions, StageOptions):
    """All options of the method `string-to-tree`."""

    @property
    def search(self) -> ChartOptions:
        """Those of the search."""
        return self.part(ChartOptions)

    @property
    def table(self) -> GhkmOptions:
        """Those of the rule table."""
        return self.part(GhkmOptions)


class StringToTreeTraining(RuleTraining):
    """The stages of the method."""

    own: StringToTreeOptions
    name = "string-to-tree"
    options_class = StringToTreeOptions
    model_class = StringToTreeModel
    _trees: Sequence[Tree | None] = ()

    def prepare(self, text: ParallelText | None, dev: Dev | None) -> None:
        """Parse the target sentences, or check their trees: all tables need them."""
        super().prepare(text, dev)
        if self.given.table is None and text is not None:
            rows = [text.target[s] for s in range(len(text))]
            self._trees = self._given_trees(text, rows)
            self.record.notes.extend(tree_notes(self._trees, rows, "target"))

    def table(self, text: ParallelText, links: Alignments, numbers: Numbers | None) -> RuleTable:
        """The rule table."""
        trees = self._trees if numbers is None else [self._trees[number] for number in numbers.tolist()]
        return self.record.run(
            "rules",
            lambda: extract_ghkm(text, links, trees, "target", self.own.table, n_jobs=self.n_jobs),
            lambda made: {"rules": len(made)},
        )

    def _given_trees(self, text: ParallelText, rows: list[list[str]]) -> list[Tree | None]:
        given = self.given
        if given.trees is not None:
            return checked_trees(given.trees, rows, "target")
        if given.parser is None:
            raise ValueError(
                f"The method {self.name!r} needs trees of the target sentences: give them (trees), or a parser "
                "that makes them (parser)."
            )
        return self.record.run(
            "parse",
            lambda: parsed(given.parser, text.target),
            lambda made: {"trees": sum(one is not None for one in made)},
        )
