"""Kernels of vectors, strings, sequences and trees: inner products of features that are never written down."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.features.kernels.composition import with_log_probability as with_log_probability
    from palmette.features.kernels.functions import FunctionKernel as FunctionKernel
    from palmette.features.kernels.kernel import Kernel as Kernel
    from palmette.features.kernels.kernel import Prepared as Prepared
    from palmette.features.kernels.positive import check_positive as check_positive
    from palmette.features.kernels.strings import MismatchKernel as MismatchKernel
    from palmette.features.kernels.strings import SpectrumKernel as SpectrumKernel
    from palmette.features.kernels.strings import SubsequenceKernel as SubsequenceKernel
    from palmette.features.kernels.supports import Supports as Supports
    from palmette.features.kernels.tagged_sequences import TaggedSequenceKernel as TaggedSequenceKernel
    from palmette.features.kernels.trees import TreeKernel as TreeKernel
    from palmette.features.kernels.vectors import GaussianKernel as GaussianKernel
    from palmette.features.kernels.vectors import LinearKernel as LinearKernel
    from palmette.features.kernels.vectors import PolynomialKernel as PolynomialKernel
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "composition": "with_log_probability",
            "functions": "FunctionKernel",
            "kernel": "Kernel Prepared",
            "positive": "check_positive",
            "strings": "MismatchKernel SpectrumKernel SubsequenceKernel",
            "supports": "Supports",
            "tagged_sequences": "TaggedSequenceKernel",
            "trees": "TreeKernel",
            "vectors": "GaussianKernel LinearKernel PolynomialKernel",
        },
    )
