"""The words of trees as tokens: what a treebank has for a tagger.

form    the word as it is in the file
xpos    the label of the node that has only this word below it; `_` for a word right below a phrase
lemma, morph, edge
        the columns of an export file; `_` where there are none
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus, SentenceLines
from palmette.formats.export import NodeNote, SentenceNote
from palmette.trees.tree import Leaf, Tree

NAMES = ("form", "lemma", "xpos", "morph", "edge")
_NOTHING = "_"


def tagged_words(trees: Iterable[Tree]) -> Corpus:
    """The words of the trees under the columns form, lemma, xpos, morph and edge.

    The number of an export sentence becomes a comment.

    >>> corpus = tagged_words([Tree.parse("(S (NP (NN time)) (VP (VBZ flies)))")])
    >>> corpus[0]["form"], corpus[0]["xpos"]
    (['time', 'flies'], ['NN', 'VBZ'])
    """
    sentences: list[list[tuple[str, ...]]] = []
    comments: list[list[str]] = []
    for tree in trees:
        sentences.append(_rows(tree))
        comments.append(_comments(tree))
    rows = list(chain.from_iterable(sentences))
    return Corpus(
        {name: Column.of(row[place] for row in rows) for place, name in enumerate(NAMES)},
        _offsets(sentences),
        comments=SentenceLines(_offsets(comments), list(chain.from_iterable(comments))),
    )


def to_conllu(corpus: Corpus) -> Corpus:
    """Tagged words under the names of CoNLL-U, which has MISC for morph and edge."""
    columns = {name: corpus.column(name) for name in ("form", "lemma", "xpos")}
    columns["misc"] = Column.of(map(_misc, corpus.column("morph").values(), corpus.column("edge").values()))
    return Corpus(columns, corpus.offsets, comments=corpus.comments)


def _offsets(lists: Sequence[Sequence[object]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


def _rows(tree: Tree) -> list[tuple[str, ...]]:
    """A row for each word, in the order of the sentence."""
    found: list[tuple[int, tuple[str, ...]]] = []
    for node in tree.preorder():
        note = node.note if isinstance(node.note, NodeNote) else NodeNote()
        for child in node.children:
            if not isinstance(child, Leaf):
                continue
            if node.is_preterminal:
                row = (child.word, _field(note.lemma), node.label, _field(note.morph), _field(note.edge))
            else:
                row = (child.word, _NOTHING, _NOTHING, _NOTHING, _NOTHING)
            found.append((child.position, row))
    return [row for _, row in sorted(found)]


def _field(value: str) -> str:
    return _NOTHING if value == "--" else value


def _misc(morph: str, edge: str) -> str:
    """MISC separates its parts with `|`, so one inside a part is written `\\p`."""
    parts = [
        f"{name}={value.replace('|', chr(92) + 'p')}"
        for name, value in (("Morph", morph), ("Edge", edge))
        if value != _NOTHING
    ]
    return "|".join(parts) or _NOTHING


def _comments(tree: Tree) -> list[str]:
    if not isinstance(tree.note, SentenceNote) or not tree.note.bos:
        return []
    return [f"# sent_id = {tree.note.bos.split()[0]}"]
