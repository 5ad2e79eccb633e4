"""Φ: what the parts of an input look like. Templates over columns, mappings, arrays; all become `Instances`."""

from palmette.features.feature_map import FeatureMap
from palmette.features.instances import Instances
from palmette.features.templates import Templates
from palmette.features.vocabulary import Vocabulary

__all__ = ["FeatureMap", "Instances", "Templates", "Vocabulary"]
