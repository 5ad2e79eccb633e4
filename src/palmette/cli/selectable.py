"""What a tool gives `palmette select`: its examples, some at a time, and the annotation of the chosen ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Examples(NamedTuple):
    """Some examples of a file: as `sureness` takes them, the words of each, and each as bytes of a file.

    commented: whether a line of comment may come before an example.
    """

    given: Any
    words: Sequence[Sequence[str]]
    files: Sequence[bytes]
    commented: bool = False


@dataclass(frozen=True)
class Selectable:
    """Examples that can be chosen, and what their model says of them.

    tool: the trained tool; read: the examples of a file; annotate: what `predict` writes of some examples, with
    probabilities.
    """

    tool: Any
    read: Callable[[str], Iterator[Examples]]
    annotate: Callable[[Any], Iterable[bytes]]
