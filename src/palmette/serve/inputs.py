"""From the JSON of a request to the input of a command: text, sentences or pairs, never the name of a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from palmette.formats.files import Content
from palmette.serve.limits import RequestError

# Columns of CoNLL-U by the names that tokens may use for them.
_COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "head", "deprel", "misc")
_UNKNOWN = "\t_" * 8 + "\n"  # the other columns of a word
_ALSO = {"token": "form", "relation": "deprel", "tag": "xpos"}


def text_of(body: Mapping[str, Any]) -> str:
    """The field text, which must be a string."""
    text = body["text"]
    if not isinstance(text, str):
        raise RequestError(400, "text must be a string")
    return text


def lines_of(body: Mapping[str, Any], name: str = "sentences") -> Content:
    """The lines of a tool that reads one input on each line: of the text, or one of each sentence."""
    if "text" in body:
        return Content(_encoded(text_of(body)))
    rows = [_line(row, number, name) for number, row in enumerate(_list(body, name), 1)]
    return Content(_encoded("".join(f"{row}\n" for row in rows)))


def pairs_of(body: Mapping[str, Any]) -> Content:
    """Sentence pairs, with a tab between the two."""
    if "text" in body:
        return Content(_encoded(text_of(body)))
    lines = []
    for number, pair in enumerate(_list(body, "pairs"), 1):
        if not isinstance(pair, list) or len(pair) != 2:
            raise RequestError(400, f"pair {number} must be a source sentence and a target sentence")
        sides = [_line(side, number, "pairs") for side in pair]
        if any("\t" in side for side in sides):
            raise RequestError(400, f"pair {number} has a tab in a sentence")
        lines.append("\t".join(sides) + "\n")
    return Content(_encoded("".join(lines)))


class Tokens:
    """Sentences as CoNLL-U, and which columns the request has given values for."""

    def __init__(self, body: Mapping[str, Any], label: str = "misc", key: str = "Tag") -> None:
        """label, key: the column of a tagger's labels, and their key if the column is misc."""
        self.given: set[str] = set()
        self._label, self._key = label, key
        sentences = _list(body, "sentences")
        rows = [self._sentence(sentence, number) for number, sentence in enumerate(sentences, 1)]
        self.content = Content(_encoded("".join(rows)))

    def _sentence(self, sentence: Any, number: int) -> str:
        words = sentence.split() if isinstance(sentence, str) else sentence
        if not isinstance(words, list) or not words:
            raise RequestError(
                400, f"sentence {number} must be a string, or a list of words or tokens; it has none"
            )
        return "".join(self._row(word, i, number) for i, word in enumerate(words, 1)) + "\n"

    def _row(self, word: Any, i: int, number: int) -> str:
        if isinstance(word, str):
            if word and word.isprintable():  # nearly every one
                self.given.add("form")
                return f"{i}\t{word}{_UNKNOWN}"
            word = {"form": word}
        where = f"sentence {number}, token {i}"
        if not isinstance(word, dict):
            raise RequestError(400, f"{where}: a token is a string or an object")
        values = dict.fromkeys(_COLUMNS, "_")
        for name, value in word.items():
            column = self._label if name == "label" else _ALSO.get(name, name)
            if name in ("number", "probability") or value is None:
                continue
            if column not in values:
                raise RequestError(
                    400, f"{where}: unknown field; expected one of {', '.join(_COLUMNS)}, label"
                )
            if column == "head":
                if isinstance(value, bool) or not isinstance(value, int):
                    raise RequestError(400, f"{where}: a head is a number, 0 for the root")
                if value == i:
                    raise RequestError(400, f"{where}: a token cannot be its own head")
            elif not isinstance(value, str) or not value or any(c in value for c in "\t\n\r"):
                raise RequestError(
                    400, f"{where}: {name} must be a string that is not empty, without tabs and line breaks"
                )
            self.given.add("label" if name == "label" else column)
            noted = name == "label" and column == "misc"
            values[column] = f"{self._key}={value}" if noted else str(value)
        if values["form"] == "_" and word.get("form", word.get("token")) != "_":
            raise RequestError(400, f"{where}: a token needs a form")
        form, lemma, upos, xpos, feats, head, deprel, misc = values.values()
        return "\t".join([str(i), form, lemma, upos, xpos, feats, head, deprel, "_", misc]) + "\n"


def _list(body: Mapping[str, Any], name: str) -> Sequence[Any]:
    rows = body.get(name)
    if not isinstance(rows, list):
        raise RequestError(400, f"expected text, or a list of {name}")
    return rows


def _line(row: Any, number: int, name: str) -> str:
    if isinstance(row, list) and all(isinstance(word, str) for word in row):
        row = " ".join(row)
    if not isinstance(row, str):
        raise RequestError(400, f"{name}, {number}: expected a string, or a list of words")
    if "\n" in row or "\r" in row:
        raise RequestError(400, f"{name}, {number}: a sentence has no line breaks")
    return row


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise RequestError(400, "the text has half a surrogate pair, which is not a character") from None
