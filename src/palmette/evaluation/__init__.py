"""How good guesses are: metrics over a corpus, with the counts of every sentence for confidence intervals."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.evaluation.alignments import AlignmentScores as AlignmentScores
    from palmette.evaluation.alignments import evaluate_alignments as evaluate_alignments
    from palmette.evaluation.bracket_rules import BracketRules as BracketRules
    from palmette.evaluation.bracket_scores import BracketScores as BracketScores
    from palmette.evaluation.brackets import evaluate_brackets as evaluate_brackets
    from palmette.evaluation.calibration import expected_calibration_error as expected_calibration_error
    from palmette.evaluation.calibration import reliability as reliability
    from palmette.evaluation.clusters import ClusterScores as ClusterScores
    from palmette.evaluation.clusters import evaluate_clusters as evaluate_clusters
    from palmette.evaluation.dependencies import TreeScores as TreeScores
    from palmette.evaluation.dependencies import evaluate_dependencies as evaluate_dependencies
    from palmette.evaluation.linguistic import LinguisticOverlap as LinguisticOverlap
    from palmette.evaluation.linguistic import linguistic_overlap as linguistic_overlap
    from palmette.evaluation.linguistic import read_synonyms as read_synonyms
    from palmette.evaluation.raw_text import evaluate_raw_text as evaluate_raw_text
    from palmette.evaluation.raw_text_scores import RawTextScores as RawTextScores
    from palmette.evaluation.spans import SpanScores as SpanScores
    from palmette.evaluation.spans import evaluate_spans as evaluate_spans
    from palmette.evaluation.statistics import treebank_statistics as treebank_statistics
    from palmette.evaluation.tagging import TaggingScores as TaggingScores
    from palmette.evaluation.tagging import evaluate_tags as evaluate_tags
    from palmette.evaluation.translations import TranslationScores as TranslationScores
    from palmette.evaluation.translations import evaluate_translations as evaluate_translations
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "alignments": "AlignmentScores evaluate_alignments",
            "bracket_rules": "BracketRules",
            "bracket_scores": "BracketScores",
            "brackets": "evaluate_brackets",
            "calibration": "expected_calibration_error reliability",
            "clusters": "ClusterScores evaluate_clusters",
            "dependencies": "TreeScores evaluate_dependencies",
            "linguistic": "LinguisticOverlap linguistic_overlap read_synonyms",
            "raw_text": "evaluate_raw_text",
            "raw_text_scores": "RawTextScores",
            "spans": "SpanScores evaluate_spans",
            "statistics": "treebank_statistics",
            "tagging": "TaggingScores evaluate_tags",
            "translations": "TranslationScores evaluate_translations",
        },
    )
