"""The options of what reads items, and of the kernels of their parts: `--set` of `palmette train classify`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palmette.features.kernels.kernel import Kernel
from palmette.features.kernels.strings import SpectrumKernel
from palmette.features.kernels.trees import TreeKernel
from palmette.features.kernels.vectors import GaussianKernel, LinearKernel, PolynomialKernel
from palmette.parameters import Options, option

# The part of an item, or the column, that an option is about.
ABOUT = {
    **dict.fromkeys(("fragments", "decay", "mu", "max_nodes"), "tree"),
    **dict.fromkeys(("ngrams", "lower", "counts"), "words"),
    **{"n": "string", "degree": "symbols", "gamma": "numbers", "language": "raw"},
}


def _check_language(value: object, name: str) -> None:
    if not isinstance(value, str) or not value:
        raise ValueError(f"The {name!r} parameter must be a code like 'en'. Got {value!r:.60} instead.")


@dataclass(frozen=True, kw_only=True, eq=False)
class ReaderOptions(Options):
    """How texts and trees become items. The time of a tree kernel grows with the square of the size of trees."""

    ngrams: int = option(2, "length of the longest word n-grams of texts", low=1)
    lower: bool = option(True, "convert words to lower case, but not those of trees")
    counts: bool = option(False, "count how often the n-grams of a text occur, instead of whether they do")
    language: str = option("en", "language of raw texts", checked_by=_check_language)
    max_nodes: int = option(5000, "largest tree to read, in nodes", low=1)


@dataclass(frozen=True, kw_only=True)
class KernelOptions(Options):
    """The kernels of trees, symbols, numbers and strings."""

    fragments: str = option("partial", "fragments of trees", choices=("partial", "subset", "complete"))
    decay: float = option(0.4, "decay of the tree kernel", above=0, high=1)
    mu: float | None = option(None, "second decay of partial trees; none: 0.4", above=0, high=1)
    degree: int = option(3, "degree of the polynomial kernel of symbols", low=1, high=1000)
    gamma: float = option(1.0, "γ of the Gaussian kernel of numbers", above=0)
    n: int = option(3, "length of the longest character n-grams of strings", low=1, high=4096)

    def kernel(self, parts: Sequence[str]) -> Kernel:
        """Return the sum of the kernels of these parts."""
        made: dict[str, Kernel] = {
            "tree": TreeKernel(self.fragments, self.decay, self.mu).normalized,  # type: ignore[arg-type]
            "words": LinearKernel().normalized,
            "string": SpectrumKernel(self.n, least=1).normalized,
            "symbols": PolynomialKernel(self.degree),
            "numbers": GaussianKernel(self.gamma),
        }
        return _sum([made[part].on(i) for i, part in enumerate(parts)])


def _sum(kernels: Sequence[Kernel]) -> Kernel:
    """K₁ + … + Kₙ, half and half: no deeper than log n, for a model file holds what is nested a little only."""
    if len(kernels) == 1:
        return kernels[0]
    half = (len(kernels) + 1) // 2
    return _sum(kernels[:half]) + _sum(kernels[half:])
