"""From sentences to the native lexicalised parser and back: tags and constraints as numbers, answers as lists."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette import _native
from palmette.tools.constituency.lexicalized.options import LexicalizedOptions
from palmette.tools.constituency.lexicalized.trees import Expansions, Labels
from palmette.tools.constituency.lexicalized.words import Tokens
from palmette.tools.constituency.model import Bracket, Constraints, Sentences

_WISHES = ("viterbi", "minimum_risk", "kbest", "brackets")
NO_TREE, PARSED, TIGHTENED, TOO_LARGE = range(4)
_LEAST_TAG = 1e-3  # of P(tag | word), next to the word's best tag


class Answer(NamedTuple):
    """The trees of all sentences, those of sentence i from counts[i] on; what became of each, and its log Z.

    outcomes: NO_TREE, PARSED, TIGHTENED (with more pruning than the options ask for) or TOO_LARGE for the memory.
    """

    phrases: _native.PhraseForests
    counts: NDArray[np.int64]
    outcomes: NDArray[np.uint8]
    log_z: NDArray[np.float64]


class Search:
    """Sentences ready for the native parser."""

    def __init__(
        self,
        native: _native.LexicalizedModel,
        types: Tokens,
        tags: NDArray[np.int32] | None,
        rules: NDArray[np.int32],
        options: LexicalizedOptions,
        n_jobs: int,
    ) -> None:
        self._native = native
        self._n_jobs = n_jobs
        self._offset = options.offset
        self._memory = int(options.memory * 1e6)
        thresholds = (
            options.prune_first,
            options.prune_first,
            options.prune_second,
            _LEAST_TAG,
            options.beam,
        )
        self._arguments = (
            np.array([0, *accumulate(len(own) for own in types.tokens)], dtype=np.int64),
            np.fromiter(chain.from_iterable(types.tokens), dtype=np.int32),
            tags,
            rules,
            types.word,
            types.features,
            np.array(thresholds, dtype=np.float64),
        )

    def trees(self, wish: str, k: int = 1) -> Answer:
        """The best tree, that of minimum risk, or the k best, of every sentence."""
        outcomes, log_z, tree_end, node_end, nodes, *_ = self._native.parse(
            *self._arguments, _WISHES.index(wish), k, self._offset, self._memory, self._n_jobs
        )
        counts, rows = (np.concatenate([[0], ends]) for ends in (tree_end, node_end))
        phrases = _native.PhraseForests.of_brackets(np.diff(self._arguments[0]), counts, rows, nodes)
        return Answer(phrases, counts, outcomes, log_z)

    def scores(self, answer: Answer, expansions: Expansions) -> list[float]:
        """The score of every tree of an answer."""
        offsets, tokens, _, _, word, features, _ = self._arguments
        shapes, rows, labels = answer.phrases.shapes()
        label, head = expansions.of(rows, labels)
        found = self._native.phrase_scores(
            answer.phrases, shapes, label, head, offsets, tokens, word, features, self._n_jobs
        )
        scores: list[float] = found.tolist()
        return scores

    def brackets(self) -> tuple[list[list[tuple[int, int, int, float]]], list[int]]:
        """Return (label, start, end, probability) of every sentence's brackets, and the sentences' outcomes."""
        outcomes, *_, bracket_end, brackets, probability = self._native.parse(
            *self._arguments, _WISHES.index("brackets"), 1, self._offset, self._memory, self._n_jobs
        )
        rows = brackets.reshape(-1, 3).tolist()
        every = [(*row, p) for row, p in zip(rows, probability.tolist(), strict=True)]
        ends = [0, *bracket_end.tolist()]
        return [every[first:last] for first, last in pairwise(ends)], outcomes.tolist()


def given_tags(sentences: Sentences, tags: Sentences | None, labels: Labels) -> NDArray[np.int32] | None:
    """The numbers of given tags, -1 for those that are not known; ValueError if they do not fit the words."""
    if tags is None:
        return None
    if len(tags) != len(sentences):
        raise ValueError(f"There are {len(sentences)} sentences, but tags of {len(tags)}.")
    numbers = []
    for i, (words, own) in enumerate(zip(sentences, tags, strict=True), 1):
        if len(words) != len(own):
            raise ValueError(f"Sentence {i} has {len(words)} words, but {len(own)} tags.")
        numbers += [-1 if (name := labels.tag(tag)) is None else labels.numbers[name] for tag in own]
    return np.array(numbers, dtype=np.int32)


def constraint_rows(
    sentences: Sentences, constraints: Sequence[Constraints] | None, labels: Labels
) -> NDArray[np.int32]:
    """Rows (sentence, start, end, label, required); ValueError for brackets that no tree can have."""
    if constraints is None:
        return np.zeros(0, dtype=np.int32)
    if len(constraints) != len(sentences):
        raise ValueError(f"There are {len(sentences)} sentences, but constraints of {len(constraints)}.")
    rows: list[int] = []
    for i, (words, own) in enumerate(zip(sentences, constraints, strict=True)):
        for bracket in own.required:
            rows += (i, *_numbers(bracket, len(words), i, labels, required=True), 1)
        for bracket in own.forbidden:
            if bracket.label is None or _is_phrase(bracket.label, labels):
                rows += (i, *_numbers(bracket, len(words), i, labels, required=False), 0)
    return np.array(rows, dtype=np.int32)


def _numbers(bracket: Bracket, n: int, i: int, labels: Labels, *, required: bool) -> tuple[int, int, int]:
    start, end, label = bracket
    if not 0 <= start < end <= n:
        raise ValueError(f"Sentence {i + 1}: the bracket ({start}, {end}) is not within its {n} words.")
    if label is None:
        return start, end, -1
    if required and not _is_phrase(label, labels):
        raise ValueError(
            f"Sentence {i + 1}: no tree can have a bracket {label!r}: the model has no such label."
        )
    return start, end, labels.numbers[label]


def _is_phrase(label: str, labels: Labels) -> bool:
    return label in labels.numbers and label not in labels.tags
