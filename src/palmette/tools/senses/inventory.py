"""Inventories: which senses a word has, what they mean, and what is related to them.

A word is a lemma with a part of speech, ("bank", "n"). Its senses are in an order, the most frequent first, if
that is known. An inventory is WordNet (`wordnet`), a file of four columns (word, part of speech, sense,
definition), or what a training text shows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_text
from palmette.messages import counted

Word = tuple[str, str]
_PARTS = {"N": "n", "V": "v", "J": "a", "R": "r", "A": "a", "S": "a"}


class Inventory(ABC):
    """The senses of words."""

    @abstractmethod
    def senses(self, word: Word) -> Sequence[str]:
        """Return the senses of a word, the most frequent first; none for an unknown word."""

    @abstractmethod
    def definition(self, sense: str) -> str:
        """Return what a sense means, with its examples; an empty string if that is not known."""

    def related(self, sense: str) -> Sequence[str]:
        """Return definitions of what is related to a sense: what is more general, more special, a part, …"""
        return ()

    def count(self, sense: str) -> float:
        """Return how often a sense occurs in a tagged text; 0 if that is not known."""
        return 0.0

    def lemma(self, form: str, pos: str) -> str:
        """Return the lemma of a form: in lower case, unless the inventory knows better."""
        return form.lower()

    def definitions(self) -> Iterable[str]:
        """Return the definitions of all senses."""
        return ()


class ListedInventory(Inventory):
    """Senses in memory: (word, part of speech) to senses, and definitions by sense."""

    def __init__(self, words: Mapping[Word, Sequence[str]], texts: Mapping[str, str] | None = None) -> None:
        self.words = {word: list(senses) for word, senses in words.items()}
        self.texts = dict(texts or {})

    def senses(self, word: Word) -> Sequence[str]:
        return self.words.get(word, [])

    def definition(self, sense: str) -> str:
        return self.texts.get(sense, "")

    def definitions(self) -> Iterable[str]:
        return self.texts.values()

    @classmethod
    def counted(cls, seen: Iterable[tuple[Word, str]]) -> ListedInventory:
        """Return the senses of a tagged text, the most frequent first; of equal ones the first in the alphabet."""
        counts: dict[Word, Counter[str]] = {}
        for word, sense in seen:
            counts.setdefault(word, Counter())[sense] += 1
        order = {word: sorted(own, key=lambda one: (-own[one], one)) for word, own in counts.items()}
        return cls(order)


def read_inventory(source: Source) -> ListedInventory:
    """Return the inventory of a file of word, part of speech, sense and definition; the last may be missing."""
    path = display_name(source)
    words: dict[Word, list[str]] = {}
    texts: dict[str, str] = {}
    for number, line in enumerate(read_text(source).split("\n"), 1):
        if not line.strip() or line.startswith("#"):
            continue
        row = [field.strip() for field in line.rstrip("\r").split("\t")]
        if len(row) not in (3, 4) or not all(row[:3]):
            raise FormatError(
                f"expected word, part of speech, sense and definition, separated by tabs; got "
                f"{counted(len(row), 'column')}",
                path=path,
                line=number,
            )
        word, sense = (row[0].lower(), part_of_speech(row[1])), row[2]
        if sense in words.setdefault(word, []):
            raise FormatError(f"sense {sense!r} of {row[0]!r} comes twice", path=path, line=number)
        words[word].append(sense)
        if len(row) == 4:
            texts[sense] = row[3]
    if not words:
        raise FormatError("expected senses; the file has none", path=path)
    return ListedInventory(words, texts)


def open_inventory(source: Source) -> Inventory:
    """Return the inventory of a WordNet folder or of a file."""
    from palmette.tools.senses.wordnet import WordNet

    return WordNet(source) if Path(source).is_dir() else read_inventory(source)


def part_of_speech(tag: str) -> str:
    """Return n, v, a or r for tags of nouns, verbs, adjectives and adverbs; other tags as they are.

    >>> [part_of_speech(tag) for tag in ("NNS", "VERB", "ADJ", "JJ", "ADV", "RB", "s", "DET", "ADP")]
    ['n', 'v', 'a', 'a', 'r', 'r', 'a', 'DET', 'ADP']
    """
    if tag in ("PROPN", "AUX", "ADV"):
        return {"PROPN": "n", "AUX": "v", "ADV": "r"}[tag]
    known = tag[:1].upper() in _PARTS and (
        len(tag) == 1 or tag[:2].upper() in ("NN", "NO", "VB", "VE", "JJ", "RB")
    )
    return _PARTS[tag[:1].upper()] if known or tag == "ADJ" else tag
