"""Sentences and trees for a parser, whatever they come as, made into a corpus of trees.

Sentences: a `Corpus`; the path of a CoNLL-U file; a list or another iterable of `Sentence`s, of `DependencyTree`s,
or of sentences, each a list of words, of tuples (form, upos, xpos, feats, lemma, as many as there are) or of
mappings with the names of columns. Trees: a corpus brings them; beside lists they are lists too, of pairs (head,
relation). `palmette.formats.tree_faults` says what is wrong with them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError
from palmette.formats.column import Column
from palmette.formats.conllu import read_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.given import existing, is_path, listed_rows
from palmette.formats.listed_corpus import NOTHING, RELATION, as_corpus, conllu_names
from palmette.formats.tree_faults import Fault, faults
from palmette.trees.dependency_tree import DependencyTree

if TYPE_CHECKING:
    from palmette.tools.dependency.model import Parses

Trees: TypeAlias = Sequence[Sequence[tuple[int, str]] | DependencyTree]

NO_RELATION = NOTHING
ANY_RELATION = "dep"  # of words in treebanks without relations
UNLABELLED = (
    f"the treebank has no relations: only heads are learned, and words get the relation {ANY_RELATION}"
)


def as_sentences(X: Any, y: Trees | None = None, *, lenient: bool = False) -> Corpus:
    """The sentences as a corpus, with the trees y if there are any. lenient: a file's bad sentences stay out."""
    if is_path(X):
        X = read_conllu(existing(X, "sentences are lists of words"), lenient=lenient)
    corpus = as_corpus(X, conllu_names)
    return corpus if y is None else _with_trees(corpus, listed_rows(y, "Trees"))


def check_trees(
    corpus: Corpus, *, skip_bad: bool = False, several_roots: bool = False, path: str | None = None
) -> Corpus:
    """The corpus if all its trees are trees, and have relations; else FormatError with the line.

    skip_bad: such sentences are left out, and counted in `n_skipped`. Empty sentences stay out in any case. In a
    treebank without relations, or with that of the root only, all other words get the relation "dep". path: what
    messages call the file.
    """
    if corpus.heads is None or not corpus.n_words:
        raise ValueError("There are no trees to learn from: a treebank has heads, as CoNLL-U in column 7.")
    corpus = _with_relations(corpus)
    good = np.diff(corpus.offsets) > 0
    bad = 0
    for fault in faults(corpus, several_roots=several_roots):
        if not skip_bad:
            raise fault.error(corpus, path)
        good[fault.sentence] = False
        bad += 1
    if not good.any():
        raise ValueError(f"There are no trees to learn from: all {bad} sentences have something wrong.")
    if good.all():
        return corpus
    kept = corpus.select(np.flatnonzero(good).tolist())
    kept.n_skipped = corpus.n_skipped + bad
    return kept


def is_root(relation: str) -> bool:
    """Whether a relation is that of words below the root: `root` or a subtype of it, in upper or lower case."""
    return relation.partition(":")[0].lower() == "root"


def relations_of(corpus: Corpus) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """The relations that occur, the commonest first, and the number of each word's."""
    column = corpus.column(RELATION)
    counts = np.bincount(column.ids, minlength=len(column.strings))
    order = [k for k in np.argsort(-counts, kind="stable").tolist() if counts[k]]
    place = np.full(len(column.strings), -1, dtype=np.int32)
    place[order] = np.arange(len(order))
    return tuple(column.strings[k] for k in order), place[column.ids]


def require_heads(corpus: Corpus, *, path: str | None = None) -> Corpus:
    """The corpus if every word has a head, so that it can be compared with; else ValueError with the line.

    Relations that are missing become "dep" as in `check_trees`.
    """
    if corpus.heads is None or (corpus.heads < 0).all():
        message = "there are no trees to compare with: a treebank has heads, as CoNLL-U in column 7"
        if path is None:
            raise ValueError(f"T{message[1:]}.")
        raise FormatError(message, path=path)
    missing = corpus.heads < 0
    if missing.any():
        at = int(missing.argmax())
        i = int(np.searchsorted(corpus.offsets, at, side="right")) - 1
        fault = Fault(
            i, at - int(corpus.offsets[i]) + 1, "a word without a head, and nothing to compare with"
        )
        raise fault.error(corpus, path)
    return _with_relations(corpus)


def _with_relations(corpus: Corpus) -> Corpus:
    """The corpus with the relation "dep" where it has none, if it has none anywhere but at the root."""
    found = corpus.columns.get(RELATION)
    if found is None:
        return corpus.with_column(RELATION, Column(np.zeros(corpus.n_words, np.int32), [ANY_RELATION]))
    used = {found.strings[k] for k in np.unique(found.ids).tolist()}
    if NO_RELATION not in used or any(not is_root(name) for name in used - {NO_RELATION}):
        return corpus
    return corpus.with_column(
        RELATION,
        Column(found.ids, [ANY_RELATION if name == NO_RELATION else name for name in found.strings]),
    )


def _with_trees(corpus: Corpus, y: Trees) -> Corpus:
    if len(y) != len(corpus):
        raise ValueError(f"There are {len(corpus)} sentences and trees for {len(y)}.")
    for i, (tree, n) in enumerate(zip(y, np.diff(corpus.offsets).tolist())):
        if len(tree) != n:
            raise ValueError(f"Sentence {i + 1} has {n} words and a tree for {len(tree)}.")
    pairs = [_pair(i, pair) for i, tree in enumerate(y) for pair in _pairs(tree)]
    heads, relations = [head for head, _ in pairs], Column.of([relation for _, relation in pairs])
    return corpus.with_heads(heads).with_column(RELATION, relations)


def _pair(i: int, pair: Any) -> tuple[int, str]:
    """A head and a relation, if they are such."""
    if isinstance(pair, (tuple, list)) and len(pair) == 2:
        head, relation = pair
        if isinstance(head, (int, np.integer)) and not isinstance(head, bool) and isinstance(relation, str):
            return int(head), relation
    raise ValueError(f"Sentence {i + 1}: a tree has a pair (head, relation) for every word. Got {pair!r}.")


def _pairs(tree: Sequence[tuple[int, str]] | DependencyTree) -> Iterable[tuple[int, str]]:
    if not isinstance(tree, DependencyTree):
        return tree
    return zip(tree.heads, tree.labels or [NO_RELATION] * len(tree))


def gold_trees(X: Any, y: Trees | None) -> Corpus:
    """Return sentences that have trees."""
    path = os.fspath(X) if isinstance(X, (str, os.PathLike)) else None
    return require_heads(as_sentences(X, y), path=path)


def placed(corpus: Corpus, parses: Parses, labels: Sequence[str]) -> Corpus:
    """Return the sentences with the heads and relations of parses."""
    return corpus.with_heads(parses.heads).with_column(RELATION, Column(parses.labels, list(labels)))
