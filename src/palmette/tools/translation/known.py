"""What is known of a translation before it is searched: fixed spans, forbidden phrases, or the whole target.

Every method of translation obeys the same record, whatever it was read from: markup in the text (`markup.py`), a
glossary (`glossary.py`), or Python.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from palmette.formats.given import listed_rows
from palmette.messages import counted
from palmette.tools.alignment.text import Sentence, words_of

Words: TypeAlias = tuple[str, ...]


class Fixed(NamedTuple):
    """A translation of the source words begin … end − 1.

    exclusive: no other translation may cover a part of these words; otherwise it competes with those of the model.
    Several of the same span are alternatives.
    """

    begin: int
    end: int
    target: Words
    exclusive: bool = True


@dataclass(frozen=True)
class Known:
    """What is known of the translation of one sentence.

    fixed: translations of spans of source words, counted from 0. forbidden: target phrases that the translation
    must not contain. target: the whole translation, of which only the derivation is searched.

    >>> Known(fixed=[(0, 1, "the house", True)], forbidden=["a building"]).fixed[0].target
    ('the', 'house')
    """

    fixed: Sequence[Fixed] = ()
    forbidden: Sequence[Words] = ()
    target: Words | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "fixed", tuple(map(_fixed, self.fixed)))
        object.__setattr__(
            self, "forbidden", tuple(_words(one, "a forbidden phrase") for one in self.forbidden)
        )
        if self.target is not None:
            object.__setattr__(self, "target", tuple(map(str, words_of(self.target))))

    def __bool__(self) -> bool:
        return bool(self.fixed or self.forbidden or self.target is not None)

    def joined(self, other: Known) -> Known:
        """Return what both know; spans of the other that overlap an exclusive one of this are left out."""
        kept = [one for one in other.fixed if not any(a.exclusive and _overlap(a, one) for a in self.fixed)]
        return Known(
            (*self.fixed, *kept),
            (*self.forbidden, *other.forbidden),
            self.target if self.target is not None else other.target,
        )

    def check(self, n: int, number: int) -> None:
        """Raise ValueError unless it can be placed in sentence `number` (from 1) with n words."""
        for one in self.fixed:
            if not 0 <= one.begin < one.end <= n:
                raise ValueError(
                    f"Sentence {number} has {counted(n, 'word')}, and no span {one.begin} to {one.end} for "
                    f"{' '.join(one.target)!r:.60}: spans count from 0 and end behind their last word."
                )
        exclusive = sorted({(one.begin, one.end) for one in self.fixed if one.exclusive})
        for (a, b), (c, d) in pairwise(exclusive):
            if c < b:
                raise ValueError(
                    f"Sentence {number}: the fixed translations of words {a} to {b} and {c} to {d} cannot both be "
                    "placed, since they overlap."
                )
        for a, b in exclusive:
            given = [one for one in self.fixed if (one.begin, one.end, one.exclusive) == (a, b, True)]
            bad = [next((f for f in self.forbidden if _contains(one.target, f)), None) for one in given]
            if all(phrase is not None for phrase in bad):
                raise ValueError(
                    f"Sentence {number}: the fixed translation {' '.join(given[0].target)!r:.60} cannot be "
                    f"placed, since {' '.join(bad[0] or ())!r:.60} is forbidden."
                )


def checked_known(known: Iterable[Known | None] | None, lengths: Sequence[int]) -> list[Known] | None:
    """Return what is known of every sentence, given their numbers of words; None if nothing is known of any.

    ValueError, with the number of the sentence, for what cannot be placed.
    """
    if known is None:
        return None
    rows = listed_rows(known, "What is known")
    if len(rows) != len(lengths):
        raise ValueError(
            f"There are {counted(len(lengths), 'sentence')}, and what is known is given for {len(rows)}."
        )
    found = [_known(row, number) for number, row in enumerate(rows, 1)]
    for number, (row, n) in enumerate(zip(found, lengths), 1):
        row.check(n, number)
    return found if any(found) else None


NativeKnown = list[tuple[list[Any], list[list[str]], list[str] | None] | None]


def native_known(facts: list[Known] | None) -> NativeKnown | None:
    """Return what is known as native searches take it."""
    if facts is None:
        return None
    return [
        (
            [(one.begin, one.end, list(one.target), one.exclusive) for one in fact.fixed],
            [list(phrase) for phrase in fact.forbidden],
            None if fact.target is None else list(fact.target),
        )
        if fact
        else None
        for fact in facts
    ]


def _known(row: Any, number: int) -> Known:
    if row is None:
        return Known()
    if not isinstance(row, Known):
        raise TypeError(
            f"Sentence {number}: what is known must be a Known, or None. Got {type(row).__name__}."
        )
    return row


def _overlap(one: Fixed, other: Fixed) -> bool:
    return one.begin < other.end and other.begin < one.end


def _contains(words: Words, phrase: Words) -> bool:
    return any(words[k : k + len(phrase)] == phrase for k in range(len(words) - len(phrase) + 1))


def _fixed(given: Any) -> Fixed:
    try:
        begin, end, target, *exclusive = given
        place = int(begin), int(end)
    except (TypeError, ValueError):
        raise ValueError(
            f"A fixed translation is (begin, end, target words, exclusive). Got {given!r:.60}."
        ) from None
    return Fixed(*place, _words(target, "a fixed translation"), bool(exclusive[0]) if exclusive else True)


def _words(given: Sentence, what: str) -> Words:
    words = tuple(map(str, words_of(given)))
    if not words or any(words_of(word) != [word] for word in words):
        raise ValueError(f"{what.capitalize()} must have words without white space. Got {given!r:.60}.")
    return words
