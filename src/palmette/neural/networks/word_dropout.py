"""Word dropout: words are taken as unknown at random, rare ones more often (Kiperwasser and Goldberg 2016)."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from palmette.features.network.inputs import Encoded, NetworkInputs
from palmette.neural.networks.module import Batch


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
