"""Where the trees of source sentences come from: those that are given, by their words, or else a parser.

A sentence is parsed once, however often it is translated; the last hundred thousand are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from palmette.messages import warn
from palmette.trees.tree import Tree

_KEPT = 100_000  # sentences

Words = tuple[str, ...]


@dataclass(eq=False)
class SourceParses:
    """The trees of sentences. parser: a `ConstituencyParser`, or None; k: how many of its trees make a forest."""

    parser: Any = None
    k: int = 1
    trees: Mapping[Words, Sequence[Tree]] = field(default_factory=dict)
    tell: Callable[[str], None] = warn  # gets a sentence about those without trees
    _parsed: dict[Words, list[Tree]] = field(default_factory=dict, repr=False)

    def __call__(self, sentences: Sequence[Sequence[str]]) -> list[list[Tree]]:
        """Return the trees of every sentence, best first; none where there is neither a tree nor a parse."""
        rows = [tuple(words) for words in sentences]
        wanted = [words for words in dict.fromkeys(rows) if words and not self._known(words)]
        if self.parser is not None and wanted:
            if len(self._parsed) + len(wanted) > _KEPT:
                self._parsed = {}
            self._parsed.update(zip(wanted, self._parse(wanted)))
        found = [list(self.trees.get(words) or self._parsed.get(words) or ()) for words in rows]
        missing = sum(1 for words, trees in zip(rows, found) if words and not trees)
        if missing:
            why = "the model has no parser: give trees" if self.parser is None else "the parser found none"
            self.tell(
                f"{missing:,} of {len(rows):,} sentences have no tree ({why}), and are translated word by word, "
                "joined by glue"
            )
        return found

    def with_trees(self, trees: Iterable[Tree]) -> SourceParses:
        """The same with trees for some sentences, by their words; several of one sentence make a forest."""
        return self.with_pairs((tree.words, tree) for tree in trees)

    def telling(self, tell: Callable[[str], None]) -> SourceParses:
        """The same, which tells about sentences without trees in another way."""
        return SourceParses(self.parser, self.k, self.trees, tell)

    def with_pairs(self, pairs: Iterable[tuple[Sequence[str], Tree]]) -> SourceParses:
        """The same with trees for some sentences, whose words the trees may write in another way."""
        found: dict[Words, list[Tree]] = {}
        for words, tree in pairs:
            own = found.setdefault(tuple(words), [])
            if tree not in own:
                own.append(tree)
        return SourceParses(self.parser, self.k, {**self.trees, **found}, self.tell)

    def with_k(self, k: int) -> SourceParses:
        """The same with another number of trees from the parser."""
        return self if k == self.k else SourceParses(self.parser, k, self.trees, self.tell)

    def _known(self, words: Words) -> bool:
        return words in self.trees or words in self._parsed

    def _parse(self, rows: Sequence[Words]) -> list[list[Tree]]:
        sentences = [list(words) for words in rows]
        if self.k == 1:
            return [[] if tree is None else [tree] for tree in self.parser.predict(sentences)]
        return [[parse.tree for parse in parses] for parses in self.parser.kbest(sentences, self.k)]

    def __getstate__(self) -> dict[str, Any]:
        return {"parser": self.parser, "k": self.k, "trees": self.trees, "tell": warn, "_parsed": {}}
