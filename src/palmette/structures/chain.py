"""Chains: GEN(x) = all sequences of n labels, scored by single labels and by label n-grams.

| method                       | over all y in GEN(x)                                  |
|------------------------------|-------------------------------------------------------|
| `best`, `kbest`              | max, the k highest scores                             |
| `log_z`, `marginals`         | log Σ e^score, P(y_i = y)                             |
| `posterior`                  | n-grams, segments, spans, samples, entropy            |
| `minimum_risk`, `best_spans` | least expected Hamming loss, highest expected span F1 |
| `search`                     | max, without looking at every state                   |

Each costs O(n L^(order+1)); `posterior` and what uses it keeps as many numbers, the others n L^order.
Viterbi 1967; forward-backward: Baum 1970; CSC 448, §2, §4 and §7. The recurrences are in
`native/structures/chain/chain.cpp` and `native/structures/chain/sums.cpp`. All methods take scores
(`ChainScores`, or an array of unary scores) and `allowed[i, y]`, which labels may be where. Constraints that
no sequence meets are a `ValueError` wherever an output is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from palmette.inference.semiring import checked_count
from palmette.structures.automata import Given, automaton_for
from palmette.structures.chain_batch import ChainBatch
from palmette.structures.chain_graph import ChainGraph, chain_graph, state_graph
from palmette.structures.chain_scores import Bools, ChainScores, Floats, Labels
from palmette.structures.chain_search import ChainSearch, SearchResult
from palmette.structures.chain_search import search as run_search
from palmette.structures.label_set import LabelSet
from palmette.structures.label_states import LabelStates
from palmette.structures.posterior import ChainPosterior
from palmette.structures.prepared_chain import PreparedChain, prepared
from palmette.structures.prepared_states import PreparedStates, prepared_states
from palmette.structures.span_marginals import (
    ScoredSpan,
    expected_spans,
    span_list,
    span_probability,
    span_table,
)
from palmette.structures.span_risk import best_spans

MOST_ORDER = 3
_MOST_ENTRIES = 2**31
_UNLIKELY = 1e-3

Scores = ChainScores | npt.ArrayLike


@dataclass(frozen=True, eq=False)
class Labeling:
    """Labels, one per token, and their score."""

    labels: Labels
    score: float


class Chain(LabelSet):
    """Sequences over a set of labels, with what may begin, follow and end.

    `labels` are names, or how many there are. `scheme` ("iob1", "iob2", "iobes") derives from the names which
    labels may follow each other; or give tables: `start[y]`, `pairs[x, y]` for y right after x, `end[y]`.
    `automaton`: a label also sees the state of an automaton that reads the labels, and sequences are those that it
    accepts: an `Automaton`, a table {state: {label: next state}}, or a text (see `automata`), such as
    "@at-most(2)" or "O* (B-X I-X* O*)*". `states`: the histories themselves, as a tagger has them.

    >>> chain = Chain(["O", "B-X", "I-X"], start=[True, True, False])
    >>> scores = ChainScores(np.log([[0.1, 0.3, 0.6], [0.2, 0.2, 0.6]]))
    >>> chain.names(chain.best(scores).labels)
    ['B-X', 'I-X']
    >>> chain.marginals(scores).round(2).tolist()
    [[0.25, 0.75, 0.0], [0.2, 0.2, 0.6]]
    """

    def __init__(
        self,
        labels: Sequence[str] | int,
        order: int = 1,
        scheme: str | None = None,
        *,
        start: npt.ArrayLike | None = None,
        pairs: npt.ArrayLike | None = None,
        end: npt.ArrayLike | None = None,
        automaton: Given | None = None,
        states: LabelStates | None = None,
    ) -> None:
        super().__init__(labels, scheme, start=start, pairs=pairs, end=end)
        if order not in range(MOST_ORDER + 1):
            raise ValueError(f"order must be 0, 1, 2 or 3, got {order!r}")
        self.states = states
        if automaton is not None:
            if states is not None:
                raise ValueError("states have their automaton already; give one of both")
            made = automaton_for(automaton, self.labels)
            self.states = LabelStates.grown(self.n_labels, order, None, made, self._ends)
        if self.states is None and len(self.labels) ** (order + 1) > _MOST_ENTRIES:
            raise ValueError(f"{len(self.labels)} labels are too many for order {order}")
        if order == 0 and self.pairs is not None and self.states is None:
            raise ValueError("a chain of order 0 cannot say which labels follow each other; take order 1")
        self.order = order

    # Maxima

    def best(self, scores: Scores, *, allowed: npt.ArrayLike | None = None) -> Labeling:
        """The labels with the highest score; ties go to smaller labels."""
        chain = self._one(scores, allowed)
        labels, score, _ = chain.core.best(1)
        if score[0] == -math.inf:
            raise chain.infeasible(0)
        return Labeling(labels, float(score[0]))

    def kbest(self, scores: Scores, k: int, *, allowed: npt.ArrayLike | None = None) -> list[Labeling]:
        """The k label sequences with the highest scores, best first; fewer if fewer are allowed."""
        chain = self._one(scores, allowed, wide=True)
        found, labels = chain.core.kbest(checked_count(k, "k", least=1))
        if not len(found):
            raise chain.infeasible(0)
        rows = labels.reshape(len(found), -1)
        return [Labeling(row, score) for row, score in zip(rows, found.tolist())]

    def search(
        self,
        scores: Scores,
        search: str | ChainSearch = "viterbi",
        *,
        allowed: npt.ArrayLike | None = None,
    ) -> SearchResult:
        """Return the best labels by a search such as "astar" or "top-k=8", and how many states it touched.

        See `palmette.structures.chain_search`.
        """
        return run_search(self._one(scores, allowed, wide=True), ChainSearch.of(search))

    # Sums

    def log_z(self, scores: Scores, *, allowed: npt.ArrayLike | None = None) -> float:
        """log Σ_y e^score(y); -inf if no sequence is allowed."""
        return float(self._one(scores, allowed).core.log_z(1)[0])

    def marginals(self, scores: Scores, *, allowed: npt.ArrayLike | None = None) -> npt.NDArray[np.floating]:
        """P(y_i = y) at [i, y], in the precision of the scores."""
        chain = self._one(scores, allowed)
        log_z, labels, _ = chain.core.marginals(1, False)
        if log_z[0] == -math.inf:
            raise chain.infeasible(0)
        found: npt.NDArray[np.floating] = labels.reshape(-1, self.n_labels)
        return found

    def posterior(self, scores: Scores, *, allowed: npt.ArrayLike | None = None) -> ChainPosterior:
        """The distribution over sequences: segments, spans, samples, entropy. Keeps n · L^(order+1) numbers."""
        chain = self._one(scores, allowed, wide=True)
        log_z, flat, grams = chain.core.marginals(1, True)
        if log_z[0] == -math.inf:
            raise chain.infeasible(0)
        labels = flat.reshape(-1, self.n_labels)
        if self.states is not None:
            ngrams = np.zeros((len(labels), self.states.n_states, self.n_labels))
            steps = grams.reshape(len(labels), self.states.n_steps)
            ngrams[:, self.states.before, self.states.read] = steps
            return ChainPosterior(float(log_z[0]), labels, ngrams, self.states)
        if self.order == 0 and len(labels):
            ngrams = np.concatenate([labels[:1], labels[:-1]])[:, :, None] * labels[:, None, :]
            ngrams[0] = 0
            ngrams[0, 0] = labels[0]
        else:
            ngrams = grams.reshape(-1, self.n_labels ** max(self.order, 1), self.n_labels)
        return ChainPosterior(float(log_z[0]), labels, ngrams)

    def ngram_marginals(self, scores: Scores, *, allowed: npt.ArrayLike | None = None) -> Floats:
        """P(y_{i-order} … y_i) at [i, y_{i-order}, …, y_i]; labels before the sentence count as label 0."""
        if self.order == 0:
            return np.asarray(self.marginals(scores, allowed=allowed), dtype=np.float64)
        posterior, L = self.posterior(scores, allowed=allowed), self.n_labels
        ngrams = posterior.ngrams
        if self.states is not None:
            if not self.states.complete:
                raise ValueError("this chain has states for some n-grams only; see `posterior`")
            codes = [sum(y * L**k for k, y in enumerate(reversed(c))) for c in self.states.context]
            summed = np.zeros((len(ngrams), L**self.order, L))
            for q, code in enumerate(codes):
                summed[:, code] += ngrams[:, q]
            ngrams = summed
        return ngrams.reshape(-1, *[L] * (self.order + 1))

    def entropy(self, scores: Scores, *, allowed: npt.ArrayLike | None = None) -> float:
        """The entropy of the distribution over sequences, in nats."""
        return self.posterior(scores, allowed=allowed).entropy()

    def sample(
        self,
        scores: Scores,
        n: int = 1,
        random_state: int | np.random.Generator = 0,
        *,
        allowed: npt.ArrayLike | None = None,
    ) -> Labels:
        """n independent sequences as rows, drawn with probability e^score / Z."""
        return self.posterior(scores, allowed=allowed).sample(n, random_state)

    def score(self, scores: Scores, y: npt.ArrayLike, *, allowed: npt.ArrayLike | None = None) -> float:
        """The score of one sequence; -inf if it is not allowed."""
        chain = self._one(scores, allowed)
        return float(chain.core.scores(self._checked_labels(y, int(chain.offsets[-1])))[0])

    def log_probability(
        self, scores: Scores, y: npt.ArrayLike, *, allowed: npt.ArrayLike | None = None
    ) -> float:
        """log P(y)."""
        chain = self._one(scores, allowed)
        log_z = float(chain.core.log_z(1)[0])
        if log_z == -math.inf:
            raise chain.infeasible(0)
        return float(chain.core.scores(self._checked_labels(y, int(chain.offsets[-1])))[0]) - log_z

    # Spans

    def span_marginals(
        self,
        scores: Scores,
        *,
        least: float = 0.0,
        max_length: int | None = None,
        allowed: npt.ArrayLike | None = None,
    ) -> list[ScoredSpan]:
        """The spans with a probability above `least` of being there exactly, as the labels' names say."""
        table = span_table(self.posterior(scores, allowed=allowed), self.boundaries, least, max_length)
        return span_list(table, self.boundaries.types, least)

    def span_probability(
        self, scores: Scores, begin: int, end: int, kind: str, *, allowed: npt.ArrayLike | None = None
    ) -> float:
        """The probability that tokens begin .. end - 1 are exactly one span of a type."""
        return span_probability(self.posterior(scores, allowed=allowed), self.boundaries, begin, end, kind)

    def best_spans(self, scores: Scores, *, allowed: npt.ArrayLike | None = None) -> list[ScoredSpan]:
        """Spans without overlap of the highest expected F1; for F1 over a corpus see `span_risk.best_spans`."""
        posterior = self.posterior(scores, allowed=allowed)
        expected = expected_spans(posterior, self.boundaries)
        for least in (_UNLIKELY, 0.0):
            candidates = span_list(
                span_table(posterior, self.boundaries, least), self.boundaries.types, least
            )
            (chosen,), reached = best_spans([candidates], expected)
            if reached > 2 * least:  # then no span that was left out could have been worth its price
                break
        return chosen

    # Risk

    def minimum_risk(
        self, scores: Scores, *, legal: bool = False, allowed: npt.ArrayLike | None = None
    ) -> Labeling:
        """The labels with the fewest expected errors, and as their score the expected number of right ones.

        With `legal` the best among the sequences that have a probability; else each token has its likeliest label,
        and together they may be a sequence that is not allowed. `best_spans` does the same for span F1.
        """
        if not legal:
            marginals = np.asarray(self.marginals(scores, allowed=allowed), dtype=np.float64)
            labels = marginals.argmax(axis=1).astype(np.int32)
            return Labeling(labels, float(marginals.max(axis=1).sum()) if len(labels) else 0.0)
        posterior = self.posterior(scores, allowed=allowed)
        n, L = posterior.labels.shape
        gains = np.where(posterior.labels > 0, posterior.labels, -np.inf)
        if self.states is not None:
            taken = posterior.ngrams[:, self.states.before, self.states.read]
            return self.best(ChainScores(gains, steps=np.where(taken > 0, 0.0, -np.inf)))
        if self.order == 0 or n == 0:
            return Chain(L, order=0).best(gains)
        possible = np.where(posterior.ngrams > 0, 0.0, -np.inf).reshape(n, *[L] * (self.order + 1))
        begin = [possible[i][(0,) * (self.order - i)] for i in range(min(self.order, n))]
        return Chain(L, order=self.order).best(ChainScores(gains, possible, begin))

    # Other forms

    def batch(self, scores: Scores, *, allowed: npt.ArrayLike | None = None, n_jobs: int = 1) -> ChainBatch:
        """Many sentences at once: `ChainScores` with `offsets`, or `ChainScores.of_sentences`."""
        return ChainBatch(self._prepared(scores, allowed), n_jobs)

    def hypergraph(self, scores: Scores, *, allowed: npt.ArrayLike | None = None) -> ChainGraph:
        """The same as a hypergraph of the general engine, with its part scores."""
        chain = self._one(scores, allowed)
        return state_graph(chain) if isinstance(chain, PreparedStates) else chain_graph(chain)

    def __repr__(self) -> str:
        scheme = f", scheme={self.scheme!r}" if self.scheme else ""
        states = f", {self.states.n_states} states" if self.states is not None else ""
        return f"<Chain: {self.n_labels} labels, order {self.order}{scheme}{states}>"

    # Helpers of the above

    @property
    def _ends(self) -> tuple[Bools | None, Bools | None, Bools | None]:
        return self.start, self.pairs, self.end

    def _prepared(self, scores: Scores, allowed: npt.ArrayLike | None) -> PreparedChain | PreparedStates:
        if self.states is not None:
            return prepared_states(self.states, scores, allowed)
        given = scores if isinstance(scores, ChainScores) else ChainScores(scores)
        if given.states is not None or given.steps is not None:
            raise ValueError("scores of states are for a chain with an automaton")
        return prepared(self.n_labels, self.order, given, allowed, self._ends)

    def _one(
        self, scores: Scores, allowed: npt.ArrayLike | None, *, wide: bool = False
    ) -> PreparedChain | PreparedStates:
        """One sentence, in doubles if `wide`."""
        given = scores if isinstance(scores, ChainScores) else ChainScores(scores)
        if given.offsets is not None:
            raise ValueError("these scores are of many sentences; use chain.batch(scores)")
        if wide:
            given = replace(given, unary=np.asarray(given.unary, dtype=np.float64))
        return self._prepared(given, allowed)

    def _checked_labels(self, y: npt.ArrayLike, n: int) -> Labels:
        array = np.asarray(y)
        if array.shape != (n,) or (n and array.dtype.kind not in "iu"):
            raise ValueError(f"expected {n} labels as integers, got an array of shape {array.shape}")
        if n and not (array.min() >= 0 and array.max() < self.n_labels):
            raise ValueError(f"labels must lie between 0 and {self.n_labels - 1}")
        return np.ascontiguousarray(array, dtype=np.int32)
