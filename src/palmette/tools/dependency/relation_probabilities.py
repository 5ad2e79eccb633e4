"""How probable the relations of trees are, given their heads.

Where relations are chosen after the heads, a log-linear model of its own chooses them:

    p(relation | word, head) = softmax over the relations that fit the head
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from palmette.formats.corpus import Corpus
from palmette.formats.listed_corpus import RELATION
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.dependency.tags import views_of


def relates_after(parser: DependencyParser) -> bool:
    """Whether a parser chooses relations after heads, so that they have probabilities."""
    nothing = Corpus.from_columns({name: [[]] for name in ("form", *parser.columns_)})
    none = np.zeros(0, dtype=np.int32)
    return parser.model_.tree_label_scores(views_of(nothing, parser.columns_), none) is not None


def relation_probabilities(parser: DependencyParser, corpus: Corpus) -> NDArray[np.float32] | None:
    """The probability of the relation of every word of a parsed corpus, given its head; 0 of one never seen.

    None where the parser chooses heads and relations together.
    """
    if corpus.heads is None or not corpus.n_words:
        return None
    views = views_of(parser.tag(corpus), parser.columns_)
    scores = parser.model_.tree_label_scores(views, corpus.heads)
    if scores is None:
        return None
    names = parser.relations_
    scores = scores[:, : len(names)].astype(np.float64)
    best = scores.max(axis=1, keepdims=True)
    likely = np.exp(scores - np.where(np.isfinite(best), best, 0))
    likely /= np.maximum(likely.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
    place = {name: k for k, name in enumerate(names)}
    chosen = corpus.column(RELATION).ids_in(place, len(names))
    padded = np.concatenate([likely, np.zeros((len(likely), 1))], axis=1)
    found: NDArray[np.float32] = padded[np.arange(len(padded)), chosen].astype(np.float32)
    return found
