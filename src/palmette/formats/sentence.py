"""A sentence of a corpus: a view, which holds nothing but its place."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from palmette.formats.corpus import Corpus


class Sentence:
    """Sentence `index` of a corpus; its words are the rows `start` to `stop` of every column.

    `len` counts the basic words; `sentence["form"]` lists a column; iterating gives named tuples.

    >>> from palmette.formats.corpus import Corpus
    >>> corpus = Corpus.from_columns({"form": [["Time", "flies"]], "upos": [["NOUN", "VERB"]]})
    >>> corpus[0]["upos"]
    ['NOUN', 'VERB']
    >>> [word.form for word in corpus[0]]
    ['Time', 'flies']
    """

    __slots__ = ("corpus", "index", "start", "stop")

    def __init__(self, corpus: Corpus, index: int) -> None:
        self.corpus = corpus
        self.index = index
        self.start = int(corpus.offsets[index])
        self.stop = int(corpus.offsets[index + 1])

    def __len__(self) -> int:
        return self.stop - self.start

    def __getitem__(self, column: str | int) -> list[str]:
        """The strings of a column, named, or counted from 0 (from -1 backwards)."""
        found = self.corpus.column(column)
        return list(map(found.strings.__getitem__, found.ids[self.start : self.stop].tolist()))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.words())

    def __repr__(self) -> str:
        return f"<Sentence {self.index}: {' '.join(self[0])}>"

    def svg(self) -> str:
        """Return the dependency tree as an SVG image, or without heads the words with all their labels."""
        from palmette.drawing.arcs import draw_arcs_svg
        from palmette.drawing.labels import draw_labels_svg

        if self.corpus.heads is not None and len(self) and (self.heads >= 0).all():
            from palmette.trees.dependency_tree import DependencyTree

            return draw_arcs_svg(DependencyTree.of(self))
        first, *others = self.corpus.names
        layers = {name: self[name] for name in others if set(self[name]) - {"_"}}
        return draw_labels_svg(self[first], layers)

    def _repr_svg_(self) -> str | None:
        from palmette.drawing.canvas import drawn_or_nothing

        return drawn_or_nothing(self.svg)

    def ids(self, column: str | int) -> NDArray[np.int32]:
        """The ids of a column: a slice of the corpus's array, not a copy."""
        return self.corpus.column(column).ids[self.start : self.stop]

    @property
    def heads(self) -> NDArray[np.int32]:
        """The head of each word: 0 the root, j the word with id j (they count from 1), -1 not annotated."""
        if self.corpus.heads is None:
            raise ValueError("This corpus has no heads: it was not read from CoNLL-U.")
        return self.corpus.heads[self.start : self.stop]

    def words(self) -> list[Any]:
        """The basic words as named tuples of the columns; with `id` and `head` where the corpus has heads."""
        names = self.corpus.names
        columns: list[Iterable[Any]] = [
            map(column.strings.__getitem__, column.ids[self.start : self.stop].tolist())
            for column in self.corpus.columns.values()
        ]
        if self.corpus.heads is not None:
            names = ("id", *names, "head")
            columns = [range(1, len(self) + 1), *columns, self.heads.tolist()]
        return list(map(_word_type(names)._make, zip(*columns)))

    @property
    def comments(self) -> list[str]:
        """The comment lines above the sentence, each with its `#`."""
        return self.corpus.comments.of(self.index)

    @property
    def metadata(self) -> dict[str, str]:
        """The comments of the form `# key = value`."""
        pairs = (comment[1:].partition("=") for comment in self.comments)
        return {key.strip(): value.strip() for key, equals, value in pairs if equals}

    @property
    def extras(self) -> list[tuple[int, list[str]]]:
        """The lines that are not basic words (CoNLL-U ranges and empty nodes).

        Each with the number of words before it and its ten columns.
        """
        first, last = self.corpus.extras.offsets[self.index : self.index + 2]
        after = self.corpus.extra_after[first:last].tolist()
        return [(place, line.split("\t")) for place, line in zip(after, self.corpus.extras.of(self.index))]

    @property
    def ranges(self) -> list[tuple[int, int, str]]:
        """The multiword tokens: id of the first word, of the last, form; such as (3, 4, "don't")."""
        found = [(fields[0].split("-"), fields[1]) for _, fields in self.extras if "-" in fields[0]]
        return [(int(first), int(last), form) for (first, last), form in found]


@lru_cache(maxsize=64)
def _word_type(names: tuple[str, ...]) -> Any:
    return namedtuple("Word", names, rename=True)
