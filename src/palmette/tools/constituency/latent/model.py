"""A latent grammar, or several over the same rules, as a model of trees.

Scores are log P(tree, words), summed over the substates along the tree and with each word's best tag as the unit;
of several grammars, the mean of them. The tree of minimum risk has the most expected brackets, those that are
likelier than not, or with `decoding=product` the largest product of rule posteriors. The most probable tree is
looked for among the best by the product, since to find it for certain is intractable: trees are sums over
substates, not derivations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.parameters import Options, option
from palmette.tools.constituency.latent.arrays import LatentFile
from palmette.tools.constituency.latent.constraints import NO_BARS, Bars, bars_of
from palmette.tools.constituency.latent.grammar import GrammarWeights, Rules
from palmette.tools.constituency.latent.lexicon import LexiconTables
from palmette.tools.constituency.latent.output import TreeMaker, tree_nodes
from palmette.tools.constituency.model import (
    MOST_WORDS,
    Arrays,
    Bracket,
    Constraints,
    Contribution,
    Marginals,
    Parse,
    Sentences,
    contribution,
)
from palmette.tools.constituency.treebank import ROOT
from palmette.trees.tree import Tree

OWNER = "The method 'latent'"
_CANDIDATES = 50  # among them the most probable tree is looked for
_BRACKET_COST = 0.5  # a bracket must be as likely as that
_COARSEST = 0.3  # of the threshold: the treebank's own grammar errs most
_FRAGMENTS = "No tree of the grammar covers these words; this one joins the best fragments."
_MEMORY = 400_000_000  # bytes for the chart of a sentence


@dataclass(frozen=True, kw_only=True)
class SearchOptions(Options):
    """The options of search, which a trained model keeps and can change."""

    decoding: str = option(
        "recall",
        "what minimum risk is: recall of brackets, or product of the posteriors of rules",
        choices=("recall", "product"),
    )
    threshold: float = option(
        1e-3,
        "least posterior of an item that coarser grammars keep; a third of it for the coarsest",
        low=0,
        high=0.1,
    )
    max_words: int = option(
        200,
        "most words of a sentence that is parsed as a whole, fewer with a large grammar; a longer one is "
        "parsed in parts",
        low=1,
        high=MOST_WORDS,
    )


@dataclass(frozen=True, kw_only=True)
class LatentOptions(SearchOptions):
    """All options of the method: those of search, and those of training."""

    rounds: int = option(
        5,
        "rounds of splitting and merging; with a dev set, the best of them is kept",
        low=0,
        high=8,
        fixed=True,
    )
    grammars: int = option(
        1,
        "number of grammars, from different random beginnings, that are multiplied",
        low=1,
        high=64,
        fixed=True,
    )
    merge: float = option(
        0.5, "share of the splits of a round that are taken back", low=0, below=1, fixed=True
    )
    horizontal: int = option(
        0, "siblings that a symbol made by binarization remembers", low=0, high=100, fixed=True
    )
    leftward: bool = option(True, "whether rules are binarized from the right end", fixed=True)
    rare: int = option(
        5, "largest count of the words that stand for unknown words", low=0, high=10**9, fixed=True
    )

    @property
    def search(self) -> SearchOptions:
        """The options of search alone."""
        return SearchOptions(**{name: getattr(self, name) for name in SearchOptions.names()})


class _Input(NamedTuple):
    """Sentences as native code takes them."""

    chains: NDArray[np.int32]
    begin: NDArray[np.int64]
    tags: NDArray[np.int32]


class _Ranked(NamedTuple):
    """Trees of native code: nodes that they share, their roots, scores, and log P(words)."""

    nodes: NDArray[np.int32]
    roots: list[int]
    scores: list[float]
    log_z: float

    def best(self, k: int) -> list[int]:
        """The numbers of the k most probable, best first."""
        return sorted(range(len(self.roots)), key=lambda i: -self.scores[i])[:k]


@dataclass(frozen=True, eq=False)
class LatentModel:
    """Grammars with substates over the same rules. smoothing: of words, towards the mean of a tag's substates."""

    rules: Rules
    lexicon: LexiconTables
    smoothing: float
    members: tuple[GrammarWeights, ...]
    search: SearchOptions = SearchOptions()
    _native: Any = field(default=None, repr=False)
    _trees: TreeMaker = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_trees", TreeMaker(self.rules))
        if self._native is not None:
            return
        words = self.lexicon
        made = _native.LatentParser(
            len(self.rules.symbols),
            self.rules.binary_columns,
            self.rules.unary_columns,
            np.array(self._trees.is_made, dtype=np.uint8),
            words.begin,
            words.tag,
            words.total,
            words.strength,
            self.smoothing,
            words.tags,
            [member.native() for member in self.members],
        )
        object.__setattr__(self, "_native", made)

    # Trees.

    def parse(
        self,
        sentences: Sentences,
        *,
        tags: Sentences | None = None,
        constraints: Sequence[Constraints] | None = None,
        minimum_risk: bool | None = None,
        n_jobs: int = 1,
    ) -> list[Parse]:
        """The tree of every sentence, by default of minimum risk."""
        k = _CANDIDATES if minimum_risk is False else 1
        if constraints is None or all(one == Constraints() for one in constraints):
            found = self._ranked(sentences, tags, k, n_jobs)
        else:
            found = []
            for i, words in enumerate(sentences):
                given = [tags[i]] if tags is not None else None
                bars = bars_of(self.rules, constraints[i], len(words))
                found += self._ranked([words], given, k, 1, bars)
                if not found[-1].roots and constraints[i] != Constraints():
                    raise ValueError(f"Sentence {i + 1}: no tree of the grammar meets the constraints.")
        return [
            own[0] if own else self._fragments(sentences[i], tags[i] if tags is not None else None, i)
            for i, own in enumerate(self._parsed(sentences, found, 1))
        ]

    def kbest(self, sentences: Sentences, k: int, *, n_jobs: int = 1) -> list[list[Parse]]:
        """The k best by the product of posteriors (of 50 at least), the most probable first.

        If trees differ in their tags alone, only the best is given.
        """
        ranked = self._parsed(sentences, self._ranked(sentences, None, max(k, _CANDIDATES), n_jobs), k)
        return [own or self.parse([words]) for own, words in zip(ranked, sentences)]

    def _ranked(
        self, sentences: Sentences, tags: Sentences | None, k: int, n_jobs: int, bars: Bars = NO_BARS
    ) -> list[_Ranked]:
        """The best k trees of every sentence; none where the grammar has none."""
        if not sentences:
            return []
        found = self._searched(self._input(sentences, tags), k, n_jobs, bars, self._thresholds)
        for i, (words, ranked) in enumerate(zip(sentences, found)):
            if not ranked.roots and len(words) <= 100:  # pruning may have gone too far
                again = self._input([words], [tags[i]] if tags is not None else None)
                (found[i],) = self._searched(again, k, 1, bars, [self.search.threshold * 1e-4])
        return found

    def _searched(
        self,
        given: _Input,
        k: int,
        n_jobs: int,
        bars: Bars,
        thresholds: list[float],
        by_brackets: bool = True,
    ) -> list[_Ranked]:
        recall = self.search.decoding == "recall" and k == 1
        nodes, sizes, trees, roots, _, scores, logs = self._native.parse(
            *given, *bars, thresholds, recall, _BRACKET_COST, by_brackets, k, n_jobs
        )
        found, node, tree = [], 0, 0
        for size, number, log_z in zip(sizes.tolist(), trees.tolist(), logs.tolist()):
            mine = slice(tree, tree + number)
            shared = nodes[7 * node : 7 * (node + size)].reshape(-1, 7)
            found.append(_Ranked(shared, roots[mine].tolist(), scores[mine].tolist(), log_z))
            node, tree = node + size, tree + number
        return found

    def _parsed(self, sentences: Sentences, found: Sequence[_Ranked], k: int) -> list[list[Parse]]:
        """The k most probable trees of every sentence."""
        best = [ranked.best(k) for ranked in found]
        roots = [[[ranked.roots[t]] for t in own] for ranked, own in zip(found, best)]
        trees = self._trees.trees([ranked.nodes for ranked in found], roots, sentences)
        return [
            [
                Parse(tree, score := ranked.scores[t], min(0.0, score - ranked.log_z))
                for tree, t in zip(made, own)
            ]
            for made, ranked, own in zip(trees, found, best)
        ]

    def _fragments(self, words: Sequence[str], tags: Sequence[str] | None, number: int) -> Parse:
        given = self._input([words], [tags] if tags is not None else None, number)
        nodes, ends, score = self._native.fragments(*given)
        roots = [end - 1 for end in ends.tolist()]
        ((tree,),) = self._trees.trees([nodes.reshape(-1, 7)], [[roots]], [words])
        return Parse(tree, score, None, _FRAGMENTS)

    # Probabilities.

    def marginals(self, sentences: Sentences, *, n_jobs: int = 1) -> list[Marginals]:
        """The probabilities of brackets, summed over substates and averaged over the grammars."""
        tables: list[Marginals] = [{} for _ in sentences]
        if not sentences:
            return tables
        given = self._input(sentences, None)
        rows, posteriors = self._native.marginals(*given, self._thresholds, n_jobs)
        for (s, symbol, rule, start, end), p in zip(rows.reshape(-1, 5).tolist(), posteriors.tolist()):
            table = tables[s]
            for label in self._trees.labels(symbol, rule):
                bracket = Bracket(start, end, label)
                table[bracket] = min(1.0, table.get(bracket, 0.0) + p)
        return tables

    def contributions(self, words: Sequence[str], tree: Tree) -> list[Contribution]:
        """What each rule of the tree takes from its log-probability, summed over substates.

        A rule's amount is the log of the sum over its substates, those of the nodes below given what they cover. A
        tree with rules that the grammar has not gets minus infinity for them, and nothing for those above.
        """
        nodes, names = tree_nodes(self.rules, tree)
        if nodes is None:
            return [contribution(name, amount, start, end) for name, amount, start, end in names]
        amounts = self._native.amounts(*self._input([words], None), np.ascontiguousarray(nodes.ravel()))
        spots = [*names, (f"{ROOT} → {names[-1][0].split(' ')[0]}", 0.0, 0, len(words))]
        return [contribution(name, float(a), start, end) for (name, _, start, end), a in zip(spots, amounts)]

    # Options and files.

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """The same weights with other options of search."""
        LatentOptions().changed(options, OWNER)  # refuses what training has fixed
        search = self.search.changed(options, OWNER)
        return type(self)(self.rules, self.lexicon, self.smoothing, self.members, search, self._native)

    def _file(self) -> LatentFile:
        return LatentFile(self.rules, self.lexicon, self.smoothing, self.members)

    def arrays(self) -> Arrays:
        """The numbers for a model file."""
        return self._file().arrays()

    def strings(self) -> dict[str, Sequence[str]]:
        """Symbols, what is within chains of unary rules, and the contexts of words."""
        return self._file().strings()

    def settings(self) -> dict[str, Any]:
        """What else a file must keep."""
        return {**self._file().settings(), "search": self.search.to_dict()}

    @classmethod
    def restore(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        strings: Mapping[str, Sequence[str]],
        settings: Mapping[str, Any],
    ) -> Self:
        """The model of a file; ValueError if something is missing or does not fit."""
        file = LatentFile.restored(arrays, strings, settings)
        given = settings.get("search", {})
        if not isinstance(given, Mapping):
            raise ValueError("the options of search are not a mapping.")
        return cls(file.rules, file.lexicon, file.smoothing, file.members, SearchOptions.of(given, OWNER))

    # What native code sees.

    @property
    def max_words(self) -> int:
        """The option, and fewer words where the chart of a large grammar would take too much memory."""
        fitting = int(sqrt(_MEMORY / (24 * len(self.rules.symbols))))
        return min(self.search.max_words, max(20, fitting))

    @property
    def _thresholds(self) -> list[float]:
        finer = len(self.members[0].levels) - 1
        threshold = float(self.search.threshold)
        return [_COARSEST * threshold] + [threshold] * finer

    def _input(self, sentences: Sentences, tags: Sentences | None, number: int = 0) -> _Input:
        chain = self.lexicon.contexts.chain
        chains = [c for words in sentences for i, word in enumerate(words) for c in chain(word, i)]
        begin = np.cumsum([0, *map(len, sentences)]).astype(np.int64)
        given: list[int] = []
        if tags is not None:
            for i, sentence in enumerate(tags):
                for tag in sentence:
                    if tag and tag not in self._trees.tags:
                        raise ValueError(f"Sentence {number + i + 1}: the grammar has no tag {tag!r}.")
                    given.append(self._trees.tags[tag] if tag else -1)
        return _Input(np.array(chains, dtype=np.int32), begin, np.array(given, dtype=np.int32))
