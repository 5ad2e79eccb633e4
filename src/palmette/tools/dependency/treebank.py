"""Sentences and trees for a parser, whatever they come as, made into a corpus; and whether its trees are trees.

Sentences: a `Corpus`; the path of a CoNLL-U file; a list of `Sentence`s or `DependencyTree`s; a list of
sentences, each a list of words, of tuples (form, upos, xpos, feats, lemma, as many as there are) or of mappings
with the names of columns. Trees: a corpus brings them; beside lists they are lists too, of pairs (head,
relation).

A tree has for every word one head, from which one comes to the root, and exactly one word has the root as its
head. Checking costs O(words · log of the longest sentence), in NumPy.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette.dependency_tree import DependencyTree
from palmette.formats.column import Column
from palmette.formats.conllu import read_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.errors import FormatError
from palmette.formats.sentence import Sentence

Trees: TypeAlias = Sequence[Sequence[tuple[int, str]] | DependencyTree]

TUPLE = ("form", "upos", "xpos", "feats", "lemma")  # what the members of a tuple are
RELATION = "deprel"
NO_RELATION = "_"
ANY_RELATION = "dep"  # of words in treebanks without relations


def as_sentences(X: Any, y: Trees | None = None, *, lenient: bool = False) -> Corpus:
    """The sentences as a corpus, with the trees y if there are any. lenient: a file's bad sentences stay out."""
    if isinstance(X, (str, os.PathLike)):
        X = read_conllu(X, lenient=lenient)
    corpus = X if isinstance(X, Corpus) else _of_list(X)
    return corpus if y is None else _with_trees(corpus, y)


def check_trees(
    corpus: Corpus, *, skip_bad: bool = False, several_roots: bool = False, path: str | None = None
) -> Corpus:
    """The corpus if all its trees are trees, and have relations; else FormatError with the line.

    skip_bad: such sentences are left out, and counted in `n_skipped`. Empty sentences stay out in any case. A
    treebank without a single relation gets the relation "dep" everywhere. path: what messages call the file.
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


def require_heads(corpus: Corpus, *, path: str | None = None) -> Corpus:
    """The corpus if every word has a head, so that it can be compared with; else ValueError with the line."""
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
    return corpus


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
    """The line of the file on which a word (from 1) stands; None if the corpus was not read from a file."""
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
    found = corpus.columns.get(RELATION)
    if found is None or {found.strings[k] for k in np.unique(found.ids).tolist()} <= {NO_RELATION}:
        return corpus.with_column(RELATION, Column(np.zeros(corpus.n_words, np.int32), [ANY_RELATION]))
    return corpus


def _of_list(X: Any) -> Corpus:
    if isinstance(X, (bytes, Mapping)) or not isinstance(X, Sequence):
        raise TypeError(f"Sentences must be a corpus, a path or a list. Got {type(X).__name__}.")
    for sentence in X:
        if isinstance(sentence, str):
            raise TypeError(f"A sentence must be a list of tokens. Got the string {sentence!r} instead.")
    if X and all(isinstance(sentence, Sentence) for sentence in X):
        return _of_sentences(X)
    if X and all(isinstance(sentence, DependencyTree) for sentence in X):
        return _of_trees(X)
    token = next((token for sentence in X for token in sentence), "")
    names = list(_fields(token, token))
    rows = [[_fields(other, token) for other in sentence] for sentence in X]
    for i, sentence in enumerate(rows):
        for row in sentence:
            if list(row) != names:
                raise ValueError(f"Sentence {i + 1} has tokens with {list(row)}, the first has {names}.")
    columns = {name: [[str(row[name]) for row in sentence] for sentence in rows] for name in names}
    heads = columns.pop("head", None)
    if heads is None:
        return Corpus.from_columns(columns)
    try:
        numbers = [[int(head) for head in sentence] for sentence in heads]
    except ValueError as error:
        raise ValueError(f"The head of a word must be a number: {error}.") from None
    return Corpus.from_columns(columns, heads=numbers)


def _fields(token: Any, first: Any) -> Mapping[str, Any]:
    """A token by the names of its columns; it must be of the kind of the first one."""
    if isinstance(token, str) and isinstance(first, str):
        return {"form": token}
    if isinstance(token, Mapping) and isinstance(first, Mapping) and "form" in token:
        return token
    if isinstance(token, tuple) and isinstance(first, tuple) and 0 < len(token) <= len(TUPLE):
        return dict(zip(TUPLE, token))
    raise TypeError(
        f"A token must be a word, a tuple ({', '.join(TUPLE)}) or a mapping with a form, and all tokens alike. "
        f"Got {token!r}."
    )


def _of_sentences(sentences: Sequence[Sentence]) -> Corpus:
    first = sentences[0].corpus
    if all(sentence.corpus is first for sentence in sentences):
        return first.select([sentence.index for sentence in sentences])
    names = [name for name in first.names if all(name in sentence.corpus.names for sentence in sentences)]
    heads = None
    if all(sentence.corpus.heads is not None for sentence in sentences):
        heads = [sentence.heads.tolist() for sentence in sentences]
    return Corpus.from_columns({name: [s[name] for s in sentences] for name in names}, heads=heads)


def _of_trees(trees: Sequence[DependencyTree]) -> Corpus:
    for i, tree in enumerate(trees):
        if tree.forms is None:
            raise ValueError(f"Tree {i + 1} has no words: a parser needs the forms of its trees.")
    columns: dict[str, list[Sequence[str]]] = {
        "form": [tree.forms or () for tree in trees],
        "upos": [tree.tags or ["_"] * len(tree) for tree in trees],
        RELATION: [tree.labels or [NO_RELATION] * len(tree) for tree in trees],
    }
    return Corpus.from_columns(columns, heads=[tree.heads for tree in trees])


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
