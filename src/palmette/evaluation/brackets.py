"""Labelled brackets, number by number those of EVALB with Collins' parameter file.

A bracket is a label over a span of words, not a tag. A guessed bracket is right if gold has one of the same
label over the same words, each gold bracket matched once. Punctuation (by its gold tag) is taken out of both trees
first, and nodes that this empties with it; the root and other listed labels do not count; PRT is as good as ADVP
(`bracket_rules.py`). Where EVALB differs: it takes punctuation out by the tags of each tree and gives up sentences
where these disagree ("Length unmatch"), which makes a parser that tags badly look better; here gold decides.

Discontinuous trees are scored in the same way, with the set of words below a node in place of a span, as disco-dop
does. O(nodes), crossing brackets O(gold · guess).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from palmette.evaluation.bracket_rules import COLLINS, BracketRules
from palmette.evaluation.bracket_scores import COLUMNS, BracketScores
from palmette.evaluation.counts import Counts
from palmette.formats.conversion.cleaning import remove_empty
from palmette.formats.functions import Functions
from palmette.formats.treebank import listed_trees
from palmette.trees.tree import Leaf, Tree

Bracket = tuple[str, int]  # a label, and the words below it as the bits of a number


def evaluate_brackets(
    gold: Iterable[Tree], guess: Iterable[Tree], rules: BracketRules = COLLINS
) -> BracketScores:
    """Compare trees over the same sentences.

    >>> gold = Tree.parse("(TOP (S (NP (NN time)) (VP (VBZ flies) (PP (IN like) (NP (NN wind))))))")
    >>> guess = Tree.parse("(TOP (S (NP (NN time) (NNS flies)) (PP (IN like) (NP (NN wind)))))")
    >>> evaluate_brackets([gold], [guess]).f1
    0.6666666666666666
    """
    gold, guess = listed_trees(gold), listed_trees(guess)
    if len(gold) != len(guess):
        raise ValueError(
            f"{len(gold)} gold trees and {len(guess)} guessed ones: they must be of the same sentences."
        )
    labels: dict[str, list[int]] = {}
    rows, disagreeing = [], 0
    for number, (right, tried) in enumerate(zip(gold, guess, strict=True), 1):
        one, two = _Sentence(right, rules), _Sentence(tried, rules)
        _check_words(one, two, number, rules)
        disagreeing += one.kept != two.kept
        if rules.as_evalb and (one.kept != two.kept or not two.kept):
            continue
        rows.append(_compared(one, two, labels))
    return BracketScores(
        np.array(rows, np.int64).reshape(-1, len(COLUMNS)),
        {label: Counts(*three) for label, three in sorted(labels.items())},
        rules.length,
        disagreeing,
    )


def best_of_ranked(
    gold: Sequence[Tree], ranked: Sequence[Sequence[Tree]], rules: BracketRules = COLLINS
) -> list[Tree]:
    """Return the tree with the highest F1 of every list, the earlier of equals: what an oracle would choose."""
    chosen = []
    for number, (right, trees) in enumerate(zip(gold, ranked, strict=True), 1):
        if not trees:
            raise ValueError(f"There is no tree to choose from for sentence {number}.")
        rows = ranked_counts(right, trees, rules, number).tolist()
        f1 = [Counts(*row).f1 for row in rows]
        chosen.append(trees[f1.index(max(f1))])
    return chosen


def ranked_counts(
    gold: Tree, trees: Sequence[Tree], rules: BracketRules = COLLINS, number: int = 1
) -> NDArray[np.int64]:
    """Return the brackets (gold, guessed, right) of every tree of a sentence; number: for messages."""
    one = _Sentence(gold, rules)
    wanted = one.counted(one.kept)
    rows = []
    for tree in trees:
        two = _Sentence(tree, rules)
        _check_words(one, two, number, rules)
        found = two.counted(one.kept)
        rows.append((wanted.total(), found.total(), (wanted & found).total()))
    return np.array(rows, dtype=np.int64).reshape(-1, 3)


def brackets_of(tree: Tree, rules: BracketRules = COLLINS) -> Counter[Bracket]:
    """The brackets of a tree that count: their labels, and their words as bits."""
    one = _Sentence(tree, rules)
    return one.counted(one.kept)


class _Sentence:
    """The words of a tree, which of them count, and its brackets over all words."""

    def __init__(self, tree: Tree, rules: BracketRules) -> None:
        found, brackets = _walk(tree)
        if found[0][0] or found[-1][0] != len(found) - 1 or any(tag in rules.empty for _, _, tag in found):
            kept = remove_empty(tree, lambda tag, word: tag in rules.empty)
            found, brackets = ([], []) if kept is None else _walk(kept)
            tree = tree if kept is None else kept
        self.rules = rules
        self.words, self.tags = [word for _, word, _ in found], [tag for _, _, tag in found]
        if rules.labels.tags and not rules.functions:
            self.tags = [_counted_label(tag, rules.labels, False) for tag in self.tags]
        taken: set[int] = set()
        if rules.root_words:
            taken = {child.first for child in tree if isinstance(child, Tree) and child.is_preterminal}
        self.kept = sum(
            1 << i
            for (i, word, _), tag in zip(found, self.tags)
            if tag not in rules.punctuation and word not in rules.words and i not in taken
        )
        same = dict(rules.same)
        self.brackets: list[Bracket] = []
        for label, words in brackets:
            counted = _counted_label(label, rules.labels, rules.functions)
            if counted not in rules.ignored:
                self.brackets.append((same.get(counted, counted) if rules.labelled else "any", words))

    def counted(self, kept: int) -> Counter[Bracket]:
        """The brackets that count, over the words that are kept."""
        found = Counter((label, words & kept) for label, words in self.brackets if words & kept)
        if self.rules.discontinuous:
            found = Counter({key: times for key, times in found.items() if _has_gap(key[1], kept)})
        return found

    @property
    def length(self) -> int:
        """How long the sentence is for the class of short ones."""
        return sum(tag not in self.rules.unmeasured for tag in self.tags)


def _walk(tree: Tree) -> tuple[list[tuple[int, str, str]], list[Bracket]]:
    """The position, word and tag of each leaf in order, and every bracket with the words below as bits."""
    found: list[tuple[int, str, str]] = []
    brackets: list[Bracket] = []
    covers: list[int] = []
    for item in tree.upwards():
        if type(item) is Leaf:
            covers.append(1 << item.position)
            continue
        assert type(item) is Tree
        children = item.children
        k = len(children)
        words = 0
        for bits in covers[-k:]:
            words |= bits
        del covers[-k:]
        covers.append(words)
        found += [(child.position, child.word, item.label) for child in children if type(child) is Leaf]
        if k > 1 or type(children[0]) is Tree:
            brackets.append((item.label, words))
    found.sort()
    return found, brackets


def _check_words(gold: _Sentence, guess: _Sentence, number: int, rules: BracketRules) -> None:
    if gold.words == guess.words:
        return
    if (n := len(gold.words)) != len(guess.words):
        raise ValueError(f"Sentence {number} has {n} words in gold, {len(guess.words)} in the guess.")
    same = set(rules.same_words) | {(b, a) for a, b in rules.same_words}
    for place, (a, b) in enumerate(zip(gold.words, guess.words), 1):
        if a != b and (a, b) not in same:
            raise ValueError(f"Word {place} of sentence {number} is {a!r} in gold, {b!r} in the guess.")


def _compared(gold: _Sentence, guess: _Sentence, labels: dict[str, list[int]]) -> list[int]:
    """A row of `BracketScores.per_sentence`; what the labels count is added to theirs."""
    kept = gold.kept
    wanted, found = gold.counted(kept), guess.counted(kept)
    three, gaps = [0, 0, 0], [0, 0, 0]
    for side, counter in enumerate((wanted, found, wanted & found)):
        for (label, words), times in counter.items():
            labels.setdefault(label, [0, 0, 0])[side] += times
            three[side] += times
            if _has_gap(words, kept):
                gaps[side] += times
    right_tags = sum(a == b and kept >> i & 1 for i, (a, b) in enumerate(zip(gold.tags, guess.tags)))
    return [*three, _crossings(wanted, found), kept.bit_count(), right_tags, gold.length, *gaps]


def _has_gap(words: int, kept: int) -> bool:
    """Whether kept words that are not among `words` are between them."""
    between = (1 << words.bit_length()) - (words & -words)
    return kept & between != words


def _crossings(gold: Counter[Bracket], guess: Counter[Bracket]) -> int:
    """Guessed brackets that share words with a gold one, each having words that the other has not."""
    covers = {words for _, words in gold}
    return sum(
        times
        for (_, words), times in guess.items()
        if words not in covers and any(words & x and words & ~x and x & ~words for x in covers)
    )


@lru_cache(1 << 12)
def _counted_label(label: str, functions: Functions, keep: bool) -> str:
    return functions.without_indices(label) if keep else functions.bare(label)
