"""Lists of candidates from a first model: a parser or a tagger that ranks its k best outputs.

A reranker must learn from lists as it will meet them. The outputs of a model for sentences that it was trained on
are far too good, so the sentences are cut into folds, and each fold's lists come from a model of all the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from palmette.formats.candidates import Candidates, Output
from palmette.formats.corpus import Corpus
from palmette.formats.given import listed_rows
from palmette.formats.model import ModelFile
from palmette.parameters import require_int
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.sequence.span_tagger import SpanTagger
from palmette.tools.sequence.tagger import Tagger
from palmette.trees.tree import Tree

FirstModel = ConstituencyParser | Tagger
Note = Callable[[str], None]


class Data(Protocol):
    """Examples of a first model: trees, or a corpus with labels."""

    def __len__(self) -> int: ...


def first_model(file: ModelFile) -> FirstModel:
    """The parser or tagger of a model file; ValueError if it is of another kind."""
    for tool in (ConstituencyParser, SpanTagger, Tagger):
        if file.kind == tool.kind:
            made: FirstModel = tool.from_model(file)
            return made
    raise ValueError(
        f"A reranker needs a parser of phrases or a tagger for its candidates, not a {file.kind}."
    )


def candidate_lists(model: FirstModel, X: Any, k: int) -> list[Candidates]:
    """The k best outputs of every sentence; the right ones are those of trees, or of a corpus with labels."""
    require_int("k", k, 1)
    X = X if isinstance(X, Corpus) else listed_rows(X, "Sentences")
    if isinstance(model, ConstituencyParser):
        return [
            Candidates([p.tree for p in parses], [_probability(p) for p in parses], _gold_tree(x))
            for x, parses in zip(X, model.kbest([_words(x) for x in X], k), strict=True)
        ]
    words, gold = _tagged_input(model, X)
    found = []
    for i, ranked in enumerate(model.kbest(X, k)):
        outputs = [tuple(zip(words[i], labels)) for labels, _, _ in ranked]
        if not words[i]:
            outputs, ranked = [], []
        right = None if gold is None else tuple(zip(words[i], gold[i]))
        found.append(Candidates(outputs, [_probability(one) for one in ranked], right))
    return found


def cross_lists(
    make: Callable[[], FirstModel], data: Any, folds: int, k: int, note: Note | None = None
) -> list[Candidates]:
    """Lists for all sentences of the training data, each from a model that never saw it.

    make: an untrained model. data: trees, or a corpus. The folds are contiguous, so that sentences of one text
    stay together. folds trainings, each of 1 − 1/folds of the data.
    """
    n = len(data)
    lists: list[Candidates] = []
    for number, (begin, end) in enumerate(fold_bounds(n, folds), 1):
        model = make().fit(select(data, [*range(begin), *range(end, n)]))
        own = candidate_lists(model, select(data, range(begin, end)), k)
        lists += own
        if note is not None:
            note(f"fold {number} of {folds}: {sum(map(len, own)):,} candidates of {len(own):,} sentences")
    return lists


def fold_bounds(n: int, folds: int) -> list[tuple[int, int]]:
    """Where contiguous folds of n sentences begin and end.

    >>> fold_bounds(10, 3)
    [(0, 3), (3, 6), (6, 10)]
    """
    require_int("folds", folds, 2)
    if n < folds:
        raise ValueError(f"There are {n} sentences, which cannot be cut into {folds} folds.")
    return [(n * fold // folds, n * (fold + 1) // folds) for fold in range(folds)]


def select(data: Any, which: Sequence[int]) -> Any:
    """Some sentences of the data of a first model."""
    return data.select(which) if isinstance(data, Corpus) else [data[i] for i in which]


def _words(x: Any) -> Any:
    return x.words if isinstance(x, Tree) else x


def _gold_tree(x: Any) -> Output | None:
    return x if isinstance(x, Tree) else None


def _probability(parse: Any) -> float:
    value = parse.score if parse.log_probability is None else parse.log_probability
    return float(value) if value is not None and not math.isnan(value) else -math.inf


def _tagged_input(model: Tagger, X: Any) -> tuple[list[list[str]], list[list[str]] | None]:
    """The words of sentences, and the labels of a corpus that has them."""
    if not isinstance(X, Corpus):
        return [[word if isinstance(word, str) else word[0] for word in sentence] for sentence in X], None
    form = "form" if "form" in X.names else 0
    words = list(_rows(X, form))
    try:
        column = model.label_column(X)
    except ValueError:
        return words, None
    return words, list(_rows(X, column))


def _rows(corpus: Corpus, column: str | int) -> Iterator[list[str]]:
    values = corpus.column(column).values()
    for begin, end in zip(corpus.offsets.tolist(), corpus.offsets.tolist()[1:]):
        yield list(values[begin:end])
