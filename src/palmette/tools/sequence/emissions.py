"""P(symbol | label) of an HMM, where a symbol is a known word or a class of unknown ones.

Unknown words together have the probability of the words met once, N₁ / N (Good-Turing). Labels of a class of words
by successive abstraction from shorter suffixes (after Samuelsson 1993 and Brants 2000):

    P(y | suffix) = (c(suffix, y) + κ P(y | suffix without its first letter)) / (c(suffix) + κ)

TnT gives shorter suffixes a fixed share instead, which trusts a suffix that was met once too much. A known word is
backed by its class in the same way. At the end all is turned, P(symbol | y) = P(y | symbol) P(symbol) / P(y):
the sum over symbols is one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from palmette.features.word_classes import WordClasses

Floats = NDArray[np.float64]
NEAR = 3  # letters of the suffix that backs a known word: a longer one would be the word itself


def emissions(
    words: WordClasses,
    symbols: NDArray[np.int32],
    labels: NDArray[np.int32],
    weights: Floats,
    n_labels: int,
    alpha: float,
    backing: float,
    abstraction: float,
) -> Floats:
    """P(symbol | y) for all words and classes, [symbols, L]; every column sums to one."""
    n_words, n_classes = len(words.words), len(words.suffixes)
    known = symbols < n_words
    code = symbols[known].astype(np.int64) * n_labels + labels[known]
    flat: Floats = np.bincount(code, weights[known], minlength=n_words * n_labels).astype(np.float64)
    by_word = flat.reshape(n_words, n_labels)
    totals = by_word.sum(axis=1)
    if not totals.any():
        raise ValueError("There are no words to count.")
    class_of = words.class_of_word
    depth = _depths(words.parents)
    by_class = labels_of_classes(words, class_of, by_word, depth, alpha, abstraction)

    near = class_of.copy()
    for _ in range(int(depth.max(initial=0))):
        near = np.where(depth[near] > NEAR + 1, words.parents[near], near)
    of_word = (by_word + backing * by_class[near]) / (totals + backing)[:, None]

    # Classes in proportion to how many ways the suffixes of the corpus go on from them: there a new word parts.
    once = np.count_nonzero((totals > 0) & (totals <= 1)) + 1.0
    mass = once / (totals.sum() + 2.0)
    ways = np.maximum(np.bincount(words.parents[1:], minlength=n_classes), 1.0)
    joint = np.concatenate(
        [
            (1 - mass) * of_word * (totals / totals.sum())[:, None],
            mass * by_class * (ways / ways.sum())[:, None],
        ]
    )
    joint = np.maximum(joint, np.finfo(float).tiny)
    shares: Floats = joint / joint.sum(axis=0)
    return shares


def labels_of_classes(
    words: WordClasses,
    class_of: NDArray[np.int32],
    by_word: Floats,
    depth: NDArray[np.int32],
    alpha: float,
    abstraction: float,
) -> Floats:
    """P(y | class), [classes, L], from the words that are rare enough to have classes of their own."""
    n_classes, n_labels = len(words.suffixes), by_word.shape[1]
    counts = np.zeros((n_classes, n_labels))
    rare = np.flatnonzero(by_word.sum(axis=1) <= words.rare)
    np.add.at(counts, class_of[rare], by_word[rare])
    levels = [np.flatnonzero(depth == d) for d in range(int(depth.max(initial=0)) + 1)]
    for level in reversed(levels[1:]):
        np.add.at(counts, words.parents[level], counts[level])
    everything = by_word.sum(axis=0) + alpha
    root = counts[0] + alpha * everything / everything.sum()
    found = np.tile(root / root.sum(), (n_classes, 1))
    if np.isinf(abstraction):
        return found
    for level in levels[1:]:
        above = found[words.parents[level]]
        found[level] = (counts[level] + abstraction * above) / (
            counts[level].sum(axis=1, keepdims=True) + abstraction
        )
    return found


def _depths(parents: NDArray[np.int32]) -> NDArray[np.int32]:
    depth: list[int] = []
    for parent in parents.tolist():
        depth.append(depth[parent] + 1 if parent >= 0 else 0)
    return np.array(depth, dtype=np.int32)
