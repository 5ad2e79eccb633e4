"""A linear-chain CRF as a layer for torch, with the signature of pytorch-crf.

    loss = -crf(emissions, tags, mask)

It has the parameters of pytorch-crf under the same names, so a saved state of the one loads into the other. The
results are the same; `Chains` computes them, for the tokens that the mask has and no others.
"""

from __future__ import annotations

import torch
from torch import nn

from palmette.neural.functions.arrays import Tensor
from palmette.neural.functions.chains import Chains

REDUCTIONS = ("none", "sum", "mean", "token_mean")


class CRF(nn.Module):
    """Scores of first, last and neighbouring tags, and what follows from them and the scores of a network.

    num_tags: how many tags there are. batch_first: tensors are (batch, tokens, …), not (tokens, batch, …). n_jobs:
    threads for `forward` and `decode`; results do not depend on them.

    >>> crf = CRF(2, batch_first=True)
    >>> crf.decode(torch.tensor([[[0.0, 9.0], [9.0, 0.0]]]))
    [[1, 0]]
    """

    def __init__(self, num_tags: int, batch_first: bool = False, *, n_jobs: int = 1) -> None:
        if num_tags <= 0:
            raise ValueError(f"num_tags must be at least 1, got {num_tags}")
        super().__init__()
        self.num_tags = num_tags
        self.batch_first = batch_first
        self.n_jobs = n_jobs
        self.start_transitions = nn.Parameter(torch.empty(num_tags))
        self.end_transitions = nn.Parameter(torch.empty(num_tags))
        self.transitions = nn.Parameter(torch.empty(num_tags, num_tags))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters uniformly between -0.1 and 0.1."""
        for parameter in (self.start_transitions, self.end_transitions, self.transitions):
            nn.init.uniform_(parameter, -0.1, 0.1)

    def __repr__(self) -> str:
        return f"CRF(num_tags={self.num_tags})"

    def forward(
        self, emissions: Tensor, tags: Tensor, mask: Tensor | None = None, reduction: str = "sum"
    ) -> Tensor:
        """Return the log-likelihood of the tags.

        emissions: (tokens, batch, tags), or with `batch_first` (batch, tokens, tags). tags, mask: the same without
        the last axis; the mask says which tokens there are. reduction: "sum" or "mean" over sentences,
        "token_mean", or "none" for one number per sentence.
        """
        if reduction not in REDUCTIONS:
            raise ValueError(f"reduction must be one of {', '.join(REDUCTIONS)}; got {reduction!r}")
        present = self._checked(emissions, mask)
        if tags.shape != emissions.shape[:2]:
            raise ValueError(
                "the first two dimensions of emissions and tags must match, "
                f"got {tuple(emissions.shape[:2])} and {tuple(tags.shape)}"
            )
        by_sentence = tags if self.batch_first else tags.transpose(0, 1)
        chains, gold = self._chains(emissions, present), by_sentence[present]
        if reduction == "none":
            return self._gold_scores(chains, gold) - chains.log_z()
        found = -chains.loss("crf", gold)
        if reduction == "mean":
            return found / len(chains)
        return found / int(present.sum()) if reduction == "token_mean" else found

    def decode(self, emissions: Tensor, mask: Tensor | None = None) -> list[list[int]]:
        """Return the best tags of every sentence."""
        present = self._checked(emissions, mask)
        labels = self._chains(emissions, present).labels()
        return [own.tolist() for own in labels.split(present.sum(1).tolist())]

    def marginals(self, emissions: Tensor, mask: Tensor | None = None) -> Tensor:
        """Return the probability of every tag, in the shape of the emissions; zero where the mask is."""
        present = self._checked(emissions, mask)
        found = emissions.new_zeros((*present.shape, self.num_tags))
        found = found.masked_scatter(present[..., None], self._chains(emissions, present).marginals())
        return found if self.batch_first else found.transpose(0, 1)

    def _chains(self, emissions: Tensor, present: Tensor) -> Chains:
        by_sentence = emissions if self.batch_first else emissions.transpose(0, 1)
        lengths = present.sum(1)
        return Chains(
            by_sentence[present],
            lengths,
            self.transitions,
            self.start_transitions,
            self.end_transitions,
            n_jobs=self.n_jobs,
        )

    def _gold_scores(self, chains: Chains, gold: Tensor) -> Tensor:
        """Return the score of given tags, one number per sentence."""
        tokens = chains.tensors[0].gather(1, gold[:, None])[:, 0]
        first = torch.from_numpy(chains.offsets[:-1]).to(gold.device)
        last = torch.from_numpy(chains.offsets[1:] - 1).to(gold.device)
        steps = torch.zeros_like(tokens)
        later = torch.ones_like(gold, dtype=torch.bool)
        later[first] = False
        at = later.nonzero()[:, 0]
        steps = steps.index_copy(0, at, self.transitions[gold[at - 1], gold[at]].to(tokens))
        scores = chains.sentence_sums(tokens + steps)
        return scores + self.start_transitions[gold[first]] + self.end_transitions[gold[last]]

    def _checked(self, emissions: Tensor, mask: Tensor | None) -> Tensor:
        """Return the mask as (batch, tokens)."""
        if emissions.dim() != 3:
            raise ValueError(f"emissions must have dimension of 3, got {emissions.dim()}")
        if emissions.size(2) != self.num_tags:
            raise ValueError(
                f"expected last dimension of emissions is {self.num_tags}, got {emissions.size(2)}"
            )
        if mask is None:
            mask = torch.ones(emissions.shape[:2], dtype=torch.bool, device=emissions.device)
        elif mask.shape != emissions.shape[:2]:
            raise ValueError(
                "the first two dimensions of emissions and mask must match, "
                f"got {tuple(emissions.shape[:2])} and {tuple(mask.shape)}"
            )
        present = (mask if self.batch_first else mask.transpose(0, 1)).bool()
        if not bool(present[:, 0].all()):
            raise ValueError("mask of the first timestep must all be on")
        if bool((present[:, 1:] & ~present[:, :-1]).any()):
            raise ValueError("a mask must not have gaps: the tokens of a sentence come before its padding")
        return present
