"""Structured prediction for language: F(x) = argmax over y in GEN(x) of w · Φ(x, y).

The names that most programs need are here, all others in the packages. Each is loaded when it is first used: the
import of the package costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette import drawing as drawing
    from palmette import evaluation as evaluation
    from palmette import features as features
    from palmette import formats as formats
    from palmette import grammars as grammars
    from palmette import inference as inference
    from palmette import learning as learning
    from palmette import models as models
    from palmette import structures as structures
    from palmette import tools as tools
    from palmette import transforms as transforms
    from palmette import trees as trees
    from palmette.errors import FormatError as FormatError
    from palmette.features.network.options import Neural as Neural
    from palmette.features.templates import Templates as Templates
    from palmette.formats.corpus import Corpus as Corpus
    from palmette.grammars.grammar import Grammar as Grammar
    from palmette.inference.deduction import Deduction as Deduction
    from palmette.inference.hypergraph import Hypergraph as Hypergraph
    from palmette.learning.adapter import adapt as adapt
    from palmette.learning.arow import AROW as AROW
    from palmette.learning.em import EM as EM
    from palmette.learning.em import VB as VB
    from palmette.learning.exponentiated import ExponentiatedGradient as ExponentiatedGradient
    from palmette.learning.kernel_perceptron import KernelPerceptron as KernelPerceptron
    from palmette.learning.kernel_svm import KernelSVM as KernelSVM
    from palmette.learning.latent import LatentCRF as LatentCRF
    from palmette.learning.learner import Learner as Learner
    from palmette.learning.loglinear import CRF as CRF
    from palmette.learning.mira import MIRA as MIRA
    from palmette.learning.mira import PassiveAggressive as PassiveAggressive
    from palmette.learning.neighbours import NearestNeighbours as NearestNeighbours
    from palmette.learning.perceptron import Perceptron as Perceptron
    from palmette.learning.risk import MinimumRisk as MinimumRisk
    from palmette.learning.svm import StructuredSVM as StructuredSVM
    from palmette.structures.chain import Chain as Chain
    from palmette.tools.alignment.aligner import Aligner as Aligner
    from palmette.tools.classification.classifier import Classifier as Classifier
    from palmette.tools.constituency.parser import ConstituencyParser as ConstituencyParser
    from palmette.tools.dependency.parser import DependencyParser as DependencyParser
    from palmette.tools.inference_rules.inference_rules import InferenceRules as InferenceRules
    from palmette.tools.lm.model import LanguageModel as LanguageModel
    from palmette.tools.loading import load as load
    from palmette.tools.pipeline.pipeline import Pipeline as Pipeline
    from palmette.tools.reranking.reranker import Reranker as Reranker
    from palmette.tools.semantics.semantic_parser import SemanticParser as SemanticParser
    from palmette.tools.senses.sense_tagger import SenseTagger as SenseTagger
    from palmette.tools.sentiment.sentiment import Sentiment as Sentiment
    from palmette.tools.sequence.hmm import HMM as HMM
    from palmette.tools.sequence.memm import MEMM as MEMM
    from palmette.tools.sequence.span_tagger import SpanTagger as SpanTagger
    from palmette.tools.sequence.tag_inducer import TagInducer as TagInducer
    from palmette.tools.sequence.tagger import Tagger as Tagger
    from palmette.tools.text.tokenizer import Tokenizer as Tokenizer
    from palmette.tools.thesaurus.thesaurus import Thesaurus as Thesaurus
    from palmette.tools.translation.translator import Translator as Translator
    from palmette.trees.dependency_tree import DependencyTree as DependencyTree
    from palmette.trees.tree import Tree as Tree

    __version__: str
else:
    import os

    from palmette.exports import offer

    wanted = os.environ.get("PALMETTE_CORE")
    if wanted or os.path.isdir(f"{__path__[0]}/variants"):  # noqa: PTH112
        from palmette.variants import choose

        __path__ = [*filter(None, [choose(__path__[0], wanted)]), *__path__]

    __all__, _load, __dir__ = offer(
        __name__,
        {
            "errors": "FormatError",
            "features.network.options": "Neural",
            "features.templates": "Templates",
            "formats.corpus": "Corpus",
            "grammars.grammar": "Grammar",
            "inference.deduction": "Deduction",
            "inference.hypergraph": "Hypergraph",
            "learning.adapter": "adapt",
            "learning.arow": "AROW",
            "learning.em": "EM VB",
            "learning.exponentiated": "ExponentiatedGradient",
            "learning.kernel_perceptron": "KernelPerceptron",
            "learning.kernel_svm": "KernelSVM",
            "learning.latent": "LatentCRF",
            "learning.learner": "Learner",
            "learning.loglinear": "CRF",
            "learning.mira": "MIRA PassiveAggressive",
            "learning.neighbours": "NearestNeighbours",
            "learning.perceptron": "Perceptron",
            "learning.risk": "MinimumRisk",
            "learning.svm": "StructuredSVM",
            "structures.chain": "Chain",
            "tools.alignment.aligner": "Aligner",
            "tools.classification.classifier": "Classifier",
            "tools.constituency.parser": "ConstituencyParser",
            "tools.dependency.parser": "DependencyParser",
            "tools.inference_rules.inference_rules": "InferenceRules",
            "tools.lm.model": "LanguageModel",
            "tools.loading": "load",
            "tools.pipeline.pipeline": "Pipeline",
            "tools.reranking.reranker": "Reranker",
            "tools.semantics.semantic_parser": "SemanticParser",
            "tools.senses.sense_tagger": "SenseTagger",
            "tools.sentiment.sentiment": "Sentiment",
            "tools.sequence.hmm": "HMM",
            "tools.sequence.memm": "MEMM",
            "tools.sequence.span_tagger": "SpanTagger",
            "tools.sequence.tag_inducer": "TagInducer",
            "tools.sequence.tagger": "Tagger",
            "tools.text.tokenizer": "Tokenizer",
            "tools.thesaurus.thesaurus": "Thesaurus",
            "tools.translation.translator": "Translator",
            "trees.dependency_tree": "DependencyTree",
            "trees.tree": "Tree",
        },
        "drawing evaluation features formats grammars inference learning models structures tools transforms trees",
    )

    def __getattr__(name: str) -> object:
        if name == "__version__":
            from importlib.metadata import version

            return version("palmette")
        return _load(name)
