"""Sentences of words by columns: what the readers of CoNLL-U and of column files give.

A corpus is a few flat arrays. Row r is a word; column c has the string `strings[ids[r]]` there; the words of
sentence i are the rows `offsets[i]` to `offsets[i + 1]`. So a learner that works on ids needs no Python
object per word, and a sentence is a slice.

Rows are the *basic words* only. Multiword ranges (`3-4`) and empty nodes (`8.1`) of CoNLL-U, which no tagger
or tree parser treats as words, are kept beside them as whole lines, in `extras`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import chain
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.formats.column import Column
from palmette.formats.sentence import Sentence
from palmette.formats.skipped import Skipped


@dataclass(frozen=True, slots=True, eq=False)
class SentenceLines:
    """Lines that belong to sentences: those of sentence i are `lines[offsets[i] : offsets[i + 1]]`."""

    offsets: NDArray[np.int64]
    lines: list[str]

    @classmethod
    def none(cls, n_sentences: int) -> SentenceLines:
        """No lines for any sentence."""
        return cls(np.zeros(n_sentences + 1, dtype=np.int64), [])

    def of(self, sentence: int) -> list[str]:
        """The lines of one sentence."""
        return self.lines[self.offsets[sentence] : self.offsets[sentence + 1]]


class Corpus:
    """Sentences of words by columns.

    `heads[r]` is 0 for the root, j for the word with id j of the same sentence (ids count from 1), and -1
    where there is no annotation; a corpus without trees has `heads` None. `lines` has the line of its file on
    which each sentence begins, comments included; it is None for a corpus that was not read from a file.
    `skipped` lists the first hundred sentences that a lenient reader left out, and `n_skipped` counts them all.

    >>> tags = [["NOUN", "VERB"], ["VERB"]]
    >>> corpus = Corpus.from_columns({"form": [["Time", "flies"], ["Go"]], "upos": tags})
    >>> len(corpus), corpus.n_words, corpus.offsets.tolist()
    (2, 3, [0, 2, 3])
    >>> corpus.column("upos").ids.tolist(), corpus.column("upos").strings
    ([0, 1, 1], ['NOUN', 'VERB'])
    """

    def __init__(
        self,
        columns: Mapping[str, Column],
        offsets: ArrayLike,
        *,
        heads: ArrayLike | None = None,
        comments: SentenceLines | None = None,
        extras: SentenceLines | None = None,
        extra_after: ArrayLike = (),
        lines: ArrayLike | None = None,
        skipped: Sequence[Skipped] = (),
        n_skipped: int = 0,
    ) -> None:
        self.offsets: NDArray[np.int64] = np.ascontiguousarray(offsets, dtype=np.int64)
        if not self.offsets.size or self.offsets[0] != 0 or (np.diff(self.offsets) < 0).any():
            raise ValueError("The offsets of a corpus must begin with 0 and never fall.")
        self.heads: NDArray[np.int32] | None = (
            None if heads is None else np.ascontiguousarray(heads, dtype=np.int32)
        )
        self.comments = comments or SentenceLines.none(len(self))
        self.extras = extras or SentenceLines.none(len(self))
        self.extra_after: NDArray[np.int32] = np.ascontiguousarray(extra_after, dtype=np.int32)
        self.lines: NDArray[np.int64] | None = None if lines is None else np.asarray(lines, dtype=np.int64)
        self.skipped = list(skipped)
        self.n_skipped = n_skipped
        self.columns: dict[str, Column] = dict(columns)
        _check(self)

    @classmethod
    def from_columns(
        cls,
        columns: Mapping[str, Iterable[Iterable[str]]],
        *,
        heads: Iterable[Iterable[int]] | None = None,
        comments: Iterable[Sequence[str]] | None = None,
    ) -> Corpus:
        """A corpus from lists: for each column a list of sentences, each a list of strings."""
        if not columns:
            raise ValueError("A corpus needs at least one column, for example {'form': sentences}.")
        listed = {name: _listed(name, sentences) for name, sentences in columns.items()}
        lengths = [len(sentence) for sentence in next(iter(listed.values()))]
        for name, sentences in listed.items():
            _check_lengths(name, sentences, lengths)
        flat_heads = None
        if heads is not None:
            listed_heads = [list(sentence) for sentence in heads]
            _check_lengths("head", listed_heads, lengths)
            flat_heads = list(chain.from_iterable(listed_heads))
        lines = None
        if comments is not None:
            listed_comments = _listed("comments", comments)
            lines = SentenceLines(
                _offsets([len(above) for above in listed_comments]), list(chain(*listed_comments))
            )
        return cls(
            {name: Column.of(chain.from_iterable(sentences)) for name, sentences in listed.items()},
            _offsets(lengths),
            heads=flat_heads,
            comments=lines,
        )

    @classmethod
    def from_sentences(cls, sentences: Iterable[Iterable[Sequence[str]]], names: Sequence[str]) -> Corpus:
        """A corpus from sentences of words, each word a tuple with one string for every name.

        >>> Corpus.from_sentences([[("Time", "NOUN"), ("flies", "VERB")]], ("form", "upos"))[0]["form"]
        ['Time', 'flies']
        """
        listed = [[tuple(word) for word in sentence] for sentence in sentences]
        for word in chain.from_iterable(listed):
            if len(word) != len(names):
                raise ValueError(f"The word {word!r} has {len(word)} values for {len(names)} names.")
        rows = [list(zip(*sentence)) or [()] * len(names) for sentence in listed]
        return cls.from_columns({name: [sentence[c] for sentence in rows] for c, name in enumerate(names)})

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names, in the order of the file."""
        return tuple(self.columns)

    @property
    def n_words(self) -> int:
        """How many basic words all sentences have."""
        return int(self.offsets[-1])

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Sentence]:
        return (Sentence(self, i) for i in range(len(self)))

    def __repr__(self) -> str:
        return f"<Corpus: {len(self)} sentences, {self.n_words} words, columns {', '.join(self.names)}>"

    @overload
    def __getitem__(self, index: int) -> Sentence: ...

    @overload
    def __getitem__(self, index: slice) -> Corpus: ...

    def __getitem__(self, index: int | slice) -> Sentence | Corpus:
        if isinstance(index, slice):
            return self.select(range(len(self))[index])
        try:
            return Sentence(self, range(len(self))[index])
        except IndexError:
            raise IndexError(f"Sentence {index} of a corpus of {len(self)} sentences.") from None

    def column(self, name: str | int) -> Column:
        """A column by its name, or by its place from 0 (from -1 backwards)."""
        if isinstance(name, str) and name in self.columns:
            return self.columns[name]
        if not isinstance(name, str) and -len(self.columns) <= name < len(self.columns):
            return self.columns[self.names[name]]
        hint = (
            " The heads are numbers: take `corpus.heads`."
            if name == "head" and self.heads is not None
            else ""
        )
        raise KeyError(f"No column {name!r}: this corpus has {', '.join(self.names)}.{hint}")

    def with_column(self, name: str, values: Column | Iterable[Iterable[str]]) -> Corpus:
        """The same corpus with one column, or sentences of strings, put in or in place of another."""
        if not isinstance(values, Column):
            listed = _listed(name, values)
            _check_lengths(name, listed, np.diff(self.offsets).tolist())
            values = Column.of(chain.from_iterable(listed))
        return self.with_columns({name: values})

    def with_columns(self, columns: Mapping[str, Column]) -> Corpus:
        """The same corpus with some columns put in or in place of others; only these are checked."""
        made = self._with({**self.columns, **columns}, self.heads)
        _check_columns(made, columns)
        return made

    def with_heads(self, heads: ArrayLike) -> Corpus:
        """The same corpus with other heads, one per word of all sentences in a row."""
        made = self._with(self.columns, np.ascontiguousarray(heads, dtype=np.int32))
        assert made.heads is not None
        _check_heads(made, made.heads)
        return made

    def only(self, columns: Mapping[str, str | int]) -> Corpus:
        """The words in some columns, by their new names, without trees, comments and other lines.

        >>> Corpus.from_columns({"form": [["Go"]], "upos": [["VERB"]]}).only({"tag": "upos"})
        <Corpus: 1 sentences, 1 words, columns tag>
        """
        chosen = {name: self.column(old) for name, old in columns.items()}
        if not chosen:
            raise ValueError("A corpus needs at least one column, and every column a name.")
        made = self._with(chosen, None)
        made.comments = made.extras = SentenceLines.none(len(self))
        made.extra_after, made.lines = np.zeros(0, dtype=np.int32), None
        made.skipped, made.n_skipped = [], 0
        return made

    def select(self, sentences: Iterable[int]) -> Corpus:
        """The corpus of these sentences, in this order. Arrays are copied, tables of strings are shared."""
        chosen = np.fromiter(sentences, dtype=np.int64)
        if chosen.size and (chosen.min() < 0 or chosen.max() >= len(self)):
            raise IndexError(f"Sentences must lie between 0 and {len(self) - 1}. Got {chosen.tolist()}.")
        offsets, rows = _gather(self.offsets, chosen)
        comment_offsets, comments = _gather(self.comments.offsets, chosen)
        extra_offsets, extras = _gather(self.extras.offsets, chosen)
        return Corpus(
            {name: Column(column.ids[rows], column.strings) for name, column in self.columns.items()},
            offsets,
            heads=None if self.heads is None else self.heads[rows],
            comments=SentenceLines(comment_offsets, [self.comments.lines[k] for k in comments.tolist()]),
            extras=SentenceLines(extra_offsets, [self.extras.lines[k] for k in extras.tolist()]),
            extra_after=self.extra_after[extras],
            lines=None if self.lines is None else self.lines[chosen],
        )

    def _with(self, columns: Mapping[str, Column], heads: NDArray[np.int32] | None) -> Corpus:
        """The same sentences with other columns and heads, which are not checked."""
        made = copy(self)
        made.columns, made.heads, made.skipped = dict(columns), heads, list(self.skipped)
        return made


def _gather(
    offsets: NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The offsets of the chosen sentences put together, and the old row of each new row."""
    starts, lengths = offsets[chosen], offsets[chosen + 1] - offsets[chosen]
    gathered = _offsets(lengths)
    return gathered, np.arange(gathered[-1]) + np.repeat(starts - gathered[:-1], lengths)


def _offsets(lengths: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def _listed(name: str, sentences: Iterable[Iterable[str]]) -> list[list[str]]:
    listed = []
    for sentence in sentences:
        if isinstance(sentence, str):
            raise TypeError(
                f"A sentence of {name!r} must be a list of strings. Got the string {sentence!r} instead."
            )
        listed.append(list(sentence))
    return listed


def _check_lengths(name: str, sentences: Sequence[Sequence[Any]], lengths: Sequence[int]) -> None:
    if len(sentences) != len(lengths):
        raise ValueError(f"Column {name!r} has {len(sentences)} sentences, the corpus has {len(lengths)}.")
    for i, (sentence, length) in enumerate(zip(sentences, lengths)):
        if len(sentence) != length:
            raise ValueError(
                f"Column {name!r} has {len(sentence)} values in sentence {i + 1}, which has {length} words."
            )


def _check(corpus: Corpus) -> None:
    """What every reader of a corpus may rely on. O(rows), all of it in NumPy."""
    n = len(corpus)
    _check_columns(corpus, corpus.names)
    for kind, lines in (("comments", corpus.comments), ("extras", corpus.extras)):
        if len(lines.offsets) != n + 1 or lines.offsets[0] != 0 or lines.offsets[-1] != len(lines.lines):
            raise ValueError(f"The {kind} must have {n + 1} offsets, from 0 to the number of lines.")
    if len(corpus.extra_after) != len(corpus.extras.lines):
        raise ValueError("Every extra line must have its place in `extra_after`.")
    if corpus.lines is not None and corpus.lines.shape != (n,):
        raise ValueError(f"A corpus of {n} sentences must have as many lines. Got {corpus.lines.size}.")
    if corpus.heads is not None:
        _check_heads(corpus, corpus.heads)


def _check_columns(corpus: Corpus, names: Iterable[str]) -> None:
    rows = corpus.n_words
    if not corpus.names or not all(corpus.names):
        raise ValueError("A corpus needs at least one column, and every column a name.")
    if corpus.heads is not None:
        _check_names(corpus)
    for name in names:
        ids, strings = corpus.column(name).ids, corpus.column(name).strings
        if ids.dtype != np.int32 or ids.shape != (rows,):
            raise ValueError(
                f"The ids of column {name!r} must be {rows} of type int32. Got {ids.shape} {ids.dtype}."
            )
        if rows and (ids.min() < 0 or ids.max() >= len(strings)):
            raise ValueError(f"The ids of column {name!r} must lie between 0 and {len(strings) - 1}.")


def _check_names(corpus: Corpus) -> None:
    for name in ("id", "head"):
        if name in corpus.names:
            raise ValueError(f"A corpus with heads cannot have a column named {name!r} beside them.")


def _check_heads(corpus: Corpus, heads: NDArray[np.int32]) -> None:
    _check_names(corpus)
    if heads.shape != (corpus.n_words,):
        raise ValueError(f"A corpus of {corpus.n_words} words must have as many heads. Got {heads.size}.")
    lengths = np.diff(corpus.offsets)
    wrong = np.flatnonzero((heads < -1) | (heads > np.repeat(lengths, lengths)))
    if wrong.size:
        row = int(wrong[0])
        i = int(np.searchsorted(corpus.offsets, row, side="right")) - 1
        raise ValueError(f"Head {heads[row]} in sentence {i + 1}, which has {lengths[i]} words.")
