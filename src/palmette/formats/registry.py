"""The text formats, in one place: what each is called, what it holds, and where it is read and written.

A format's module is imported when it is first needed, so that listing the formats costs nothing. Formats of other
packages join as `palmette/plugins.py` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Literal

from palmette.errors import UsageError
from palmette.formats.files import Source, display_name, is_standard, read_bytes, write_atomically
from palmette.plugins import load_plugins

if TYPE_CHECKING:
    from palmette.formats.corpus import Corpus
    from palmette.formats.treebank import Treebank


@dataclass(frozen=True)
class Format:
    """A text format. It holds tokens, read as a `Corpus`, or trees, read as a `Treebank`.

    `module` has parse_NOUN(text, lenient=, path=), which returns what the text holds, and format_NOUN(content),
    which returns the bytes of a corpus, or of an iterable of trees. It may also have read_NOUN(source) and
    write_NOUN(content, target) with options of their own. `suffixes` are of file names, without `.gz`.
    """

    name: str
    holds: Literal["tokens", "trees"]
    suffixes: tuple[str, ...]
    summary: str
    module: str
    noun: str

    def read(self, source: Source, **options: Any) -> Corpus | Treebank:
        """What a file holds; the options are those of the format's own reader."""
        reader = self._function("read", optional=True)
        if reader is None:
            return self.parse(read_bytes(source), **{"path": display_name(source), **options})
        found: Corpus | Treebank = reader(source, **options)
        return found

    def parse(self, text: str | bytes, **options: Any) -> Corpus | Treebank:
        """What a text holds."""
        found: Corpus | Treebank = self._function("parse")(text, **options)
        return found

    def format(self, content: Any, **options: Any) -> bytes:
        """The bytes of what the format holds."""
        found: bytes = self._function("format")(content, **options)
        return found

    def write(self, content: Any, target: Source, **options: Any) -> None:
        """Writes what the format holds; the options are those of its own writer."""
        writer = self._function("write", optional=True)
        if writer is not None:
            writer(content, target, **options)
            return
        text = self.format(content, **options)
        with write_atomically(target) as file:
            file.write(text)

    def _function(self, verb: str, *, optional: bool = False) -> Any:
        name, module = f"{verb}_{self.noun}", import_module(self.module)
        if optional:
            return getattr(module, name, None)
        if not hasattr(module, name):
            raise UsageError(f"the format {self.name!r} needs a function {name} in the module {self.module}")
        return getattr(module, name)


_FORMATS = [
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
]


def register(format: Format) -> None:
    """Make a format known; its name and its suffixes must be its own."""
    for other in _FORMATS:
        if format.name == other.name or set(format.suffixes) & set(other.suffixes):
            raise ValueError(
                f"{format.name!r} ({' '.join(format.suffixes)}) is taken by {other.name!r} "
                f"({' '.join(other.suffixes)})"
            )
    _FORMATS.append(format)


def formats() -> list[Format]:
    """All formats, in the order in which they were registered."""
    load_plugins()
    return list(_FORMATS)


def format_names() -> str:
    """The names, for a message.

    >>> format_names()
    'conllu, columns, brackets, discbracket, export'
    """
    return ", ".join(format.name for format in formats())


def is_arpa(path: Source) -> bool:
    """Whether a name is that of an ARPA file: *.arpa or *.arpa.gz."""
    return str(path).endswith((".arpa", ".arpa.gz"))


def format_named(name: str) -> Format:
    """The format of that name; ValueError if there is none."""
    for format in _FORMATS:
        if format.name == name:
            return format
    known = {format.name: format for format in formats()}
    if name in known:
        return known[name]
    close = get_close_matches(name, known, 1)
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
    return next((format for format in _FORMATS if suffixes[-1:] and suffixes[-1] in format.suffixes), None)
