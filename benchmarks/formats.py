"""Reading and writing CoNLL-U, beside the `conllu` package, on the English Web Treebank (14 MB).

Both sides start from the file's content in memory. The package makes a list of tokens with dictionaries;
Palmette makes arrays, and in a row of its own also every word as a Python object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import conllu

from benchmarks.data import corpus
from benchmarks.measuring.memory import megabytes_text, peak_growth
from benchmarks.measuring.row import Row
from benchmarks.measuring.timing import shortest
from palmette.formats.columns import format_columns, parse_columns
from palmette.formats.conllu import format_conllu, parse_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.files import read_bytes


def rows(quick: bool = False) -> Iterator[Row]:
    times = 1 if quick else 3
    (path,) = corpus("ud_en_ewt/train.conllu.gz")
    yield from conllu_rows(str(path), times)
    (path,) = corpus("pos_en_brown/train.tsv.gz")
    yield from column_rows(read_bytes(path), times)


def conllu_rows(path: str, times: int) -> Iterator[Row]:
    data = read_bytes(path)
    text, size = data.decode(), len(data) / 1e6
    read, words, peer = shortest(
        lambda: parse_conllu(data),
        lambda: all_words(parse_conllu(data)),
        lambda: conllu.parse(text),
        times=times,
    )
    memory = megabytes_text(peak_growth(read_conllu, path), peak_growth(read_by_package, path))
    yield Row("read CoNLL-U / conllu", read, peer, size, "MB", least_ratio=10, least_rate=40, memory=memory)
    yield Row("read CoNLL-U, every word an object / conllu", words, peer, size, "MB")

    ours, sentences = parse_conllu(data), conllu.parse(text)
    write, peer = shortest(
        lambda: format_conllu(ours),
        lambda: "".join(sentence.serialize() for sentence in sentences),
        times=times,
    )
    yield Row("write CoNLL-U / conllu", write, peer, size, "MB")


def column_rows(data: bytes, times: int) -> Iterator[Row]:
    size, ours, lists = len(data) / 1e6, parse_columns(data), read_by_hand(data)
    read, peer = shortest(lambda: parse_columns(data), lambda: read_by_hand(data), times=times)
    yield Row("read columns / str.split", read, peer, size, "MB")
    write, peer = shortest(lambda: format_columns(ours), lambda: write_by_hand(lists), times=times)
    yield Row("write columns / str.join", write, peer, size, "MB")


def read_conllu(path: str) -> Callable[[], Corpus]:
    data = read_bytes(path)
    return lambda: parse_conllu(data)


def read_by_package(path: str) -> Callable[[], object]:
    data = read_bytes(path)
    return lambda: conllu.parse(data.decode())


def all_words(sentences: Corpus) -> list[list[object]]:
    """Every word of every sentence as a named tuple."""
    return [sentence.words() for sentence in sentences]


def read_by_hand(data: bytes) -> list[list[list[str]]]:
    """The plain Python that one writes for a column file."""
    return [
        [line.split("\t") for line in sentence.split("\n") if line[0] != "#"]
        for sentence in data.decode().strip("\n").split("\n\n")
    ]


def write_by_hand(sentences: list[list[list[str]]]) -> bytes:
    """The way back of `read_by_hand`, without the comments."""
    return "".join("".join("\t".join(word) + "\n" for word in s) + "\n" for s in sentences).encode()
