"""Φ: what the parts of an input look like. Templates over columns, mappings, arrays; all become `Instances`."""

from palmette.features.feature_map import FeatureMap
from palmette.features.instances import Instances
from palmette.features.mappings import MappingMap
from palmette.features.matrices import MatrixMap
from palmette.features.saving import load_features, save_features
from palmette.features.templates import Templates
from palmette.features.vocabulary import Vocabulary

__all__ = [
    "FeatureMap",
    "Instances",
    "MappingMap",
    "MatrixMap",
    "Templates",
    "Vocabulary",
    "load_features",
    "save_features",
]
