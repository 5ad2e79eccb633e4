"""Φ: what the parts of an input look like. Templates over columns, mappings, arrays; all become `Instances`."""

from __future__ import annotations

TYPE_CHECKING = False  # as typing has it, which is not imported here
if TYPE_CHECKING:
    from palmette.features import kernels as kernels
    from palmette.features.feature_map import FeatureMap as FeatureMap
    from palmette.features.instances import Instances as Instances
    from palmette.features.mappings import MappingMap as MappingMap
    from palmette.features.matrices import MatrixMap as MatrixMap
    from palmette.features.saving import load_features as load_features
    from palmette.features.saving import save_features as save_features
    from palmette.features.sequence_templates import SequenceTemplates as SequenceTemplates
    from palmette.features.templates import Templates as Templates
    from palmette.features.tree_templates import TreeTemplates as TreeTemplates
    from palmette.features.vocabulary import Vocabulary as Vocabulary
else:
    from palmette.exports import offer

    __all__, __getattr__, __dir__ = offer(
        __name__,
        {
            "feature_map": "FeatureMap",
            "instances": "Instances",
            "mappings": "MappingMap",
            "matrices": "MatrixMap",
            "saving": "load_features save_features",
            "sequence_templates": "SequenceTemplates",
            "templates": "Templates",
            "tree_templates": "TreeTemplates",
            "vocabulary": "Vocabulary",
        },
        "kernels",
    )
