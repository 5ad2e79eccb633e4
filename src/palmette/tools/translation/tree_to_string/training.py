"""Training with source trees: parse, align, extract fragments, estimate a language model, tune. CSC 448, §19, §20.

source text ──parser──▶ trees ┐
text ────────Aligner──▶ links ┴──extract_ghkm──▶ rules over trees ──tune on dev──▶ TreeToStringModel
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import ParallelText
from palmette.tools.lm.model import LanguageModel
from palmette.tools.translation.chart.training import RuleTraining
from palmette.tools.translation.model import Dev
from palmette.tools.translation.rules.ghkm import extract_ghkm
from palmette.tools.translation.rules.rule_table import RuleTable
from palmette.tools.translation.source_trees import checked_trees, tree_notes
from palmette.tools.translation.training import Numbers
from palmette.tools.translation.tree_to_string.model import TreeToStringModel
from palmette.tools.translation.tree_to_string.options import TreeToStringOptions
from palmette.tools.translation.tree_to_string.parses import SourceParses
from palmette.trees.tree import Tree


class TreeToStringTraining(RuleTraining):
    """The stages of the method."""

    own: TreeToStringOptions
    name = "tree-to-string"
    options_class = TreeToStringOptions
    model_class = TreeToStringModel
    parses: SourceParses
    trees: list[Tree | None]

    def prepare(self, text: ParallelText | None, dev: Dev | None) -> None:
        """Parse the source sentences, or check the trees that are given."""
        super().prepare(text, dev)
        given = self.given
        self.parses = SourceParses(given.parser)
        self.trees = []
        if dev is not None:
            if given.dev_trees is None and given.parser is None:
                raise ValueError(
                    "The sentences of the dev text have no trees: give them (dev_trees) or a parser; or give no "
                    "dev text, to tune the weights on a part of the training text."
                )
            if given.dev_trees is not None:
                rows = [list(words) for words in dev.sentences]
                trees = checked_trees(given.dev_trees, rows, "source", "dev tree")
                self.record.notes.extend(tree_notes(trees, rows, "dev"))
                self.parses = self.parses.with_pairs(_with_trees(rows, trees))
        if given.table is not None or text is None:
            return
        rows = [text.source[s] for s in range(len(text))]
        self.parse_rows(rows)
        self.record.notes.extend(tree_notes(self.trees, rows, "source"))

    def parse_rows(self, rows: list[list[str]]) -> None:
        """The same for these sentences."""
        if self.given.trees is not None:
            self.trees = checked_trees(self.given.trees, rows, "source")
            self.parses = self.parses.with_pairs(_with_trees(rows, self.trees))
            return
        if self.given.parser is None:
            raise ValueError(
                "The method 'tree-to-string' needs trees of the source sentences, or a parser that makes them."
            )
        self.trees = self.record.run(
            "parse",
            lambda: [trees[0] if trees else None for trees in self.parses(rows)],
            lambda made: {"trees": sum(tree is not None for tree in made)},
        )

    def table(self, text: ParallelText, links: Alignments, numbers: Numbers | None) -> RuleTable:
        """The rule table."""
        trees = self.trees if numbers is None else [self.trees[n] for n in numbers.tolist()]
        return self.record.run(
            "rules",
            lambda: extract_ghkm(text, links, trees, "source", self.own.table, n_jobs=self.n_jobs),
            lambda made: {"rules": len(made)},
        )

    def model(self, table: RuleTable, lm: LanguageModel) -> TreeToStringModel:
        """The model with start weights."""
        return TreeToStringModel(*self.parts(table, lm), self.parses)


def _with_trees(
    rows: Sequence[Sequence[str]], trees: Sequence[Tree | None]
) -> Iterator[tuple[Sequence[str], Tree]]:
    return ((words, tree) for words, tree in zip(rows, trees) if tree is not None)
