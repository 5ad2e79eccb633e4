"""The kinds of models that classifiers have, by the family of their learners.

A new family is an entry here, its learners in `palmette.learning.registry`, and a module with its `ClassModel`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from palmette.tools.classification.model import ClassModel

FAMILIES: Mapping[str, str] = {
    "linear": "palmette.tools.classification.linear_model:LinearModel",
    "kernel": "palmette.tools.classification.kernel_model:KernelModel",
    "memory": "palmette.tools.classification.memory_model:MemoryModel",
    "occurrences": "palmette.tools.classification.counted_model:CountedModel",
    "splits": "palmette.tools.classification.tree_model:TreeModel",
}


def model_class(family: str) -> type[ClassModel]:
    """Return the kind of model of a family; KeyError if classifiers have none."""
    module, _, attribute = FAMILIES[family].partition(":")
    found: type[ClassModel] = getattr(import_module(module), attribute)
    return found
