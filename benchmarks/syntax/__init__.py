"""Translation with trees, of the source or of the target sentences."""

from benchmarks.syntax.comparison import rows

__all__ = ["rows"]
