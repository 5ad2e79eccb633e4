"""A lexicalised generative model of trees (CSC 448, §10.7, §10.9): heads, words of words, and smoothing.

Every constituent is made from its head outwards, top down: its head's tag and word, given the head above it;
its head child; the children on its left and then on its right, one after the other. Each step has a smoothed
distribution (`lexicalized_chains.py`), all counted from the trees in one pass (Collins 1999; Charniak 2000).

The search is exact but for pruning: two models of the same steps without words leave a small forest, and the
lexicalised one sums or maximises over its items with all their head words (native/tools/constituency/lexicalized).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from numpy.typing import NDArray

from palmette import _native
from palmette.learning.learner import Callback, Learner
from palmette.parameters import require_int
from palmette.tools.constituency.fragments import NOTE
from palmette.tools.constituency.lexicalized.chains import chains, smoothing
from palmette.tools.constituency.lexicalized.file import (
    COUNTS,
    arrays_of,
    restored,
    rules_of,
    settings_of,
    strings_of,
)
from palmette.tools.constituency.lexicalized.options import OWNER, LexicalizedOptions
from palmette.tools.constituency.lexicalized.search import (
    NO_TREE,
    TIGHTENED,
    TOO_LARGE,
    Answer,
    Search,
    constraint_rows,
    given_tags,
)
from palmette.tools.constituency.lexicalized.steps import contributions_of
from palmette.tools.constituency.lexicalized.trees import Expansions, Labels, flatten
from palmette.tools.constituency.lexicalized.words import LOOKS, N_FEATURES, Words
from palmette.tools.constituency.long_sentences import (
    marginals_in_halves,
    parse_in_halves,
    too_much_memory,
)
from palmette.tools.constituency.model import (
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
from palmette.tools.constituency.treebank import ROOT
from palmette.transforms.heads import HeadRules
from palmette.transforms.semantic_heads import Giving, semantic_rules
from palmette.trees.tree import Leaf, Tree

__all__ = ["LexicalizedModel", "train"]

_NARROWED = "The search pruned more than asked for, to stay within the {:g} MB of the option 'memory'."


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
    """Count the trees; there is nothing to learn beyond that, so dev, callback, n_jobs and seed have no effect."""
    if learner is not None:
        raise ValueError("The method 'lexicalized' counts: it takes no learner.")
    chosen = LexicalizedOptions.of(options, OWNER)
    labels = Labels.of(trees)
    rules = rules_of(chosen.heads, trees, labels)
    sentences = [tree.words for tree in trees]
    words = Words.of(sentences)
    types = words.look_up(sentences)
    giving = semantic_rules(rules, trees).giving if chosen.two_heads else frozenset[Giving]()
    native = native_model(labels, giving, two_heads=chosen.two_heads)
    flat = flatten(trees, types.tokens, labels, rules)
    native.train(*flat, types.word, types.features, len(words.words), chosen.rare)
    native.smooth(*smoothing(two_heads=chosen.two_heads))
    widest = max(len(tree.children) for tree in trees)
    return Trained(LexicalizedModel(native, labels, words, rules, giving, chosen, widest))


def native_model(labels: Labels, giving: frozenset[Giving], *, two_heads: bool) -> _native.LexicalizedModel:
    """The native model of some labels and rules of semantic heads, not trained yet."""
    if ROOT not in labels.numbers:
        raise ValueError(f"The trees must have the root {ROOT!r}: see palmette.tools.constituency.treebank.")
    return _native.LexicalizedModel(
        labels.is_tag(),
        labels.plain_numbers(),
        labels.heights,
        labels.joins(),
        labels.giving(giving),
        labels.numbers[ROOT],
        chains(two_heads=two_heads),
        LOOKS,
        N_FEATURES,
    )


class LexicalizedModel:
    """A trained lexicalised model."""

    def __init__(
        self,
        native: _native.LexicalizedModel,
        labels: Labels,
        words: Words,
        rules: HeadRules,
        giving: frozenset[Giving],
        options: LexicalizedOptions,
        widest: int = 1,
    ) -> None:
        self._native = native
        self._labels = labels
        self._words = words
        self._rules = rules
        self._giving = giving
        self._expansions = Expansions(labels, rules)
        self.options = options
        self._widest = widest  # the most children that a root had; more are fragments

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
        """The tree of every sentence; of minimum risk unless told otherwise, which suits this model best."""
        search = self._search(sentences, tags, constraints, n_jobs)
        if not len(sentences):
            return []
        answer = search.trees("viterbi" if minimum_risk is False else "minimum_risk")
        parses = [own[0] for own in self._parses(sentences, search, answer)]
        for i, outcome in enumerate(answer.outcomes.tolist()):
            bound = constraints is not None and constraints[i] != Constraints()
            if outcome == NO_TREE and bound:
                raise ValueError(f"Sentence {i + 1}: no tree meets its constraints.")
            if outcome == TOO_LARGE and bound:
                raise ValueError(
                    f"Sentence {i + 1}: a search with its constraints takes more than {self.options.memory:g} MB: "
                    "raise the option 'memory'."
                )
            if outcome == TOO_LARGE:
                given = None if tags is None else tags[i]
                parses[i] = self._in_halves(sentences[i], given, minimum_risk)
        return parses

    def kbest(self, sentences: Sentences, k: int, *, n_jobs: int = 1) -> list[list[Parse]]:
        """The k best different trees of every sentence, best first; heads and refined labels do not count."""
        require_int("k", k, 1)
        if not len(sentences):
            return []
        search = self._search(sentences, None, None, n_jobs)
        answer = search.trees("kbest", k)
        found = self._parses(sentences, search, answer)
        return [
            [self._in_halves(words, None, False)]
            if outcome == TOO_LARGE
            else sorted(own, key=lambda parse: -parse.score)
            for words, own, outcome in zip(sentences, found, answer.outcomes.tolist(), strict=True)
        ]

    def marginals(self, sentences: Sentences, *, n_jobs: int = 1) -> list[Marginals]:
        """The probabilities of brackets, over the trees that are left after pruning."""
        if not len(sentences):
            return []
        found = []
        for i, (brackets, outcome) in enumerate(
            zip(*self._search(sentences, None, None, n_jobs).brackets(), strict=True)
        ):
            if outcome == TOO_LARGE and len(sentences[i]) > 1:
                found.append(marginals_in_halves(self, sentences[i]))
                continue
            own: Marginals = {}
            for number, start, end, p in brackets:
                name = self._labels.plain[number]
                if self._labels.names[number] not in self._labels.tags and name != ROOT:
                    own[Bracket(start, end, name)] = min(1.0, p)
            found.append(own)
        return found

    def contributions(self, words: Sequence[str], tree: Tree) -> list[Contribution]:
        """The log-probability of every step that makes the tree, the words' own probabilities left out."""
        types = self._words.look_up([words])
        flat = flatten([tree], types.tokens, self._labels, self._rules)
        return contributions_of(self._native, self._labels, words, flat, types)

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """The same counts with other options of search."""
        chosen = self.options.changed(options, OWNER)
        return type(self)(
            self._native, self._labels, self._words, self._rules, self._giving, chosen, self._widest
        )

    def arrays(self) -> Arrays:
        """The counts, and the numbers of labels and words."""
        return arrays_of(self._native, self._labels, self._words)

    def strings(self) -> dict[str, Sequence[str]]:
        """Labels, words, features, and the rules of heads."""
        return strings_of(self._labels, self._words, self._rules, self._giving, self.options)

    def settings(self) -> dict[str, Any]:
        """The options, and which rules of heads there are."""
        return settings_of(self.options, self._widest)

    @classmethod
    def restore(
        cls,
        arrays: Mapping[str, NDArray[Any]],
        strings: Mapping[str, Sequence[str]],
        settings: Mapping[str, Any],
    ) -> Self:
        """The model of a file; ValueError, in a sentence, if something is missing or does not fit."""
        labels, words, rules, giving, options, widest = restored(arrays, strings, settings)
        native = native_model(labels, giving, two_heads=options.two_heads)
        native.restore(*(arrays[name] for name in COUNTS))
        if len(arrays["word_probability"]) != len(words.words):
            raise ValueError("a model file whose words do not fit their probabilities")
        native.smooth(*smoothing(two_heads=options.two_heads))
        return cls(native, labels, words, rules, giving, options, widest)

    def _search(
        self,
        sentences: Sentences,
        tags: Sentences | None,
        constraints: Sequence[Constraints] | None,
        n_jobs: int,
    ) -> Search:
        for number, sentence in enumerate(sentences, 1):
            if not len(sentence):
                raise ValueError(f"Sentence {number} is empty: a sentence must have at least one word.")
        given = given_tags(sentences, tags, self._labels)
        rows = constraint_rows(sentences, constraints, self._labels)
        return Search(self._native, self._words.look_up(sentences), given, rows, self.options, n_jobs)

    def _in_halves(
        self, words: Sequence[str], tags: Sequence[str] | None, minimum_risk: bool | None
    ) -> Parse:
        why = too_much_memory(self.options.memory)
        if len(words) == 1:
            return Parse(_flat(words), float("-inf"), None, why)
        return parse_in_halves(self, words, tags, why, minimum_risk=minimum_risk)

    def _parses(self, sentences: Sentences, search: Search, answer: Answer) -> list[list[Parse]]:
        """Each tree with its score; the steps of its derivation by the head rules, so that they add up to it."""
        scores = search.scores(answer, self._expansions)
        trees: list[list[Tree]] = answer.phrases.trees((Tree, Leaf), self._labels.plain, sentences)
        made = []
        for own, words, first, log_z, outcome in zip(
            trees, sentences, answer.counts.tolist(), answer.log_z.tolist(), answer.outcomes.tolist()
        ):
            narrowed = _NARROWED.format(self.options.memory) if outcome == TIGHTENED else ""
            made.append(
                [
                    Parse(
                        tree,
                        scores[t],
                        min(0.0, scores[t] - log_z),
                        NOTE if len(tree.children) > self._widest else narrowed,
                    )
                    for t, tree in enumerate(own, first)
                ]
                or [Parse(_flat(words), float("-inf"), None, NOTE)]
            )
        return made


def _flat(words: Sequence[str]) -> Tree:
    """What is left where even fragments fail: the words below the root."""
    return Tree(ROOT, [Tree("UNK", [Leaf(word, position)]) for position, word in enumerate(words)])
