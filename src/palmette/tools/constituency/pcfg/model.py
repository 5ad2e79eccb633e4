"""Treebank grammars: plain (`pcfg`) and markovized (`markov`), parsed exactly or from coarse to fine.

A tree's score is the log of its probability together with the words: Σ log P(rule) + Σ log P(word | tag). The
coarse grammar of the first pass has bare labels and made nodes that remember nothing (h = 0, v = 1, "X-bar"), and
skips words where no longer phrase is likely to begin or to end (`closure.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from palmette._native import ChartItems, ChartSearcher, SentenceChart
from palmette.errors import numbered
from palmette.learning.learner import Callback, Learner
from palmette.parameters import Options, option
from palmette.structures.chart.bracket_risk import best_brackets, chain_heights, tree_of_brackets
from palmette.tools.constituency.fragments import NOTE, fragment_tree
from palmette.tools.constituency.lexicon import Lexicon
from palmette.tools.constituency.long_sentences import (
    marginals_in_halves,
    parse_in_halves,
    too_much_memory,
)
from palmette.tools.constituency.model import (
    MOST_MEMORY,
    MOST_WORDS,
    Arrays,
    Bracket,
    ConstituencyModel,
    Constraints,
    Contribution,
    Marginals,
    Parse,
    Sentences,
    Trained,
)
from palmette.tools.constituency.pcfg.chart_batch import SentenceBatch, tree_of_nodes
from palmette.tools.constituency.pcfg.closed_words import LEAST_TREES, Closure
from palmette.tools.constituency.pcfg.constraints import allowed_items, check_constraints, meets
from palmette.tools.constituency.pcfg.grammar import TreeGrammar
from palmette.tools.constituency.pcfg.tree_scores import TreeScorer
from palmette.tools.constituency.treebank import ROOT
from palmette.transforms.binarization import Binarization
from palmette.trees.tree import Child, Tree

_OWNER = "A treebank grammar"
_CLOSED = 0.1  # chosen on the development set of the Penn Treebank sample
_LEAST = 1e-4  # brackets less probable than this are not told
_TOO_LONG = 4  # the outcome of a search that needs more memory than allowed
Allowed = list[ChartItems | None] | None


@dataclass(frozen=True, kw_only=True)
class PcfgOptions(Options):
    """The options of a treebank grammar."""

    horizontal: int | None = option(
        None, "siblings that a symbol made by binarization remembers; none: all of them", low=0, fixed=True
    )
    vertical: int = option(
        1, "labels that a phrase knows: 1 its own, 2 also its parent's, and so on", low=1, fixed=True
    )
    coarse: bool = option(
        True, "whether a first pass with the smallest grammar leaves fewer items for the second"
    )
    threshold: float = option(1e-3, "least posterior of an item that the first pass keeps", low=0, below=1)
    closed: float | None = option(
        None,
        "least probability of a word to begin, or to end, a longer phrase; below it, it may not; 0: every word "
        "may; none: 0.1 with a first pass, 0 without",
        low=0,
        below=1,
    )
    offset: float = option(
        0.4, "least probability of a bracket in minimum-risk trees; 0 is labelled recall", low=0, below=1
    )
    max_words: int = option(
        200,
        "most words of a sentence that is parsed as a whole; a longer one is parsed in parts",
        low=1,
        high=MOST_WORDS,
    )
    memory: float = option(
        250,
        "megabytes for the chart of a sentence; a sentence that needs more is parsed in parts",
        low=1,
        high=MOST_MEMORY,
    )


class PcfgModel:
    """A treebank grammar with its lexicon."""

    def __init__(
        self,
        lexicon: Lexicon,
        grammar: TreeGrammar,
        coarse: TreeGrammar | None,
        heights: Mapping[str, float],
        options: PcfgOptions,
        closure: Closure | None = None,
    ) -> None:
        self.lexicon = lexicon
        self.grammar = grammar
        self.coarse = coarse
        self.heights = dict(heights)
        self.options = options
        self.closure = closure
        if self.options.closed and closure is None:
            raise ValueError(
                "This grammar was trained without what closes words: the option 'closed' must be 0."
            )
        binarization = Binarization(self.options.horizontal, self.options.vertical)
        self._scorer = TreeScorer(lexicon, grammar, binarization)
        n_tags = grammar.n_tags
        self._labels = sorted({label for label in grammar.labels[n_tags:] if label} - {ROOT})
        number = {label: k for k, label in enumerate(self._labels)}
        self._brackets = np.array(
            [-1] * n_tags + [number.get(label, -1) for label in grammar.labels[n_tags:]], dtype=np.int32
        )
        self._tags = np.array([*range(n_tags), *[-1] * (len(grammar.names) - n_tags)], dtype=np.int32)
        first_pass = coarse if self.options.coarse else None
        self._search = ChartSearcher(
            grammar.chart,
            None if first_pass is None else first_pass.chart,
            None if first_pass is None else grammar.projection(first_pass),
            grammar.parts,
            float(self.options.threshold),
            int(self.options.memory * 1e6),
        )

    @property
    def max_words(self) -> int:
        """The option."""
        return self.options.max_words

    def parse(
        self,
        sentences: Sentences,
        *,
        tags: Sentences | None = None,
        constraints: Sequence[Constraints] | None = None,
        minimum_risk: bool | None = None,
        n_jobs: int = 1,
    ) -> list[Parse]:
        """The tree of every sentence: of the most expected right brackets, or the most probable one."""
        batch = self._batch(sentences, tags, n_jobs)
        allowed = None
        if constraints is not None:
            for s, (each, words) in enumerate(zip(constraints, sentences, strict=True)):
                check_constraints(each, len(words), s)
            allowed = [
                allowed_items(self.grammar, len(words), each) if each.required or each.forbidden else None
                for each, words in zip(constraints, sentences)
            ]
        if minimum_risk is False:
            parses = self._most_probable(sentences, batch, allowed, n_jobs)
        else:
            parses = self._least_risky(sentences, batch, allowed, n_jobs)
        if constraints is not None:
            parses = [
                self._constrained(words, each, parse, s)
                for s, (words, each, parse) in enumerate(zip(sentences, constraints, parses))
            ]
        return parses

    def kbest(self, sentences: Sentences, k: int, *, n_jobs: int = 1) -> list[list[Parse]]:
        """The k most probable trees of every sentence, best first, each with its probability given the words."""
        batch = self._batch(sentences, None, n_jobs)
        _, _, log_z, _ = self._posteriors(batch, None, n_jobs)
        found = self._kbest(sentences, batch, k, None, n_jobs)
        return [
            parses
            if log_z[s] == -inf or parses[0].note
            else [replace(parse, log_probability=min(parse.score - log_z[s], 0.0)) for parse in parses]
            for s, parses in enumerate(found)
        ]

    def marginals(self, sentences: Sentences, *, n_jobs: int = 1) -> list[Marginals]:
        """The probabilities of brackets; none for a sentence that no tree of the grammar covers."""
        found, _, _, outcomes = self._posteriors(self._batch(sentences, None, n_jobs), None, n_jobs)
        return [
            marginals_in_halves(self, words) if outcome == _TOO_LONG and len(words) > 1 else own
            for words, own, outcome in zip(sentences, found, outcomes, strict=True)
        ]

    def contributions(self, words: Sequence[str], tree: Tree) -> list[Contribution]:
        """Every rule of a tree with its log-probability; minus infinity for one that the grammar has not."""
        return self._scorer.contributions(words, tree)

    def score(self, words: Sequence[str], tree: Tree) -> float:
        """The log of the probability of a tree together with the words."""
        return self._scorer.score(words, tree)

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """The same grammar with other options of search."""
        given = self.options.changed(options, _OWNER)
        return type(self)(self.lexicon, self.grammar, self.coarse, self.heights, given, self.closure)

    @property
    def closed_below(self) -> float:
        """The probability below which a beginning or an end is closed; 0: none is."""
        if self.closure is None:
            return 0.0
        given = self.options.closed
        return float(given) if given is not None else _CLOSED if self.options.coarse else 0.0

    def arrays(self) -> Arrays:
        """The numbers for a model file."""
        found = {**self.lexicon.arrays(), **self.grammar.arrays("grammar")}
        found |= {} if self.closure is None else self.closure.arrays()
        return found if self.coarse is None else {**found, **self.coarse.arrays("coarse")}

    def strings(self) -> dict[str, Sequence[str]]:
        """The tables of strings for a model file."""
        n = self.grammar.n_tags
        found = {**self.lexicon.strings(), "grammar": self.grammar.names[n:]}
        found |= {} if self.closure is None else self.closure.strings()
        return found if self.coarse is None else {**found, "coarse": self.coarse.names[n:]}

    def settings(self) -> dict[str, Any]:
        """Options, how the lexicon's counts are used, and which labels are above others."""
        closure = None if self.closure is None else self.closure.settings()
        own = {"options": self.options.to_dict(), "lexicon": self.lexicon.settings(), "heights": self.heights}
        return own | {"closure": closure}

    @classmethod
    def restore(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        strings: Mapping[str, Sequence[str]],
        settings: Mapping[str, Any],
    ) -> Self:
        """The model of a file; ValueError if something is missing or does not fit."""
        options, heights = settings.get("options"), settings.get("heights")
        if not isinstance(options, dict) or not isinstance(heights, dict):
            raise ValueError("the settings of this model are not complete.")
        # Files of earlier versions have no closed words and no bound on words.
        options = {"closed": 0, "max_words": PcfgOptions().max_words, **options}
        if set(options) != set(PcfgOptions.names()):
            raise ValueError("the settings of this model are not complete.")
        if not all(isinstance(height, int | float) for height in heights.values()):
            raise ValueError("the heights of labels of this model are not numbers.")
        lexicon = Lexicon.restore(arrays, strings, settings.get("lexicon") or {})
        if "grammar" not in strings:
            raise ValueError("the grammar of this model is not complete.")
        grammar = TreeGrammar.restore(arrays, strings["grammar"], lexicon.tags, "grammar")
        coarse = None
        if "coarse" in strings:
            coarse = TreeGrammar.restore(arrays, strings["coarse"], lexicon.tags, "coarse")
        closure, kept = None, settings.get("closure")
        if kept is not None:
            if not isinstance(kept, dict):
                raise ValueError("what closes words in this model is damaged.")
            closure = Closure.restore(lexicon, arrays, strings, kept)
        return cls(lexicon, grammar, coarse, heights, PcfgOptions.of(options, _OWNER), closure)

    # Trees.

    def _batch(self, sentences: Sentences, tags: Sentences | None, n_jobs: int) -> SentenceBatch:
        """Emissions, and which words are closed."""
        batch = SentenceBatch.of(self.lexicon, sentences, tags)
        if self.closure is None or not self.closed_below:
            return batch
        corpus = self.closure.words.corpus(sentences, tags)
        return replace(batch, closed=self.closure.closed(corpus, self.closed_below, n_jobs))

    def _most_probable(
        self, sentences: Sentences, batch: SentenceBatch, allowed: Allowed, n_jobs: int
    ) -> list[Parse]:
        return [parses[0] for parses in self._kbest(sentences, batch, 1, allowed, n_jobs)]

    def _kbest(
        self, sentences: Sentences, batch: SentenceBatch, k: int, allowed: Allowed, n_jobs: int
    ) -> list[list[Parse]]:
        trees, nodes, symbols, rules, scores, outcomes = self._search.best(
            *batch.arrays(), batch.closed, allowed, k, n_jobs
        )
        made = self.grammar.trees(sentences, trees, nodes, symbols, rules)
        listed, bounds = scores.tolist(), trees.tolist()
        return [
            [Parse(tree, listed[t]) for t, tree in enumerate(own, bounds[s])]
            or [self._without_tree(sentences[s], batch, s, int(outcomes[s]))]
            for s, own in enumerate(made)
        ]

    def _posteriors(
        self, batch: SentenceBatch, allowed: Allowed, n_jobs: int
    ) -> tuple[list[Marginals], list[list[int]], list[float], list[int]]:
        columns = self._search.posteriors(
            *batch.arrays(), batch.closed, allowed, self._brackets, self._tags, _LEAST, n_jobs
        )
        offsets, starts, ends, labels, probabilities, tags, log_z, outcomes = (c.tolist() for c in columns)
        names = self._labels
        marginals = [
            {
                Bracket(starts[k], ends[k], names[labels[k]]): probabilities[k]
                for k in range(offsets[s], offsets[s + 1])
            }
            for s in range(len(log_z))
        ]
        bounds = np.cumsum([0, *batch.lengths]).tolist()
        return marginals, [tags[a:b] for a, b in pairwise(bounds)], log_z, outcomes

    def _least_risky(
        self, sentences: Sentences, batch: SentenceBatch, allowed: Allowed, n_jobs: int
    ) -> list[Parse]:
        marginals, tags, log_z, outcomes = self._posteriors(batch, allowed, n_jobs)
        parses = []
        for s, words in enumerate(sentences):
            if log_z[s] == -inf:
                parses.append(self._without_tree(words, batch, s, outcomes[s]))
                continue
            brackets = best_brackets(len(words), marginals[s], offset=self.options.offset)
            names = [self.grammar.labels[tag] for tag in tags[s]]
            tree = tree_of_brackets(words, names, brackets, root=ROOT, heights=self.heights)
            score = self.score(words, tree)
            parses.append(Parse(tree, score, min(score - log_z[s], 0.0)))
        return parses

    def _constrained(self, words: Sequence[str], constraints: Constraints, parse: Parse, s: int) -> Parse:
        """The parse if it meets the constraints, or one of a stricter search that does."""
        if meets(parse.tree, constraints):
            return parse
        batch = SentenceBatch.of(self.lexicon, [words])
        strict = allowed_items(self.grammar, len(words), constraints, strict=True)
        again = self._most_probable([words], batch, [strict], 1)[0]
        if again.note or not meets(again.tree, constraints):
            raise ValueError(f"{numbered(s, 'Sentence')}: no tree of the grammar meets the constraints.")
        return again

    def _without_tree(self, words: Sequence[str], batch: SentenceBatch, s: int, outcome: int) -> Parse:
        """A tree of fragments; of a sentence too long for the memory, in two halves."""
        chart_bytes = 4 * len(self.grammar.names) * len(words) * (len(words) + 1) // 2
        if (outcome == _TOO_LONG or chart_bytes > self.options.memory * 1e6) and len(words) > 1:
            why = too_much_memory(self.options.memory)
            return parse_in_halves(self, words, None, why, minimum_risk=False)
        part = slice(batch.offsets[s], batch.offsets[s + 1])
        chart = SentenceChart(
            self.grammar.chart,
            batch.positions[part],
            batch.symbols[part],
            batch.weights[part],
            len(words),
            None,
        )
        prior = np.array([0.0 if label else -inf for label in self.grammar.labels], dtype=np.float32)
        starts, ends, symbols, scores = (column.tolist() for column in chart.best_items(prior))

        def fragment(k: int) -> Child:
            (_, below, _, _, rules), _ = chart.kbest(starts[k], ends[k], symbols[k], 1)
            return tree_of_nodes(below.tolist(), rules.tolist(), self.grammar.labels, words, starts[k])[0]

        tree = fragment_tree(len(words), starts, ends, scores, fragment, root=ROOT)
        assert tree is not None  # every word has a tag, so there is always a way
        return Parse(tree, -inf, None, NOTE)


def train(
    trees: Sequence[Tree],
    *,
    options: Mapping[str, Any],
    learner: Learner | None = None,
    dev: Callable[[ConstituencyModel], float] | None = None,
    callback: Callback | None = None,
    n_jobs: int = 1,
    seed: int = 0,
) -> Trained:
    """Count the rules of trees."""
    if learner is not None:
        raise ValueError("This method counts and has no learner.")
    full = PcfgOptions.of(options, _OWNER)
    lexicon = Lexicon.of(trees)
    binarization = Binarization(full.horizontal, full.vertical)
    grammar = TreeGrammar.of(map(binarization, trees), lexicon.tags)
    coarse = TreeGrammar.of(map(Binarization(0, 1), trees), lexicon.tags)
    wanted = full.closed or (full.closed is None and full.coarse and len(trees) >= LEAST_TREES)
    closure = Closure.of(trees, lexicon, seed=seed) if wanted else None
    return Trained(PcfgModel(lexicon, grammar, coarse, chain_heights(trees), full, closure))
