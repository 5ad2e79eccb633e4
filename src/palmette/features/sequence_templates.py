"""Features of whole tagged sequences, written out: what a reranker of entities or tags looks at in primal form.

| group         | a feature is                                                                          |
| ------------- | ------------------------------------------------------------------------------------- |
| `labels`      | runs of two and three labels                                                          |
| `words`       | a word or its capitalisation with its label, and with the label beside it             |
| `spans`       | a span's type with its text, its shape, its length, and the words beside it           |
| `consistency` | spans of equal texts, or with a word in common, and whether their types agree         |

Spans are those of labels such as B-PER; other labels have none. O(tokens) for a sequence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from palmette.features.kernels.tagged_sequences import capitalization
from palmette.formats.candidates import Tagged, spans_of

GROUPS = ("labels", "words", "spans", "consistency")


@dataclass(frozen=True)
class SequenceTemplates:
    """Groups of features of tagged sequences.

    >>> SequenceTemplates(("labels",)).names([(("Paris", "B-LOC"), ("sleeps", "O"))])[0][:2]
    ['labels < B-LOC', 'labels B-LOC O']
    """

    groups: tuple[str, ...] = GROUPS

    def __post_init__(self) -> None:
        for group in self.groups:
            if group not in GROUPS:
                raise ValueError(
                    f"There is no group {group!r} of features of sequences: {', '.join(GROUPS)}."
                )

    def names(self, outputs: Sequence[Tagged]) -> list[list[str]]:
        """The features of every sequence, as often as they occur."""
        return [[name for group in self.groups for name in _MAKERS[group](output)] for output in outputs]


def _labels(output: Tagged) -> Iterator[str]:
    labels = ["<", *(label for _, label in output), ">"]
    for a, b in pairwise(labels):
        yield f"labels {a} {b}"
    for a, b, c in zip(labels, labels[1:], labels[2:]):
        yield f"labels {a} {b} {c}"


def _words(output: Tagged) -> Iterator[str]:
    before = "<"
    for word, label in output:
        shape = capitalization(word)
        yield f"word {word} {label}"
        yield f"shape {shape} {label}"
        yield f"word {word} {before} {label}"
        yield f"shape {shape} {before} {label}"
        before = label


def _spans(output: Tagged) -> Iterator[str]:
    words = [word for word, _ in output]
    for begin, end, kind in spans_of(output):
        inside = words[begin:end]
        before = words[begin - 1] if begin else "<"
        after = words[end] if end < len(words) else ">"
        shape = " ".join(_short(word) for word in inside)
        yield f"span {kind} = {' '.join(inside)}"
        yield f"span {kind} shape {shape}"
        yield f"span {kind} length {min(6, end - begin)}"
        yield f"span {kind} first {inside[0]}"
        yield f"span {kind} last {inside[-1]}"
        yield f"span {kind} between {before} {after}"
        yield f"span {kind} before {before}"
        yield f"span {kind} after {after}"
        yield f"span {kind} before {before} shape {shape}"
        if begin > 1:
            yield f"span {kind} before {words[begin - 2]} {before}"


def _consistency(output: Tagged) -> Iterator[str]:
    texts = [([word for word, _ in output[begin:end]], kind) for begin, end, kind in spans_of(output)]
    for i, (one, kind) in enumerate(texts):
        for two, other in texts[:i]:
            if one == two:
                yield f"same text {kind == other} {min(kind, other)} {max(kind, other)}"
            elif set(one) & set(two):
                yield f"common word {kind == other} {min(kind, other)} {max(kind, other)}"


def _short(word: str) -> str:
    """The word itself where it is small, else its capitalisation."""
    return word if word.islower() and len(word) <= 4 else capitalization(word)


_MAKERS: dict[str, Callable[[Tagged], Iterator[str]]] = {
    "labels": _labels,
    "words": _words,
    "spans": _spans,
    "consistency": _consistency,
}
