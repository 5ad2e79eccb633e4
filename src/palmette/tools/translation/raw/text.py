"""Raw text of two languages: lines to words for the search, and its words back to a line.

line ──tokenizer──▶ pieces ──truecaser──▶ words ──search──▶ words ──capital, spaces──▶ line
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from palmette.formats.model import ModelFile
from palmette.formats.model.safetensors import Array
from palmette.parameters import require_choice
from palmette.tools.alignment.text import ParallelText
from palmette.tools.text.tokenizer import Tokenizer
from palmette.tools.translation.raw.casing import Truecaser
from palmette.tools.translation.raw.joining import Joiner
from palmette.tools.translation.raw.words import Piece, pieces

CASINGS = ("truecase", "lower", "keep")
_SIDES = "source", "target"
KIND = "raw text"


@dataclass(frozen=True, eq=False)
class RawSide:
    """How lines of one language become words. casing: "truecase", "lower" or "keep"."""

    language: str = "generic"
    casing: str = "truecase"
    truecaser: Truecaser = field(default_factory=Truecaser)
    tokenizer: Tokenizer = field(init=False)

    def __post_init__(self) -> None:
        require_choice("casing", self.casing, CASINGS)
        object.__setattr__(self, "tokenizer", Tokenizer(self.language))

    def pieces(self, line: str) -> list[Piece]:
        """The pieces of a line, with their case."""
        return list(pieces(line, self.tokenizer))

    def plain(self, line: str) -> list[str]:
        """The words of a line with their case, as terms of a glossary have it."""
        return [piece.text for piece in self.pieces(line)]

    def cased(self, found: Sequence[Piece]) -> list[str]:
        """The words of pieces as the model knows them."""
        if self.casing == "truecase":
            return self.truecaser.usual(found)
        return [piece.text.lower() if self.casing == "lower" else piece.text for piece in found]

    def words(self, line: str) -> list[str]:
        """The words of a line as the model knows them."""
        return self.cased(self.pieces(line))

    def words_with(self, line: str, copied: Iterable[str]) -> list[str]:
        """The words of a line in which some words may be copies: these are neither cut nor spelt otherwise.

        >>> RawSide("en").words_with("Weiß-gelbe flowers.", ["weiß-gelbe"])
        ['weiß-gelbe', 'flowers', '.']
        """
        forms: dict[str, str] = {}
        for word in copied:
            forms |= {
                f"<unk>{word}</unk>": f"<unk>{word}</unk>",
                word[:1].upper() + word[1:]: word,
                word: word,
            }
        if not forms:
            return self.words(line)
        choice = "|".join(map(re.escape, sorted(forms, key=len, reverse=True)))
        made: list[Piece] = []
        copies: dict[int, str] = {}
        for k, part in enumerate(re.split(rf"(?<!\w)({choice})(?!\w)", line)):
            if k % 2:
                copies[len(made)] = forms[part]
                made.append(Piece(part, False, not made))
            else:
                made += [
                    piece._replace(first=piece.first and (i > 0 or not made))
                    for i, piece in enumerate(self.pieces(part))
                ]
        return [copies.get(k, word) for k, word in enumerate(self.cased(made))]


@dataclass(frozen=True, eq=False)
class RawText:
    """How raw text goes into a model and comes out of it."""

    source: RawSide
    target: RawSide
    joiner: Joiner = field(default_factory=Joiner)

    @classmethod
    def learn(
        cls,
        sources: Sequence[str],
        targets: Sequence[str],
        *,
        languages: tuple[str, str] = ("generic", "generic"),
        casing: str = "truecase",
    ) -> RawText:
        """Learn spellings and spaces from lines of both languages."""
        made = []
        cut: list[list[Piece]] = []
        for lines, language in zip((sources, targets), languages):
            side = RawSide(language, casing)
            cut = [side.pieces(line) for line in lines]
            made.append(RawSide(language, casing, Truecaser.learn(cut)) if casing == "truecase" else side)
        return cls(made[0], made[1], Joiner.learn(cut))

    def text(self, sources: Sequence[str], targets: Sequence[str]) -> ParallelText:
        """The words of lines in both languages."""
        return ParallelText.of(
            [(self.source.words(a), self.target.words(b)) for a, b in zip(sources, targets, strict=True)]
        )

    def finished(self, words: Sequence[str]) -> str:
        """The line of translated words."""
        begun = self.target.truecaser.begun(words) if self.target.casing == "truecase" else words
        return self.joiner.join(begun)

    def to_model(self) -> ModelFile:
        """The content of a part of a model file."""
        sides = self.source, self.target
        options: dict[str, Any] = {
            "languages": [side.language for side in sides],
            "casing": [side.casing for side in sides],
            "capitals": [side.truecaser.capital for side in sides],
        }
        strings: dict[str, Sequence[str]] = {
            name: side.truecaser.spellings for name, side in zip(_SIDES, sides)
        }
        strings["spaces"] = list(self.joiner.counts)
        counts = np.array(list(self.joiner.counts.values()), dtype="<i8").reshape(-1, 2)
        return ModelFile(KIND, options, {"spaces": counts}, strings)

    @classmethod
    def from_model(cls, file: ModelFile) -> RawText:
        """From a part of a model file; FormatError if it is damaged."""
        file.require_kind(KIND)
        match file.options:
            case {
                "languages": [str(), str()] as languages,
                "casing": [str(), str()] as casings,
                "capitals": [bool(), bool()] as capitals,
            }:
                pass
            case _:
                raise file.damaged("its settings of raw text are not there")
        keys = file.table("spaces")
        counts: Array = file.array("spaces", "<i8", [len(keys), 2])
        if counts.size and int(counts.min()) < 0:
            raise file.damaged("its counts of spaces are negative")
        with file.restoring():
            sides = [
                RawSide(language, casing, Truecaser(file.table(name), capital=capital))
                for name, language, casing, capital in zip(_SIDES, languages, casings, capitals)
            ]
        spaces: Mapping[str, tuple[int, int]] = {key: (n, m) for key, (n, m) in zip(keys, counts.tolist())}
        return cls(sides[0], sides[1], Joiner(dict(spaces)))
