"""From labels of characters to tokens and sentences, as ranges of a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from palmette.tools.text.tokenizer import Token
from palmette.tools.tokens.blocks import EMPTY_LINE, Block
from palmette.tools.tokens.characters import Characters

INSIDE, TOKEN, SENTENCE = range(3)
LABELS = ("inside", "token", "sentence")  # what ends behind a character
_MARGIN = 256  # characters at the end of an unfinished paragraph whose labels may still change


class Cut(NamedTuple):
    """Tokens of a part of a text, which begins at `base`: token k is `text[begins[k] : ends[k]]`.

    Sentence i has the tokens `offsets[i]` to `offsets[i + 1]`; `paragraphs[i]`: it begins a paragraph.
    probabilities: see `token_probabilities`; none if they were not asked for.
    """

    text: str
    base: int
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    offsets: NDArray[np.int64]
    paragraphs: list[bool]
    probabilities: Mapping[str, NDArray[np.float32]] = {}

    def behind(self, space: str) -> Cut:
        """The same tokens with white space before them, which the text of the cut begins with then."""
        shift = len(space)
        return self._replace(
            text=space + self.text, base=self.base - shift, begins=self.begins + shift, ends=self.ends + shift
        )

    def sentences(self) -> Iterator[list[Token]]:
        """The sentences as lists of tokens, with places in the whole text."""
        begins, ends, text, base = self.begins.tolist(), self.ends.tolist(), self.text, self.base
        n = len(text)
        tokens = [
            Token(text[a:b], base + a, base + b, b == n or text[b].isspace()) for a, b in zip(begins, ends)
        ]
        return (tokens[a:b] for a, b in zip(self.offsets.tolist(), self.offsets[1:].tolist()))


def allowed_labels(
    found: Characters, whole: bool, *, spaces: bool, presegmented: bool, pretokenized: bool
) -> NDArray[np.bool_]:
    """What may end behind each character: a table [characters, labels].

    whole: the last paragraph ends; spaces: tokens may have spaces inside.
    """
    allowed = np.ones((len(found.places), len(LABELS)), dtype=bool)
    if presegmented:
        allowed[:, SENTENCE] = False
    if pretokenized:
        allowed[~found.spaced, TOKEN:] = False
    if pretokenized or not spaces:
        allowed[found.spaced, INSIDE] = False
    lasts = found.lasts if whole else found.lasts[:-1]
    allowed[lasts] = False
    allowed[lasts, SENTENCE] = True
    return allowed


def cut_block(
    block: Block,
    found: Characters,
    labels: NDArray[np.int32],
    gap: str | None,
    p: NDArray[np.float32] | None = None,
) -> Cut | None:
    """The tokens and sentences of a block by the labels of its characters; sets `block.used`.

    gap: the white space before the block, None at the beginning of the text. p: the probability of every label of
    every character, if those of tokens are asked for. None if no character is far enough
    from the end of an unfinished paragraph.
    """
    places, end = found.places, len(block.text)
    if not block.whole:
        k = _last_sure(found, labels, end - _MARGIN)
        end = int(places[k + 1]) if k + 1 < len(places) else end
        labels, places = labels[: k + 1], places[: k + 1]
        if not len(labels):
            block.used = end
            return None
        labels[k] = SENTENCE
    block.used = end
    lasts = np.flatnonzero(labels >= TOKEN)
    firsts = np.concatenate([[0], lasts[:-1] + 1])
    begins, ends = places[firsts], places[lasts] + 1
    offsets = np.concatenate([[0], np.flatnonzero(labels[lasts] == SENTENCE) + 1])
    text = block.text[:end]
    paragraphs = _new_paragraphs(text, begins, ends, offsets, gap)
    likely = {} if p is None else token_probabilities(p[: len(labels)], labels, firsts, lasts)
    return Cut(text, block.base, begins, ends, offsets, paragraphs, likely)


def token_probabilities(
    p: NDArray[np.float32],
    labels: NDArray[np.int32],
    firsts: NDArray[np.int64],
    lasts: NDArray[np.int64],
) -> dict[str, NDArray[np.float32]]:
    """How sure the tokens from a first to a last character are, and that a sentence ends, or not, behind them.

    A token is as sure as the least sure of its decisions: that one ends before it, that none ends inside it, and
    that it ends where it does. So its probability is not above this number. p: [characters, labels].
    """
    decided = np.where(labels == INSIDE, p[:, INSIDE], p[:, TOKEN:].sum(axis=1))
    before = np.concatenate([np.ones(1, p.dtype), decided[lasts[:-1]]])
    tokens = np.minimum(np.minimum.reduceat(decided, firsts), before)
    ends = p[lasts, SENTENCE]
    sentences = np.where(labels[lasts] == SENTENCE, ends, 1 - ends)
    found = {"token": tokens, "sentence": sentences}
    return {name: np.clip(one, 0, 1).astype(np.float32) for name, one in found.items()}


def _last_sure(found: Characters, labels: NDArray[np.int32], limit: int) -> int:
    """The character behind which an unfinished paragraph is cut: a sentence end if there is one; -1: none."""
    n = int(np.searchsorted(found.places, limit))
    sure = labels[:n]
    for ends in (sure == SENTENCE, (sure == TOKEN) & found.spaced[:n], sure == TOKEN):
        if ends.any():
            return int(np.flatnonzero(ends)[-1])
    return n - 1


def _new_paragraphs(
    text: str,
    begins: NDArray[np.int64],
    ends: NDArray[np.int64],
    offsets: NDArray[np.int64],
    gap: str | None,
) -> list[bool]:
    """Which sentences begin a paragraph: those behind an empty line, and the first."""
    first = gap is None or EMPTY_LINE.search(gap + text[: begins[0]]) is not None
    before, here = ends[offsets[1:-1] - 1].tolist(), begins[offsets[1:-1]].tolist()
    return [first, *(b - a > 1 and EMPTY_LINE.search(text, a, b) is not None for a, b in zip(before, here))]
