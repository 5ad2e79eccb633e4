"""The tokens, words and sentences of CoNLL-U as spans of characters of the text, spaces left out.

Two analyses of one text have the same characters, however they divide it: so a token is found again by where it
begins and ends. Characters of Unicode category Zs are spaces. O(length of the file).
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError, numbered
from palmette.formats.corpus import Corpus
from palmette.formats.tree_faults import Fault, line_of_word

Ids = NDArray[np.int64]
_SHOWN = 20  # characters of the texts in a message


@dataclass(frozen=True, eq=False)
class TextSpans:
    """A corpus over its text: `tokens`, `words` and `sentences` have rows (begin, end) in `characters`.

    A word of a multiword token has the span of the whole token, and is `in_multiword`. `keys` are the forms in
    lower case by which such words are compared. `token_rows` has the first word of every token.
    """

    corpus: Corpus
    path: str
    characters: str
    tokens: Ids
    token_rows: Ids
    words: Ids
    in_multiword: NDArray[np.bool_]
    sentences: Ids
    keys: list[str]

    @classmethod
    def of(cls, corpus: Corpus, path: str) -> TextSpans:
        """The spans of a corpus that messages call `path`; FormatError for a form of nothing but spaces."""
        form = corpus.column("form")
        bare = [without_spaces(text) for text in form.strings]
        ranges = _ranges(corpus)
        inside = np.zeros(corpus.n_words, dtype=bool)
        begins = np.ones(corpus.n_words, dtype=bool)
        for row, (n, _) in ranges.items():
            inside[row : row + n] = True
            begins[row + 1 : row + n] = False
        ids = form.ids.tolist()
        rows = np.flatnonzero(begins)
        texts = [ranges[row][1] if row in ranges else bare[ids[row]] for row in rows.tolist()]
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        if not lengths.all():
            raise _empty(corpus, path, int(rows[int((lengths == 0).argmax())]))
        ends = np.cumsum(lengths)
        tokens = np.stack([ends - lengths, ends], axis=1).astype(np.int64)
        words = tokens[np.cumsum(begins) - 1]
        some = np.flatnonzero(np.diff(corpus.offsets))
        sentences = np.stack(
            [words[corpus.offsets[some], 0], words[corpus.offsets[some + 1] - 1, 1]], axis=1
        ).astype(np.int64)
        lower = [text.lower() for text in form.strings], [text.lower() for text in bare]
        keys = [lower[0][i] if multi else lower[1][i] for i, multi in zip(ids, inside.tolist())]
        return cls(corpus, path, "".join(texts), tokens, rows, words, inside, sentences, keys)

    def place(self, character: int) -> str:
        """Where a character is, for messages: file and line, or the sentence where there is no file."""
        token = min(int(np.searchsorted(self.tokens[:, 1], character, side="right")), len(self.tokens) - 1)
        row = int(self.token_rows[token])
        sentence = sentence_of(self.corpus, row)
        line = self._line(sentence, row)
        return f"{self.path}:{line}" if line is not None else f"{self.path}, {numbered(sentence)}"

    def _line(self, sentence: int, row: int) -> int | None:
        """The line of a token: for a multiword token that of its range, which is above its first word."""
        line = line_of_word(self.corpus, sentence, row - int(self.corpus.offsets[sentence]) + 1)
        return line if line is None or not self.in_multiword[row] else line - 1


def check_same_text(gold: TextSpans, guess: TextSpans) -> None:
    """Raise FormatError with the first place where the texts differ."""
    if gold.characters == guess.characters:
        return
    at = _first_difference(gold.characters, guess.characters)
    theirs, ours = (spans.characters[at : at + _SHOWN] for spans in (gold, guess))
    where, _, line = guess.place(at).rpartition(":")
    path, number = (where, int(line)) if line.isdigit() else (guess.place(at), None)
    there = gold.place(at)
    if not ours:
        message = f"the text ends here, but goes on with {theirs!r} at {there}"
    elif not theirs:
        message = f"the text goes on with {ours!r}, but ends at {there}"
    else:
        message = f"the text is {ours!r} here, but {theirs!r} at {there}"
    raise FormatError(f"{message}: both files must have the same text", path=path, line=number)


def sentence_of(corpus: Corpus, row: int) -> int:
    """The sentence, from 0, in which a word is."""
    return int(np.searchsorted(corpus.offsets, row, side="right")) - 1


def without_spaces(text: str) -> str:
    """The text without characters of category Zs.

    >>> without_spaces("3 000")
    '3000'
    """
    if text.isalnum():
        return text
    return "".join(c for c in text if unicodedata.category(c) != "Zs")


def _ranges(corpus: Corpus) -> dict[int, tuple[int, str]]:
    """For the first word of each multiword token how many words it has, and its form without spaces."""
    found = {}
    of = np.repeat(np.arange(len(corpus)), np.diff(corpus.extras.offsets)).tolist()
    for sentence, line in zip(of, corpus.extras.lines):
        number, form = line.split("\t", 2)[:2]
        if "-" in number:
            first, last = map(int, number.split("-"))
            found[int(corpus.offsets[sentence]) + first - 1] = (last - first + 1, without_spaces(form))
    return found


def _empty(corpus: Corpus, path: str, row: int) -> ValueError:
    sentence = sentence_of(corpus, row)
    fault = Fault(sentence, row - int(corpus.offsets[sentence]) + 1, "a FORM of nothing but spaces")
    return fault.error(corpus, path)


def _first_difference(first: str, second: str) -> int:
    """The first place where two different texts differ, by halving."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
