"""Files that are corrected, as bytes: only what changes is written again, everything else stays as it was."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from palmette.errors import FormatError
from palmette.formats.batches import Unit, units
from palmette.formats.brackets import parse_brackets
from palmette.formats.columns import parse_columns
from palmette.formats.conllu import NAMES, parse_conllu
from palmette.formats.guess import guess_format
from palmette.formats.pharaoh import Link, parse_pharaoh
from palmette.formats.registry import format_of_name
from palmette.messages import counted
from palmette.tools.alignment.text import parse_pairs

# The fields of a line of CoNLL-U by the names of their columns.
FIELDS = {"form": 1, "lemma": 2, "upos": 3, "xpos": 4, "feats": 5, "head": 6, "deprel": 7, "misc": 9}
_ID = 0


class Document(ABC):
    """Sentences of a file, each with values that can be set. format: its name."""

    format: str

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def data(self) -> bytes:
        """The file as it would be saved."""

    @abstractmethod
    def block(self, n: int) -> str:
        """The text of a sentence, or of its tree."""

    def source(self, n: int) -> str:
        """A sentence as the file has it, with an end that another one can follow."""
        return self.block(n) + "\n"


class Lines(Document):
    """CoNLL-U or columns: a token on a line, an empty line after each sentence. Sentences are counted from 0."""

    def __init__(self, data: bytes, path: str, conllu: bool) -> None:
        self.format = "conllu" if conllu else "columns"
        (parse_conllu if conllu else parse_columns)(
            data, path=path
        )  # what is wrong is said before anything is done
        self._lines = data.split(b"\n")
        self._separator = b"\t" if conllu or b"\t" in data else b" "
        self._sentences: list[list[int]] = []
        inside = False
        for number, line in enumerate(self._lines):
            if not line.strip():
                inside = False
            elif not (conllu and line.startswith(b"#")) and (not conllu or line.split(b"\t")[_ID].isdigit()):
                if not inside:
                    self._sentences.append([])
                inside = True
                self._sentences[-1].append(number)

    def __len__(self) -> int:
        return len(self._sentences)

    def data(self) -> bytes:
        return b"\n".join(self._lines)

    def fields(self, n: int) -> list[list[str]]:
        """The columns of every token."""
        return [self._cut(number) for number in self._sentences[n]]

    def filled(self) -> set[str]:
        """The columns of CoNLL-U that have a value somewhere; the others are left empty."""
        if self.format != "conllu":
            return set()
        rows = (row for n in range(len(self)) for row in self.fields(n))
        return {name for row in rows for name, place in FIELDS.items() if row[place] != "_"}

    def block(self, n: int) -> str:
        return self.text(self.fields(n))

    def source(self, n: int) -> str:
        begin, end = self._sentences[n][0], self._sentences[n][-1] + 1
        while (
            begin > 0
            and self._lines[begin - 1].strip()
            and (n == 0 or begin > self._sentences[n - 1][-1] + 1)
        ):
            begin -= 1  # comments, and the range of a first multiword token
        return "".join(line.removesuffix(b"\r").decode() + "\n" for line in self._lines[begin:end]) + "\n"

    def text(self, rows: Sequence[Sequence[str]]) -> str:
        """Rows as the text of one sentence."""
        between = self._separator.decode()
        return "".join(between.join(row) + "\n" for row in rows) + "\n"

    def set(self, n: int, token: int, column: int, value: str) -> None:
        """Change one field; the other bytes of its line stay."""
        number = self._sentences[n][token]
        line = self._lines[number]
        end = b"\r" if line.endswith(b"\r") else b""
        fields = line.removesuffix(b"\r").split(self._separator if self._separator == b"\t" else None)
        fields[column] = value.encode()
        self._lines[number] = self._separator.join(fields) + end

    def _cut(self, number: int) -> list[str]:
        line = self._lines[number].removesuffix(b"\r").decode()
        return line.split("\t") if self._separator == b"\t" else line.split()


class Trees(Document):
    """Trees in brackets; what is between them stays."""

    format = "brackets"

    def __init__(self, data: bytes, path: str) -> None:
        parse_brackets(data, path=path)
        self._pieces = units(data, Unit.tree)
        self._places = [i for i, piece in enumerate(self._pieces) if b"(" in piece]

    def __len__(self) -> int:
        return len(self._places)

    def data(self) -> bytes:
        return b"".join(self._pieces)

    def block(self, n: int) -> str:
        return " ".join(self._pieces[self._places[n]].decode().split())

    def set(self, n: int, tree: str) -> None:
        """Put another tree in the place of one."""
        piece = self._pieces[self._places[n]]
        tree = _with_root(tree, self.block(n))
        begin, end = piece.index(b"("), piece.rindex(b")") + 1
        self._pieces[self._places[n]] = piece[:begin] + tree.encode() + piece[end:]


class Pairs(Document):
    """Sentence pairs with a file of links beside them, a line for each; the pairs themselves never change."""

    format = "pairs"

    def __init__(self, data: bytes, path: str, links: bytes | None, links_path: str) -> None:
        """links: the content of the file of links; None if there is no such file yet."""
        text = parse_pairs(data, None, path=path)
        self.pairs = [(list(source), list(target)) for source, target in text]
        self.empty = links is None
        self._lines = [b""] * len(self.pairs) if links is None else links.split(b"\n")
        if links is not None and not links.endswith(b"\n"):
            self._lines.append(b"")
        if links is None:
            self._lines.append(b"")
        if len(self._lines) - 1 != len(self.pairs):
            raise FormatError(
                f"expected a line of links for each of the {counted(len(self.pairs), 'pair')} of {path}; "
                f"there are {len(self._lines) - 1}",
                path=links_path,
            )
        self._ended = links is None or links.endswith(b"\n")
        list(parse_pharaoh(b"\n".join(self._lines).decode(), path=links_path))

    def __len__(self) -> int:
        return len(self.pairs)

    def data(self) -> bytes:
        found = b"\n".join(self._lines)
        return found if self._ended else found.removesuffix(b"\n")

    def block(self, n: int) -> str:
        return self._lines[n].decode().strip()

    def links(self, n: int) -> frozenset[Link]:
        """The links of a pair, sure and possible ones."""
        return next(iter(parse_pharaoh(self.block(n) + "\n"))).possible

    def set(self, n: int, links: str) -> None:
        """Put another line of links in the place of one."""
        end = b"\r" if self._lines[n].endswith(b"\r") else b""
        self._lines[n] = links.encode() + end


def holds_pairs(data: bytes) -> bool:
    """Whether a text has a sentence and its translation on each line, with a tab or ||| between them."""
    lines = [line for line in data.split(b"\n") if line.strip()]
    if not lines:
        return False
    if all(b" ||| " in line for line in lines):
        return True
    sides = [line.split(b"\t") for line in lines]
    return all(len(pair) == 2 for pair in sides) and any(
        b" " in side.strip() for pair in sides for side in pair
    )


def _with_root(tree: str, old: str) -> str:
    """The tree with a root as the old one has it: named TOP, without a name, or none above the sentence."""
    if not tree.startswith("(TOP (") or old.startswith("(TOP "):
        return tree
    inner = tree.removeprefix("(TOP ").removesuffix(")")
    if old.startswith(("((", "( (")):
        return f"{old[: old.index('(', 1)]}{inner})"
    return inner if len(units(inner.encode(), Unit.tree)) == 1 else tree


def opened(data: bytes, path: str) -> Document:
    """The document of a file; FormatError if it is of no format that can be corrected."""
    if data[:2] == b"\x1f\x8b":
        raise FormatError("a gzipped file cannot be corrected: unpack it first, with gunzip", path=path)
    found = format_of_name(path) or guess_format(data)
    if (found is None or found.name not in ("conllu", "brackets")) and holds_pairs(data):
        beside = links_beside(path)
        return Pairs(data, path, beside.read_bytes() if beside.exists() else None, str(beside))
    name = None if found is None else found.name
    if name == "brackets":
        return Trees(data, path)
    if name in ("conllu", "columns"):
        return Lines(data, path, name == "conllu")
    raise FormatError("expected CoNLL-U, columns, trees in brackets or sentence pairs to edit", path=path)


def links_beside(path: str | Path) -> Path:
    """The file of links that belongs to sentence pairs: pairs.align for pairs.tsv."""
    return Path(path).with_suffix(".align")


def token_of(fields: Sequence[str]) -> Mapping[str, Any]:
    """A line of CoNLL-U as a token, without the fields that are empty."""
    named = {name: fields[place] for name, place in FIELDS.items() if fields[place] != "_" or name == "form"}
    if "head" in named:
        named["head"] = int(named["head"])  # type: ignore[assignment]
    return named


assert len(NAMES) >= 8  # as FIELDS has them
