"""Structured prediction for language: F(x) = argmax over y in GEN(x) of w · Φ(x, y).

The public names; each is loaded when it is first used, so that importing the package costs nothing. They are
listed twice, for type checkers and for the interpreter.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from typing import Any

    from palmette.drawing.arcs import draw_arcs as draw_arcs
    from palmette.drawing.arcs import draw_arcs_svg as draw_arcs_svg
    from palmette.drawing.trees import draw as draw
    from palmette.drawing.trees import draw_svg as draw_svg
    from palmette.errors import FormatError as FormatError
    from palmette.evaluation.alignments import evaluate_alignments as evaluate_alignments
    from palmette.evaluation.brackets import evaluate_brackets as evaluate_brackets
    from palmette.evaluation.dependencies import evaluate_trees as evaluate_trees
    from palmette.evaluation.spans import evaluate_spans as evaluate_spans
    from palmette.evaluation.tagging import evaluate_tags as evaluate_tags
    from palmette.features.kernels.composition import with_log_probability as with_log_probability
    from palmette.features.kernels.functions import FunctionKernel as FunctionKernel
    from palmette.features.kernels.kernel import Kernel as Kernel
    from palmette.features.kernels.positive import check_positive as check_positive
    from palmette.features.kernels.strings import MismatchKernel as MismatchKernel
    from palmette.features.kernels.strings import SpectrumKernel as SpectrumKernel
    from palmette.features.kernels.strings import SubsequenceKernel as SubsequenceKernel
    from palmette.features.kernels.tagged_sequences import TaggedSequenceKernel as TaggedSequenceKernel
    from palmette.features.kernels.trees import TreeKernel as TreeKernel
    from palmette.features.kernels.vectors import GaussianKernel as GaussianKernel
    from palmette.features.kernels.vectors import LinearKernel as LinearKernel
    from palmette.features.kernels.vectors import PolynomialKernel as PolynomialKernel
    from palmette.features.sequence_templates import SequenceTemplates as SequenceTemplates
    from palmette.features.templates import Templates as Templates
    from palmette.features.tree_templates import TreeTemplates as TreeTemplates
    from palmette.features.vocabulary import Vocabulary as Vocabulary
    from palmette.formats.brackets import read_brackets as read_brackets
    from palmette.formats.brackets import write_brackets as write_brackets
    from palmette.formats.candidates import Candidates as Candidates
    from palmette.formats.columns import read_columns as read_columns
    from palmette.formats.columns import write_columns as write_columns
    from palmette.formats.conllu import read_conllu as read_conllu
    from palmette.formats.conllu import write_conllu as write_conllu
    from palmette.formats.corpus import Corpus as Corpus
    from palmette.formats.discbracket import read_discbrackets as read_discbrackets
    from palmette.formats.discbracket import write_discbrackets as write_discbrackets
    from palmette.formats.export import read_export as read_export
    from palmette.formats.export import write_export as write_export
    from palmette.formats.model import ModelFile as ModelFile
    from palmette.formats.nbest import NBestFile as NBestFile
    from palmette.formats.nbest import read_nbest as read_nbest
    from palmette.formats.nbest import write_nbest as write_nbest
    from palmette.formats.pharaoh import read_pharaoh as read_pharaoh
    from palmette.grammars.grammar import Grammar as Grammar
    from palmette.inference.deduction import Deduction as Deduction
    from palmette.inference.facts import Columns as Columns
    from palmette.inference.facts import Item as Item
    from palmette.inference.forest import Forest as Forest
    from palmette.inference.forest import Proof as Proof
    from palmette.inference.hypergraph import CycleError as CycleError
    from palmette.inference.hypergraph import Derivation as Derivation
    from palmette.inference.hypergraph import Hypergraph as Hypergraph
    from palmette.inference.hypergraph import Marginals as Marginals
    from palmette.inference.lcfrs import LCFRS as LCFRS
    from palmette.inference.search import AStar as AStar
    from palmette.inference.search import Beam as Beam
    from palmette.inference.search import BestFirst as BestFirst
    from palmette.inference.search import Exhaustive as Exhaustive
    from palmette.inference.semiring import BOOLEAN as BOOLEAN
    from palmette.inference.semiring import COUNTING as COUNTING
    from palmette.inference.semiring import EXPECTATION as EXPECTATION
    from palmette.inference.semiring import LOG as LOG
    from palmette.inference.semiring import MAX as MAX
    from palmette.inference.semiring import REAL as REAL
    from palmette.inference.semiring import KBest as KBest
    from palmette.inference.semiring import Semiring as Semiring
    from palmette.learning.arow import AROW as AROW
    from palmette.learning.em import EM as EM
    from palmette.learning.em import VB as VB
    from palmette.learning.exponentiated import ExponentiatedGradient as ExponentiatedGradient
    from palmette.learning.kernel_perceptron import KernelPerceptron as KernelPerceptron
    from palmette.learning.kernel_svm import KernelSVM as KernelSVM
    from palmette.learning.latent import LatentCRF as LatentCRF
    from palmette.learning.learner import Report as Report
    from palmette.learning.loglinear import CRF as CRF
    from palmette.learning.mira import MIRA as MIRA
    from palmette.learning.mira import PassiveAggressive as PassiveAggressive
    from palmette.learning.neighbours import NearestNeighbours as NearestNeighbours
    from palmette.learning.path import regularisation_path as regularisation_path
    from palmette.learning.perceptron import Perceptron as Perceptron
    from palmette.learning.risk import MinimumRisk as MinimumRisk
    from palmette.learning.svm import StructuredSVM as StructuredSVM
    from palmette.structures.arborescence import ProjectiveTrees as ProjectiveTrees
    from palmette.structures.arborescence import SpanningTrees as SpanningTrees
    from palmette.structures.chain import Chain as Chain
    from palmette.structures.chain_scores import ChainScores as ChainScores
    from palmette.structures.chart import Chart as Chart
    from palmette.structures.choice import Choice as Choice
    from palmette.structures.transitions import TransitionSystem as TransitionSystem
    from palmette.tools.alignment.aligner import Aligner as Aligner
    from palmette.tools.alignment.text import ParallelText as ParallelText
    from palmette.tools.alignment.text import read_pairs as read_pairs
    from palmette.tools.classification.classifier import Classifier as Classifier
    from palmette.tools.classification.item_reader import ItemReader as ItemReader
    from palmette.tools.constituency.model import Constraints as Constraints
    from palmette.tools.constituency.parser import ConstituencyParser as ConstituencyParser
    from palmette.tools.dependency.parser import DependencyParser as DependencyParser
    from palmette.tools.lm.model import LanguageModel as LanguageModel
    from palmette.tools.loading import load as load
    from palmette.tools.reranking.reranker import Reranker as Reranker
    from palmette.tools.sequence.hmm import HMM as HMM
    from palmette.tools.sequence.memm import MEMM as MEMM
    from palmette.tools.sequence.span_tagger import Span as Span
    from palmette.tools.sequence.span_tagger import SpanTagger as SpanTagger
    from palmette.tools.sequence.tag_inducer import TagInducer as TagInducer
    from palmette.tools.sequence.tagger import Tagger as Tagger
    from palmette.tools.text.tokenizer import Tokenizer as Tokenizer
    from palmette.trees.dependency_tree import DependencyTree as DependencyTree
    from palmette.trees.tree import Leaf as Leaf
    from palmette.trees.tree import Tree as Tree

    __version__: str

_WHERE = {
    "palmette.trees.dependency_tree": ["DependencyTree"],
    "palmette.drawing.trees": ["draw", "draw_svg"],
    "palmette.drawing.arcs": ["draw_arcs", "draw_arcs_svg"],
    "palmette.evaluation.brackets": ["evaluate_brackets"],
    "palmette.evaluation.dependencies": ["evaluate_trees"],
    "palmette.formats.brackets": ["read_brackets", "write_brackets"],
    "palmette.formats.columns": ["read_columns", "write_columns"],
    "palmette.formats.conllu": ["read_conllu", "write_conllu"],
    "palmette.formats.corpus": ["Corpus"],
    "palmette.formats.discbracket": ["read_discbrackets", "write_discbrackets"],
    "palmette.errors": ["FormatError"],
    "palmette.formats.export": ["read_export", "write_export"],
    "palmette.formats.model": ["ModelFile"],
    "palmette.formats.nbest": ["NBestFile", "read_nbest", "write_nbest"],
    "palmette.grammars.grammar": ["Grammar"],
    "palmette.inference.deduction": ["Deduction"],
    "palmette.inference.facts": ["Columns", "Item"],
    "palmette.inference.forest": ["Forest", "Proof"],
    "palmette.inference.hypergraph": ["CycleError", "Derivation", "Hypergraph", "Marginals"],
    "palmette.inference.lcfrs": ["LCFRS"],
    "palmette.inference.search": ["AStar", "Beam", "BestFirst", "Exhaustive"],
    "palmette.inference.semiring": [
        "BOOLEAN",
        "COUNTING",
        "EXPECTATION",
        "LOG",
        "MAX",
        "REAL",
        "KBest",
        "Semiring",
    ],
    "palmette.features.sequence_templates": ["SequenceTemplates"],
    "palmette.features.tree_templates": ["TreeTemplates"],
    "palmette.formats.candidates": ["Candidates"],
    "palmette.tools.reranking.reranker": ["Reranker"],
    "palmette.features.kernels.composition": ["with_log_probability"],
    "palmette.features.kernels.functions": ["FunctionKernel"],
    "palmette.features.kernels.kernel": ["Kernel"],
    "palmette.features.kernels.positive": ["check_positive"],
    "palmette.features.kernels.strings": ["MismatchKernel", "SpectrumKernel", "SubsequenceKernel"],
    "palmette.features.kernels.tagged_sequences": ["TaggedSequenceKernel"],
    "palmette.features.kernels.trees": ["TreeKernel"],
    "palmette.features.kernels.vectors": ["GaussianKernel", "LinearKernel", "PolynomialKernel"],
    "palmette.features.templates": ["Templates"],
    "palmette.learning.em": ["EM", "VB"],
    "palmette.learning.exponentiated": ["ExponentiatedGradient"],
    "palmette.tools.sequence.hmm": ["HMM"],
    "palmette.learning.latent": ["LatentCRF"],
    "palmette.learning.loglinear": ["CRF"],
    "palmette.tools.sequence.memm": ["MEMM"],
    "palmette.learning.mira": ["MIRA", "PassiveAggressive"],
    "palmette.learning.perceptron": ["Perceptron"],
    "palmette.learning.risk": ["MinimumRisk"],
    "palmette.learning.svm": ["StructuredSVM"],
    "palmette.structures.arborescence": ["ProjectiveTrees", "SpanningTrees"],
    "palmette.structures.chain": ["Chain"],
    "palmette.structures.chart": ["Chart"],
    "palmette.structures.choice": ["Choice"],
    "palmette.structures.transitions": ["TransitionSystem"],
    "palmette.tools.constituency.model": ["Constraints"],
    "palmette.tools.constituency.parser": ["ConstituencyParser"],
    "palmette.tools.dependency.parser": ["DependencyParser"],
    "palmette.tools.lm.model": ["LanguageModel"],
    "palmette.tools.loading": ["load"],
    "palmette.tools.sequence.span_tagger": ["Span", "SpanTagger"],
    "palmette.tools.sequence.tag_inducer": ["TagInducer"],
    "palmette.tools.sequence.tagger": ["Tagger"],
    "palmette.tools.text.tokenizer": ["Tokenizer"],
    "palmette.learning.arow": ["AROW"],
    "palmette.structures.chain_scores": ["ChainScores"],
    "palmette.evaluation.tagging": ["evaluate_tags"],
    "palmette.evaluation.spans": ["evaluate_spans"],
    "palmette.learning.path": ["regularisation_path"],
    "palmette.learning.learner": ["Report"],
    "palmette.features.vocabulary": ["Vocabulary"],
    "palmette.learning.kernel_perceptron": ["KernelPerceptron"],
    "palmette.learning.kernel_svm": ["KernelSVM"],
    "palmette.learning.neighbours": ["NearestNeighbours"],
    "palmette.tools.classification.classifier": ["Classifier"],
    "palmette.tools.classification.item_reader": ["ItemReader"],
    "palmette.evaluation.alignments": ["evaluate_alignments"],
    "palmette.formats.pharaoh": ["read_pharaoh"],
    "palmette.tools.alignment.aligner": ["Aligner"],
    "palmette.tools.alignment.text": ["ParallelText", "read_pairs"],
    "palmette.trees.tree": ["Leaf", "Tree"],
}
_MODULE_OF = {name: module for module, names in _WHERE.items() for name in names}

__all__ = sorted(_MODULE_OF)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("palmette")
    if name in _MODULE_OF:
        from importlib import import_module

        return getattr(import_module(_MODULE_OF[name]), name)
    raise AttributeError(f"module 'palmette' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
