"""A chain as a hypergraph of the general engine: slower, and what the fast kernels must agree with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from palmette.inference.hypergraph import Derivation, Hypergraph
from palmette.structures.chain_scores import Floats, Labels
from palmette.structures.prepared_chain import PreparedChain
from palmette.structures.prepared_states import PreparedStates


@dataclass(frozen=True, eq=False)
class ChainGraph:
    """One sentence. Part k is the step to label `label[k]` at position `position[k]`, with score `scores[k]`,
    which holds the unary score and the transition; the last part, at position n, ends the sentence.

    A node is a position and the last labels there; a derivation of the root is a label sequence.
    """

    graph: Hypergraph
    scores: Floats
    position: Labels
    label: Labels

    def labels_of(self, derivation: Derivation) -> Labels:
        """The label sequence of a derivation."""
        parts = np.sort(derivation.parts)
        return self.label[parts[:-1]]


def chain_graph(chain: PreparedChain) -> ChainGraph:
    """The hypergraph of the only sentence; all steps have an edge, those that are forbidden with score -inf."""
    L, n = chain.n_labels, int(chain.offsets[-1])
    unary = chain.effective_unary().astype(np.float64)
    heads, tails, scores, position, label = [], [], [], [], []
    first, n_before = 0, 0  # the number of the first state of the position before, and how many there are
    n_nodes = 0
    for i in range(n):
        contexts = L ** min(i, chain.order)
        states = L ** min(i + 1, chain.order)  # one state where labels do not depend on each other
        context, y = np.divmod(np.arange(contexts * L), L)
        step = unary[i][y]
        if i and chain.order:
            step = step + chain.table_at(i, i).ravel()
        heads.append(n_nodes + (context * L + y) % states)
        tails.append(first + context if i else np.zeros(0, dtype=np.int64))
        scores.append(step)
        position.append(np.full(len(y), i))
        label.append(y)
        first, n_before, n_nodes = n_nodes, states, n_nodes + states
    ends = np.arange(first, first + n_before)
    return _graph(heads, tails, scores, position, label, ends, n_nodes)


def state_graph(chain: PreparedStates) -> ChainGraph:
    """The hypergraph of the only sentence of a chain with states: a node is a position and a state."""
    states, n = chain.states, int(chain.offsets[-1])
    heads, tails, scores, position, label = [], [], [], [], []
    for i in range(n):
        used = (states.before == 0) if i == 0 else (states.before > 0)
        heads.append(i * states.n_states + states.after[used])
        tails.append((i - 1) * states.n_states + states.before[used] if i else np.zeros(0, dtype=np.int64))
        scores.append(chain.steps_at(i)[used])
        position.append(np.full(int(used.sum()), i))
        label.append(states.read[used])
    ends = (
        (n - 1) * states.n_states + np.flatnonzero(states.final[1:]) + 1 if n else np.zeros(0, dtype=np.int64)
    )
    if not n and not states.final[0]:
        raise chain.infeasible(0)
    return _graph(heads, tails, scores, position, label, ends, n * states.n_states)


def _graph(
    heads: list[Any],
    tails: list[Any],
    scores: list[Any],
    position: list[Any],
    label: list[Any],
    ends: npt.NDArray[np.int64],
    n_nodes: int,
) -> ChainGraph:
    """The graph of steps by position, and of the end, which follows some nodes of the last position."""
    n = len(heads)
    n_axioms = len(heads[0]) if n else 1
    all_heads = np.concatenate([*heads, np.full(max(len(ends), 1), n_nodes)])
    tail_start = np.maximum(np.arange(len(all_heads) + 1) - n_axioms, 0)
    n_parts = sum(map(len, scores)) + 1
    parts = np.minimum(np.arange(len(all_heads)), n_parts - 1)
    graph = Hypergraph(
        all_heads,
        tail_start,
        np.concatenate([*tails, ends]),
        labels=parts,
        n_nodes=n_nodes + 1,
        n_parts=n_parts,
        root=n_nodes,
    )
    return ChainGraph(
        graph,
        np.concatenate([*scores, [0.0]]),
        np.concatenate([*position, [n]]).astype(np.int32),
        np.concatenate([*label, [-1]]).astype(np.int32),
    )
