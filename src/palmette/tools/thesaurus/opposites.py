"""Opposites: words that are alike and yet exclude each other, as brief and lengthy do.

Two sources tell: patterns of words, "from X to Y" and "either X or Y", counted in the text (Lin et al. 2003), and
the antonyms of a WordNet folder (data.noun, data.verb, data.adj, data.adv; wndb(5)). CSC 448, §24.3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from palmette.errors import FormatError, UsageError
from palmette.formats.corpus import Corpus
from palmette.formats.files import Source
from palmette.tools.thesaurus.triples import Ids

_FILES = ("data.noun", "data.verb", "data.adj", "data.adv")
_ANTONYM = "!"


def read_patterns(text: str) -> list[list[str]]:
    """Return the words of every pattern.

    >>> read_patterns("from X to Y; either X or Y")
    [['from', 'X', 'to', 'Y'], ['either', 'X', 'or', 'Y']]
    """
    patterns = [one.split() for one in text.split(";") if one.strip()]
    for pattern in patterns:
        if sorted(word for word in pattern if word in ("X", "Y")) != ["X", "Y"] or len(pattern) < 3:
            raise UsageError(
                f"The pattern {' '.join(pattern)!r} must have X and Y once each, and another word."
            )
    return patterns


@dataclass(eq=False)
class PatternCounter:
    """How often two words are X and Y of each pattern. found: by pattern and two numbers, the smaller first."""

    patterns: list[list[str]]
    found: Counter[tuple[int, int, int]] = field(default_factory=Counter)

    def add(self, corpus: Corpus, words: Ids) -> None:
        """Look for the patterns in some sentences, whose words have numbers."""
        forms = corpus.column("form")
        lower = [form.lower() for form in forms.strings]
        sentence = np.repeat(np.arange(len(corpus)), np.diff(corpus.offsets))
        for p, pattern in enumerate(self.patterns):
            n = len(words) - len(pattern) + 1
            if n <= 0:
                continue
            good = sentence[:n] == sentence[len(pattern) - 1 :]
            for i, word in enumerate(pattern):
                if word not in ("X", "Y"):
                    is_it = np.array([form == word for form in lower], dtype=bool)
                    good &= is_it[forms.ids[i : i + n]]
            at = np.flatnonzero(good)
            x, y = (words[at + pattern.index(name)] for name in "XY")
            for a, b in zip(x.tolist(), y.tolist()):
                if a >= 0 and b >= 0 and a != b:
                    self.found[p, min(a, b), max(a, b)] += 1


def wordnet_antonyms(folder: Source) -> Iterator[tuple[str, str]]:
    """Yield the antonyms of a WordNet folder, both ways; FileNotFoundError or FormatError if it is not one."""
    missing = [name for name in _FILES if not (Path(folder) / name).is_file()]
    if missing:
        raise FileNotFoundError(
            f"{folder}: expected a WordNet folder with {', '.join(_FILES)}; {missing[0]} is not there "
            "(Debian has it in the package wordnet-base, under /usr/share/wordnet)"
        )
    marked: list[tuple[str, list[str], list[tuple[str, str, int, int]]]] = []
    wanted: dict[tuple[str, str], list[str]] = {}
    for name in _FILES:
        path = Path(folder) / name
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").split("\n"), 1):
            if f" {_ANTONYM} " not in line or line.startswith("  "):
                continue
            try:
                place, words, pointers = _synset(line)
            except (ValueError, IndexError):
                raise FormatError("not a line of a WordNet data file", path=str(path), line=number) from None
            wanted[name, place] = words
            marked.append((name, words, pointers))
    of_pos = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "s": "data.adj", "r": "data.adv"}
    for _, words, pointers in marked:
        for pos, place, source, target in pointers:
            others = wanted.get((of_pos.get(pos, ""), place), [])
            if 0 < source <= len(words) and 0 < target <= len(others):
                yield words[source - 1], others[target - 1]


def _synset(line: str) -> tuple[str, list[str], list[tuple[str, str, int, int]]]:
    fields = line.partition(" | ")[0].split()
    n_words = int(fields[3], 16)
    words = [fields[4 + 2 * i].partition("(")[0].replace("_", " ").lower() for i in range(n_words)]
    at = 4 + 2 * n_words
    pointers = [fields[at + 1 + 4 * i : at + 5 + 4 * i] for i in range(int(fields[at]))]
    found = [
        (pos, place, int(numbers[:2], 16), int(numbers[2:], 16))
        for symbol, place, pos, numbers in pointers
        if symbol == _ANTONYM
    ]
    return fields[0], words, found
