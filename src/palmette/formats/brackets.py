"""Penn brackets: `((S (NP-SBJ (NN time)) (VP (VBZ flies))))`, with or without the extra outer pair.

A file is a sequence of trees; white space, line ends among it, separates. Labels, empty elements (`(-NONE-
*T*-1)`) and codes such as `-LRB-` are kept as they are; `palmette.formats.cleaning` removes what a parser
does not want. An outer pair of brackets without a label is dropped around one tree, and becomes a node with
the label "" around several (as in files with an `(ID ...)` beside each tree).

Reading is one pass of native code, linear in the file. Writing normalises white space to single spaces and
puts one tree on a line.
"""

from __future__ import annotations

from collections.abc import Iterable

from palmette import _native
from palmette.formats.files import Source, display_name, read_bytes, write_atomically
from palmette.formats.treebank import Treebank, strict_or_lenient
from palmette.trees import Leaf, Tree


def read_brackets(source: Source, *, lenient: bool = False) -> Treebank:
    """The trees of a file (`-` is standard input, gzip is transparent), as they stand there.

    A file that is not well formed raises FormatError with the line; with `lenient`, trees with a problem
    are left out and noted in the `skipped` of the result.
    """
    return _read(read_bytes(source), lenient=lenient, path=display_name(source))


def parse_brackets(text: str, *, lenient: bool = False) -> Treebank:
    """The trees of a text.

    >>> [tree.label for tree in parse_brackets("(NP (NN time)) ((S (NP I) (VP sleep)))")]
    ['NP', 'S']
    """
    return _read(text.encode("utf-8", "surrogatepass"), lenient=lenient, path=None)


def write_brackets(trees: Iterable[Tree], target: Source, *, outer: bool = False) -> None:
    """Writes one tree per line, with an extra pair of brackets around each if `outer`.

    A bracket in a word or a label is written `-LRB-` or `-RRB-`. A discontinuous tree, which brackets
    cannot carry, raises ValueError: write it with `write_discbrackets`.
    """
    with write_atomically(target) as file:
        for tree in trees:
            if tree.is_discontinuous:
                raise ValueError(f"Brackets cannot carry the discontinuous {tree}; use write_discbrackets.")
            text = bracket_text(tree)
            if outer and tree.label:
                text = f"({text})"
            file.write(text.encode() + b"\n")


def bracket_text(tree: Tree) -> str:
    """A tree in brackets, on one line."""
    pieces: list[str] = []
    todo: list[Tree | Leaf | str] = [tree]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif isinstance(item, Leaf):
            pieces.append(" " + _WRITTEN[item.word])
        else:
            children = item.children
            below = children[0]
            if len(children) == 1 and isinstance(below, Leaf):
                pieces.append(f" ({_WRITTEN[item.label]} {_WRITTEN[below.word]})")
                continue
            is_outer = item is tree and item.label == ""
            pieces.append(" (" if is_outer else f" ({_WRITTEN[item.label]}")
            todo.append(")")
            todo += children[::-1]
    return "".join(pieces).replace("( (", "((")[1:]


def _read(data: bytes, *, lenient: bool, path: str | None) -> Treebank:
    trees, problems = _native.read_brackets(data, (Tree, Leaf), positions=False, lenient=lenient)
    return strict_or_lenient(trees, problems, lenient=lenient, path=path)


class _Written(dict[str, str]):
    """Words and labels as they are written, each worked out once."""

    def __missing__(self, text: str) -> str:
        if text == "" or any(c in " \t\n\r\f\v" for c in text):
            raise ValueError(
                f"Brackets cannot carry {text!r}: a word or label must not be empty or hold white space."
            )
        if len(self) > _MOST_WRITTEN:
            self.clear()
        self[text] = text.replace("(", "-LRB-").replace(")", "-RRB-")
        return self[text]


_MOST_WRITTEN = 1 << 16
_WRITTEN = _Written()
