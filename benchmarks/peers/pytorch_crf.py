"""pytorch-crf on the batch: in single precision; it has no marginals, so they are the gradient of its log Z."""

from __future__ import annotations

from benchmarks.peers.batches import Floats, random_batch, work
from benchmarks.peers.process import Work


def batch() -> Work:
    import torch
    from torchcrf import CRF

    emissions, transitions = (torch.tensor(array, dtype=torch.float32) for array in random_batch())
    crf = CRF(len(transitions))
    with torch.no_grad():
        crf.transitions.copy_(transitions)
        crf.start_transitions.zero_()
        crf.end_transitions.zero_()
    by_word = emissions.transpose(0, 1).contiguous().requires_grad_()
    mask = torch.ones(by_word.shape[:2], dtype=torch.bool)

    def run() -> tuple[Floats, Floats]:
        log_z = crf._compute_normalizer(by_word, mask)
        (marginals,) = torch.autograd.grad(log_z.sum(), by_word)
        return log_z.detach().numpy(), marginals.transpose(0, 1).numpy()

    return work(run)
