"""Sentences that are given as lists, made into a corpus.

A list of `Sentence`s or of `DependencyTree`s; or of sentences, each a list of words, of tuples of strings, or of
mappings with the names of columns. All tokens must be of one kind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from palmette.formats.corpus import Corpus
from palmette.formats.given import listed_rows
from palmette.formats.sentence import Sentence
from palmette.trees.dependency_tree import DependencyTree

CONLLU_TUPLE = ("form", "upos", "xpos", "feats", "lemma")  # the members of a tuple, as many as there are
RELATION = "deprel"
NOTHING = "_"


def as_corpus(sentences: Any, names_of: Callable[[int], Sequence[str]]) -> Corpus:
    """Return the sentences as a corpus; a corpus stays as it is.

    names_of: the names of the members of a tuple of a given length.

    >>> as_corpus([["Go"], ["Stop", "!"]], column_names)[1]["form"]
    ['Stop', '!']
    """
    if isinstance(sentences, Corpus):
        return sentences
    rows = listed_rows(sentences, "Sentences")
    for row in rows:
        if isinstance(row, str):
            raise TypeError(f"A sentence must be a list of tokens. Got the string {row!r:.60} instead.")
    return of_views(rows) or _of_tokens(rows, names_of)


def of_views(rows: Sequence[Any]) -> Corpus | None:
    """Return the corpus of a list of `Sentence`s or of `DependencyTree`s; None for a list of anything else."""
    if rows and all(isinstance(row, Sentence) for row in rows):
        return _of_sentences(rows)
    if rows and all(isinstance(row, DependencyTree) for row in rows):
        return _of_trees(rows)
    return None


def column_names(n: int) -> Sequence[str]:
    """Return the names of n columns of a column file: form, column2, column3 and so on."""
    return ["form", *(f"column{k}" for k in range(2, n + 1))]


def conllu_names(n: int) -> Sequence[str]:
    """Return the names of the first n of form, upos, xpos, feats, lemma; nothing if fewer are known."""
    return CONLLU_TUPLE[:n] if n <= len(CONLLU_TUPLE) else ()


def _of_tokens(rows: Sequence[Any], names_of: Callable[[int], Sequence[str]]) -> Corpus:
    first = next((token for row in rows for token in row), "")
    names = list(_fields(first, first, names_of))
    fields = [[_fields(token, first, names_of) for token in row] for row in rows]
    for i, row in enumerate(fields):
        for token in row:
            if list(token) != names:
                raise ValueError(f"Sentence {i + 1} has tokens with {list(token)}, the first has {names}.")
    columns = {name: [[str(token[name]) for token in row] for row in fields] for name in names}
    heads = columns.pop("head", None)
    if heads is None:
        return Corpus.from_columns(columns)
    try:
        numbers = [[int(head) for head in row] for row in heads]
    except ValueError as error:
        raise ValueError(f"The head of a word must be a number: {error}.") from None
    return Corpus.from_columns(columns, heads=numbers)


def _fields(token: Any, first: Any, names_of: Callable[[int], Sequence[str]]) -> Mapping[str, Any]:
    """A token by the names of its columns; it must be of the kind of the first one."""
    if isinstance(token, str) and isinstance(first, str):
        return {"form": token}
    if isinstance(token, Mapping) and isinstance(first, Mapping) and "form" in token:
        return token
    if isinstance(token, tuple) and isinstance(first, tuple):
        names = names_of(len(token))
        if token and len(names) == len(token):
            return dict(zip(names, token))
    raise TypeError(
        f"A token must be a word, a tuple ({', '.join(names_of(5))}) or a mapping with a form, and all tokens "
        f"alike. Got {token!r:.60}."
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
            raise ValueError(f"Tree {i + 1} has no words: the forms of its words are needed.")
    columns: dict[str, list[Sequence[str]]] = {
        "form": [tree.forms or () for tree in trees],
        "upos": [tree.tags or [NOTHING] * len(tree) for tree in trees],
        RELATION: [tree.labels or [NOTHING] * len(tree) for tree in trees],
    }
    return Corpus.from_columns(columns, heads=[tree.heads for tree in trees])
