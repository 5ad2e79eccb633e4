"""The text of a corpus, and where its words are in it.

The text of a sentence is its tokens with a space where MISC does not say `SpaceAfter=No`, or the white space that
`SpacesAfter` gives. Before a sentence that begins a paragraph or document (`# newpar`, `# newdoc`) there is an
empty line. O(length).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.formats.corpus import Corpus
from palmette.tools.text.segmented import unescape

_NO_SPACE, _SPACES = "SpaceAfter=No", "SpacesAfter="
_PARAGRAPH = "\n\n"
_BREAKS = ("# newpar", "# newdoc")


class PlacedText(NamedTuple):
    """A text, and for every word of its corpus where the word's token begins and ends."""

    text: str
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


def text_of(corpus: Corpus) -> PlacedText:
    """The text of all sentences.

    >>> text_of(Corpus.from_columns({"form": [["Time", "flies", "."], ["Go"]]})).text
    'Time flies . Go'
    """
    pieces: list[str] = []
    begins, ends = np.zeros(corpus.n_words, np.int64), np.zeros(corpus.n_words, np.int64)
    misc = corpus.columns.get("misc")
    spaces = [" "] if misc is None else [_space(note) for note in misc.strings]
    after = [0] * corpus.n_words if misc is None else misc.ids.tolist()
    forms = corpus.column("form").values()
    at, space = 0, ""
    for i in range(len(corpus)):
        first, stop = corpus.offsets[i : i + 2].tolist()
        if first == stop:
            continue
        ranges = {a: (b, form, line) for a, b, form, line in _ranges(corpus, i)}
        if pieces and any(line.startswith(_BREAKS) for line in corpus.comments.of(i)):
            space = _PARAGRAPH
        k = 1
        while k <= stop - first:
            last, form, note = ranges.get(k, (k, forms[first + k - 1], None))
            if pieces:
                pieces.append(space)
                at += len(space)
            begins[first + k - 1 : first + last] = at
            at += len(form)
            ends[first + k - 1 : first + last] = at
            pieces.append(form)
            space = spaces[after[first + k - 1]] if note is None else _space(note)
            k = last + 1
    return PlacedText("".join(pieces), begins, ends)


def _ranges(corpus: Corpus, sentence: int) -> list[tuple[int, int, str, str]]:
    found = []
    for line in corpus.extras.of(sentence):
        fields = line.split("\t")
        if "-" in fields[0]:
            a, b = map(int, fields[0].split("-"))
            found.append((a, b, fields[1], fields[-1]))
    return found


def _space(note: str) -> str:
    """The white space that MISC says comes after a token."""
    for part in note.split("|"):
        if part == _NO_SPACE:
            return ""
        if part.startswith(_SPACES):
            return unescape(part[len(_SPACES) :])
    return " "
