"""The one exception for input that is not what its format promises."""

from __future__ import annotations


class FormatError(ValueError):
    """A file is not well formed: where, what came, and what was expected.

    >>> str(FormatError("head 31 in a sentence of 12 tokens", path="train.conllu", line=118))
    'train.conllu:118: head 31 in a sentence of 12 tokens'
    """

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        self.message = message
        self.path = path
        self.line = line
        where = (path or "<input>") + (f":{line}" if line is not None else "")
        super().__init__(f"{where}: {message}")
