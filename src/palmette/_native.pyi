"""
The loops of Palmette. Use the Python modules; this one checks only what keeps it from crashing.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy
from numpy.typing import NDArray

class ParsedTokens:
    """A token file as arrays of ids and lists of strings."""

    @property
    def offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def heads(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    @property
    def columns(self) -> list[tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], list[str]]]:
        """Ids and strings of each column."""

    @property
    def comments(self) -> list[str]: ...
    @property
    def comment_offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def extras(self) -> list[str]:
        """Ranges and empty nodes, as whole lines."""

    @property
    def extra_offsets(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...
    @property
    def extra_after(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...
    @property
    def problems(self) -> list[tuple[int, str]]:
        """(line, message), the first hundred."""

    @property
    def n_skipped(self) -> int: ...

def parse_conllu(text: bytes, lenient: bool) -> ParsedTokens: ...
def detect_separator(text: bytes) -> str: ...
def parse_columns(text: bytes, separator: str, n_columns: int, lenient: bool) -> ParsedTokens: ...
def format_conllu(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    columns: Sequence[
        tuple[
            str,
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            list[str],
        ]
    ],
    heads: Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
    comments: list[str],
    comment_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    extras: list[str],
    extra_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    extra_after: Annotated[
        NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
) -> bytes: ...
def format_columns(
    offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)],
    columns: Sequence[
        tuple[
            str,
            Annotated[NDArray[numpy.int32], dict(shape=(None,), order="C", device="cpu", writable=False)],
            list[str],
        ]
    ],
    comments: list[str],
    comment_offsets: Annotated[
        NDArray[numpy.int64], dict(shape=(None,), order="C", device="cpu", writable=False)
    ],
    separator: str,
) -> bytes: ...
