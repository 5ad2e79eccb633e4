"""Reading and writing treebanks, beside nltk's trees, on the treebanks of English, Icelandic and Dutch.

Both sides start from a text in memory and end with every tree as Python objects. nltk has no reader of the
export format; it reads the same trees from discbrackets, its leaves staying `position=word`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import nltk

from benchmarks.data import corpus
from benchmarks.measuring.memory import megabytes_text, peak_growth
from benchmarks.measuring.row import Row
from benchmarks.measuring.timing import shortest
from palmette.formats.brackets import bracket_text, parse_brackets
from palmette.formats.discbracket import parse_discbrackets
from palmette.formats.export import parse_export
from palmette.formats.files import read_bytes


def rows(quick: bool = False) -> Iterator[Row]:
    times = 1 if quick else 3
    paths = corpus(
        "const_en_ptb/train.mrg.gz",
        "const_is_icepahc/train.mrg.gz",
        "disc_nl_alpino/train.discbracket.gz",
        "disc_nl_alpino/train.export.gz",
    )
    english, icelandic, dutch, dutch_export = map(str, paths)
    yield from bracket_rows("English", english, times)
    if quick:
        return
    yield from bracket_rows("Icelandic", icelandic, times)

    bracketed, exported = read_text(dutch), read_text(dutch_export)
    brackets, export, peer = shortest(
        lambda: parse_discbrackets(bracketed),
        lambda: parse_export(exported),
        lambda: nltk_trees(bracketed),
        times=times,
    )
    yield Row("read discbrackets, Dutch / nltk", brackets, peer, size_of(bracketed), "MB")
    yield Row("read export, Dutch / nltk", export, peer, size_of(exported), "MB")


def bracket_rows(language: str, path: str, times: int) -> Iterator[Row]:
    text = read_text(path)
    read, peer = shortest(lambda: parse_brackets(text), lambda: nltk_trees(text), times=times)
    memory = megabytes_text(peak_growth(read_brackets, path), peak_growth(read_by_nltk, path))
    yield Row(f"read brackets, {language} / nltk", read, peer, size_of(text), "MB", memory=memory)

    ours, theirs = parse_brackets(text), nltk_trees(text)
    write, peer = shortest(
        lambda: [bracket_text(tree) for tree in ours],
        lambda: [tree.pformat(margin=1 << 30) for tree in theirs],
        times=times,
    )
    yield Row(f"write brackets, {language} / nltk", write, peer, size_of(text), "MB")


def read_brackets(path: str) -> Callable[[], object]:
    text = read_text(path)
    return lambda: parse_brackets(text)


def read_by_nltk(path: str) -> Callable[[], object]:
    text = read_text(path)
    return lambda: nltk_trees(text)


def nltk_trees(text: str) -> list[nltk.Tree]:
    """One tree per line, without the extra outer pair of brackets."""
    trees = [nltk.Tree.fromstring(line) for line in text.splitlines()]
    return [tree[0] if tree.label() == "" else tree for tree in trees]


def read_text(path: str) -> str:
    return read_bytes(path).decode()


def size_of(text: str) -> float:
    return len(text.encode()) / 1e6
