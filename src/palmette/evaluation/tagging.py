"""Accuracy of one label per token, and where it goes wrong. O(tokens + labels²)."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.drawing.tables import ReportPicture
from palmette.evaluation.bootstrap import Interval, interval
from palmette.evaluation.counts import Counts, ratio
from palmette.evaluation.pairs import Labels, Pairs, as_column


@dataclass(frozen=True)
class TaggingScores(ReportPicture):
    """Scores of labels.

    `known` and `unknown` are (tokens, correct tokens) of words inside and outside the training vocabulary; None
    where no vocabulary was given. `confusion[i, j]` counts the tokens with gold label `names[i]` and guess
    `names[j]`. `per_sentence[i]` has the correct tokens and the tokens of sentence i. `unknown_labels` are the
    gold labels that the model never saw; they count as wrong.
    """

    tokens: int
    correct: int
    sentences: int
    correct_sentences: int
    labels: dict[str, Counts]
    names: tuple[str, ...] = ()
    known: tuple[int, int] | None = None
    unknown: tuple[int, int] | None = None
    unknown_labels: tuple[str, ...] = ()
    confusion: NDArray[np.int64] = field(
        repr=False, compare=False, default_factory=lambda: np.zeros((0, 0), int)
    )
    per_sentence: NDArray[np.int64] = field(
        repr=False, compare=False, default_factory=lambda: np.zeros((0, 2), int)
    )

    @property
    def accuracy(self) -> float:
        """The part of the tokens whose label is right."""
        return ratio(self.correct, self.tokens)

    @property
    def sentence_accuracy(self) -> float:
        """The part of the sentences, those without words left out, in which every label is right."""
        return ratio(self.correct_sentences, self.sentences)

    @property
    def known_accuracy(self) -> float | None:
        """Accuracy on words of the training vocabulary; None without one, nan without such words."""
        return _share(self.known)

    @property
    def unknown_accuracy(self) -> float | None:
        """Accuracy on words outside the training vocabulary; None without one, nan without such words."""
        return _share(self.unknown)

    @property
    def macro_f1(self) -> float:
        """The mean F1 of the labels that occur in gold."""
        scores = [counts.f1 for counts in self.labels.values() if counts.gold]
        return sum(scores) / len(scores) if scores else 0.0

    @property
    def ratios(self) -> NDArray[np.int64]:
        """Per sentence two numbers, so that accuracy is the ratio of their sums."""
        return self.per_sentence

    def most_confused(self, k: int = 10) -> list[tuple[str, str, int]]:
        """The k commonest mistakes: gold label, guess, how often."""
        wrong = self.confusion.copy()
        np.fill_diagonal(wrong, 0)
        flat = np.argsort(-wrong, axis=None, kind="stable")[:k].tolist()
        n = max(len(self.names), 1)
        pairs = [(f // n, f % n) for f in flat if wrong.flat[f]]
        return [(self.names[i], self.names[j], int(wrong[i, j])) for i, j in pairs]

    def interval(self, level: float = 0.95, n_resamples: int = 1000, random_state: int = 0) -> Interval:
        """A confidence interval of the accuracy, over sentences."""
        return interval(self.ratios, level, n_resamples, random_state)

    def to_dict(self) -> dict[str, Any]:
        """Rates as fractions of one, and the counts."""
        return {
            "accuracy": self.accuracy,
            "known_accuracy": _or_none(self.known_accuracy),
            "unknown_accuracy": _or_none(self.unknown_accuracy),
            "sentence_accuracy": self.sentence_accuracy,
            "macro_f1": self.macro_f1,
            "tokens": self.tokens,
            "correct": self.correct,
            "unknown_tokens": None if self.unknown is None else self.unknown[0],
            "sentences": self.sentences,
            "labels": {name: counts.to_dict() for name, counts in self.labels.items()},
            "confused": [list(pair) for pair in self.most_confused()],
            "unknown_labels": list(self.unknown_labels),
        }

    def confusion_svg(self) -> str:
        """Return the confusion matrix as an SVG image."""
        from palmette.drawing.confusion import draw_confusion_svg

        return draw_confusion_svg(self.names, self.confusion.tolist(), title="Gold and guess")

    def _repr_html_(self) -> str:
        return (self.confusion_svg() if self.confusion.size else "") + super()._repr_html_()

    def __str__(self) -> str:
        parts = [f"accuracy {100 * self.accuracy:.2f} % of {self.tokens} tokens"]
        apart = {
            "known words": _or_none(self.known_accuracy),
            "unknown words": _or_none(self.unknown_accuracy),
        }
        shares = [f"{name} {100 * share:.2f}" for name, share in apart.items() if share is not None]
        if shares:
            parts.append(", ".join(shares))
        parts.append(f"whole sentences {100 * self.sentence_accuracy:.2f} % of {self.sentences}")
        return "; ".join(parts)


def evaluate_tags(
    gold: Labels,
    guess: Labels,
    offsets: ArrayLike | None = None,
    *,
    words: Labels | None = None,
    vocabulary: Collection[str] | None = None,
    known_labels: Iterable[str] | None = None,
) -> TaggingScores:
    """Compares two labellings of the same sentences.

    `gold`, `guess` and `words` are lists of sentences of strings, or columns of a corpus with its `offsets`. The
    training `vocabulary` splits the accuracy into known and unknown `words`; `known_labels` are those of the
    model, for `unknown_labels`.

    >>> scores = evaluate_tags([["DET", "NOUN"]], [["DET", "VERB"]], words=[["the", "fly"]], vocabulary={"the"})
    >>> scores.accuracy, scores.known_accuracy, scores.unknown_accuracy
    (0.5, 1.0, 0.0)
    """
    pairs = Pairs.of(gold, guess, offsets)
    right = pairs.gold == pairs.guess
    n = len(pairs.labels)
    confusion = np.bincount(pairs.gold * n + pairs.guess, minlength=n * n).reshape(n, n).astype(np.int64)
    # labels by their frequency in gold, then by name: the order of tables
    order = sorted(range(n), key=lambda i: (-int(confusion[i].sum()), pairs.labels[i]))
    used = [i for i in order if confusion[i].any() or confusion[:, i].any()]
    confusion = confusion[np.ix_(used, used)]
    names = tuple(pairs.labels[i] for i in used)
    rows, columns, diagonal = confusion.sum(axis=1), confusion.sum(axis=0), confusion.diagonal()
    counts = zip(rows.tolist(), columns.tolist(), diagonal.tolist())
    lengths, good = np.diff(pairs.offsets), pairs.per_sentence(right)
    known, unknown = _by_vocabulary(pairs, right, words, offsets, vocabulary)
    return TaggingScores(
        tokens=len(right),
        correct=int(right.sum()),
        sentences=int((lengths > 0).sum()),
        correct_sentences=int(((lengths > 0) & (good == lengths)).sum()),
        labels={name: Counts(*three) for name, three in zip(names, counts)},
        names=names,
        known=known,
        unknown=unknown,
        unknown_labels=pairs.unseen(known_labels),
        confusion=confusion,
        per_sentence=np.stack([good, lengths], axis=1),
    )


def _share(counted: tuple[int, int] | None) -> float | None:
    """The part of some tokens (how many, how many right) that is right; nan if there are no such tokens."""
    if counted is None:
        return None
    return ratio(counted[1], counted[0]) if counted[0] else math.nan


def _or_none(share: float | None) -> float | None:
    """A share for JSON, which has no nan."""
    return None if share is None or math.isnan(share) else share


def _by_vocabulary(
    pairs: Pairs,
    right: NDArray[np.bool_],
    words: Labels | None,
    offsets: ArrayLike | None,
    vocabulary: Collection[str] | None,
) -> tuple[tuple[int, int] | None, tuple[int, int] | None]:
    if words is None or vocabulary is None:
        return None, None
    column, edges = as_column(words, offsets, "word")
    if not np.array_equal(edges, pairs.offsets):
        raise ValueError("There must be one word for each label of every sentence.")
    seen = np.array([word in vocabulary for word in column.strings], dtype=bool)[column.ids]
    n, n_right = int(seen.sum()), int((seen & right).sum())
    return (n, n_right), (len(right) - n, int(right.sum()) - n_right)
