"""Sentences of tokens with their places in the text, as a corpus that has all of the text in it.

The white space around tokens is in MISC, by the conventions of UDPipe: `SpaceAfter=No` where there is none,
`SpacesAfter=\\s\\n` where it is not one space, `SpacesBefore` of the first token where some comes before it,
`SpacesInToken` where a form cannot hold the white space of its token. So the text can be rebuilt. O(length).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus, SentenceLines

_ESCAPES = {" ": "\\s", "\t": "\\t", "\n": "\\n", "\r": "\\r", "|": "\\p", "\\": "\\\\"}
_ESCAPED = re.compile(r"[ \t\n\r|\\]")
_UNESCAPED = re.compile(r"\\([stnrp\\])")
_PLAIN = {escape[1]: character for character, escape in _ESCAPES.items()}


@dataclass(frozen=True, eq=False)
class Segmented:
    """A piece of text in sentences.

    `corpus` has the columns form and misc, comments (`# newpar`, `# sent_id`, `# text`), and lines of multiword
    tokens. `begins` and `ends` have for each word the range of its token, in characters of the whole text; the
    words of a multiword token share one. `probabilities`: of every token and of every sentence end, word by word,
    if they were asked for.
    """

    corpus: Corpus
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    probabilities: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)


def segment(
    text: str,
    begins: ArrayLike,
    ends: ArrayLike,
    offsets: ArrayLike,
    *,
    base: int = 0,
    first: int = 1,
    paragraphs: Sequence[bool] | None = None,
) -> Segmented:
    """Put tokens of a text into a corpus.

    begins, ends: the ranges of the tokens in `text`, in order, with only white space between; offsets: sentence i
    has the tokens `offsets[i]` to `offsets[i + 1]`; base: where `text` begins in the whole text; first: the
    number of the first sentence; paragraphs: which sentences begin one, by default the first.

    >>> found = segment("Go on!  Now", [0, 3, 5, 8], [2, 5, 6, 11], [0, 3, 4])
    >>> found.corpus.column("misc").values()
    ['_', 'SpaceAfter=No', 'SpacesAfter=\\\\s\\\\s', 'SpaceAfter=No']
    """
    starts, stops = np.asarray(begins, dtype=np.int64), np.asarray(ends, dtype=np.int64)
    where = np.asarray(offsets, dtype=np.int64)
    left, right = starts.tolist(), stops.tolist()
    forms = [text[begin:end] for begin, end in zip(left, right)]
    notes = list(map(_Notes().__getitem__, (text[a:b] for a, b in zip(right, [*left[1:], len(text)]))))
    if forms and left[0]:
        notes[0] = _joined(f"SpacesBefore={escape(text[: left[0]])}", notes[0])
    for k, form in enumerate(forms):
        if not form.isalnum() and form != (plain := " ".join(form.split())):
            forms[k], notes[k] = plain, _joined(f"SpacesInToken={escape(form)}", notes[k])
    glued = (stops == np.append(starts[1:], len(text))).tolist()
    comments, counts = [], [0]
    for i, (a, b) in enumerate(zip(where[:-1].tolist(), where[1:].tolist())):
        if paragraphs[i] if paragraphs is not None else i == 0:
            comments.append("# newpar")
        comments += [f"# sent_id = {first + i}", f"# text = {_line(forms[a:b], glued[a:b])}"]
        counts.append(len(comments))
    corpus = Corpus(
        {"form": Column.of(forms), "misc": Column.of(notes)},
        where,
        comments=SentenceLines(np.array(counts, dtype=np.int64), comments),
    )
    return Segmented(corpus, starts + base, stops + base)


def escape(text: str) -> str:
    """The text as MISC has it.

    >>> escape(" \\n|")
    '\\\\s\\\\n\\\\p'
    """
    return _ESCAPED.sub(lambda match: _ESCAPES[match.group()], text)


def unescape(text: str) -> str:
    """The inverse of `escape`."""
    return _UNESCAPED.sub(lambda match: _PLAIN[match.group(1)], text)


class _Notes(dict[str, str]):
    """What MISC says of the white space after a token."""

    def __missing__(self, space: str) -> str:
        note = "_" if space == " " else f"SpacesAfter={escape(space)}" if space else "SpaceAfter=No"
        self[space] = note
        return note


def _joined(note: str, other: str) -> str:
    return note if other == "_" else f"{note}|{other}"


def _line(forms: list[str], glued: list[bool]) -> str:
    """The text of a sentence on one line."""
    return "".join([form if tight else form + " " for form, tight in zip(forms, glued)]).rstrip(" ")
