"""The analyses that words may have: part of speech, tag of the language, features; and what they are made of.

A label of `FactoredProblem` is an analysis that occurs in the training data, so only such combinations are
predicted. Its parts are its part of speech, its XPOS, each attribute with its value, and each of these together
with the part of speech. Its class, which transitions see, is the part of speech with case and verb form:
agreement and government are mostly about these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.tools.morphology.features import NOTHING, attributes

_IN_CLASSES = ("Case", "VerbForm")
_MOST_CLASSES = 128


class Analysis(NamedTuple):
    """The analysis of a word; "_" for what it does not have."""

    upos: str
    xpos: str = NOTHING
    feats: str = NOTHING


@dataclass(frozen=True, eq=False)
class AnalysisTable:
    """Analyses, each a label, with their parts and classes as `FactoredProblem` takes them."""

    analyses: tuple[Analysis, ...]

    @classmethod
    def of(cls, analyses: Iterable[Analysis]) -> AnalysisTable:
        """The analyses that occur, the most frequent first."""
        counts = Counter(analyses)
        return cls(tuple(sorted(counts, key=lambda one: (-counts[one], one))))

    @cached_property
    def index(self) -> dict[Analysis, int]:
        """The number of each analysis."""
        return {analysis: k for k, analysis in enumerate(self.analyses)}

    @cached_property
    def values(self) -> dict[str, list[str]]:
        """The value of every label, by column."""
        return {name: [one[i] for one in self.analyses] for i, name in enumerate(Analysis._fields)}

    @cached_property
    def numbered(self) -> dict[str, tuple[list[str], NDArray[np.int64]]]:
        """The distinct values of a column, and the number of that of every label."""
        found = {}
        for name, values in self.values.items():
            place = {value: i for i, value in enumerate(dict.fromkeys(values))}
            found[name] = (list(place), np.array([place[value] for value in values], dtype=np.int64))
        return found

    @cached_property
    def having(self) -> dict[tuple[int, str], NDArray[np.int32]]:
        """The labels that have a value at a place of the analysis, in order."""
        found: dict[tuple[int, str], list[int]] = {}
        for k, one in enumerate(self.analyses):
            for pair in enumerate(one):
                found.setdefault(pair, []).append(k)
        return {pair: np.array(labels, dtype=np.int32) for pair, labels in found.items()}

    @cached_property
    def parts(self) -> tuple[str, ...]:
        """The names of all parts."""
        return tuple(dict.fromkeys(part for one in self.analyses for part in parts_of(one)))

    @cached_property
    def label_rows(self) -> NDArray[np.int64]:
        """Where the parts of each label begin in `label_parts`."""
        return np.cumsum([0, *(len(parts_of(one)) for one in self.analyses)]).astype(np.int64)

    @cached_property
    def label_parts(self) -> NDArray[np.int32]:
        """The parts of all labels in a row."""
        place = {part: k for k, part in enumerate(self.parts)}
        return np.array([place[part] for one in self.analyses for part in parts_of(one)], dtype=np.int32)

    @cached_property
    def class_names(self) -> tuple[str, ...]:
        """The names of the classes."""
        return tuple(dict.fromkeys(self._names))

    @cached_property
    def classes(self) -> NDArray[np.int32]:
        """The class of each label."""
        place = {name: k for k, name in enumerate(self.class_names)}
        return np.array([place[name] for name in self._names], dtype=np.int32)

    @cached_property
    def _names(self) -> list[str]:
        for used in (_IN_CLASSES, _IN_CLASSES[:1], ()):
            names = [class_of(one, used) for one in self.analyses]
            if len(set(names)) <= _MOST_CLASSES:
                return names
        return [""] * len(self.analyses)  # a part of speech for nearly every word: no transitions then

    def __len__(self) -> int:
        return len(self.analyses)


def parts_of(analysis: Analysis) -> list[str]:
    """The parts of an analysis.

    >>> parts_of(Analysis("NOUN", "NN", "Number=Sing"))
    ['UPOS=NOUN', 'XPOS=NN', 'Number=Sing', 'NOUN Number=Sing']
    """
    upos, xpos, feats = analysis
    found = [f"UPOS={upos}"]
    if xpos not in (NOTHING, upos):
        found.append(f"XPOS={xpos}")
    for name, value in attributes(feats).items():
        found += [f"{name}={value}", f"{upos} {name}={value}"]
    return list(dict.fromkeys(found))


def class_of(analysis: Analysis, used: Sequence[str] = _IN_CLASSES) -> str:
    """The name of the class of an analysis."""
    values = attributes(analysis.feats)
    return " ".join([analysis.upos, *(f"{name}={values[name]}" for name in used if name in values)])
