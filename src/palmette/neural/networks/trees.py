"""Networks that score the arcs and relations of dependency trees by products of heads and dependents.

    s(h → m) = H_h · (U D_m + u)            s(l | h → m) = [R_h, 1] · V_l [S_m, 1]      (Dozat and Manning 2017)

H, D, R, S are what a feed-forward layer makes of the states of recurrent layers; the root has vectors of its own.
Arcs are trained with any loss of trees, relations with the log-likelihood of those of the right arcs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from palmette.features.network.inputs import Encoded, NetworkInputs
from palmette.features.network.network import Network, Plan
from palmette.features.network.options import Neural
from palmette.learning.loop import Callback, Outcome
from palmette.neural.functions.trees import Trees
from palmette.neural.networks.dropout import WordDropout
from palmette.neural.networks.module import Batch, Sizes, TokenNetwork
from palmette.neural.networks.restoring import put, put_back
from palmette.neural.networks.steps import require_moderate
from palmette.neural.networks.training import Trainer, reproducible

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TreeScorer:
    """What training makes: a network whose outputs are H, D, R and S, and the products of these, by name."""

    network: Network
    products: dict[str, Floats]


@dataclass(frozen=True, eq=False)
class Treebank:
    """What a network for trees is trained on: heads and relations of all words in a row.

    projective: the loss is over projective trees alone; single_root: over trees with one word below the root.
    """

    encoded: Encoded
    heads: NDArray[np.int32]
    labels: NDArray[np.int32]
    n_labels: int
    projective: bool
    single_root: bool


def train_trees(
    inputs: NetworkInputs,
    widths: tuple[int, ...],
    treebank: Treebank,
    options: Neural,
    *,
    vectors: Floats | None = None,
    start: TreeScorer | None = None,
    score: Callable[[TreeScorer], float] | None = None,
    callback: Callback | None = None,
    n_jobs: int = 1,
) -> tuple[Outcome[TreeScorer], list[str]]:
    """Train a network for dependency trees; return how it ended, and notes, a sentence each.

    start: what an earlier training with the same inputs, layers and relations made, to go on from.
    """
    with reproducible(options.random_state):
        module = _TreeNetwork(inputs, widths, treebank.n_labels, options)
        if start is None:
            module.network.set_vectors(vectors)
        else:
            put_back(module.network, start.network)
            for name, array in start.products.items():
                put(getattr(module, name), array)
        hidden = WordDropout(inputs, treebank.encoded, options.word_dropout)

        def loss(sentences: NDArray[np.int64]) -> Tensor:
            batch = Batch(treebank.encoded, sentences)
            return module.loss(batch, hidden.draw(batch), treebank, options.loss, n_jobs)

        lengths = np.diff(treebank.encoded.offsets)
        return Trainer(module, options, lengths, loss, module.scorer).run(score, callback)


class _TreeNetwork(nn.Module):
    def __init__(
        self, inputs: NetworkInputs, widths: tuple[int, ...], n_labels: int, options: Neural
    ) -> None:
        super().__init__()
        arc, relation = options.arc_size, options.relation_size
        letters = options.letters if options.letters != "none" else "convolution"
        plan = Plan(letters, options.cell, options.layers, (*("relu",) * options.dense, "tanh"))
        hidden = (options.size,) * options.dense
        sizes = Sizes(widths, options.letter_size, options.size, (*hidden, 2 * arc + 2 * relation))
        self.network = TokenNetwork(inputs, plan, sizes, options.dropout)
        self.sizes = (arc, arc, relation, relation)
        self.arcs = nn.Parameter(torch.zeros(arc, arc + 1))
        self.root = nn.Parameter(torch.zeros(arc))
        self.relations = nn.Parameter(torch.zeros(n_labels, relation + 1, relation + 1))
        self.relation_root = nn.Parameter(torch.zeros(relation))
        for weights in (self.arcs, self.relations):
            nn.init.normal_(weights, std=0.05)
        for vector in (self.root, self.relation_root):
            nn.init.normal_(vector, std=0.5)

    def loss(
        self, batch: Batch, hide: dict[int, Tensor], treebank: Treebank, name: str, n_jobs: int
    ) -> Tensor:
        """The loss of a batch: of its trees, and of the relations in them."""
        head, dependent, above, below = self.network(batch, hide).split(self.sizes, dim=1)
        gold = treebank.heads[batch.tokens].astype(np.int64)
        arcs = self.arc_scores(head, dependent, batch.lengths)
        require_moderate(arcs)
        trees = Trees(
            arcs,
            batch.lengths,
            treebank.projective,
            single_root=treebank.single_root,
            n_jobs=n_jobs,
        )
        lengths = batch.lengths.numpy()
        begins = np.repeat(np.cumsum(lengths) - lengths, lengths)
        rows = torch.from_numpy(np.where(gold == 0, 0, begins + gold))
        chosen = torch.cat([self.relation_root[None], above])[rows]
        scores = self.relation_scores(chosen, below)
        labels = torch.from_numpy(treebank.labels[batch.tokens].astype(np.int64))
        return trees.loss(name, gold) + nn.functional.cross_entropy(scores, labels, reduction="sum")

    def arc_scores(self, head: Tensor, dependent: Tensor, lengths: Tensor) -> Tensor:
        """Scores of arcs, [sentences, words + 1, words + 1], padded; heads first, the root at 0."""
        sizes = lengths.tolist()
        heads = nn.utils.rnn.pad_sequence(
            [torch.cat([self.root[None], part]) for part in head.split(sizes)], batch_first=True
        )
        dependents = nn.utils.rnn.pad_sequence(list(dependent.split(sizes)), batch_first=True)
        products = heads @ self.arcs[:, :-1] @ dependents.transpose(1, 2)
        return nn.functional.pad(products + (heads @ self.arcs[:, -1:]), (1, 0))

    def relation_scores(self, above: Tensor, below: Tensor) -> Tensor:
        """Scores of relations for words with given heads, [words, relations]."""
        n, size, _ = self.relations.shape
        one = torch.ones(len(below), 1)
        above, below = torch.cat([above, one], dim=1), torch.cat([below, one], dim=1)
        products = (above @ self.relations.permute(1, 0, 2).reshape(size, -1)).reshape(-1, n, size)
        return (products * below[:, None, :]).sum(dim=2)

    def scorer(self) -> TreeScorer:
        """The network and its products as arrays."""
        names = ("arcs", "root", "relations", "relation_root")
        found = {name: getattr(self, name).detach().numpy().astype(np.float32) for name in names}
        return TreeScorer(self.network.export(), found)
