"""The text of a corpus, and where its words are in it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.formats.corpus import Corpus
from palmette.tools.tokens.treebank_text import treebank_text


class PlacedText(NamedTuple):
    """A text, and for every word of its corpus where the word's token begins and ends."""

    text: str
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


def text_of(corpus: Corpus) -> PlacedText:
    """The text of all sentences, as `treebank_text` joins them.

    >>> text_of(Corpus.from_columns({"form": [["Time", "flies", "."], ["Go"]]})).text
    'Time flies. Go'
    """
    found = treebank_text(corpus)
    counts = np.array([1 if words is None else len(words) for words in found.words], dtype=np.int64)
    return PlacedText(found.text, np.repeat(found.begins, counts), np.repeat(found.ends, counts))
