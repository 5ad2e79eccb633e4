"""The interface of pytorch-crf: import `CRF` from `palmette.compat.torchcrf` in place of `torchcrf`.

Parameters, arguments and results are the same; a gradient takes a small part of the time. Beyond it: `marginals`,
and `n_jobs` threads. Masks with gaps are refused.
"""

from palmette.neural.chain_crf import CRF

__all__ = ["CRF"]
