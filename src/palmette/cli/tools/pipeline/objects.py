"""What `palmette predict` writes as JSON: the objects of `Document.to_dict`, some sentences at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from tempfile import SpooledTemporaryFile
from typing import TYPE_CHECKING, Any

from palmette.tools.pipeline.document import Document

if TYPE_CHECKING:
    from palmette.cli.tools.pipeline.prediction import PlacedReader

_VALUES = ("score", "log_probability")  # of one of the k best trees
_IN_MEMORY = 1 << 22  # characters that wait for the end of the object; more wait in a file


def objects(document: Document, *, entities: bool = False) -> Iterator[dict[str, Any]]:
    """Every sentence, and the k best trees of one as a list. entities: with the entities of each."""
    ranked: list[dict[str, Any]] = []
    about: dict[str, Any] = {}
    for i, sentence in enumerate(document.sentences):
        data, found = document.corpus[i].metadata, sentence.to_dict()
        if entities and document.has_entities:
            found["entities"] = [entity._asdict() for entity in sentence.entities]
        if "kbest" not in data:
            yield found
            continue
        if data["kbest"] == "1" and ranked:
            yield about | {"kbest": ranked}
            ranked = []
        tokens = {"tokens": found.pop("tokens")}
        about = found
        ranked.append({name: float(text) for name, text in _named(data, *_VALUES).items()} | tokens)
    if ranked:
        yield about | {"kbest": ranked}


def whole_object(found: Iterator[Document], reader: PlacedReader) -> Iterator[bytes]:
    """One object with all sentences, written as they come, then the entities and the text, which wait."""
    with (
        SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", newline="") as text,
        SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", newline="") as names,
    ):
        reader.copied = lambda piece: _write(text, json.dumps(piece, ensure_ascii=False)[1:-1])
        yield b'{"sentences": ['
        between, separator = b"\n", ""
        for document in found:
            for one in objects(document):
                yield between + _line(one)
                between = b",\n"
            for entity in document.entities:
                _write(names, separator + _line(entity._asdict()).decode())
                separator = ",\n"
        yield b'\n],\n"entities": ['
        yield from _copied(names)
        yield b'],\n"text": "'
        yield from _copied(text)
        yield b'"}\n'


def _line(one: Mapping[str, Any]) -> bytes:
    return json.dumps(one, ensure_ascii=False).encode()


def _write(file: SpooledTemporaryFile[str], text: str) -> None:
    file.write(text)


def _copied(file: SpooledTemporaryFile[str]) -> Iterator[bytes]:
    file.seek(0)
    while piece := file.read(1 << 16):
        yield piece.encode()


def _named(data: Mapping[str, str], *names: str) -> dict[str, str]:
    return {name: data[name] for name in names if name in data}
