"""What a pass costs on many workers: a model with six numbers, and where each algorithm stops scaling.

    pass(P) = head + sentences · compute / P        the work of the busiest worker
            + broadcast · log2(P + 1)               weights go out as a tree
            + reduce · log2(P + 1)                  sums come back as a tree: sending, and adding
            + task · shards                         the scheduler looks at every shard

Broadcast and reduce are bytes over the bandwidth of a link, and the addition of doubles. Passes of online learners
cost the same; more shards need more of them, which the model does not know.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log2


@dataclass(frozen=True)
class Cost:
    """Seconds, and bytes a second."""

    compute: float  # of a sentence
    weights: float  # bytes that go out
    sums: float  # bytes that come back
    task: float = 1e-3  # of the scheduler, for a shard
    head: float = 0.0  # of the head between two passes
    bandwidth: float = 1.25e9  # 10 Gbit/s
    add: float = 0.8e-9  # a byte of a sum

    def seconds(self, sentences: float, workers: int, shards: int | None = None) -> float:
        """A pass. shards: one for each worker, if nothing is said."""
        levels = log2(workers + 1) if workers > 1 else 0.0
        moved = levels * (self.weights / self.bandwidth + self.sums * (1 / self.bandwidth + self.add))
        return self.head + sentences * self.compute / workers + moved + self.task * (shards or workers)

    def efficiency(self, sentences: float, workers: int) -> float:
        """The share of all processors that works."""
        alone = replace(self, task=0.0).seconds(sentences, 1)
        return alone / (workers * self.seconds(sentences, workers))

    def best(self, sentences: float, most: int = 1 << 20) -> int:
        """The number of workers with which a pass is shortest, of powers of two."""
        counts = [1 << k for k in range(most.bit_length())]
        return min(counts, key=lambda n: self.seconds(sentences, n))
