"""From a treebank to examples for the chain over characters.

Paragraphs and documents of the treebank are joined as its sentences are, so that sentence ends are learned without
line ends; only a few sentences end a paragraph, so that this has been seen. Where a paragraph ends is known: there
is nothing to learn at its last character, which is left out.

A word that was seen is always known in training, and not always later. So the text is cut into parts, and the
lexicon that a part sees has the tokens of the others only.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from palmette.features.feature_map import FeatureMap
from palmette.features.instances import Instances, gather
from palmette.features.templates import Templates
from palmette.tools.tokens.characters import characters, joined
from palmette.tools.tokens.cutting import SENTENCE, TOKEN
from palmette.tools.tokens.lexicon import Lexicon
from palmette.tools.tokens.treebank_text import TreebankText

_FOLDS = 8
_LEAST = 4  # sentences of a part
_ENOUGH, _COPIES = 200, 8  # fewer sentences come several times, each time in another order
_CHAIN = 200  # characters of a chain; the features see beyond its ends
_ENDING = 0.05  # of the sentences end a paragraph


@dataclass(frozen=True, eq=False)
class CharacterExamples:
    """Characters with their features and labels, in chains."""

    features: FeatureMap
    instances: Instances
    labels: NDArray[np.int32]


def lexicon_of(text: TreebankText, sentences: NDArray[np.int64] | None = None) -> Lexicon:
    """The lexicon of some sentences of a text, or of all."""
    tokens, offsets = text.tokens, text.offsets.tolist()
    chosen = range(len(offsets) - 1) if sentences is None else sentences.tolist()
    every = [token for i in chosen for token in tokens[offsets[i] : offsets[i + 1]]]
    inside = [token for i in chosen for token in tokens[offsets[i] + 1 : offsets[i + 1]]]
    return Lexicon.of(every, inside)


def character_examples(
    text: TreebankText, templates: Templates, min_count: int, random_state: int = 0
) -> CharacterExamples:
    """The examples of a text, whose paragraphs are joined."""
    n, rng = len(text.offsets) - 1, np.random.default_rng(random_state)
    bounds = np.unique(np.linspace(0, n, min(_FOLDS, max(n // _LEAST, 1)) + 1).astype(np.int64)).tolist()
    copies = min(-(-_ENOUGH // n), _COPIES)
    every = np.arange(n)
    corpora, labels, kept = [], [], []
    for first, last in pairwise(bounds):
        orders = [every[first:last], *(rng.permutation(every[first:last]) for _ in range(copies - 1))]
        part = text.rearranged(np.concatenate(orders))
        rest = np.concatenate([every[:first], every[last:]])
        found = characters(part.text, lexicon_of(text, rest), _ends_of_paragraphs(part, rng))
        corpora.append(found.corpus)
        labels.append(labels_of(part, found.places))
        keep = np.ones(len(found.places), dtype=bool)
        keep[found.lasts] = False
        kept.append(keep)
    corpus, keep = joined(corpora), np.concatenate(kept)
    features, instances = FeatureMap.fit(templates, corpus, min_count=min_count)
    return CharacterExamples(features, _chains(instances, keep), np.concatenate(labels)[keep])


def labels_of(text: TreebankText, places: NDArray[np.int64]) -> NDArray[np.int32]:
    """The labels of the characters at some places."""
    ending = np.zeros(len(text.text) + 1, dtype=np.int32)
    ending[text.ends - 1] = TOKEN
    filled = np.flatnonzero(np.diff(text.offsets))
    ending[text.ends[text.offsets[filled + 1] - 1] - 1] = SENTENCE
    return ending[places]


def _ends_of_paragraphs(text: TreebankText, rng: np.random.Generator) -> list[int]:
    """Where paragraphs end in training: behind some of the sentences."""
    chance = rng.random(len(text.offsets) - 1)
    chosen = np.flatnonzero((chance < _ENDING) & (np.diff(text.offsets) > 0))
    ends: list[int] = text.ends[text.offsets[chosen + 1] - 1].tolist()
    return ends


def _chains(instances: Instances, keep: NDArray[np.bool_]) -> Instances:
    """The characters that are kept, in chains of some length, which end anywhere."""
    chosen = np.flatnonzero(keep)
    rows, at = gather(instances.rows, chosen)
    offsets = np.append(np.arange(0, len(chosen), _CHAIN), len(chosen)).astype(np.int64)
    return Instances(offsets, rows, instances.attributes[at], n_attributes=instances.n_attributes)
