"""WordNet from the folder of its database (WNDB): index.POS, data.POS, POS.exc, and index.sense if it is there.

The files are sorted, so nothing is read before it is asked for: a word is found in its index by bisection, a
synset by its place in a data file. A sense key is lemma%type:file:id:head:head_id; where index.sense is
missing, it is made from the line of the synset (Fellbaum 1998; wndb(5), senseidx(5)). Opening costs a few file
mappings.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from palmette.errors import FormatError
from palmette.formats.files import Source
from palmette.tools.senses.inventory import Inventory, Word

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
USUAL_PLACES = ("/usr/share/wordnet", "/usr/local/share/wordnet", "/usr/share/wordnet/dict")
_TYPES = {"n": 1, "v": 2, "a": 3, "r": 4, "s": 5}
_OF_TYPE = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}
_ENDINGS = {  # morphy(7): what a form may end with, and its lemma instead
    "n": (("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"),
          ("ies", "y")),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}  # fmt: skip
_MARKER = re.compile(r"\((?:a|p|ip)\)$")


@dataclass(frozen=True)
class Synset:
    """A line of a data file: its place, part of speech, file number, words with their ids, relations,
    definition."""

    place: int
    pos: str
    file: int
    words: tuple[tuple[str, int], ...]
    relations: tuple[tuple[str, str, int], ...]  # symbol, part of speech, place
    definition: str


class WordNet(Inventory):
    """The inventory of a WordNet folder; by default of the usual places."""

    def __init__(self, folder: Source | None = None) -> None:
        self.folder = _find(folder)
        self._maps: dict[str, mmap.mmap] = {}
        for pos, name in FILES.items():
            self._maps[f"index.{pos}"] = self._mapped(f"index.{name}")
            self._maps[f"data.{pos}"] = self._mapped(f"data.{name}")
        self._sense_index = self._mapped("index.sense") if (self.folder / "index.sense").is_file() else None
        self._exceptions = {pos: self._read_exceptions(name) for pos, name in FILES.items()}

    def __repr__(self) -> str:
        return f"WordNet({str(self.folder)!r})"

    def __reduce__(self) -> tuple[object, ...]:
        return WordNet, (str(self.folder),)

    def _mapped(self, name: str) -> mmap.mmap:
        path = self.folder / name
        try:
            with path.open("rb") as file:
                return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError):
            raise FormatError(
                f"expected a file of WordNet that is not empty; the Debian package "
                f"{'wordnet-sense-index' if name == 'index.sense' else 'wordnet-base'} has it",
                path=str(path),
            ) from None

    def _read_exceptions(self, name: str) -> dict[str, str]:
        path = self.folder / f"{name}.exc"
        lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
        return {row[0]: row[1] for row in map(str.split, lines) if len(row) > 1}

    # Words

    def senses(self, word: Word) -> Sequence[str]:
        return self._senses(word)

    @lru_cache(maxsize=100_000)  # noqa: B019  the inventory lives as long as its model
    def _senses(self, word: Word) -> tuple[str, ...]:
        lemma, pos = word
        return tuple(self._key(self.synset(pos, place), lemma) for place in self._places(lemma, pos))

    def _places(self, lemma: str, pos: str) -> list[int]:
        if pos not in FILES or not lemma:
            return []
        row = _line_of(self._maps[f"index.{pos}"], lemma.lower().replace(" ", "_"))
        if row is None:
            return []
        fields = row.split()
        try:  # lemma pos synsets pointers symbols… senses tagged places…
            return [int(place) for place in fields[6 + int(fields[3]) :]]
        except (ValueError, IndexError):
            raise self._damaged(
                f"index.{FILES[pos]}", f"the line of {lemma!r} is not one of an index"
            ) from None

    def lemma(self, form: str, pos: str) -> str:
        """Return the lemma of a form, by exceptions and endings (morphy(7)); the form if none is known."""
        lower = form.lower()
        if pos not in FILES:
            return lower
        if lower in self._exceptions[pos]:
            return self._exceptions[pos][lower]
        if self._places(lower, pos):
            return lower
        for ending, instead in _ENDINGS[pos]:
            if lower.endswith(ending):
                lemma = lower[: len(lower) - len(ending)] + instead
                if self._places(lemma, pos):
                    return lemma
        return lower

    # Senses

    def definition(self, sense: str) -> str:
        found = self._synset_of(sense)
        return "" if found is None else found.definition

    def related(self, sense: str) -> Sequence[str]:
        found = self._synset_of(sense)
        if found is None:
            return ()
        return [self.synset(pos, place).definition for _, pos, place in found.relations]

    def synonyms(self, sense: str) -> list[str]:
        """Return the words of the synset of a sense."""
        found = self._synset_of(sense)
        return [] if found is None else [word for word, _ in found.words]

    def count(self, sense: str) -> float:
        row = None if self._sense_index is None else _line_of(self._sense_index, sense)
        fields = [] if row is None else row.split()
        return float(fields[3]) if len(fields) > 3 and fields[3].isdigit() else 0.0

    def definitions(self) -> Iterator[str]:
        for pos in FILES:
            for line in iter(self._maps[f"data.{pos}"].readline, b""):
                if not line.startswith(b" "):
                    yield line.decode("utf-8", "replace").partition("| ")[2]
            self._maps[f"data.{pos}"].seek(0)

    def _synset_of(self, sense: str) -> Synset | None:
        lemma, _, rest = sense.partition("%")
        pos = _OF_TYPE.get(rest[:1])
        if pos is None:
            return None
        if self._sense_index is not None:
            row = _line_of(self._sense_index, sense)
            return None if row is None else self.synset(pos, int(row.split()[1]))
        keys = self.senses((lemma, pos))
        return self.synset(pos, self._places(lemma, pos)[keys.index(sense)]) if sense in keys else None

    @lru_cache(maxsize=100_000)  # noqa: B019  as above
    def synset(self, pos: str, place: int) -> Synset:
        """Return the synset at a place of the data file of a part of speech; FormatError if none is there."""
        data = self._maps[f"data.{'a' if pos == 's' else pos}"]
        end = data.find(b"\n", place)
        fields, _, text = (
            data[place : end if end >= 0 else len(data)].decode("utf-8", "replace").partition(" | ")
        )
        row = fields.split()
        try:
            if int(row[0]) != place:
                raise ValueError
            n = int(row[3], 16)
            words = tuple((_MARKER.sub("", row[4 + 2 * i]), int(row[5 + 2 * i], 16)) for i in range(n))
            at = 4 + 2 * n
            relations = tuple(
                (row[at + 1 + 4 * i], row[at + 3 + 4 * i], int(row[at + 2 + 4 * i]))
                for i in range(int(row[at]))
            )
            return Synset(place, row[2], int(row[1]), words, relations, text.strip())
        except (ValueError, IndexError):
            name = f"data.{FILES['a' if pos == 's' else pos]}"
            raise self._damaged(name, f"there is no synset at byte {place:,}") from None

    def _key(self, synset: Synset, lemma: str) -> str:
        """The key of a word in a synset. A satellite names the first word of the adjective that it is near to."""
        wanted = lemma.lower().replace(" ", "_")
        number = next((n for word, n in synset.words if word.lower() == wanted), 0)
        head = ":"
        if synset.pos == "s":
            near = next(((p, at) for symbol, p, at in synset.relations if symbol == "&"), None)
            if near is not None:
                first, n = self.synset(*near).words[0]
                head = f"{first.lower()}:{n:02}"
        return f"{wanted}%{_TYPES[synset.pos]}:{synset.file:02}:{number:02}:{head}"

    def _damaged(self, name: str, what: str) -> FormatError:
        return FormatError(
            f"damaged WordNet: {what}; install the Debian package wordnet-base again",
            path=str(self.folder / name),
        )


def _find(folder: Source | None) -> Path:
    """Return the folder, or the first of the usual ones that has a WordNet."""
    places: Iterable[Source] = USUAL_PLACES if folder is None else (folder, Path(folder) / "dict")
    for place in places:
        if (Path(place) / "data.noun").is_file():
            return Path(place)
    looked = ", ".join(map(str, places))
    raise FileNotFoundError(
        2,
        "expected a WordNet folder with index.noun, data.noun and so on (the Debian packages wordnet-base and "
        f"wordnet-sense-index have it, as has WordNet-3.0.tar.gz); looked in {looked}",
        str(folder if folder is not None else USUAL_PLACES[0]),
    )


def _line_of(data: mmap.mmap, word: str) -> str | None:
    """Return the line of a sorted file that begins with a word and a space; None if there is none."""
    wanted = word.encode() + b" "
    low, high = 0, len(data)
    while low < high:
        middle = (low + high) // 2
        begin = data.rfind(b"\n", low, middle) + 1 or low
        end = data.find(b"\n", middle)
        end = len(data) if end < 0 else end
        line = data[begin:end]
        if line.startswith(wanted):
            return line.decode("utf-8", "replace")
        # Lines of the licence begin with spaces, and come before all words.
        if line[: line.find(b" ")] < wanted[:-1]:
            low = end + 1
        else:
            high = begin
    return None
