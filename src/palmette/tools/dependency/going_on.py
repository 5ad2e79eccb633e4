"""A parser whose training goes on: its columns and its options or its network stay, and its weights are where
training begins. Graph-based parsers and networks can do so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from palmette.errors import UsageError
from palmette.tools.dependency.model import METHODS, SCORERS, Int32, TreeModel

if TYPE_CHECKING:
    from palmette.tools.dependency.parser import DependencyParser


GRAPH = "graph"


class Start(NamedTuple):
    """The model that a training goes on from; settings: the options of its network, none if it has no network."""

    model: TreeModel
    columns: tuple[str, ...]
    settings: Mapping[str, Any]

    @property
    def labels(self) -> tuple[str, ...]:
        """The relations, which stay."""
        return tuple(self.model.labels)

    @property
    def options(self) -> dict[str, Any]:
        """The options of a graph-based model."""
        found: dict[str, Any] = getattr(self.model, "options").to_dict()  # noqa: B009
        return found

    def labels_of(self, labels: Int32, names: tuple[str, ...]) -> tuple[Int32, tuple[str, ...]]:
        """Relations of a treebank by their numbers, and the names of all: new ones come after those of the model.

        ValueError for a new one if the trees of the model depend on relations, as those of networks do.
        """
        known = {name: k for k, name in enumerate(self.labels)}
        new = [name for name in names if name not in known]
        if new and (self.settings or self.options["labels"] != "after"):
            raise ValueError(
                f"A warm start keeps the relations of the model, and {', '.join(map(repr, new[:5]))} "
                f"{'is' if len(new) == 1 else 'are'} not among them."
            )
        known |= {name: len(known) + k for k, name in enumerate(new)}
        return np.array([known[name] for name in names], dtype=np.int32)[labels], tuple(known)


def start_of(parser: DependencyParser) -> Start | None:
    """What a parser goes on from, None if it is not trained; UsageError or ValueError if it cannot go on."""
    if parser.scorer is None and parser.method != GRAPH:
        raise UsageError(
            "Graph-based parsers and those with a network can go on from a model; others train from the beginning."
        )
    model = getattr(parser, "model_", None)
    if model is None:
        return None
    if parser.scorer is not None and not isinstance(model, SCORERS["neural"].model_class):
        raise ValueError(
            "A warm start of a network goes on from a model with a network, and this one has none."
        )
    if parser.scorer is None and not isinstance(model, METHODS[GRAPH].model_class):
        raise ValueError(
            "A warm start of a graph-based parser goes on from a graph-based model without a network."
        )
    if parser.taggers:
        raise UsageError("Taggers do not go on from those of a model: leave out taggers=True (--with-tags).")
    if parser.columns is not None and set(parser.columns) != set(parser.columns_):
        raise ValueError(
            f"A warm start keeps the columns of the model: {', '.join(parser.columns_) or 'none'}. "
            f"Got {', '.join(parser.columns)}."
        )
    settings = {} if parser.scorer is None else parser.training_.get("settings") or {}
    return Start(model, parser.columns_, settings)


def check_options(old: Mapping[str, Any], asked: Mapping[str, Any]) -> dict[str, Any]:
    """The options of the model, which stay; ValueError if others are asked for."""
    for name, value in asked.items():
        if value != old.get(name, value):
            raise ValueError(
                f"A warm start keeps the options of the model: {name} is {old[name]!r}. Got {value!r}."
            )
    return {**asked, **old}
