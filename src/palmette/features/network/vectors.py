"""Vectors of words from a file: text as word2vec and GloVe write it, or .npz with `words` and `vectors`."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from palmette.errors import FormatError
from palmette.formats.files import Source, display_name, read_bytes, read_text
from palmette.messages import counted

Floats = NDArray[np.float32]


def read_vectors(source: Source) -> tuple[tuple[str, ...], Floats]:
    """Return the words and their vectors [words, width]; FormatError for rows of different lengths.

    Text has a word and its numbers on each line; a first line with two whole numbers says how many words there
    are, and how many numbers each has. A word that comes twice keeps its first vector.
    """
    path = display_name(source)
    words, vectors = _npz(source, path) if path.endswith(".npz") else _text(read_text(source), path)
    if not len(words) or not vectors.shape[1]:
        raise FormatError("expected words with vectors; the file has none", path=path)
    if not np.isfinite(vectors).all():
        row = int(np.flatnonzero(~np.isfinite(vectors).all(axis=1))[0])
        raise FormatError(f"the vector of {words[row]!r} has a number that is not finite", path=path)
    first = {word: k for k, word in reversed(list(enumerate(words)))}
    kept = sorted(first.values())
    return tuple(words[k] for k in kept), np.ascontiguousarray(vectors[kept])


def _text(text: str, path: str) -> tuple[list[str], Floats]:
    words: list[str] = []
    rows: list[Floats] = []
    header: tuple[int, int] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        fields = line.rstrip().split(" ") if "\t" not in line else line.rstrip().replace("\t", " ").split(" ")
        if number == 1 and len(fields) == 2 and all(field.isdecimal() for field in fields):
            header = int(fields[0]), int(fields[1])
            continue
        if not line.strip():
            continue
        try:
            with np.errstate(over="ignore"):  # what is too large is infinite, and refused as that
                row = np.array(fields[1:], dtype=np.float32)
        except ValueError:
            raise FormatError("expected a word and numbers", path=path, line=number) from None
        width = header[1] if header else len(rows[0]) if rows else len(row)
        if len(row) != width:
            said = "the first line says" if header else "on the lines before"
            raise FormatError(f"expected {width} numbers as {said}; got {len(row)}", path=path, line=number)
        words.append(fields[0])
        rows.append(row)
    if header and header[0] != len(rows):
        said = f"expected {counted(header[0], 'word')} as the first line says; got {len(rows):,}"
        raise FormatError(said, path=path, line=1)
    return words, np.array(rows, dtype=np.float32).reshape(len(rows), len(rows[0]) if rows else 0)


def _npz(source: Source, path: str) -> tuple[Sequence[str], Floats]:
    import io

    try:
        with np.load(io.BytesIO(read_bytes(source)), allow_pickle=False) as file:
            words, vectors = _named(file, "words", path), _named(file, "vectors", path)
    except (ValueError, zipfile.BadZipFile, EOFError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(f"not a .npz file with words and vectors: {error}", path=path) from None
    if words.ndim != 1 or words.dtype.kind != "U" or vectors.ndim != 2 or vectors.dtype.kind != "f":
        raise FormatError("expected an array of strings, words, and a matrix of numbers, vectors", path=path)
    if len(words) != len(vectors):
        raise FormatError(f"there are {len(words):,} words and {len(vectors):,} vectors", path=path)
    return words.tolist(), vectors.astype(np.float32)


def _named(file: Any, name: str, path: str) -> NDArray[Any]:
    if name not in file:
        raise FormatError(f"expected an array {name!r}; it has {', '.join(file) or 'none'}", path=path)
    found: NDArray[Any] = file[name]
    return found
