"""What a translator is given: sentences of one language, or of two, from files or from Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text
from palmette.formats.given import existing, is_path, listed_rows
from palmette.tools.alignment.text import ParallelText, Sentence, read_pairs, words_of
from palmette.tools.translation.raw.text import RawSide, RawText

Sentences: TypeAlias = Source | Iterable[Sentence]  # a file has a sentence on each line


class Pairs(NamedTuple):
    """Lines of both languages, as they were given."""

    source: Sequence[Sentence]
    target: Sequence[Sentence]


def sentence_rows(X: Any, noun: str = "Sentences") -> Sequence[Sentence]:
    """Return sentences as strings or lists of words: those of a file, or as they are."""
    if is_path(X):
        text = read_text(existing(X, "give sentences as a list: [sentence]"))
        return text.removesuffix("\n").split("\n") if text else []
    rows = listed_rows(X, noun)
    for number, row in enumerate(rows, 1):
        if not isinstance(row, str) and not (
            isinstance(row, Iterable) and all(isinstance(word, str) for word in row)
        ):
            raise TypeError(f"A sentence must be a string or a list of words. Got {row!r:.40} at {number}.")
    return rows


def pair_rows(X: Any, y: Any = None) -> Pairs:
    """Return the sentences of both languages: sources X and targets y; or X alone, with both in each row.

    X alone may be a file with a tab or ||| in each line, a `ParallelText`, or pairs.
    """
    if y is not None:
        sides = sentence_rows(X, "Source sentences"), sentence_rows(y, "Target sentences")
        if len(sides[0]) != len(sides[1]):
            named = [f" of {display_name(one)}" if is_path(one) else "" for one in (X, y)]
            raise ValueError(
                f"Both languages must have as many sentences. Got {len(sides[0]):,}{named[0]} and "
                f"{len(sides[1]):,}{named[1]}."
            )
        return Pairs(*sides)
    if is_path(X):
        X = read_pairs(existing(X, "give sentence pairs as a list: [(source, target)]"))
    if isinstance(X, ParallelText):
        return Pairs([X.source[s] for s in range(len(X))], [X.target[s] for s in range(len(X))])
    rows = listed_rows(X, "Sentence pairs")
    for number, row in enumerate(rows, 1):
        if isinstance(row, str) or not hasattr(row, "__len__") or len(row) != 2:
            raise TypeError(
                f"A sentence pair must be a source and a target sentence. Got {row!r:.40} at {number}."
            )
    return Pairs([a for a, _ in rows], [b for _, b in rows])


def parallel_text(X: Any, y: Any = None) -> ParallelText:
    """Return the words of tokenized sentences of both languages; X and y as in `pair_rows`."""
    if y is None:
        if isinstance(X, ParallelText):
            return X
        if is_path(X):
            return read_pairs(existing(X, "give sentence pairs as a list: [(source, target)]"))
    elif is_path(X) and is_path(y):
        return read_pairs(existing(X, "give sentences as a list"), existing(y, "give sentences as a list"))
    return text_of(pair_rows(X, y), None)


def words_in(rows: Sequence[Sentence], side: RawSide | None) -> list[list[str]]:
    """Return the words of sentences as a model knows them; side: how raw lines are cut, if they are raw."""
    return [
        side.words(row) if side is not None and isinstance(row, str) else list(words_of(row)) for row in rows
    ]


def text_of(pairs: Pairs, raw: RawText | None) -> ParallelText:
    """Return the words of both languages."""
    sides = (None, None) if raw is None else (raw.source, raw.target)
    return ParallelText.of(list(zip(words_in(pairs.source, sides[0]), words_in(pairs.target, sides[1]))))


def reference_rows(y: Any, more: Iterable[Any] = ()) -> list[Sequence[Sentence]]:
    """Return lists of references, each with one for every sentence.

    y: a reference for each sentence, or a file with one on each line. more: further such lists or files.
    """
    sets = [sentence_rows(one, "References") for one in (y, *more)]
    if len({len(one) for one in sets}) > 1:
        sizes = ", ".join(f"{len(one):,}" for one in sets)
        raise ValueError(f"Lists of references must be equally long. Got {sizes}.")
    return sets


def line_of(sentence: Sentence) -> str:
    """Return a sentence as a line."""
    return sentence if isinstance(sentence, str) else " ".join(sentence)


def check_same(n: int, m: int, what: str, path: Source | None = None) -> None:
    """Raise FormatError unless there are as many answers as sentences."""
    if n != m:
        raise FormatError(
            f"expected {n:,} {what}, one for each sentence; got {m:,}",
            path=None if path is None else display_name(path),
        )
