"""Small tagged corpora with random features, and their outputs by enumeration: the oracle of chain problems.

Φ(x, y) is written here a second time, as one long vector, from the layout that
`native/structures/chain/problem.hpp` states.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from oracles.enumeration import Enumeration
from palmette._native import ChainProblem
from palmette.structures.automata import automaton_for
from palmette.structures.label_states import LabelStates, seen_contexts

Labels = tuple[int, ...]


@dataclass
class Chains:
    """Sentences of tokens; each token has lists of (attribute, value), alone and with the previous label."""

    n_labels: int
    order: int
    tokens: list[list[list[tuple[int, float]]]]
    labels: list[list[int]]
    n_attributes: int
    pairs: list[list[list[tuple[int, float]]]] | None = None
    n_pair_attributes: int = 0
    valued: bool = False
    allowed: NDArray[np.uint8] | None = None
    weights: NDArray[np.float32] | None = None
    start: NDArray[np.bool_] | None = None
    end: NDArray[np.bool_] | None = None
    follow: NDArray[np.bool_] | None = None
    states: LabelStates | None = None
    cache: dict[int, Any] = field(default_factory=dict)

    @property
    def stride(self) -> int:
        return -(-self.n_labels // 8) * 8

    @property
    def n_weights(self) -> int:
        L, S = self.n_labels, self.stride
        ngrams = sum(L**h for h in range(1, self.order + 1)) if self.states is None else self.states.n_rows
        return (self.n_attributes + self.n_pair_attributes * L + ngrams) * S

    def problem(self, **changes: Any) -> ChainProblem:
        rows, attributes, values = _rows(self.tokens)
        pair = (None, None, None) if self.pairs is None else _rows(self.pairs)
        L, S = self.n_labels, self.stride

        def mask(table: NDArray[np.bool_] | None) -> NDArray[np.float32] | None:
            if table is None:
                return None
            padded = np.zeros((*table.shape[:-1], S), dtype=np.float32)
            padded[..., :L] = np.where(table, 0.0, -np.inf)
            return padded.ravel()

        masks = {"start_mask": mask(self.start), "end_mask": mask(self.end), "pair_mask": mask(self.follow)}
        if self.states is not None:
            masks = dict.fromkeys(masks) | {"states": self.states.core}
        arguments = {
            "offsets": np.cumsum([0, *map(len, self.tokens)], dtype=np.int64),
            "rows": rows,
            "attributes": attributes,
            "values": values if self.valued else None,
            "pair_rows": pair[0],
            "pair_attributes": pair[1],
            "pair_values": pair[2] if self.valued else None,
            "labels": np.array([y for sentence in self.labels for y in sentence], dtype=np.int32),
            "allowed": None if self.allowed is None else self.allowed.ravel(),
            "weights": self.weights,
            "n_attributes": self.n_attributes,
            "n_pair_attributes": self.n_pair_attributes,
            "n_labels": L,
            "order": self.order,
            **masks,
        }
        return ChainProblem(**(arguments | changes))

    def features(self, i: int, y: Labels) -> NDArray[np.float64]:
        """Φ(x_i, y)."""
        L, S = self.n_labels, self.stride
        phi = np.zeros(self.n_weights)
        pairs_at = self.n_attributes * S
        for t, attributes in enumerate(self.tokens[i]):
            for a, value in attributes:
                phi[a * S + y[t]] += value if self.valued else 1.0
            if t and self.pairs is not None:
                for b, value in self.pairs[i][t]:
                    phi[pairs_at + (b * L + y[t - 1]) * S + y[t]] += value if self.valued else 1.0
            at = pairs_at + self.n_pair_attributes * L * S
            if self.states is not None:
                for row in self._rows(y[:t]):
                    phi[at + row * S + y[t]] += 1.0
                continue
            for h in range(1, self.order + 1):
                if h <= t:
                    context = 0
                    for label in y[t - h : t]:
                        context = context * L + label
                    phi[at + context * S + y[t]] += 1.0
                at += L**h * S
        return phi

    def _rows(self, before: Labels) -> list[int]:
        """The rows that a label sees after others: of every context that they end with, of the state."""
        assert self.states is not None
        contexts, automaton = self.states.contexts, self.states.automaton
        rows = [
            r for r, c in enumerate(contexts) if before[len(before) - len(c) :] == c and len(c) <= len(before)
        ]
        if automaton is not None:
            run = automaton.run([str(y) for y in before])
            assert run is not None
            rows.append(len(contexts) + run[-1])
        return rows

    def outputs(self, i: int) -> list[Labels]:
        """GEN(x_i): all sequences that the masks allow."""
        return [y for y in product(range(self.n_labels), repeat=len(self.tokens[i])) if self._legal(y)]

    def agrees(self, i: int, y: Labels) -> bool:
        return self.loss(i, y) == 0

    def loss(self, i: int, y: Labels) -> float:
        """How many labels disagree with what is known."""
        first = sum(map(len, self.tokens[:i]))
        wrong = 0
        for t, (known, guess) in enumerate(zip(self.labels[i], y)):
            if known >= 0:
                wrong += known != guess
            elif self.allowed is not None:
                wrong += not self.allowed[first + t, guess]
        return float(wrong)

    def weight(self, i: int) -> float:
        return 1.0 if self.weights is None else float(self.weights[i])

    def table(
        self, i: int
    ) -> tuple[list[Labels], NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
        """The outputs, their features, their losses, and which of them are right."""
        if i not in self.cache:
            ys = self.outputs(i)
            phi = np.array([self.features(i, y) for y in ys])
            losses = np.array([self.loss(i, y) for y in ys])
            self.cache[i] = ys, phi, losses, losses == 0
        return self.cache[i]

    def enumeration(self, i: int, w: NDArray[np.float32]) -> Enumeration:
        return Enumeration.of_scores(self.table(i)[1] @ w.astype(float))

    def likelihood(self, w: NDArray[np.float32]) -> tuple[float, NDArray[np.float64]]:
        """The negative log-likelihood and Σ Φᵀ(gold − p)."""
        loss, gradient = 0.0, np.zeros(self.n_weights)
        for i in range(len(self.tokens)):
            _, phi, _, right = self.table(i)
            everything = self.enumeration(i, w)
            gold = Enumeration.of_scores(everything.scores[right])
            loss += self.weight(i) * (everything.log_z - gold.log_z)
            gradient += self.weight(i) * (gold.probabilities @ phi[right] - everything.probabilities @ phi)
        return loss, gradient

    def risk(self, w: NDArray[np.float32]) -> tuple[float, NDArray[np.float64]]:
        """The expected loss and minus its gradient."""
        risk, gradient = 0.0, np.zeros(self.n_weights)
        for i in range(len(self.tokens)):
            _, phi, losses, _ = self.table(i)
            p = self.enumeration(i, w).probabilities
            expected = float(p @ losses)
            risk += self.weight(i) * expected
            gradient -= self.weight(i) * ((p * (losses - expected)) @ phi)
        return risk, gradient

    def _legal(self, y: Labels) -> bool:
        machine = None if self.states is None else self.states.automaton
        if machine is not None and not machine.accepts([str(label) for label in y]):
            return False
        if not y:
            return True
        return (
            (self.start is None or bool(self.start[y[0]]))
            and (self.end is None or bool(self.end[y[-1]]))
            and (self.follow is None or all(self.follow[a, b] for a, b in pairwise(y)))
        )


def random_chains(
    seed: int,
    *,
    n_labels: int = 3,
    order: int = 1,
    pairs: bool = False,
    valued: bool = False,
    masks: bool = False,
    unknown: float = 0.0,
    restricted: bool = False,
    weighted: bool = False,
    automaton: str | None = None,
    seen: bool = False,
    lengths: tuple[int, ...] = (4, 1, 0, 3, 2),
) -> Chains:
    """Random attributes and legal random labels."""
    rng = np.random.default_rng(seed)
    n_attributes, n_pair = 5, 2 if pairs else 0

    def row(n: int) -> list[tuple[int, float]]:
        return [(int(rng.integers(n)), float(np.float32(rng.normal()))) for _ in range(rng.integers(0, 4))]

    tokens = [[row(n_attributes) for _ in range(n)] for n in lengths]
    pair_tokens = [[row(n_pair) for _ in range(n)] for n in lengths] if pairs else None
    made = Chains(n_labels, order, tokens, [], n_attributes, pair_tokens, n_pair, valued)
    if masks:
        made.start = np.arange(n_labels) != 1
        made.end = np.arange(n_labels) != 2
        made.follow = np.ones((n_labels, n_labels), dtype=bool)
        made.follow[0, 1] = False
    ends = (made.start, made.follow, made.end)
    machine = None if automaton is None else automaton_for(automaton, [str(y) for y in range(n_labels)])
    if machine is not None:
        made.states = LabelStates.grown(n_labels, order, None, machine, ends)
    made.labels = [list(ys[rng.integers(len(ys))]) for ys in map(made.outputs, range(len(lengths)))]
    gold = [y for sentence in made.labels for y in sentence]
    if seen:
        contexts = seen_contexts(
            np.array(gold, dtype=np.int32), np.cumsum([0, *lengths], dtype=np.int64), n_labels, order
        )
        made.states = LabelStates.grown(n_labels, order, contexts, machine, ends)
    for sentence in made.labels:
        for t in range(len(sentence)):
            if rng.random() < unknown:
                sentence[t] = -1
    if restricted:
        made.allowed = rng.integers(0, 2, (len(gold), n_labels)).astype(np.uint8)
        made.allowed[np.arange(len(gold)), gold] = 1
    if weighted:
        made.weights = rng.uniform(0.2, 2.0, len(lengths)).astype(np.float32)
    return made


def random_weights(chains: Chains, seed: int, spread: float = 1.0) -> NDArray[np.float32]:
    """Random weights with pads of zero."""
    w = np.random.default_rng(seed).normal(0.0, spread, chains.n_weights).astype(np.float32)
    w[np.arange(chains.n_weights) % chains.stride >= chains.n_labels] = 0.0
    return w


def _rows(
    sentences: list[list[list[tuple[int, float]]]],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.float32]]:
    tokens = [token for sentence in sentences for token in sentence]
    flat = [item for token in tokens for item in token]
    return (
        np.cumsum([0, *map(len, tokens)], dtype=np.int64),
        np.array([a for a, _ in flat], dtype=np.int32),
        np.array([value for _, value in flat], dtype=np.float32),
    )
