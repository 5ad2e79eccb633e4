"""A trained model of label sequences: a map of features, labels, an order and weights.

What `Tagger` and `SpanTagger` share once they are trained. After training the weights lie as the native core
wants them: rows of `stride` labels (see `native/structures/chain/problem.hpp`). A model that was loaded holds the
rows of its attributes without their zeros (`SparseWeights`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from palmette._native import ChainProblem, SparseRows
from palmette.features import FeatureMap, Instances
from palmette.features.saving import AnyMap
from palmette.learning.problem import Weights
from palmette.learning.votes import Elected, VotedWeights
from palmette.tools.sentences import UNKNOWN, Listed, as_corpus, transform
from palmette.tools.sequence.refinement import Refinement

if TYPE_CHECKING:
    from palmette.features.network.network import Network
    from palmette.learning.learner import Learner
    from palmette.structures.label_states import LabelStates

# Scores of a piece of text. Few labels want long pieces, since what a word looks like is found once for each; many
# want short ones, since the sums of the rows of all words should stay in the caches.
_SCORES_AT_ONCE = 1 << 21
_MANY_LABELS = 128


def stride(n_labels: int) -> int:
    """The length of a row of weights: the number of labels rounded up to a multiple of 8."""
    return -(-n_labels // 8) * 8


@dataclass(frozen=True, eq=False)
class TokenScores:
    """Sentences whose scores of single labels are known: `unary` is [tokens · stride].

    pairs: the sentences with their pair attributes, if the model has such; their other attributes do not count.
    """

    offsets: NDArray[np.int64]
    unary: NDArray[np.float32]
    pairs: Instances | None = None

    @property
    def instances(self) -> Instances:
        """Return the same sentences without the attributes that are in the scores."""
        n = int(self.offsets[-1])
        rows, none = np.zeros(n + 1, dtype=np.int64), np.zeros(0, dtype=np.int32)
        if self.pairs is None:
            return Instances(self.offsets, rows, none)
        return replace(self.pairs, rows=rows, attributes=none, values=None, n_attributes=0)


@dataclass(frozen=True, eq=False)
class SparseWeights:
    """Weights of which most are zero: a row per attribute, and the rest as in a flat array of weights."""

    attributes: SparseRows
    rest: Weights


@dataclass(frozen=True, eq=False)
class SequenceStructure:
    """GEN for tagged sentences: labels, how many previous ones a label sees, and what their scheme allows.

    local: the scores of a position are normalised on their own (MEMM). hidden: how many variants each visible
    label has, one number or one for every label; `labels` are all of them. states: the histories that labels see,
    where these are not simply the last labels (`histories`); the scheme is part of them.
    """

    labels: tuple[str, ...]
    order: int = 1
    scheme: str | None = None
    local: bool = False
    hidden: int | tuple[int, ...] = 1
    states: LabelStates | None = None

    @classmethod
    def refined(
        cls, visible: Sequence[str], order: int, scheme: str | None, learner: Learner
    ) -> SequenceStructure:
        """The structure over these labels that a learner trains."""
        hidden = learner.hidden
        labels = Refinement(len(visible), hidden).names(visible) if hidden > 1 else visible
        return cls(tuple(labels), order, scheme, learner.local, hidden)

    @cached_property
    def visible(self) -> tuple[str, ...]:
        """The labels that come out, without their variants."""
        if self.hidden == 1:
            return self.labels
        counts = self.refinement.counts
        firsts = (np.cumsum(counts) - counts).tolist()
        return tuple(self.labels[first].rpartition("-")[0] for first in firsts)

    @cached_property
    def refinement(self) -> Refinement:
        """Visible labels and their variants."""
        n = len(self.labels) // self.hidden if isinstance(self.hidden, int) else len(self.hidden)
        return Refinement(n, self.hidden)

    @cached_property
    def masks(self) -> tuple[NDArray[np.float32] | None, ...]:
        """Zero where the scheme allows a first label, a last label, a pair; minus infinity elsewhere."""
        if self.scheme is None or self.states is not None:
            return None, None, None
        from palmette.structures.schemes import transitions

        tables = transitions(list(self.visible), self.scheme)
        start, pairs, end = (self.refinement.refine(table).astype(bool) for table in tables)
        return self._mask(start), self._mask(end), self._mask(pairs)

    def problem(
        self,
        instances: Instances,
        labels: NDArray[np.int32] | None = None,
        *,
        allowed: NDArray[np.bool_] | None = None,
        weights: NDArray[np.float32] | None = None,
    ) -> ChainProblem:
        """The sentences as the learners see them; labels that are not known are -1, and may be what is allowed."""
        if labels is not None and self.hidden != 1:
            shown = self.refinement.allowed(labels).astype(bool)
            allowed = shown if allowed is None else shown & self.refinement.spread(allowed)
            labels = self.refinement.unknown(labels)
        return self._problem(instances, labels, allowed, weights, local=False)

    def decoder(
        self, given: Instances | TokenScores, *, allowed: NDArray[np.bool_] | None = None
    ) -> ChainProblem:
        """Sentences to be labelled; `allowed` [tokens, labels] is for `constrained`; `decode` does not use it."""
        return self._problem(given, None, allowed, None, local=self.local)

    def _problem(
        self,
        given: Instances | TokenScores,
        labels: NDArray[np.int32] | None,
        allowed: NDArray[np.bool_] | None,
        weights: NDArray[np.float32] | None,
        *,
        local: bool,
    ) -> ChainProblem:
        instances = given if isinstance(given, Instances) else given.instances
        if labels is None:
            labels = np.full(instances.n_tokens, UNKNOWN, dtype=np.int32)
        start, end, pairs = self.masks
        return ChainProblem(
            instances.offsets,
            instances.rows,
            instances.attributes,
            instances.values,
            instances.pair_rows,
            instances.pair_attributes,
            instances.pair_values,
            labels,
            None if allowed is None else np.ascontiguousarray(allowed, dtype=np.uint8).reshape(-1),
            weights,
            instances.n_attributes,
            instances.n_pair_attributes,
            len(self.labels),
            self.order,
            start,
            end,
            pairs,
            local,
            None if isinstance(given, Instances) else given.unary,
            None if self.states is None else self.states.core,
        )

    @property
    def accepted(self) -> bool:
        """Whether labels must be those that an automaton accepts."""
        return self.states is not None and self.states.automaton is not None

    @property
    def n_label_rows(self) -> int:
        """How many rows of weights the histories of labels have: one for every n-gram or state."""
        if self.states is not None:
            return self.states.n_rows
        return sum(int(len(self.labels) ** h) for h in range(1, self.order + 1))

    def n_weights(self, n_attributes: int, n_pair_attributes: int) -> int:
        """How many weights a model of this structure has."""
        n = len(self.labels)
        return stride(n) * (n_attributes + n_pair_attributes * n + self.n_label_rows)

    def _mask(self, allowed: NDArray[np.bool_]) -> NDArray[np.float32]:
        n = len(self.labels)
        mask = np.zeros((*allowed.shape[:-1], stride(n)), dtype=np.float32)
        mask[..., :n][~allowed] = -np.inf
        return mask.reshape(-1)


@dataclass(frozen=True, eq=False)
class SequenceModel:
    """A structure with features and weights; `held` are all weights in one flat array, or without their zeros.

    votes: weights that vote on what is predicted, of which `held` are the mean. network: adds its own scores of
    labels to those of the features.
    """

    structure: SequenceStructure
    features: AnyMap
    held: Weights | SparseWeights
    votes: VotedWeights | None = None
    network: Network | None = None

    @property
    def columns(self) -> set[str | int] | None:
        """The columns that templates and network look at; None for features without templates."""
        if not isinstance(self.features, FeatureMap):
            return None
        columns = {source.column or "form" for source in self.features.templates.sources}
        return columns | {"form", *self.network.columns} if self.network is not None else columns

    def encode(self, sentences: Listed, n_jobs: int = 1) -> Instances | TokenScores:
        """Return sentences for `decode` and `probabilities`: by their scores where these are at hand or faster."""
        features, corpus = self.features, as_corpus(sentences)
        if self.votes is not None:
            return transform(features, sentences)  # every vector has its own scores
        fast = (
            isinstance(features, FeatureMap) and features.hash_bits is None and not features.n_pair_attributes
        )
        if self.network is not None and corpus is None:
            raise ValueError("This model was trained on words: give it words, not features.")
        if corpus is None or not fast or not isinstance(features, FeatureMap):
            return self.scored(transform(features, sentences), n_jobs)
        table = self.held.attributes if isinstance(self.held, SparseWeights) else self.held
        width = stride(len(self.structure.labels))
        scores = features.token_scores(corpus, table, width, n_jobs)
        if self.network is not None:
            scores += self.network(corpus, stride=width, n_jobs=n_jobs).reshape(-1)
        return TokenScores(corpus.offsets, scores)

    def pieces(self, sentences: Listed) -> list[Listed]:
        """Cut sentences into pieces whose scores take some megabytes each, however many labels there are."""
        corpus = as_corpus(sentences)
        if corpus is None or not len(corpus):
            return [sentences]
        width = stride(len(self.structure.labels))
        most = _SCORES_AT_ONCE // width * _MANY_LABELS // max(width, _MANY_LABELS)
        offsets, begin = corpus.offsets, 0
        found: list[Listed] = []
        while begin < len(corpus):
            end = int(np.searchsorted(offsets, offsets[begin] + most, side="right")) - 1
            end = min(max(end, begin + 1), len(corpus))
            found.append(corpus if (begin, end) == (0, len(corpus)) else corpus[begin:end])
            begin = end
        return found

    def scored(self, instances: Instances, n_jobs: int = 1) -> Instances | TokenScores:
        """Return sentences by their scores if the weights are sparse: only sums of rows are then at hand."""
        if not isinstance(self.held, SparseWeights):
            return instances
        sums = self.held.attributes.sums(instances.rows, instances.attributes, instances.values, n_jobs)
        pairs = None if instances.pair_rows is None else instances
        return TokenScores(instances.offsets, sums, pairs)

    def decode(self, given: Instances | TokenScores, n_jobs: int = 1) -> NDArray[np.int32]:
        """Return the best visible label of every token, in one row."""
        if self.votes is not None:
            winners = [tally[0].output for tally in self.elect(given, n_jobs)]
            return np.frombuffer(b"".join(winners), dtype=np.int32).copy()
        if self.structure.hidden != 1 and not self.structure.accepted:
            likely: NDArray[np.int32] = self.probabilities(given, n_jobs).argmax(axis=1).astype(np.int32)
            return likely
        labels, scores = self.structure.decoder(given).decode(self.weights_for(given), n_jobs)
        if self.structure.states is not None and len(scores) and scores.min() == -np.inf:
            i = int(scores.argmin())
            length = int(given.offsets[i + 1] - given.offsets[i])
            raise ValueError(f"Sentence {i + 1}: the automaton accepts no sequence of {length} labels.")
        return labels if self.structure.hidden == 1 else self.structure.refinement.visible(labels)

    def probabilities(self, given: Instances | TokenScores, n_jobs: int = 1) -> NDArray[np.float32]:
        """Return the probability of every visible label for every token; with votes, their shares."""
        if self.votes is not None:
            table = np.zeros((given.offsets[-1], len(self.structure.visible)))
            for i, tally in enumerate(self.elect(given, n_jobs)):
                tokens = np.arange(given.offsets[i], given.offsets[i + 1])
                for labels, share in tally:
                    table[tokens, np.frombuffer(labels, dtype=np.int32)] += share
            return table.astype(np.float32)
        found, _ = self.structure.decoder(given).probabilities(self.weights_for(given), n_jobs)
        refined = found.reshape(-1, len(self.structure.labels))
        return self.structure.refinement.probabilities(refined) if self.structure.hidden != 1 else refined

    def elect(self, given: Instances | TokenScores, n_jobs: int = 1) -> list[list[Elected]]:
        """Return the vote on every sentence; an output is its visible labels as bytes."""
        assert self.votes is not None
        assert isinstance(given, Instances)  # `encode` gives no scores where there are votes
        offsets = given.offsets.tolist()

        def search(w: Weights) -> Iterator[bytes]:
            labels = replace(self, held=w, votes=None).decode(given, n_jobs)
            return (labels[a:b].tobytes() for a, b in pairwise(offsets))

        return self.votes.elect(search)

    def weights_for(self, given: Instances | TokenScores) -> Weights:
        """Return the weights that a decoder of these sentences still has to add."""
        return self.weights if isinstance(given, Instances) else self.rest

    @property
    def weights(self) -> Weights:
        """All weights in one flat array, as learners want them. A model without zeros makes it at every call."""
        if not isinstance(self.held, SparseWeights):
            return self.held
        everything = np.arange(self.features.n_attributes, dtype=np.int32)
        return np.concatenate([self._padded_rows(everything), self.held.rest])

    @property
    def rest(self) -> Weights:
        """The weights of pair attributes and of label n-grams, in one flat array."""
        if isinstance(self.held, SparseWeights):
            return self.held.rest
        return self.held[self.features.n_attributes * stride(len(self.structure.labels)) :]

    @property
    def rows(self) -> NDArray[np.float32]:
        """The weights of attributes, one row each, one column per label: large, for small models and tests."""
        n, width = len(self.structure.labels), stride(len(self.structure.labels))
        count = self.features.n_attributes
        return self.weights[: count * width].reshape(count, width)[:, :n]

    def rows_of(self, attributes: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return the rows of some attributes, [attributes, labels]."""
        if not isinstance(self.held, SparseWeights):
            return self.rows[attributes]
        width = self.held.attributes.stride
        return self._padded_rows(attributes).reshape(-1, width)[:, : len(self.structure.labels)]

    def entries(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
        """Return attribute, label and weight of all weights of attributes that are not zero, row by row."""
        if not isinstance(self.held, SparseWeights):
            at, labels = np.nonzero(self.rows)
            return at, labels, self.rows[at, labels]
        counts, columns, values = self.held.attributes.arrays()
        return np.repeat(np.arange(len(counts)), counts), columns.astype(np.int64), values

    def _padded_rows(self, attributes: NDArray[np.int32]) -> NDArray[np.float32]:
        assert isinstance(self.held, SparseWeights)
        ids = np.ascontiguousarray(attributes, dtype=np.int32)
        return self.held.attributes.sums(np.arange(len(ids) + 1, dtype=np.int64), ids, None, 1)

    @property
    def pair_rows(self) -> NDArray[np.float32]:
        """The weights of pair attributes: [attribute, previous label, label]."""
        n, width = len(self.structure.labels), stride(len(self.structure.labels))
        count = self.features.n_pair_attributes
        return self.rest[: count * n * width].reshape(count, n, width)[..., :n]

    @property
    def label_rows(self) -> NDArray[np.float32]:
        """The weights of the histories of labels, [n-grams by length or rows of states, labels]."""
        n, width = len(self.structure.labels), stride(len(self.structure.labels))
        return self.rest[width * self.features.n_pair_attributes * n :].reshape(-1, width)[:, :n]

    def ngrams(self, length: int) -> NDArray[np.float32]:
        """The weights of label n-grams of `length` + 1 labels, as a table with the oldest label first."""
        n, states = len(self.structure.labels), self.structure.states
        if states is None:
            begin = sum(n**h for h in range(1, length))
            return self.label_rows[begin : begin + n**length].reshape((n,) * (length + 1))
        table = np.zeros((n,) * (length + 1), dtype=np.float32)
        for row, context in enumerate(states.contexts):
            if len(context) == length:
                table[context] = self.label_rows[row]
        return table

    def label_uses(self, y: Sequence[int]) -> Iterator[tuple[int, str, int, float]]:
        """Yield position, name, number of labels before, and weight of all that scores y by its histories."""
        n, states, rows = len(self.structure.labels), self.structure.states, self.label_rows
        if states is not None:
            path = states.path(y) or [0]
            for t, (q, label) in enumerate(zip(path, y)):
                for row in states.rows[q]:
                    name, before = self.row_name(row)
                    yield t, name, len(before), float(rows[row, label])
            return
        for h in range(1, self.structure.order + 1):
            begin = sum(n**k for k in range(1, h))
            for t in range(h, len(y)):
                code = 0
                for label in y[t - h : t]:
                    code = code * n + label
                yield t, "labels", h, float(rows[begin + code, y[t]])

    def row_name(self, row: int) -> tuple[str, tuple[int, ...]]:
        """The feature of a row of `label_rows`, and the labels before of which it is one."""
        n, states = len(self.structure.labels), self.structure.states
        if states is None:
            length = 1
            while row >= n**length:
                row, length = row - n**length, length + 1
            return "labels", tuple(row // n**k % n for k in reversed(range(length)))
        if row < len(states.contexts):
            return "labels", states.contexts[row]
        assert states.automaton is not None
        return f"state {states.automaton.names[row - len(states.contexts)]}", ()

    def name_of(self, index: int) -> tuple[str, str]:
        """What a weight stands for: the name of its feature, and the labels it is for."""
        n, width = len(self.structure.labels), stride(len(self.structure.labels))
        labels, row, y = self.structure.labels, index // width, index % width
        count = self.features.n_attributes
        if row < count:
            return self.features.names([row])[0], labels[y]
        row -= count
        if row < self.features.n_pair_attributes * n:
            return self.pair_name(row // n), f"{labels[row % n]} → {labels[y]}"
        name, before = self.row_name(row - self.features.n_pair_attributes * n)
        return name, " → ".join([*(labels[k] for k in before), labels[y]])

    def pair_name(self, attribute: int) -> str:
        """The name of a pair attribute."""
        names: Any = getattr(self.features, "pair_names", None)
        return str(names([attribute])[0]) if names is not None else f"pair:{attribute}"
