"""From lines of input to words and what is known of their translation: tags, terms, forbidden phrases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from palmette.tools.alignment.text import words_of
from palmette.tools.translation.glossary import Glossary
from palmette.tools.translation.known import Known, Words
from palmette.tools.translation.markup import Marked, read_markup
from palmette.tools.translation.raw.text import RawText
from palmette.tools.translation.raw.words import Piece

_ENDS = frozenset(".!?")


@dataclass(frozen=True, eq=False)
class LineReader:
    """How lines are read. raw: None for tokenized text. markup: whether lines have tags with translations.

    exclusive: whether these and those of the glossary are the only translations of their words. Tags come before
    the glossary where both speak of a word.
    """

    raw: RawText | None = None
    glossary: Glossary | None = None
    forbidden: Sequence[Words] = ()
    markup: bool = False
    exclusive: bool = True

    @property
    def constrains(self) -> bool:
        """Whether anything can be known of a line."""
        return self.markup or bool(self.glossary) or bool(self.forbidden)

    def read(self, line: str, *, path: str | None = None, number: int = 1) -> Marked:
        """Return the words of a line, and what is known of its translation; FormatError for broken tags."""
        known = Known(forbidden=self.forbidden)
        if self.markup:
            source = words_of if self.raw is None else self.raw.source.plain
            target = words_of if self.raw is None else self.raw.target.words
            marked = read_markup(
                line, exclusive=self.exclusive, path=path, number=number, source=source, target=target
            )
            spelt, known = marked.words, marked.known.joined(known)
            words = spelt if self.raw is None else self.raw.source.cased(_pieces(spelt))
        elif self.raw is None:
            words = spelt = list(words_of(line))
        else:
            pieces = self.raw.source.pieces(line)
            spelt, words = [piece.text for piece in pieces], self.raw.source.cased(pieces)
        if self.glossary is not None:
            known = known.joined(self.glossary.known(spelt))
        return Marked(words, known)


def _pieces(words: Sequence[str]) -> list[Piece]:
    """Words of a line whose pieces are not known; sentences begin after full stops."""
    return [Piece(word, True, k == 0 or words[k - 1] in _ENDS) for k, word in enumerate(words)]
