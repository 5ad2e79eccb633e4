"""Trees and sentences as people have them: trees, files, words, corpora."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

from palmette.errors import FormatError
from palmette.formats.corpus import Corpus
from palmette.formats.files import Source, display_name, read_bytes
from palmette.formats.functions import NO_FUNCTIONS, PENN, Functions, functions_of
from palmette.formats.given import existing, is_path, listed_rows
from palmette.formats.guess import guess_format
from palmette.formats.listed_corpus import of_views
from palmette.formats.registry import Format, format_of_name
from palmette.formats.treebank import Treebank, listed_trees
from palmette.tools.constituency.treebank import clean_trees
from palmette.trees.tree import Tree


class GoldTrees(NamedTuple):
    """Clean trees, the number of each among those given (from 1), and how many were left out.

    functions: how the labels that were given hold functions.
    """

    trees: list[Tree]
    numbers: list[int]
    skipped: int
    functions: Functions = PENN


class Words(NamedTuple):
    """Sentences, and the tags of their words where these are given ("" for none)."""

    sentences: list[list[str]]
    tags: list[list[str]] | None = None


def read_trees(source: Source, *, lenient: bool = False, format: Format | None = None) -> Treebank:
    """The trees of a file in whatever format of trees, told by its name or content."""
    return parse_trees(read_bytes(source), source, lenient=lenient, format=format)


def parse_trees(
    data: bytes, source: Source, *, lenient: bool = False, format: Format | None = None
) -> Treebank:
    """The trees of the bytes of a file; FormatError for a file without trees."""
    path = display_name(source)
    chosen = format or format_of_name(source) or guess_format(data)
    if chosen is None:
        if not data.strip():
            raise FormatError("there is no tree in it", path=path)
        raise FormatError("this does not look like trees: expected brackets such as (S (NP I))", path=path)
    if chosen.holds != "trees":
        raise FormatError(f"holds tokens ({chosen.name}), and a treebank was expected", path=path)
    found: Any = chosen.parse(data, lenient=lenient, path=path)
    bank: Treebank = found
    return bank


def gold_trees(
    X: Any,
    y: Any = None,
    *,
    functions: str | None = None,
    keep_functions: bool = False,
    lenient: bool = False,
    scoring: bool = False,
) -> GoldTrees:
    """Return the trees of a treebank, clean, without those that have no word.

    X are trees or a file, or y are the trees. functions: the pattern of functions in labels, detected if None;
    keep_functions: see `clean_trees`. lenient: leave out also what is damaged in a file. scoring: take out empty
    elements only, since a scorer must see every gold bracket with its label. ValueError or FormatError if there is
    no tree at all.
    """
    path = os.fspath(existing(X, "a sentence has a tree y")) if is_path(X) and y is None else None
    given = listed_trees(y if y is not None else X if path is None else read_trees(path, lenient=lenient))
    for number, tree in enumerate(given, 1):
        if not isinstance(tree, Tree):
            raise TypeError(f"A treebank is made of Tree; number {number} is {type(tree).__name__}.")
    if y is not None:
        _check_agreement(X, given)
    labels = NO_FUNCTIONS if scoring else functions_of(given, functions)
    cleaned = clean_trees(given, functions=labels, keep_functions=keep_functions, cycles=scoring)
    kept = [(tree, number) for number, tree in enumerate(cleaned, 1) if tree is not None]
    if not kept:
        raise FormatError("there is no tree with a word in it", path=path)
    skipped = len(cleaned) - len(kept) + getattr(given, "n_skipped", 0)
    return GoldTrees([tree for tree, _ in kept], [number for _, number in kept], skipped, labels)


def _check_agreement(X: Any, trees: Sequence[Tree]) -> None:
    sentences = words_of(X).sentences
    if len(sentences) != len(trees):
        raise ValueError(f"There are {len(sentences)} sentences X and {len(trees)} trees y.")
    for number, (words, tree) in enumerate(zip(sentences, trees), 1):
        clean = clean_trees([tree], functions=NO_FUNCTIONS)[0]
        if words != tree.words and (clean is None or words != clean.words):
            raise ValueError(f"The words of sentence {number} are not those of its tree.")


def words_of(X: Any, tags: Any = None) -> Words:
    """The sentences of X: lists of words or of pairs (word, tag), trees, a corpus, or the path of a file.

    Trees give their words alone. tags: the name of a corpus' column, or lists of tags; None or "" for no tag.
    """
    tags = tags if tags is None or isinstance(tags, str) else listed_rows(tags, "Tags")
    if is_path(X):
        X = _read(existing(X, "sentences are lists of words"))
    if isinstance(X, Tree):
        raise TypeError("Sentences are given as a list of lists of words. Got one Tree.")
    if not isinstance(X, Corpus):
        X = listed_rows(X, "Sentences")
        X = of_views(X) or X
    if isinstance(X, Corpus):
        return _words_of_corpus(X, tags)
    if X and all(isinstance(one, Tree) for one in X):
        sentences = [[] if tree is None else tree.words for tree in clean_trees(X, functions=NO_FUNCTIONS)]
        return Words(sentences, _checked_tags(tags, sentences))
    sentences, pairs = [], []
    for number, sentence in enumerate(X, 1):
        words, own = _words_and_tags(sentence, number)
        sentences.append(words)
        pairs.append(own)
    if tags is None and any(tag for own in pairs for tag in own):
        return Words(sentences, pairs)
    return Words(sentences, _checked_tags(tags, sentences))


def _read(source: Source) -> Any:
    format = format_of_name(source) or guess_format(read_bytes(source))
    if format is None:
        raise FormatError(
            "the format is not plain: trees or CoNLL-U were expected", path=display_name(source)
        )
    return format.read(source)


def _words_of_corpus(corpus: Corpus, tags: Any) -> Words:
    form = "form" if "form" in corpus.names else corpus.names[0]
    sentences = [list(sentence[form]) for sentence in corpus]
    if isinstance(tags, str):
        if tags not in corpus.names:
            raise ValueError(f"There is no column {tags!r} of tags: there are {', '.join(corpus.names)}.")
        found = [["" if tag == "_" else tag for tag in sentence[tags]] for sentence in corpus]
        return Words(sentences, found)
    return Words(sentences, _checked_tags(tags, sentences))


def _words_and_tags(sentence: Any, number: int) -> tuple[list[str], list[str]]:
    if isinstance(sentence, Tree):
        return sentence.words, [""] * len(sentence.words)
    if not isinstance(sentence, Sequence) or isinstance(sentence, (str, bytes)):
        raise TypeError(
            f"Sentence {number} must be a list of words, as text.split() gives it. "
            f"Got {type(sentence).__name__}."
        )
    if is_plain(sentence):
        return list(sentence), [""] * len(sentence)
    words, tags = [], []
    for place, token in enumerate(sentence, 1):
        pair = token if isinstance(token, tuple) and len(token) == 2 else (token, "")
        if not isinstance(pair[0], str) or not (pair[1] is None or isinstance(pair[1], str)):
            raise TypeError(
                f"Word {place} of sentence {number} must be a string, or a pair (word, tag). Got {token!r}."
            )
        if not pair[0] or any(c.isspace() for c in pair[0]):
            raise ValueError(
                f"Word {place} of sentence {number} is {pair[0]!r}: no word has white space in it."
            )
        words.append(pair[0])
        tags.append(pair[1] or "")
    return words, tags


def is_plain(sentence: Sequence[Any]) -> bool:
    """Whether these are words, none empty or with white space in it; quickly, for most sentences are."""
    try:
        return " ".join(sentence).split() == list(sentence)
    except TypeError:
        return False


def _checked_tags(tags: Any, sentences: list[list[str]]) -> list[list[str]] | None:
    if tags is None:
        return None
    if isinstance(tags, str):
        raise ValueError(f"There is no column {tags!r} of tags: these sentences are not a corpus.")
    if len(tags) != len(sentences):
        raise ValueError(f"There are {len(sentences)} sentences and tags for {len(tags)}.")
    for number, (words, given) in enumerate(zip(sentences, tags), 1):
        if len(words) != len(given):
            raise ValueError(f"Sentence {number} has {len(words)} words and {len(given)} tags.")
    return [[tag or "" for tag in given] for given in tags]
