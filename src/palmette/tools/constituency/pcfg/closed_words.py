"""Closed words: where no phrase of two or more words begins, or ends (Roark & Hollingshead 2008).

A CRF labels every word with whether a longer phrase begins there, and whether one ends there. It sees words, rare
ones by their class, and the likeliest tag of each. Words whose probability is below a limit are closed: a chart
then has no longer phrase that begins, or ends, with them (`native/structures/chart/closure.hpp`). Two in three
words can be closed as ends at a loss of one in a hundred right ends, and many wrong trees go with them.
O(words).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from palmette.features import FeatureMap, Templates
from palmette.features.unknown_words import unknown_class
from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.model import ModelFile
from palmette.learning.loglinear import CRF
from palmette.tools.constituency.lexicon import Lexicon
from palmette.tools.sequence.file import load_sequence_model, sequence_model_file
from palmette.tools.sequence.model import SequenceModel, SequenceStructure
from palmette.trees.tree import Tree

LEAST_TREES = 500  # of a treebank that teaches enough
_LABELS = ("none", "begin", "end", "both")  # bit 0: a longer phrase begins; bit 1: one ends
_BEGIN, _END = 1, 2  # the same bits of a closed word
_KNOWN = 2  # words that occur less often are seen as their class
_TEMPLATES = """
bias
xpos[-2..2]
xpos[-2]|xpos[-1]
xpos[-1]|xpos[0]
xpos[0]|xpos[1]
xpos[1]|xpos[2]
xpos[-2]|xpos[-1]|xpos[0]
xpos[-1]|xpos[0]|xpos[1]
xpos[0]|xpos[1]|xpos[2]
w[-1..1]
w[-1]|xpos[0]
xpos[-1]|w[0]
w[0]|xpos[1]
xpos[0]|w[1]
y
"""
_BEFORE = "closure."  # names in a model file


class SeenWords:
    """Words as the CRF sees them; what a word is seen as is found once."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self._seen: dict[tuple[str, bool], tuple[str, str]] = {}

    def corpus(
        self, sentences: Sequence[Sequence[str]], tags: Sequence[Sequence[str]] | None = None
    ) -> Corpus:
        """Sentences with a form and a tag for every word; tags of "" are not known."""
        seen = [[self._of(word, i) for i, word in enumerate(words)] for words in sentences]
        if tags is not None:
            seen = [
                [(form, tag or likely) for (form, likely), tag in zip(row, given, strict=True)]
                for row, given in zip(seen, tags, strict=True)
            ]
        flat = list(chain.from_iterable(seen))
        columns = {name: Column.of(each[k] for each in flat) for k, name in enumerate(("form", "xpos"))}
        return Corpus(columns, np.cumsum([0, *map(len, seen)]))

    def _of(self, word: str, position: int) -> tuple[str, str]:
        key = (word, position == 0)
        found = self._seen.get(key)
        if found is None:
            words = self.lexicon.words
            known = sum(words.get(word, {}).values()) >= _KNOWN
            form = word if known else unknown_class(word, position, words)
            found = self._seen[key] = (form, self.lexicon.likeliest_tag(word, position))
        return found


class Closure:
    """Says which words of a sentence are closed."""

    def __init__(self, lexicon: Lexicon, model: SequenceModel) -> None:
        self.words = SeenWords(lexicon)
        self.model = model

    @classmethod
    def of(cls, trees: Sequence[Tree], lexicon: Lexicon, *, seed: int = 0) -> Self:
        """Learned from trees; lexicon: of the same trees."""
        structure = SequenceStructure(_LABELS, order=1)
        corpus = SeenWords(lexicon).corpus([tree.words for tree in trees])
        labels = np.concatenate([boundaries(tree) for tree in trees])
        features, instances = FeatureMap.fit(Templates(_TEMPLATES), corpus, min_count=2)
        learned = CRF(l2=0.5, n_iter=8, random_state=seed).learn(structure.problem(instances, labels))
        return cls(lexicon, SequenceModel(structure, features, learned.weights))

    def probabilities(
        self, corpus: Corpus, n_jobs: int = 1
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """For every word how probable it is that a longer phrase begins there, and that one ends there."""
        p = self.model.probabilities(self.model.encode(corpus, n_jobs), n_jobs)
        return p[:, 1] + p[:, 3], p[:, 2] + p[:, 3]

    def closed(self, corpus: Corpus, least: float, n_jobs: int = 1) -> NDArray[np.uint8]:
        """For every word what is less probable than `least`.

        1: that a longer phrase begins there; 2: that one ends there; 3: both.
        """
        begins, ends = self.probabilities(corpus, n_jobs)
        return ((begins < least) * _BEGIN + (ends < least) * _END).astype(np.uint8)

    # Files

    def _file(self) -> ModelFile:
        return sequence_model_file(self.model, kind="tagger", options={}, arrays={}, names=False)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The numbers for a model file."""
        return {f"{_BEFORE}{name}": array for name, array in self._file().arrays.items()}

    def strings(self) -> dict[str, Sequence[str]]:
        """The tables of strings for a model file."""
        return {f"{_BEFORE}{name}": table for name, table in self._file().strings.items()}

    def settings(self) -> dict[str, Any]:
        """What else a model file keeps."""
        return dict(self._file().options)

    @classmethod
    def restore(
        cls,
        lexicon: Lexicon,
        arrays: Mapping[str, NDArray[Any]],
        strings: Mapping[str, Sequence[str]],
        settings: Mapping[str, Any],
    ) -> Self:
        """The closure of a file; ValueError if something is missing or does not fit."""
        numbers = {name.removeprefix(_BEFORE): a for name, a in arrays.items() if name.startswith(_BEFORE)}
        tables = {name.removeprefix(_BEFORE): t for name, t in strings.items() if name.startswith(_BEFORE)}
        model = load_sequence_model(ModelFile("tagger", dict(settings), numbers, tables))
        if model.structure.labels != _LABELS or model.structure.scheme is not None or model.structure.local:
            raise ValueError("what closes words in this model has other labels.")
        if not isinstance(model.features, FeatureMap):
            raise ValueError("what closes words in this model has no templates.")
        return cls(lexicon, model)


def boundaries(tree: Tree) -> NDArray[np.int32]:
    """For every word 1 if a phrase of two or more words begins there, plus 2 if one ends there.

    >>> boundaries(Tree.parse("(TOP (S (NP (DT the) (NN end)) (VP (VBZ nears))))")).tolist()
    [1, 2, 2]
    """
    found = np.zeros(len(tree.leaves), dtype=np.int32)
    for _, segments in tree.spans():
        start, end = segments[0]
        if end - start > 1:
            found[start] |= _BEGIN
            found[end - 1] |= _END
    return found
