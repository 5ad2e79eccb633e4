"""Networks that score the labels of chains: BiLSTM-CRF and its relatives, trained with any loss of chains.

s(x, y) = Σ_t  W h_t(x)[y_t] + T[y_{t-1}, y_t]          (CSC 448, §4.4: E(x, y_i, y_{i+1}, i, w) by a network)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from palmette.features.network.inputs import Encoded, Ids, NetworkInputs
from palmette.features.network.network import Network, Plan
from palmette.features.network.options import Neural
from palmette.learning.loop import Callback, Outcome
from palmette.neural.functions.chains import Chains
from palmette.neural.networks.dropout import WordDropout
from palmette.neural.networks.module import Batch, Sizes, TokenNetwork
from palmette.neural.networks.restoring import put, put_back
from palmette.neural.networks.steps import require_moderate
from palmette.neural.networks.training import Trainer, reproducible
from palmette.structures.chain import Chain


@dataclass(frozen=True, eq=False)
class ChainScorer:
    """What training makes: a network with one output per label, and tables of label n-grams.

    ngrams: one table for each number of labels before, the oldest label first. weights: of features, [features,
    labels], if there are such.
    """

    network: Network
    ngrams: tuple[NDArray[np.float32], ...]
    weights: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class LabelledText:
    """What a network for chains is trained on.

    labels: [tokens], -1 where not known. allowed: [tokens, labels], what tokens may have, if some are not known.
    features: of tokens, numbers below `n_features`, whose weights are added to the scores of the network.
    """

    encoded: Encoded
    labels: NDArray[np.int32]
    features: Ids
    n_features: int = 0
    allowed: NDArray[np.bool_] | None = None


def plan_of(options: Neural) -> tuple[Plan, int]:
    """The layers that options ask for, and how many of them are hidden feed-forward ones."""
    letters = options.letters if options.letters != "none" else "convolution"
    if options.network == "feedforward":
        return Plan(letters, "lstm", 0, ("tanh",) * options.layers + ("none",)), options.layers
    return Plan(letters, options.cell, options.layers, ("relu",) * options.dense + ("none",)), options.dense


def train_chain(
    inputs: NetworkInputs,
    widths: tuple[int, ...],
    text: LabelledText,
    chain: Chain,
    options: Neural,
    *,
    vectors: NDArray[np.float32] | None = None,
    start: ChainScorer | None = None,
    score: Callable[[ChainScorer], float] | None = None,
    callback: Callback | None = None,
    n_jobs: int = 1,
) -> tuple[Outcome[ChainScorer], list[str]]:
    """Train a network for the labels of a chain; return how it ended, and notes, a sentence each.

    widths: of the embeddings of the inputs. vectors: the table of the input of that kind, which is not trained.
    start: what an earlier training with the same inputs and layers made, to go on from.
    """
    with reproducible(options.random_state):
        module = _ChainNetwork(inputs, widths, chain, options, text.n_features)
        if start is None:
            module.network.set_vectors(vectors)
        else:
            module.go_on_from(start)
        hidden = WordDropout(inputs, text.encoded, options.word_dropout)
        lengths = np.diff(text.encoded.offsets)

        def loss(sentences: NDArray[np.int64]) -> Tensor:
            batch = Batch(text.encoded, sentences)
            return module.loss(batch, hidden.draw(batch), text, options.loss, n_jobs)

        return Trainer(module, options, lengths, loss, module.scorer).run(score, callback)


class _ChainNetwork(nn.Module):
    def __init__(
        self, inputs: NetworkInputs, widths: tuple[int, ...], chain: Chain, options: Neural, features: int
    ) -> None:
        super().__init__()
        plan, hidden = plan_of(options)
        n = chain.n_labels
        sizes = Sizes(widths, options.letter_size, options.size, (options.size,) * hidden + (n,))
        self.network = TokenNetwork(inputs, plan, sizes, options.dropout)
        self.chain = chain
        self.linear = None
        if features:
            self.linear = nn.EmbeddingBag(features, n, mode="sum", sparse=True)
            nn.init.zeros_(self.linear.weight)
        self.left_out = options.feature_dropout
        self.ngrams = nn.ParameterList(
            [nn.Parameter(torch.zeros((n,) * (h + 1))) for h in range(1, chain.order + 1)]
        )

    def go_on_from(self, start: ChainScorer) -> None:
        """Take the weights of an earlier training."""
        put_back(self.network, start.network)
        for parameter, table in zip(self.ngrams, start.ngrams, strict=True):
            put(parameter, table)
        if self.linear is not None:
            put(self.linear.weight, start.weights)

    def tables(self) -> list[Tensor]:
        """What label n-grams add at the second, third, … position: shorter ones are in the longer ones."""
        found: list[Tensor] = []
        for table in self.ngrams:
            found.append(table if not found else found[-1][None] + table)
        return found

    def loss(
        self, batch: Batch, hide: dict[int, Tensor], text: LabelledText, name: str, n_jobs: int
    ) -> Tensor:
        """The loss of a batch, summed over its sentences."""
        unary, tables = self.network(batch, hide), self.tables()
        if self.linear is not None:
            unary = unary + self.weighted(text.features.select(batch.tokens))
        require_moderate(unary, *tables)

        def chains(allowed: NDArray[np.bool_] | None) -> Chains:
            last = tables[-1] if tables else None
            return Chains(
                unary,
                batch.lengths,
                last,
                begin=tables[:-1],
                chain=self.chain,
                allowed=allowed,
                n_jobs=n_jobs,
            )

        if text.allowed is None:
            return chains(None).loss(name, text.labels[batch.tokens])
        # Where labels are not known: log Z of all sequences less that of those which agree with what is known.
        every, agreeing = chains(None), chains(text.allowed[batch.tokens])
        return (every.log_z() - agreeing.log_z()).sum()

    def weighted(self, features: Ids) -> Tensor:
        """The sums of the weights of features; some features are left out in training."""
        assert self.linear is not None
        rows, ids = torch.from_numpy(features.rows), torch.from_numpy(features.ids.astype(np.int64))
        if not self.training or not self.left_out:
            return self.linear(ids, rows[:-1])
        kept = torch.rand(len(ids)) >= self.left_out
        ends = torch.cat([torch.zeros(1, dtype=torch.int64), kept.cumsum(0)])[rows]
        return self.linear(ids[kept], ends[:-1]) / (1 - self.left_out)

    def scorer(self) -> ChainScorer:
        """The network, its tables and weights as arrays."""
        tables = tuple(_copy(table) for table in self.ngrams)
        n = self.chain.n_labels
        weights = np.zeros((0, n), dtype=np.float32) if self.linear is None else _copy(self.linear.weight)
        return ChainScorer(self.network.export(), tables, weights)


def _copy(tensor: Tensor) -> NDArray[np.float32]:
    found: NDArray[np.float32] = tensor.detach().numpy().astype(np.float32)
    return found
