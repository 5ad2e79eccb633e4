"""Trees some of whose heads are known: the parser finds the rest, and the relations."""

from __future__ import annotations

import numpy as np

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus
from palmette.formats.listed_corpus import RELATION
from palmette.tools.dependency.parser import DependencyParser
from palmette.tools.dependency.tags import views_of


def with_known_heads(parser: DependencyParser, corpus: Corpus) -> Corpus:
    """The corpus with all heads and relations.

    Where all heads of a sentence are known, they stay, whatever trees the parser can search: only relations are
    chosen. ValueError if no tree that it can search has the known heads of another sentence.
    """
    assert corpus.heads is not None
    lengths = np.diff(corpus.offsets)
    unknown = np.add.reduceat(corpus.heads < 0, corpus.offsets[:-1][lengths > 0])
    whole = np.zeros(len(corpus), dtype=bool)
    whole[lengths > 0] = unknown == 0
    fixed = np.repeat(whole, lengths)
    parsed = parser.parse(corpus, known=np.where(fixed, np.int32(-1), corpus.heads))
    if not fixed.any():
        return parsed
    assert parsed.heads is not None
    heads = np.where(fixed, corpus.heads, parsed.heads).astype(np.int32)
    scores = parser.model_.tree_label_scores(views_of(corpus, parser.columns_), heads)
    if scores is None:  # relations come with trees: those of the words whose head was found
        return parsed.with_heads(heads)
    chosen = parsed.column(RELATION).ids.copy()
    chosen[fixed] = scores[:, : len(parser.relations_)].argmax(axis=1)[fixed]
    return parsed.with_heads(heads).with_column(RELATION, Column(chosen, parser.relations_))
