"""Small requests that wait for the same model are answered together, which costs less than one by one.

Each gets the answer that it would get alone. What cannot be joined, because one of them is wrong or a warning
names a line, is answered one by one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Sequence
from typing import Any

from palmette.cli.tools.pipeline.options import names_of
from palmette.cli.tools.pipeline.prediction import Asked as AskedPipeline
from palmette.cli.tools.pipeline.prediction import joined_predictions
from palmette.formats.files import Content
from palmette.serve.asking import TAGGERS, Asked, Notes, Prepared

# What a small request has at most, so that others need not wait long: charts grow with the cube of the words.
_SENTENCES, _TEXT, _SENTENCE, _OF_CHARTS = 16, 4000, 1000, 300
_SENTENCE_WISE = (*TAGGERS, "depparse", "parse", "morphology", "lemmas")
_OF_PIPELINES = {"from_", "keep", "probabilities"}  # options that can be joined
_NUMBER = re.compile(rb'\{"(?:sentence|number)": (\d+)')

Lines = list[bytes]


def key_of(asked: Asked) -> Hashable | None:
    """What requests must share to be answered together; None for one that is answered alone."""
    body = asked.body
    text, sentences = body.get("text"), body.get("sentences")
    if isinstance(sentences, list) and text is None:
        most = _OF_CHARTS if asked.tool == "parse" else _SENTENCE
        small = len(sentences) <= _SENTENCES and all(_size(one) <= most for one in sentences)
        fits = asked.tool in ("pipeline", *_SENTENCE_WISE)
    else:
        small = isinstance(text, str) and len(text) <= _TEXT
        fits = asked.tool == "pipeline" and "sentences" not in body
    if not (small and fits):
        return None
    others = {name: value for name, value in body.items() if name not in ("text", "sentences", "model")}
    return id(asked.served.file), text is None, json.dumps(others, sort_keys=True)


def answered(requests: Sequence[Asked]) -> list[Lines | Exception]:
    """The JSON lines of every request, or what is wrong with it."""
    found: list[Lines | Exception | None] = [None] * len(requests)
    alike: dict[str, list[tuple[int, Prepared]]] = {}
    for i, asked in enumerate(requests if len(requests) > 1 else ()):
        try:
            prepared = asked.prepared()
        except Exception as error:
            found[i] = error
            continue
        alike.setdefault(repr(sorted(prepared.options.items())), []).append((i, prepared))
    for group in alike.values():
        together = _together([requests[i] for i, _ in group], [prepared for _, prepared in group])
        for (i, _), lines in zip(group, together or ()):
            found[i] = lines
    return [_alone(asked) if one is None else one for asked, one in zip(requests, found)]


def _alone(asked: Asked) -> Lines | Exception:
    try:
        return list(asked.predict())
    except Exception as error:
        return error


def _together(requests: Sequence[Asked], prepared: Sequence[Prepared]) -> list[Lines] | None:
    """The answers of several requests with the same options; None if each must be answered alone."""
    if len(requests) < 2:
        return None
    notes = Notes()
    join = _joined_pipeline if requests[0].tool == "pipeline" else _joined_sentences
    try:
        found = join(requests[0], prepared, notes)
    except Exception:  # who is to blame is found out one by one
        return None
    if found is None or notes.has_places():
        return None
    for asked in requests:
        asked.notes.take(notes)
    return found


def _joined_pipeline(asked: Asked, prepared: Sequence[Prepared], notes: Notes) -> list[Lines] | None:
    options = prepared[0].options
    if not options.keys() <= _OF_PIPELINES:
        return None
    many = [
        AskedPipeline(
            source=one.input,
            format=options.get("from_"),
            keep=names_of(options.get("keep")),
            probabilities=options.get("probabilities", False),
        )
        for one in prepared
    ]
    return joined_predictions(asked.served.file, many, asked.run(notes))


def _joined_sentences(asked: Asked, prepared: Sequence[Prepared], notes: Notes) -> list[Lines] | None:
    """One CoNLL-U of all; the number of a sentence is then that in its own request."""
    first = prepared[0]
    content = Content(b"".join(one.input.data for one in prepared))
    lines = list(
        first.function(asked.served.file, asked.run(notes), **{first.name: content}, **first.options)
    )
    counts = [len(one.body["sentences"]) for one in prepared]
    if len(lines) != sum(counts):
        return None
    found, at = [], 0
    for count in counts:
        found.append([_numbered(line, at + k + 1, k + 1) for k, line in enumerate(lines[at : at + count])])
        at += count
    return found


def _numbered(line: bytes, was: int, number: int) -> bytes:
    found = _NUMBER.match(line)
    if found is None or int(found[1]) != was:
        raise ValueError("the answers are not numbered as the sentences are")
    return line[: found.start(1)] + str(number).encode() + line[found.end(1) :]


def _size(sentence: Any) -> int:
    """Characters of a sentence, or about as many."""
    return (
        len(sentence) if isinstance(sentence, str) else 8 * len(sentence) if isinstance(sentence, list) else 0
    )
