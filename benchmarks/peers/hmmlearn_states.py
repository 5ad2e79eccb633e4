"""One pass of Baum-Welch by hmmlearn, over words that a file of JSON has as numbers."""

from __future__ import annotations

import json
import logging
from pathlib import Path

from benchmarks.peers.process import Work


def one_pass(problem: str, n_states: int, sums: str) -> Work:
    """sums: "log", which is hmmlearn's own choice, or "scaling". Quality: the log-likelihood before the pass.

    The file has `sentences`, lists of numbers of words.
    """
    import numpy as np
    from hmmlearn.hmm import CategoricalHMM

    logging.getLogger("hmmlearn").setLevel(logging.ERROR)
    sentences = json.loads(Path(problem).read_text(encoding="utf-8"))["sentences"]
    flat = np.concatenate([np.asarray(sentence) for sentence in sentences])[:, None]
    lengths = [len(sentence) for sentence in sentences]

    def run() -> CategoricalHMM:
        return CategoricalHMM(n_states, n_iter=1, tol=0.0, random_state=0, implementation=sums).fit(
            flat, lengths
        )

    return Work(run, lambda made: {"log_likelihood": float(made.monitor_.history[0])})
