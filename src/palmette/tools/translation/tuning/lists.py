"""Lists of translations with features and counts: what tuning chooses from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette._native import TuningLists
from palmette.formats.files import Source, display_name, read_lines
from palmette.formats.moses.nbest import MosesNBest, read_moses_nbest
from palmette.messages import counted, warn
from palmette.tools.translation.tuning.metric import Counts, Floats, TuningMetric
from palmette.tools.translation.tuning.references import References


@dataclass(frozen=True, eq=False)
class NBestLists:
    """The candidates of sentence i are rows lists[i] … lists[i + 1] − 1 of `features` and of `counts`.

    features: float64 [candidates, features], by `names`; counts: what the metric counts of each candidate.

    >>> lists = NBestLists.of([[[1.0], [0.0]]], [[[1, 2], [0, 2]]], metric=TuningMetric("ter"))
    >>> lists.score([1.0]), lists.score([-1.0])
    (0.5, 1.0)
    """

    lists: NDArray[np.int64]
    features: Floats
    counts: Counts
    names: tuple[str, ...]
    metric: TuningMetric

    def __post_init__(self) -> None:
        _check(self)

    @classmethod
    def of(
        cls,
        features: Sequence[ArrayLike],
        counts: Sequence[ArrayLike],
        names: Sequence[str] | None = None,
        metric: TuningMetric | None = None,
    ) -> NBestLists:
        """Return lists from plain arrays: of each sentence the features and the counts of its candidates."""
        metric = metric or TuningMetric()
        rows = [_table(own, i, "features") for i, own in enumerate(features, 1)]
        numbers = [_table(own, i, "counts") for i, own in enumerate(counts, 1)]
        if not rows:
            raise ValueError("There are no lists to tune on.")
        if len(rows) != len(numbers):
            raise ValueError(
                f"There are features of {len(rows):,} sentences, but counts of {len(numbers):,}."
            )
        for i, (own, others) in enumerate(zip(rows, numbers), 1):
            if own.shape[1] != rows[0].shape[1]:
                raise ValueError(
                    f"Sentence {i} has {counted(own.shape[1], 'feature')}, but sentence 1 has {rows[0].shape[1]}."
                )
            if others.shape != (len(own), metric.n_counts):
                raise ValueError(
                    f"Sentence {i} needs {counted(len(own), 'row')} of {metric.n_counts} counts. Got "
                    f"{others.shape}."
                )
        return cls(
            np.cumsum([0, *map(len, rows)]).astype(np.int64),
            np.concatenate(rows),
            np.concatenate(numbers).astype(np.float32),
            tuple(names) if names is not None else tuple(f"f{k}" for k in range(rows[0].shape[1])),
            metric,
        )

    @classmethod
    def from_texts(
        cls,
        texts: Sequence[Sequence[str]],
        features: Sequence[ArrayLike],
        references: References,
        names: Sequence[str] | None = None,
        n_jobs: int = 1,
    ) -> NBestLists:
        """Return lists of the translations of each sentence, compared with references."""
        counts = references.count(texts, n_jobs)
        ends = np.cumsum([len(own) for own in texts])
        return cls.of(features, np.split(counts, ends[:-1]), names, references.metric)

    @classmethod
    def from_words(
        cls,
        lists: ArrayLike,
        words: ArrayLike,
        ids: ArrayLike,
        features: ArrayLike,
        references: References,
        names: Sequence[str],
        n_jobs: int = 1,
    ) -> NBestLists:
        """Return lists of translations given by numbers of words (see `References.count_words`)."""
        counts = references.count_words(lists, words, ids, n_jobs)
        rows = np.ascontiguousarray(features, dtype=np.float64)
        return cls(np.ascontiguousarray(lists, dtype=np.int64), rows, counts, tuple(names), references.metric)

    @classmethod
    def from_moses(
        cls,
        nbest: MosesNBest | Source,
        references: Sequence[Source],
        metric: TuningMetric | None = None,
        n_jobs: int = 1,
        warn: Callable[[str], None] = warn,
    ) -> NBestLists:
        """Return the lists of a Moses n-best file, compared with files of references, a sentence on each line.

        warn: called with a sentence about references that have no list, which are left out.
        """
        found = nbest if isinstance(nbest, MosesNBest) else read_moses_nbest(nbest)
        right = _moses_references(found, references, metric or TuningMetric(), warn)
        texts = [found.texts[a:b] for a, b in zip(found.lists[:-1], found.lists[1:])]
        return cls(found.lists, found.features, right.count(texts, n_jobs), found.names, right.metric)

    def __len__(self) -> int:
        return len(self.lists) - 1

    @property
    def n_candidates(self) -> int:
        """How many candidates all lists have."""
        return len(self.features)

    @cached_property
    def core(self) -> TuningLists:
        """The lists for line searches."""
        return TuningLists(
            self.metric.formula,
            self.lists,
            self.features.reshape(-1),
            len(self.names),
            self.counts.reshape(-1),
        )

    def score(self, weights: ArrayLike) -> float:
        """Return the metric of the candidates that are best with these weights; higher is better."""
        return self.core.score(checked_weights(weights, self.names))

    def best(self, weights: ArrayLike) -> NDArray[np.int64]:
        """Return the row of the best candidate of each list, the first of equals."""
        return self.core.best(checked_weights(weights, self.names))

    @cached_property
    def sentence_scores(self) -> Floats:
        """The metric of each candidate as of a sentence of its own."""
        return self.metric.sentence_scores(self.counts)

    @cached_property
    def spread(self) -> Floats:
        """The standard deviation of each feature within lists, or 1 if it is constant in all of them."""
        sizes = np.diff(self.lists)
        means = np.add.reduceat(self.features, self.lists[:-1], axis=0) / sizes[:, None]
        variance = np.mean((self.features - np.repeat(means, sizes, axis=0)) ** 2, axis=0)
        return np.where(variance > 0, np.sqrt(variance), 1.0)

    def merged(self, other: NBestLists) -> tuple[NBestLists, int]:
        """Return the candidates of both, each once, and how many the other one adds."""
        if other.names != self.names or len(other) != len(self) or other.metric != self.metric:
            raise ValueError("Only lists of the same sentences, features and metric can be merged.")
        features, counts, sizes, more = [], [], [0], 0
        for i in range(len(self)):
            old, new = (slice(one.lists[i], one.lists[i + 1]) for one in (self, other))
            rows = np.concatenate([self.features[old], other.features[new]])
            numbers = np.concatenate([self.counts[old], other.counts[new]])
            keys = np.ascontiguousarray(np.concatenate([rows, numbers], axis=1)).view(
                np.dtype((np.void, 8 * (rows.shape[1] + numbers.shape[1])))
            )
            kept = np.sort(np.unique(keys.reshape(-1), return_index=True)[1])
            more += int((kept >= old.stop - old.start).sum())
            features.append(rows[kept])
            counts.append(numbers[kept])
            sizes.append(len(kept))
        made = NBestLists(
            np.cumsum(sizes).astype(np.int64),
            np.concatenate(features),
            np.concatenate(counts),
            self.names,
            self.metric,
        )
        return made, more


def checked_weights(weights: ArrayLike, names: Sequence[str]) -> Floats:
    """Return weights as an array; ValueError unless they are one finite number for each feature."""
    found = np.ascontiguousarray(weights, dtype=np.float64)
    if found.shape != (len(names),):
        raise ValueError(
            f"There must be weights of {counted(len(names), 'feature')}. Got the shape {found.shape}."
        )
    if not np.isfinite(found).all():
        raise ValueError(
            f"The weight of {names[int(np.argmin(np.isfinite(found)))]!r} is not a finite number."
        )
    return found


def _table(rows: ArrayLike, sentence: int, what: str) -> Floats:
    found = np.asarray(rows, dtype=np.float64)
    if not found.size:
        raise ValueError(
            f"The n-best list of sentence {sentence} is empty: every sentence needs a candidate."
        )
    if found.ndim != 2:
        raise ValueError(f"Sentence {sentence} needs a row of {what} for each candidate. Got {found.shape}.")
    return found


def _check(lists: NBestLists) -> None:
    edges, n = lists.lists, len(lists.features)
    if edges.ndim != 1 or len(edges) < 2 or edges[0] != 0 or edges[-1] != n or (np.diff(edges) < 0).any():
        raise ValueError(f"The boundaries of lists must rise from 0 to the {n:,} candidates.")
    sizes = np.diff(edges)
    if not sizes.all():
        sentence = int(np.argmin(sizes)) + 1
        raise ValueError(
            f"The n-best list of sentence {sentence} is empty: every sentence needs a candidate."
        )
    if lists.features.shape != (n, len(lists.names)) or not lists.names:
        raise ValueError(
            f"There are {counted(len(lists.names), 'feature name')}, but features {lists.features.shape}."
        )
    if lists.counts.shape != (n, lists.metric.n_counts):
        raise ValueError(
            f"Counts must be {counted(n, 'row')} of {lists.metric.n_counts}. Got {lists.counts.shape}."
        )
    _check_finite(lists, lists.features, "The feature {!r}", lists.names)
    _check_finite(lists, lists.counts, "A count of the metric", ())


def _check_finite(lists: NBestLists, values: NDArray[Any], what: str, names: Sequence[str]) -> None:
    good = np.isfinite(values)
    if good.all():
        return
    row, k = (int(found[0]) for found in np.nonzero(~good))
    sentence = int(np.searchsorted(lists.lists, row, side="right"))
    candidate = row - int(lists.lists[sentence - 1]) + 1
    name = what.format(names[k]) if names else what
    raise ValueError(f"{name} is {values[row, k]} for candidate {candidate} of sentence {sentence}.")


def _moses_references(
    nbest: MosesNBest, sources: Sequence[Source], metric: TuningMetric, warn: Callable[[str], None]
) -> References:
    if not sources:
        raise ValueError("There are no references to tune for.")
    wanted = nbest.ids[-1] + 1
    if len(nbest.ids) != wanted:
        missing = next(i for i, found in enumerate(nbest.ids) if i != found)
        raise ValueError(
            f"The n-best list of sentence {missing + 1} (number {missing} in the file) is empty: "
            "every sentence needs a candidate."
        )
    sets = []
    for source in sources:
        lines = read_lines(source)
        if len(lines) < wanted:
            raise ValueError(
                f"{display_name(source)} has {counted(len(lines), 'reference')}, but the n-best lists are of "
                f"{wanted:,} "
                "sentences."
            )
        if len(lines) > wanted:
            warn(f"{display_name(source)}: only the first {wanted:,} of {len(lines):,} references are used")
        sets.append(lines[:wanted])
    return References(sets, metric)
