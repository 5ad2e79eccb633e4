"""Inference rules: paths between nouns that mean the same."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.tools.inference_rules.inference_rules import InferenceRules as InferenceRules
    from palmette.tools.inference_rules.model import SimilarPath as SimilarPath
    from palmette.tools.inference_rules.options import RuleOptions as RuleOptions
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {"inference_rules": "InferenceRules", "model": "SimilarPath", "options": "RuleOptions"},
    )
