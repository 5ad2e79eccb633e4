"""Lists of candidates, the n best outputs of a first model: one candidate a line, lists separated by empty lines.

    gold<TAB>(TOP (S (NP (NN time)) (VP (VBZ flies))))
    -0.105<TAB>(TOP (S (NP (NN time)) (VP (VBZ flies))))
    -2.3<TAB>(TOP (NP (NN time) (NNS flies)))

    -0.5<TAB>Paris/B-LOC is/O calling/O
    -1.2<TAB>Paris/B-PER is/O calling/O

A line has the log-probability that the first model gives the candidate, a tab, and the candidate: a tree in
brackets, or words with their labels, word and label joined by the last slash of each. `gold` in place of the
number is the right output, which may be missing, and need not be among the candidates. Lines that begin with `#`
are comments. Lists are read one after another, so a file may be larger than the memory.
"""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Iterator
from typing import Any

from palmette.errors import FormatError
from palmette.formats.brackets import bracket_printer
from palmette.formats.candidates import Candidates, Output
from palmette.formats.files import Source, display_name, opened, write_atomically
from palmette.trees.tree import Tree

GOLD = "gold"
NO_CANDIDATES = "# no candidates\n"  # the line of a list that would have none
_EXPECTED = "a log-probability (or 'gold'), a tab, and a tree or words with labels"


class NBestFile:
    """The lists of a file, read again by every loop over it; gold: right outputs in place of those in the file.

    It has no length until it was read.
    """

    def __init__(self, source: Source, gold: Iterable[Output] | None = None) -> None:
        self.source = source
        self.gold = None if gold is None else list(gold)

    def __iter__(self) -> Iterator[Candidates]:
        lists = read_nbest(self.source)
        return lists if self.gold is None else with_gold(lists, self.gold, display_name(self.source))


def read_nbest(source: Source) -> Iterator[Candidates]:
    """The lists of a file (`-` is standard input, gzip is transparent), one after another.

    FormatError with the line where something else is there.
    """
    name = display_name(source)
    yield from _lists(_lines(source), name)


def parse_nbest(text: str, path: str | None = None) -> list[Candidates]:
    """Return the lists of a text. path: for messages.

    >>> (found,) = parse_nbest("-1.5\\tParis/B-LOC sleeps/O")
    >>> found.outputs[0], found.log_probabilities.tolist()
    ((('Paris', 'B-LOC'), ('sleeps', 'O')), [-1.5])
    """
    return list(_lists(enumerate(io.StringIO(text), 1), path))


def with_gold(
    lists: Iterable[Candidates], gold: Iterable[Output], name: str | None = None
) -> Iterator[Candidates]:
    """The lists with these right outputs, one for each; FormatError if there are more of the one or the other."""
    outputs = iter(gold)
    n = 0
    for n, given in enumerate(lists, 1):
        right = next(outputs, None)
        if right is None:
            raise FormatError(f"there are more lists than the {n - 1:,} right outputs", path=name)
        yield given.with_gold(right)
    if next(outputs, None) is not None:
        raise FormatError(f"there are {n:,} lists, and more right outputs", path=name)


def write_nbest(lists: Iterable[Candidates], target: Source) -> None:
    """Writes lists as `read_nbest` reads them; ValueError for what the format cannot carry."""
    line = nbest_printer()
    with write_atomically(target) as file:
        for given in lists:
            file.write(line(given).encode("utf-8"))


def nbest_printer() -> Any:
    """What makes a list the lines that `write_nbest` writes."""
    tree_line = bracket_printer()

    def text(output: Output) -> str:
        if isinstance(output, Tree):
            return tree_line(output)
        return tagged_text(output) + "\n"

    def lines(given: Candidates) -> str:
        found = [] if given.gold is None else [f"{GOLD}\t{text(given.gold)}"]
        found += [f"{p!r}\t{text(y)}" for p, y in zip(given.log_probabilities.tolist(), given.outputs)]
        return "".join(found or [NO_CANDIDATES]) + "\n"

    return lines


def tagged_text(tagged: Iterable[tuple[str, str]]) -> str:
    """Words with their labels as one line."""
    pairs = list(tagged)
    for word, label in pairs:
        if not word or not label or "/" in label or any(c.isspace() for c in word + label):
            raise ValueError(
                f"A list of candidates cannot carry the word {word!r} with the label {label!r}: neither may be "
                "empty or hold white space, nor the label a slash."
            )
    return " ".join(f"{word}/{label}" for word, label in pairs)


def _lists(lines: Iterable[tuple[int, str]], name: str | None) -> Iterator[Candidates]:
    gold: Output | None = None
    outputs: list[Output] = []
    scores: list[float] = []
    began = False
    kind: bool | None = None
    for number, line in lines:
        if line.startswith("#"):
            began = True
            continue
        stripped = line.rstrip("\r\n")
        if not stripped.strip():
            if began:
                yield Candidates(outputs, scores, gold)
            gold, outputs, scores, began = None, [], [], False
            continue
        first, tab, rest = stripped.partition("\t")
        if not tab:
            raise FormatError(f"expected {_EXPECTED}; got no tab", path=name, line=number)
        output = _output(rest.strip(), name, number)
        if kind is not None and kind != isinstance(output, Tree):
            raise FormatError("trees and words with labels in one file", path=name, line=number)
        kind, began = isinstance(output, Tree), True
        if first.strip() == GOLD:
            if gold is not None:
                raise FormatError("a second right output in one list", path=name, line=number)
            gold = output
        else:
            scores.append(_number(first, name, number))
            outputs.append(output)
    if began:
        yield Candidates(outputs, scores, gold)


def _number(text: str, name: str | None, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value) or value == math.inf:
        raise FormatError(f"expected {_EXPECTED}; got {text[:40]!r} for the number", path=name, line=line)
    return value


def _output(text: str, name: str | None, line: int) -> Output:
    if text.startswith("(") and text.endswith(")"):
        try:
            return Tree.parse(text)
        except (FormatError, ValueError) as error:
            what = error.message if isinstance(error, FormatError) else str(error)
            raise FormatError(f"a damaged tree: {what}", path=name, line=line) from None
    pairs = []
    for token in text.split():
        word, slash, label = token.rpartition("/")
        if not slash or not word or not label:
            raise FormatError(
                f"expected a tree in brackets or words with labels, as in time/NN; got {token[:40]!r}",
                path=name,
                line=line,
            )
        pairs.append((word, label))
    if not pairs:
        raise FormatError(f"expected {_EXPECTED}; got nothing after the tab", path=name, line=line)
    return tuple(pairs)


def _lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines of a file with their numbers, as they come."""
    number = 0
    with opened(source) as stream:
        try:
            for number, line in enumerate(stream, 1):
                yield number, line.decode("utf-8")
        except UnicodeDecodeError:
            raise FormatError("this line is not UTF-8", path=display_name(source), line=number) from None
