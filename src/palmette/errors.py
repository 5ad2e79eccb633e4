"""Exceptions for input that is not what its format promises and for wrong options; how long messages get."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # as typing has it
if TYPE_CHECKING:
    from collections.abc import Callable

_MOST = 1_000  # characters of a message
_LONGEST = 200  # characters of one word in it, such as a name that is quoted
_LONGEST_PATH = 4_096  # what systems allow for the name of a file


def shortened(text: str, longest: int = _LONGEST, most: int = _MOST) -> str:
    """The text with long words cut to `longest` characters, and the whole to `most`.

    A message often ends with advice, so the end of the whole stays.

    >>> shortened("the label " + "x" * 1_000_000 + " is unknown", longest=9)
    'the label xxxxxxxxx… (1,000,000 characters) is unknown'
    """
    if len(text) > longest:
        text = re.sub(rf"\S{{{longest + 1},}}", lambda word: _cut(word[0], longest), text)
    if len(text) > most:
        text = f"{text[: most * 3 // 4]} … {text[-most // 4 :]}"
    return text


def shortened_path(path: str) -> str:
    """The path as it is, if a file can have it."""
    return path if len(path) <= _LONGEST_PATH else _cut(path, _LONGEST)


def _cut(word: str, longest: int) -> str:
    return f"{word[:longest]}… ({len(word):,} characters)"


class FormatError(ValueError):
    """A file is not well formed: where, what came, and what was expected.

    What a message quotes from the file is shortened.

    >>> str(FormatError("head 31 in a sentence of 12 tokens", path="train.conllu", line=118))
    'train.conllu:118: head 31 in a sentence of 12 tokens'
    """

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        self.message = shortened(message)
        self.path = path
        self.line = line
        where = shortened_path(path or "<input>") + (f":{line}" if line is not None else "")
        super().__init__(f"{where}: {self.message}")

    def __reduce__(self) -> tuple[Callable[..., FormatError], tuple[str, str | None, int | None]]:
        return _format_error, (self.message, self.path, self.line)


def _format_error(message: str, path: str | None, line: int | None) -> FormatError:
    return FormatError(message, path=path, line=line)


class UsageError(ValueError):
    """A parameter or option that does not exist, has a wrong value, or does not go with the others."""


def numbered(index: int, noun: str = "sentence") -> str:
    """Return the name of one of several things in a message; indices count from 0, people from 1.

    >>> numbered(0), numbered(2, "token")
    ('sentence 1', 'token 3')
    """
    return f"{noun} {index + 1}"


class SentenceError(ValueError):
    """One of several sentences cannot be worked on; `number` counts from 1.

    >>> str(SentenceError(3, "it has no words"))
    'Sentence 3: it has no words'
    """

    def __init__(self, number: int, message: str) -> None:
        self.number, self.message = number, message
        super().__init__(f"Sentence {number}: {message}")

    def __reduce__(self) -> tuple[type[SentenceError], tuple[int, str]]:
        return SentenceError, (self.number, self.message)
