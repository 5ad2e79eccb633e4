"""torch-struct on the batch: in single precision, its marginals by automatic differentiation."""

from __future__ import annotations

from benchmarks.peers.batches import Floats, random_batch, work
from benchmarks.peers.process import Work


def batch() -> Work:
    import torch
    from torch_struct import LinearChainCRF

    emissions, transitions = (torch.tensor(array, dtype=torch.float32) for array in random_batch())

    def run() -> tuple[Floats, Floats]:
        potentials = emissions[:, 1:, :, None] + transitions.T  # [sentence, i, y_i, y_{i-1}]
        potentials[:, 0] += emissions[:, 0, None, :]
        chain = LinearChainCRF(potentials)
        log_z, pairs = chain.partition, chain.marginals
        marginals = torch.cat([pairs[:, :1].sum(2), pairs.sum(3)], dim=1)
        return log_z.detach().numpy(), marginals.detach().numpy()

    return work(run)
