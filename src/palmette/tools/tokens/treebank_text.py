"""The raw text of a treebank: its sentences joined, with the places of their tokens.

Sentences are joined as the official raw texts of Universal Dependencies are: by a space, by nothing after
`SpaceAfter=No`, and by an empty line before `# newpar` and `# newdoc`. A sentence is its `# text` if this has the
forms in order, and otherwise its forms with the spaces that MISC says. A treebank that says nothing about spaces
gets those that are usual: none between words of scripts that are written without, none around punctuation.
O(length of the treebank).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError, numbered
from palmette.features.instances import gather
from palmette.formats.corpus import Corpus
from palmette.tools.text.segmented import Segmented, unescape
from palmette.tools.tokens.scripts import is_unspaced

_SHOWN = 3  # sentences in a note
_TO_THE_LEFT = set(".,;:!?…)]}»”’%。、，．！？；：）」』】》")
_TO_THE_RIGHT = set("([{«“‘¿¡（「『【《")


@dataclass(frozen=True, eq=False)
class TreebankText:
    """A text and its tokens: token k is `text[begins[k] : ends[k]]`.

    Sentence i has the tokens `offsets[i]` to `offsets[i + 1]`; `paragraphs[i]`: it begins a paragraph. `words[k]`
    are the words of a multiword token, None for others. `notes` say what is inconsistent, one sentence each.
    """

    text: str
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    offsets: NDArray[np.int64]
    paragraphs: NDArray[np.bool_]
    words: list[tuple[str, ...] | None]
    notes: list[str]

    @property
    def tokens(self) -> list[str]:
        """The tokens as they are in the text."""
        return [self.text[a:b] for a, b in zip(self.begins.tolist(), self.ends.tolist())]

    def segmented(self, corpus: Corpus, before: int = 0) -> Segmented:
        """The corpus of this text with the place of each word's token, after so much text before it."""
        counts = np.array([1 if words is None else len(words) for words in self.words], dtype=np.int64)
        begins, ends = (np.repeat(places, counts) + before for places in (self.begins, self.ends))
        return Segmented(corpus, begins, ends)

    def rearranged(self, order: NDArray[np.int64]) -> TreebankText:
        """The text of these sentences, in this order; each keeps the space after it.

        After the last sentence of the text there is what is after most others.
        """
        some = np.flatnonzero(np.diff(self.offsets))
        firsts, lasts = self.begins[self.offsets[some]], self.ends[self.offsets[some + 1] - 1]
        gaps = [self.text[a:b] for a, b in zip(lasts[:-1].tolist(), firsts[1:].tolist())]
        gaps.append(max(set(gaps), key=lambda gap: (gaps.count(gap), gap)) if gaps else " ")
        number = {sentence: k for k, sentence in enumerate(some.tolist())}
        chosen = [number[sentence] for sentence in order.tolist() if sentence in number]
        pieces, shifts, place = [], [], 0
        for k in chosen:
            pieces += [self.text[firsts[k] : lasts[k]], gaps[k]]
            shifts.append(place - int(firsts[k]))
            place += int(lasts[k] - firsts[k]) + len(gaps[k])
        offsets, tokens = gather(self.offsets, some[chosen])
        moved = np.repeat(np.array(shifts, dtype=np.int64), np.diff(offsets))
        return TreebankText(
            "".join(pieces[:-1]),
            self.begins[tokens] + moved,
            self.ends[tokens] + moved,
            offsets,
            self.paragraphs[some[chosen]],
            [self.words[k] for k in tokens.tolist()],
            self.notes,
        )


def treebank_text(corpus: Corpus, *, paragraphs: bool = True) -> TreebankText:
    """Return the raw text of a corpus that was read from CoNLL-U.

    paragraphs=False joins paragraphs and documents as sentences are joined.
    """
    return _Joining(corpus, paragraphs).joined()


class _Joining:
    """The sentences of a corpus on their way to a text."""

    def __init__(self, corpus: Corpus, paragraphs: bool) -> None:
        if "form" not in corpus.names:
            raise FormatError("a treebank for tokens needs the column FORM: give a CoNLL-U file")
        self.corpus, self.by_paragraph = corpus, paragraphs
        self.forms = corpus.column("form").values()
        self.misc = corpus.column("misc").values() if "misc" in corpus.names else ["_"] * len(self.forms)
        self.without_text: list[int] = []
        self.inconsistent: list[int] = []
        said = any("SpaceAfter=No" in misc for misc in self.misc) or any(
            "SpaceAfter=No" in line for line in corpus.extras.lines
        )
        self.guessing = not said and not any(line.startswith("# text ") for line in corpus.comments.lines)

    def joined(self) -> TreebankText:
        pieces: list[str] = []
        begins: list[int] = []
        ends: list[int] = []
        offsets, heads, place, gap = [0], [], 0, ""
        words: list[tuple[str, ...] | None] = []
        for i, sentence in enumerate(self.corpus):
            comments = sentence.comments
            begins_one = not i or any(line.startswith(("# newpar", "# newdoc")) for line in comments)
            heads.append(begins_one)
            if i:
                gap = "\n\n" if begins_one and self.by_paragraph else gap
                pieces.append(gap)
                place += len(gap)
            forms, spaces, inside = self._tokens(i, sentence.start, sentence.stop)
            text, spans = self._sentence(i, comments, forms, spaces)
            pieces.append(text)
            begins += [place + a for a, _ in spans]
            ends += [place + b for _, b in spans]
            words += inside
            place += len(text)
            offsets.append(len(begins))
            gap = spaces[-1] if spaces else " "
        return TreebankText(
            "".join(pieces),
            np.array(begins, dtype=np.int64),
            np.array(ends, dtype=np.int64),
            np.array(offsets, dtype=np.int64),
            np.array(heads, dtype=bool),
            words,
            self._notes(),
        )

    def _tokens(
        self, i: int, start: int, stop: int
    ) -> tuple[list[str], list[str], list[tuple[str, ...] | None]]:
        """The forms of the tokens of a sentence, the space after each, and the words of multiword tokens."""
        forms, misc = self.forms[start:stop], self.misc[start:stop]
        inside: list[tuple[str, ...] | None] = [None] * len(forms)
        for line in reversed(self.corpus.extras.of(i)):
            fields = line.split("\t")
            if "-" not in fields[0]:
                continue
            first, last = map(int, fields[0].split("-"))
            inside[first - 1 : last] = [tuple(forms[first - 1 : last])]
            forms[first - 1 : last], misc[first - 1 : last] = [fields[1]], [fields[9]]
        if self.guessing:
            return forms, [_usual_space(a, b) for a, b in zip(forms, [*forms[1:], "A"])], inside
        return forms, [_space(note) for note in misc], inside

    def _sentence(
        self, i: int, comments: list[str], forms: list[str], spaces: list[str]
    ) -> tuple[str, list[tuple[int, int]]]:
        """The text of a sentence and the places of its tokens in it."""
        text = next(
            (line.partition("=")[2].strip() for line in comments if line.startswith("# text =")), None
        )
        if text is None:
            self.without_text.append(i)
        else:
            spans = _found(text, forms)
            if spans is not None:
                return text, spans
            self.inconsistent.append(i)
        spans, place = [], 0
        for form, space in zip(forms, spaces):
            spans.append((place, place + len(form)))
            place += len(form) + len(space)
        text = "".join(form + space for form, space in zip(forms, spaces))
        return (text[: spans[-1][1]] if spans else ""), spans

    def _notes(self) -> list[str]:
        notes = []
        if self.guessing:
            notes.append(
                "The treebank has neither `# text` nor SpaceAfter=No: its text is joined with the usual spaces, "
                "and tokens may be learned wrongly."
            )
        elif self.without_text:
            notes.append(
                f"{_counted(self.without_text, len(self.corpus))} no `# text`: it is joined by SpaceAfter."
            )
        if self.inconsistent:
            notes.append(
                f"{_counted(self.inconsistent, len(self.corpus))} a `# text` that differs from the forms: the "
                "forms are taken."
            )
        return notes


def _counted(found: list[int], n: int) -> str:
    """The beginning of a note about some sentences."""
    if len(found) == n:
        return "Every sentence has"
    shown = ", ".join(numbered(i) for i in found[:_SHOWN]) + (", …" if len(found) > _SHOWN else "")
    return f"{len(found)} of {n} sentences ({shown}) {'has' if len(found) == 1 else 'have'}"


def _found(text: str, forms: list[str]) -> list[tuple[int, int]] | None:
    """Where the forms are in a text, if they are all of it; white space counts as equal, and may be left out."""
    spans, place, n = [], 0, len(text)
    for form in forms:
        while place < n and text[place].isspace():
            place += 1
        if text.startswith(form, place):
            end = place + len(form)
        else:
            end = place
            for character in form:
                if character.isspace():
                    continue
                while end < n and text[end].isspace():
                    end += 1
                if end >= n or text[end] != character:
                    return None
                end += 1
        if end == place:
            return None
        spans.append((place, end))
        place = end
    return spans if not text[place:].strip() else None


def _space(misc: str) -> str:
    """The space after a token."""
    if misc == "_":
        return " "
    for note in misc.split("|"):
        if note == "SpaceAfter=No":
            return ""
        if note.startswith("SpacesAfter=") and not unescape(note[12:]).strip():
            return " " if note[12:] else ""
    return " "


def _usual_space(form: str, following: str) -> str:
    if following[0] in _TO_THE_LEFT or form[-1] in _TO_THE_RIGHT:
        return ""
    return "" if is_unspaced(form[-1]) and is_unspaced(following[0]) else " "
