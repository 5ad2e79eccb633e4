"""What a word is to the aligner: in small letters, stemmed, cut to a prefix, and its number.

Small data has each form of a word a few times only; forms that look alike share their counts. Everything is done
once per distinct word. Words that the training text did not have get the numbers after its own, text by text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text
from palmette.parameters import require_bool, require_int
from palmette.tools.alignment.text import TextSide

Stem: TypeAlias = Callable[[str], str] | Mapping[str, str]


@dataclass(frozen=True, eq=False)
class WordForms:
    """lower: small letters. stem: a function, or a dictionary; then a prefix of this many letters, 0 for all."""

    lower: bool = True
    prefix: int = 0
    stem: Stem | None = None

    def __post_init__(self) -> None:
        require_bool("lower", self.lower)
        require_int("prefix", self.prefix, 0)
        if self.stem is not None and not callable(self.stem) and not isinstance(self.stem, Mapping):
            raise ValueError(
                f"The 'stem' parameter must be a function or a dictionary. Got {self.stem!r} instead."
            )

    def __call__(self, word: str) -> str:
        """The form of a word; what would be nothing stays as it is."""
        form = self.lowered(word)
        if self.stem is not None:
            found = self.stem(form) if callable(self.stem) else self.stem.get(form, form)
            if not isinstance(found, str):
                raise TypeError(f"A stem must be a string. Got {found!r} for {form!r}.")
            form = found or form
        return form[: self.prefix] if self.prefix else form

    def all(self, words: Sequence[str]) -> list[str]:
        """The forms of many words."""
        if self.stem is not None or not self.lower:
            return list(map(self, words))
        return [word.lower()[: self.prefix] for word in words] if self.prefix else list(map(str.lower, words))

    def lowered(self, word: str) -> str:
        """The word as stems are looked up."""
        return word.lower() if self.lower else word


class WordNumbers:
    """The forms of one language, in the order of their first appearance."""

    def __init__(self, forms: WordForms, words: Iterable[str] = (), shown: Sequence[str] = ()) -> None:
        self.forms = forms
        self.shown = list(
            shown
        )  # for each form its commonest word in the training text, if forms are not words
        self._index = {word: number for number, word in enumerate(words)}
        self._seen: dict[str, str] = {}  # stems of the training text

    @property
    def words(self) -> list[str]:
        """The forms; form k has number k."""
        return list(self._index)

    @property
    def readable(self) -> list[str]:
        """For every form a word that people know."""
        return self.shown or self.words

    def __len__(self) -> int:
        return len(self._index)

    def learn(self, side: TextSide) -> NDArray[np.int32]:
        """The number of every word of a text; new forms get the next ones."""
        index = self._index
        numbers = [index.setdefault(form, len(index)) for form in self.forms.all(side.strings)]
        if callable(self.forms.stem):
            words = dict.fromkeys(self.forms.lowered(word) for word in side.strings)
            stems = {word: self.forms.stem(word) for word in words}
            self._seen |= {word: stem for word, stem in stems.items() if stem and stem != word}
        if self.forms.prefix or self.forms.stem is not None:
            often = np.bincount(side.ids, minlength=len(side.strings))
            commonest = {numbers[k]: k for k in np.argsort(often, kind="stable").tolist()}
            self.shown = [self.forms.lowered(side.strings[commonest[n]]) for n in range(len(index))]
        return np.array(numbers, dtype=np.int32)[side.ids] if numbers else side.ids

    def find(self, side: TextSide) -> tuple[NDArray[np.int32], list[str]]:
        """The number of every word of a text, and all forms; those that are not known come after the others."""
        new: dict[str, int] = {}
        forms = self.forms.all(side.strings)
        numbers = list(map(self._index.get, forms))
        if None in numbers:
            known = len(self._index)
            numbers = [
                new.setdefault(form, known + len(new)) if number is None else number
                for form, number in zip(forms, numbers)
            ]
        return np.array(numbers, dtype=np.int32)[side.ids] if numbers else side.ids, [*self._index, *new]

    def stems(self) -> Mapping[str, str]:
        """A dictionary of stems for a file: that given, or what a function said of the training text."""
        return self.forms.stem if isinstance(self.forms.stem, Mapping) else self._seen

    def number(self, word: str) -> int | None:
        """The number of a word, None if it is not known."""
        return self._index.get(self.forms(word))


def read_stems(path: Source) -> dict[str, str]:
    """Stems from a file with a word and its stem on each line, a tab or a blank between them."""
    found: dict[str, str] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        if not line.strip():
            continue
        parts = line.split("\t") if "\t" in line else line.split()
        if len(parts) != 2 or not all(parts):
            raise FormatError("a line must have a word and its stem", path=display_name(path), line=number)
        found[parts[0]] = parts[1]
    return found
