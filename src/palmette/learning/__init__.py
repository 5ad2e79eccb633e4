"""w: how examples become weights.

A learner knows a problem only through `palmette.learning.problem.Problem`: it cannot tell chains from trees.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.learning.adapter import PythonStructure as PythonStructure
    from palmette.learning.adapter import adapt as adapt
    from palmette.learning.arow import AROW as AROW
    from palmette.learning.capabilities import AnyLearner as AnyLearner
    from palmette.learning.capabilities import LearnerError as LearnerError
    from palmette.learning.divergence import DivergenceError as DivergenceError
    from palmette.learning.em import EM as EM
    from palmette.learning.em import VB as VB
    from palmette.learning.em import CountProblem as CountProblem
    from palmette.learning.em import Estimate as Estimate
    from palmette.learning.exponentiated import ExponentiatedGradient as ExponentiatedGradient
    from palmette.learning.kernel_perceptron import KernelPerceptron as KernelPerceptron
    from palmette.learning.kernel_svm import KernelSVM as KernelSVM
    from palmette.learning.latent import LatentCRF as LatentCRF
    from palmette.learning.learner import Learned as Learned
    from palmette.learning.learner import Learner as Learner
    from palmette.learning.loglinear import CRF as CRF
    from palmette.learning.loop import Report as Report
    from palmette.learning.mira import MIRA as MIRA
    from palmette.learning.mira import PassiveAggressive as PassiveAggressive
    from palmette.learning.neighbours import NearestNeighbours as NearestNeighbours
    from palmette.learning.path import PathPoint as PathPoint
    from palmette.learning.path import regularisation_path as regularisation_path
    from palmette.learning.perceptron import Perceptron as Perceptron
    from palmette.learning.risk import MinimumRisk as MinimumRisk
    from palmette.learning.svm import StructuredSVM as StructuredSVM
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "adapter": "PythonStructure adapt",
            "arow": "AROW",
            "capabilities": "AnyLearner LearnerError",
            "divergence": "DivergenceError",
            "em": "CountProblem EM Estimate VB",
            "exponentiated": "ExponentiatedGradient",
            "kernel_perceptron": "KernelPerceptron",
            "kernel_svm": "KernelSVM",
            "latent": "LatentCRF",
            "learner": "Learned Learner",
            "loglinear": "CRF",
            "loop": "Report",
            "mira": "MIRA PassiveAggressive",
            "neighbours": "NearestNeighbours",
            "path": "PathPoint regularisation_path",
            "perceptron": "Perceptron",
            "risk": "MinimumRisk",
            "svm": "StructuredSVM",
        },
    )
