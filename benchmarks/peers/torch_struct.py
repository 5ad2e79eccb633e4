"""torch-struct on the batch: in single precision, marginals by automatic differentiation, as it has them."""

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
        log_z = LinearChainCRF(potentials.requires_grad_()).partition
        (pairs,) = torch.autograd.grad(log_z.sum(), potentials)  # its own marginals would sum once more
        marginals = torch.cat([pairs[:, :1].sum(2), pairs.sum(3)], dim=1)
        return log_z.detach().numpy(), marginals.numpy()

    return work(run)
