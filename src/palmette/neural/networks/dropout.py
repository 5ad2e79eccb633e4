"""Dropout: numbers are left out at random, and words are taken as unknown, rare ones more often.

The chance of a word is that of Kiperwasser and Goldberg 2016.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from palmette.features.network.inputs import Encoded, NetworkInputs

if TYPE_CHECKING:
    from palmette.neural.networks.module import Batch


class Dropout(nn.Module):
    """What `torch.nn.Dropout` does, in half the time: on a processor its draws cost more than a layer."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.share = share

    def forward(self, x: Tensor) -> Tensor:
        """Leave out a share of the numbers in training, and make the others larger."""
        if not self.training or not self.share:
            return x
        return x * ((torch.rand(x.shape) >= self.share) * (1 / (1 - self.share)))


class WordDropout:
    """The chance of every token to be hidden: a / (a + n) for a word that comes n times."""

    def __init__(self, inputs: NetworkInputs, encoded: Encoded, a: float) -> None:
        self.chances: dict[int, Tensor] = {}
        for k, one in enumerate(inputs.inputs):
            if one.kind == "attribute" and one.name == "collapsed" and a:
                ids = encoded.given[k].ids[encoded.types]
                counts = np.bincount(ids, minlength=one.n_entries)
                self.chances[k] = torch.from_numpy((a / (a + np.maximum(counts, 1)))[ids].astype(np.float32))

    def draw(self, batch: Batch) -> dict[int, Tensor]:
        """For inputs by number, which tokens of a batch are hidden."""
        tokens = torch.from_numpy(batch.tokens)
        return {k: torch.rand(len(tokens)) < chances[tokens] for k, chances in self.chances.items()}
