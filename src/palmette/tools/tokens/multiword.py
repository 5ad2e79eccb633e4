"""Multiword tokens in a corpus: a line `3-4` for the token, and a row for each of its words."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from palmette.formats.column import Column
from palmette.formats.corpus import Corpus, SentenceLines
from palmette.tools.text.segmented import Segmented

_UNUSED = ["_"] * 7  # LEMMA to DEPS


def with_words(found: Segmented, words: Mapping[int, tuple[str, ...]]) -> Segmented:
    """Divide some tokens into words; words: those of the rows that have several.

    The line of a token has its form and MISC; its words share its range of the text.

    >>> from palmette.tools.text.segmented import segment
    >>> made = with_words(segment("Nel mare", [0, 4], [3, 8], [0, 2]), {0: ("In", "il")})
    >>> made.corpus[0]["form"], made.corpus[0].ranges, made.begins.tolist()
    (['In', 'il', 'mare'], [(1, 2, 'Nel')], [0, 0, 4])
    """
    corpus, n = found.corpus, found.corpus.n_words
    at = np.fromiter(sorted(words), dtype=np.int64, count=len(words))
    counts = np.ones(n, dtype=np.int64)
    counts[at] = [len(words[row]) for row in at.tolist()]
    rows = np.repeat(np.arange(n), counts)
    starts = np.concatenate([[0], np.cumsum(counts)])  # the first new row of every token
    form, misc = corpus.column("form"), corpus.column("misc")
    forms, notes = form.ids[rows], misc.ids[rows]
    strings = {string: k for k, string in enumerate(form.strings)}
    plain = {string: k for k, string in enumerate(misc.strings)}
    none = plain.setdefault("_", len(plain))
    sentence_of = np.searchsorted(corpus.offsets, at, side="right") - 1
    lines, places = [], []
    for row, sentence in zip(at.tolist(), sentence_of.tolist()):
        first, inside = int(starts[row]), words[row]
        before = first - int(starts[corpus.offsets[sentence]])
        number = f"{before + 1}-{before + len(inside)}"
        lines.append("\t".join([number, form[row], *_UNUSED, misc[row]]))
        places.append(before)
        forms[first : first + len(inside)] = [strings.setdefault(word, len(strings)) for word in inside]
        notes[first : first + len(inside)] = none
    per_sentence = np.bincount(sentence_of, minlength=len(corpus))
    made = Corpus(
        {"form": Column(forms, list(strings)), "misc": Column(notes, list(plain))},
        starts[corpus.offsets],
        comments=corpus.comments,
        extras=SentenceLines(np.concatenate([[0], np.cumsum(per_sentence)]).astype(np.int64), lines),
        extra_after=np.array(places, dtype=np.int32),
    )
    likely = {name: p[rows] for name, p in found.probabilities.items()}
    return Segmented(made, found.begins[rows], found.ends[rows], likely)
