"""The text formats, in one place: what each is called, what it holds, and where it is read and written.

A format's module is imported when it is first needed, so that listing the formats costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

from palmette.formats.files import Source, is_standard

if TYPE_CHECKING:
    from palmette.formats.corpus import Corpus
    from palmette.formats.treebank import Treebank


@dataclass(frozen=True)
class Format:
    """A text format. It holds tokens, read as a `Corpus`, or trees, read as a `Treebank`.

    `module` has read_NOUN, parse_NOUN and write_NOUN. `suffixes` are of file names, without `.gz`.
    """

    name: str
    holds: Literal["tokens", "trees"]
    suffixes: tuple[str, ...]
    summary: str
    module: str
    noun: str

    def read(self, source: Source, **options: Any) -> Corpus | Treebank:
        """What a file holds; the options are those of the format's own reader."""
        found: Corpus | Treebank = self._function("read")(source, **options)
        return found

    def parse(self, text: str | bytes, **options: Any) -> Corpus | Treebank:
        """What a text holds."""
        found: Corpus | Treebank = self._function("parse")(text, **options)
        return found

    def write(self, content: Any, target: Source, **options: Any) -> None:
        """Writes what the format holds; the options are those of its own writer."""
        self._function("write")(content, target, **options)

    def _function(self, verb: str) -> Any:
        return getattr(import_module(self.module), f"{verb}_{self.noun}")


FORMATS = (
    Format(
        "conllu",
        "tokens",
        (".conllu",),
        "CoNLL-U, the format of Universal Dependencies: ten tab-separated columns",
        "palmette.formats.conllu",
        "conllu",
    ),
    Format(
        "columns",
        "tokens",
        (".tsv", ".col", ".iob", ".iob2", ".bio"),
        "a token on each line, its columns separated by tabs or spaces (CoNLL-2000 to 2003)",
        "palmette.formats.columns",
        "columns",
    ),
    Format(
        "brackets",
        "trees",
        (".mrg", ".ptb", ".psd", ".brackets"),
        "Penn brackets: (S (NP (NN time)) (VP (VBZ flies)))",
        "palmette.formats.brackets",
        "brackets",
    ),
    Format(
        "discbracket",
        "trees",
        (".discbracket", ".dbr"),
        "brackets whose words carry positions: (S (VP 0=What 2=done) (VBZ 1=is))",
        "palmette.formats.discbracket",
        "discbrackets",
    ),
    Format(
        "export",
        "trees",
        (".export", ".negra"),
        "Negra export: a word or node on each line, each naming its parent",
        "palmette.formats.export",
        "export",
    ),
)


def format_names() -> str:
    """The names, for a message.

    >>> format_names()
    'conllu, columns, brackets, discbracket, export'
    """
    return ", ".join(format.name for format in FORMATS)


def is_arpa(path: Source) -> bool:
    """Whether a name is that of an ARPA file: *.arpa or *.arpa.gz."""
    return str(path).endswith((".arpa", ".arpa.gz"))


def format_named(name: str) -> Format:
    """The format of that name; ValueError if there is none."""
    for format in FORMATS:
        if format.name == name:
            return format
    close = get_close_matches(name, [format.name for format in FORMATS], 1)
    hint = f"did you mean {close[0]!r}? There are" if close else "there are"
    raise ValueError(f"no format {name!r}: {hint} {format_names()}")


def format_of_name(path: Source) -> Format | None:
    """The format that the suffix of a file's name speaks for; None for the standard streams.

    >>> format_of_name("train.conllu.gz").name
    'conllu'
    """
    if is_standard(path):
        return None
    suffixes = [suffix.lower() for suffix in PurePath(path).suffixes[-2:]]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    return next((format for format in FORMATS if suffixes[-1:] and suffixes[-1] in format.suffixes), None)
