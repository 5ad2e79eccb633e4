"""Glossaries: terms and how they must be translated, in a file `source TAB target`.

In a sentence the longest term that begins at a word is taken, from left to right. A term with a capital letter
matches words spelt exactly so; a term without matches them in any case, and loses to an exact one. A term with
several lines has alternatives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text
from palmette.tools.alignment.text import Sentence, words_of
from palmette.tools.translation.known import Fixed, Known, Words
from palmette.tools.translation.markup import Cut


class Glossary:
    """Terms with their translations.

    >>> glossary = Glossary([("Haus", "house"), ("altes Haus", "old house")])
    >>> glossary.known("ein altes Haus".split()).fixed
    (Fixed(begin=1, end=3, target=('old', 'house'), exclusive=True),)
    """

    def __init__(self, terms: Iterable[tuple[Sentence, Sentence]], *, exclusive: bool = True) -> None:
        self.exclusive = exclusive
        self._exact: dict[Words, list[Words]] = {}
        self._longest = 0
        for source, target in terms:
            term, translation = tuple(words_of(source)), tuple(words_of(target))
            if not term or not translation:
                raise ValueError(
                    f"A term and its translation must have words. Got {source!r:.40}, {target!r:.40}."
                )
            known = self._exact.setdefault(term, [])
            if translation not in known:
                known.append(translation)
            self._longest = max(self._longest, len(term))
        self._plain = {term: all(word == word.lower() for word in term) for term in self._exact}

    @classmethod
    def read(
        cls, path: Source, *, exclusive: bool = True, source: Cut = words_of, target: Cut = words_of
    ) -> Glossary:
        """Return the glossary of a file; FormatError, with the line, for what is not a term and its translation.

        source, target: how the two sides are cut into words. Empty lines and lines that begin with # are skipped.
        """
        lines = read_text(path).split("\n")
        return cls.read_lines(
            lines, exclusive=exclusive, source=source, target=target, path=display_name(path)
        )

    @classmethod
    def read_lines(
        cls,
        lines: Iterable[str],
        *,
        exclusive: bool = True,
        source: Cut = words_of,
        target: Cut = words_of,
        path: str | None = None,
    ) -> Glossary:
        """The same for the lines of a file; path: how it is called."""

        def terms() -> Iterator[tuple[Sequence[str], Sequence[str]]]:
            for number, line in enumerate(lines, 1):
                if not line.strip() or line.startswith("#"):
                    continue
                parts = line.rstrip("\r").split("\t")
                if len(parts) != 2 or not all(map(str.strip, parts)):
                    raise FormatError(
                        "expected a term, a tab and its translation, as in Haus TAB house",
                        path=path,
                        line=number,
                    )
                yield source(parts[0]), target(parts[1])

        return cls(terms(), exclusive=exclusive)

    def __len__(self) -> int:
        return len(self._exact)

    def known(self, words: Sequence[str]) -> Known:
        """Return the translations of the terms in a sentence."""
        fixed: list[Fixed] = []
        lower = [word.lower() for word in words]
        begin = 0
        while begin < len(words):
            for n in range(min(self._longest, len(words) - begin), 0, -1):
                found = self._exact.get(tuple(words[begin : begin + n]))
                if found is None:
                    folded = tuple(lower[begin : begin + n])
                    found = self._exact.get(folded) if self._plain.get(folded) else None
                if found is not None:
                    fixed += [Fixed(begin, begin + n, one, self.exclusive) for one in found]
                    begin += n - 1
                    break
            begin += 1
        return Known(fixed)


def read_phrases(path: Source, cut: Cut = words_of) -> list[Words]:
    """Return the target phrases of a file, one on each line: those that are forbidden."""
    return [tuple(words) for line in read_text(path).split("\n") if (words := cut(line))]
