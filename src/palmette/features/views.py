"""From a corpus and what templates look at to the arrays that extraction takes.

A view is the type of every token and the value of every type. A column that shares the strings of a larger corpus
is first cut down to the strings it uses, so that a view costs no more than its tokens.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from palmette._native import FeatureValues
from palmette.features.attributes import TypeAttributes, attributes_of, is_attribute, values_by
from palmette.features.resources import Resources, phrase_matches
from palmette.features.template import Source
from palmette.features.wapiti_patterns import pattern_values
from palmette.features.word_expressions import expression_values, is_expression
from palmette.formats.corpus import Corpus

View = tuple[NDArray[np.int32], FeatureValues]


def build_views(corpus: Corpus, sources: Sequence[Source], resources: Resources) -> list[View]:
    """One view per source; ValueError if a source is a column that the corpus does not have."""
    columns: dict[str, tuple[NDArray[np.int32], TypeAttributes]] = {}
    views = []
    for source in sources:
        name = column_name(corpus, source)
        if name not in columns:
            ids, strings = _compact(corpus, name)
            columns[name] = ids, attributes_of(strings)
        ids, types = columns[name]
        attribute = source.attribute
        if attribute is not None and attribute.startswith("gaz:"):
            views.append(_gazetteer(attribute[4:], ids, types.strings, corpus.offsets, resources))
        else:
            views.append((ids, _values(attribute, types, resources)))
    return views


def column_name(corpus: Corpus, source: Source) -> str:
    """Which column of a corpus a source looks at."""
    column, names = source.column, corpus.names
    if column is None:
        return "form" if "form" in names else names[0]
    if isinstance(column, int):
        if column < len(names):
            return names[column]
        columns = "1 column" if len(names) == 1 else f"{len(names)} columns"
        raise ValueError(
            f"A template looks at column {column}, counted from 0, and the corpus has {columns}: "
            f"{', '.join(names)}."
        )
    if column in names:
        return column
    if column[:1] == "c" and column[1:].isdecimal() and int(column[1:]) < len(names):
        return names[int(column[1:])]
    raise ValueError(
        f"A template looks at {column!r}, which is neither an attribute nor a column of the corpus: "
        f"its columns are {', '.join(names)}."
    )


def _compact(corpus: Corpus, name: str) -> tuple[NDArray[np.int32], list[str]]:
    column = corpus.column(name)
    if len(column.strings) <= 2 * len(column.ids):
        return column.ids, column.strings
    used, ids = np.unique(column.ids, return_inverse=True)
    return ids.astype(np.int32), [column.strings[i] for i in used.tolist()]


def _values(attribute: str | None, types: TypeAttributes, resources: Resources) -> FeatureValues:
    strings = types.strings
    if attribute is None:
        return FeatureValues.of(strings)
    if attribute in resources.functions:
        return values_by(resources.functions[attribute], attribute, strings)
    if is_expression(attribute):
        return expression_values(attribute, strings)
    if is_attribute(attribute):
        return types.values_of(attribute)
    if attribute.startswith("cluster:"):
        return resources.cluster_values(attribute[8:], strings)
    return pattern_values(attribute, strings)


def _gazetteer(
    name: str, ids: NDArray[np.int32], strings: list[str], offsets: NDArray[np.int64], resources: Resources
) -> View:
    entries = resources.gazetteers[name]
    if resources.has_phrases(name):
        return phrase_matches(entries, ids, strings, offsets), FeatureValues.of(["B", "I", None])
    return ids, FeatureValues.of(["1" if string in entries else None for string in strings])
