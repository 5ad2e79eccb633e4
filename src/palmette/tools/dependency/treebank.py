"""Sentences and trees for a parser, whatever they come as, made into a corpus; and whether its trees are trees.

Sentences: a `Corpus`; the path of a CoNLL-U file; a list or another iterable of `Sentence`s, of `DependencyTree`s,
or of sentences, each a list of words, of tuples (form, upos, xpos, feats, lemma, as many as there are) or of
mappings with the names of columns. Trees: a corpus brings them; beside lists they are lists too, of pairs (head,
relation).

A tree has for every word one head, from which one comes to the root, and exactly one word has the root as its
head. Checking costs O(words · log of the longest sentence), in NumPy.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError
from palmette.formats.column import Column
from palmette.formats.conllu import read_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.given import existing, is_path, listed_rows
from palmette.formats.listed_corpus import NOTHING, RELATION, as_corpus, conllu_names
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


@dataclass(frozen=True)
class Fault:
    """What is wrong in a sentence (from 0), at which word (from 1)."""

    sentence: int
    word: int
    message: str

    def error(self, corpus: Corpus, path: str | None = None) -> ValueError:
        """The exception, with the line if the corpus is of a file."""
        if corpus.lines is None:
            return ValueError(f"Sentence {self.sentence + 1}, word {self.word}: {self.message}.")
        return FormatError(self.message, path=path, line=line_of_word(corpus, self.sentence, self.word))


def faults(corpus: Corpus, *, several_roots: bool = False) -> Iterator[Fault]:
    """The first thing wrong in every sentence that has something wrong, in the order of sentences."""
    heads = corpus.heads
    assert heads is not None
    of = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
    missing, lost = heads < 0, ~reaches_root(heads, corpus.offsets)
    column = corpus.column(RELATION)
    unlabelled = np.isin(column.ids, [k for k, name in enumerate(column.strings) if name == NO_RELATION])
    roots = np.bincount(of[heads == 0], minlength=len(corpus))
    crowded = (heads == 0) & (roots[of] > 1) & (not several_roots)
    for i in np.unique(of[missing | lost | unlabelled | crowded]).tolist():
        words = slice(int(corpus.offsets[i]), int(corpus.offsets[i + 1]))
        yield _first_fault(i, heads[words], missing[words], lost[words], unlabelled[words], crowded[words])


def line_of_word(corpus: Corpus, sentence: int, word: int) -> int | None:
    """The line of the file of a word (from 1); None if the corpus was not read from a file."""
    if corpus.lines is None:
        return None
    comments = len(corpus.comments.of(sentence))
    first, last = corpus.extras.offsets[sentence : sentence + 2]
    extras = int((corpus.extra_after[first:last] < word).sum())
    return int(corpus.lines[sentence]) + comments + extras + word - 1


def reaches_root(heads: NDArray[np.int32], offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether one comes from each word to the root, by doubling the length of steps; unknown heads do."""
    lengths = np.diff(offsets)
    root = len(heads)  # one more place, which leads to itself
    up = np.where(heads > 0, np.repeat(offsets[:-1], lengths) + heads - 1, root)
    up = np.append(up, root)
    for _ in range(int(lengths.max(initial=1)).bit_length()):
        up = up[up]
    reached: NDArray[np.bool_] = up[:-1] == root
    return reached


def _first_fault(
    i: int,
    heads: NDArray[np.int32],
    missing: NDArray[np.bool_],
    lost: NDArray[np.bool_],
    unlabelled: NDArray[np.bool_],
    crowded: NDArray[np.bool_],
) -> Fault:
    if missing.any():
        return Fault(i, int(missing.argmax()) + 1, "a word without a head, and training needs whole trees")
    if lost.any():
        cycle = _cycle(heads, int(lost.argmax()) + 1)
        path = " → ".join(map(str, [*cycle, cycle[0]]))
        return Fault(i, cycle[0], f"the heads go round in a circle, {path}, and never reach the root")
    if crowded.any():
        first, second = (np.flatnonzero(crowded)[:2] + 1).tolist()
        return Fault(i, second, f"a second root, word {second} after word {first}; a tree has one")
    return Fault(i, int(unlabelled.argmax()) + 1, "a word with a head but no relation")


def _cycle(heads: NDArray[np.int32], word: int) -> list[int]:
    """The circle to which the heads lead from a word, from its smallest word on."""
    for _ in range(len(heads)):
        word = int(heads[word - 1])
    circle = [word]
    while int(heads[circle[-1] - 1]) != word:
        circle.append(int(heads[circle[-1] - 1]))
    k = circle.index(min(circle))
    return circle[k:] + circle[:k]


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
