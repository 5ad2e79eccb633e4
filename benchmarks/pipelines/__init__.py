"""From raw text to trees, beside UDPipe 1 trained on the same treebanks."""

from benchmarks.pipelines.comparison import rows

__all__ = ["rows"]
