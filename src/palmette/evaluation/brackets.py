"""Labelled brackets, number by number those of EVALB with Collins' parameter file.

A bracket is a label over a span of words; tags are none. A guessed bracket is right if gold has one of the same
label over the same words, each gold bracket matched once. Punctuation (by its gold tag) is taken out of both trees
first, and nodes that this empties with it; the root and other listed labels do not count; PRT is as good as ADVP.

Discontinuous trees are scored in the same way, with the set of words below a node in place of a span. O(nodes).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.evaluation.counts import Counts, ratio
from palmette.trees import Tree

Bracket = tuple[str, int]  # a label, and the words below it as the bits of a number


@dataclass(frozen=True)
class BracketRules:
    """What is left out of the count, and what counts as the same.

    punctuation: tags whose words are taken out. ignored: labels whose brackets do not count. same: label to label.
    length: the limit of the class of short sentences, in words that count.
    """

    punctuation: frozenset[str] = frozenset({",", ":", "``", "''", ".", "-NONE-"})
    ignored: frozenset[str] = frozenset({"TOP", "S1", "ROOT", "VROOT", ""})
    same: tuple[tuple[str, str], ...] = (("PRT", "ADVP"),)
    length: int = 40


COLLINS = BracketRules()
EVERYTHING = BracketRules(punctuation=frozenset(), same=())


@dataclass(frozen=True)
class BracketScores:
    """Scores of brackets; `per_sentence[i]` has the gold, guessed and right brackets of sentence i."""

    sentences: int
    overall: Counts
    labels: dict[str, Counts]
    discontinuous: Counts
    exact: int  # sentences with all brackets right, and no other
    crossing: int  # guessed brackets that cross a gold one
    without_crossing: int  # sentences
    at_most_two_crossing: int
    tokens: int
    right_tags: int
    per_sentence: NDArray[np.int64] = field(
        repr=False, compare=False, default_factory=lambda: np.zeros((0, 3), int)
    )

    @property
    def precision(self) -> float:
        """The part of the guessed brackets that is right."""
        return self.overall.precision

    @property
    def recall(self) -> float:
        """The part of the gold brackets that was found."""
        return self.overall.recall

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return self.overall.f1

    @property
    def exact_match(self) -> float:
        """The part of the sentences with exactly the gold brackets."""
        return ratio(self.exact, self.sentences)

    @property
    def tagging_accuracy(self) -> float:
        """The part of the words, punctuation apart, whose tag is right."""
        return ratio(self.right_tags, self.tokens)

    def to_dict(self) -> dict[str, Any]:
        """All of it as numbers by name."""
        return {
            "f1": self.f1,
            "precision": self.precision,
            "recall": self.recall,
            "exact_match": self.exact_match,
            "crossing_brackets": ratio(self.crossing, self.sentences),
            "no_crossing": ratio(self.without_crossing, self.sentences),
            "two_or_less_crossing": ratio(self.at_most_two_crossing, self.sentences),
            "tagging_accuracy": self.tagging_accuracy,
            "discontinuous_f1": self.discontinuous.f1,
            "discontinuous_precision": self.discontinuous.precision,
            "discontinuous_recall": self.discontinuous.recall,
            "sentences": self.sentences,
            "tokens": self.tokens,
        }


def evaluate_brackets(
    gold: Sequence[Tree], guess: Sequence[Tree], rules: BracketRules = COLLINS
) -> BracketScores:
    """Compare trees over the same sentences.

    >>> gold = Tree.parse("(TOP (S (NP (NN time)) (VP (VBZ flies) (PP (IN like) (NP (NN wind))))))")
    >>> guess = Tree.parse("(TOP (S (NP (NN time) (NNS flies)) (PP (IN like) (NP (NN wind)))))")
    >>> evaluate_brackets([gold], [guess]).f1
    0.6666666666666666
    """
    if len(gold) != len(guess):
        raise ValueError(
            f"{len(gold)} gold trees and {len(guess)} guessed ones: they must be of the same sentences."
        )
    same = dict(rules.same)
    labels: dict[str, list[int]] = {}
    total, gaps = [0, 0, 0], [0, 0, 0]
    rows = []
    exact = crossing = none_crossing = two_crossing = tokens = right_tags = 0
    for number, (right, tried) in enumerate(zip(gold, guess, strict=True), 1):
        if (n := len(right.words)) != len(tried.words):
            raise ValueError(f"Sentence {number} has {n} words in gold, {len(tried.words)} in the guess.")
        tags = right.tags
        kept = sum(1 << i for i, tag in enumerate(tags) if tag not in rules.punctuation)
        wanted, found = (_brackets(tree, kept, rules.ignored, same) for tree in (right, tried))
        matched = wanted & found
        for side, counter in enumerate((wanted, found, matched)):
            for (label, words), times in counter.items():
                labels.setdefault(label, [0, 0, 0])[side] += times
                total[side] += times
                if _has_gap(words, kept):
                    gaps[side] += times
        rows.append([wanted.total(), found.total(), matched.total()])
        crossed = _crossings(wanted, found)
        exact += wanted == found
        crossing += crossed
        none_crossing += crossed == 0
        two_crossing += crossed <= 2
        tokens += kept.bit_count()
        right_tags += sum(a == b and kept >> i & 1 for i, (a, b) in enumerate(zip(tags, tried.tags)))
    return BracketScores(
        len(rows),
        _counts(total),
        {label: _counts(three) for label, three in sorted(labels.items())},
        _counts(gaps),
        exact,
        crossing,
        none_crossing,
        two_crossing,
        tokens,
        right_tags,
        np.array(rows, np.int64).reshape(-1, 3),
    )


def _brackets(tree: Tree, kept: int, ignored: frozenset[str], same: dict[str, str]) -> Counter[Bracket]:
    """The brackets that count, over the words that are kept."""
    found: Counter[Bracket] = Counter()

    def cover(node: Tree, below: list[int]) -> int:
        words = 0
        for bits in below:
            words |= bits
        if words & kept and not node.is_preterminal and node.label not in ignored:
            found[same.get(node.label, node.label), words & kept] += 1
        return words

    tree.fold(lambda leaf: 1 << leaf.position, cover)
    return found


def _has_gap(words: int, kept: int) -> bool:
    """Whether kept words that are not among `words` stand between them."""
    between = (1 << words.bit_length()) - (words & -words)
    return kept & between != words


def _crossings(gold: Counter[Bracket], guess: Counter[Bracket]) -> int:
    """Guessed brackets that share words with a gold one, each having words that the other has not."""
    covers = {words for _, words in gold}
    return sum(
        times
        for (_, words), times in guess.items()
        if any(words & other and words & ~other and other & ~words for other in covers)
    )


def _counts(three: list[int]) -> Counts:
    gold, guessed, right = three
    return Counts(gold, guessed, right)
