"""Penn brackets: `((S (NP-SBJ (NN time)) (VP (VBZ flies))))`, with or without the extra outer pair.

A file is a sequence of trees; white space, line ends among it, separates. Labels, empty elements (`(-NONE-
*T*-1)`) and codes such as `-LRB-` are kept as they are; `palmette.formats.conversion.cleaning` removes what a
parser does not want. An outer pair of brackets without a label is dropped around one tree, and becomes a node with
the label "" around several (as in files with an `(ID ...)` beside each tree).

Reading is one pass of native code, linear in the file. Writing normalises white space to single spaces and
puts one tree on a line.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from palmette import _native
from palmette.formats.files import Source, as_bytes, display_name, read_bytes
from palmette.formats.treebank import Treebank, to_treebank, write_trees
from palmette.trees.tree import Leaf, Tree

NO_TREE = "no tree in the input; expected at least one, such as (S (NP time) (VP flies))"


def read_brackets(source: Source, *, lenient: bool = False) -> Treebank:
    """Return the trees of a file as they are (`-` is standard input, gzip is transparent).

    A file that is not well formed raises FormatError with the line; with `lenient`, trees with a problem
    are left out and noted in the `skipped` of the result.
    """
    return parse_brackets(read_bytes(source), lenient=lenient, path=display_name(source))


def parse_brackets(text: str | bytes, *, lenient: bool = False, path: str | None = None) -> Treebank:
    """The trees of a text, as `read_brackets` reads them; `path` is what messages call it.

    >>> [tree.label for tree in parse_brackets("(NP (NN time)) ((S (NP I) (VP sleep)))")]
    ['NP', 'S']
    """
    found = _native.read_brackets(as_bytes(text), (Tree, Leaf), positions=False, lenient=lenient)
    return to_treebank(found, lenient=lenient, path=path, nothing=NO_TREE)


def write_brackets(trees: Iterable[Tree], target: Source, *, outer: bool = False) -> None:
    """Writes one tree per line, with an extra pair of brackets around each if `outer`.

    A bracket in a word or a label is written `-LRB-` or `-RRB-`. A discontinuous tree, which brackets
    cannot carry, raises ValueError: write it with `write_discbrackets` or `write_export`.
    """
    write_trees(trees, bracket_printer(outer=outer), target)


def bracket_printer(*, outer: bool = False) -> Callable[[Tree], str]:
    """What makes a tree the line that `write_brackets` writes."""

    def line(tree: Tree) -> str:
        if tree.is_discontinuous:
            text = str(tree)
            shown = text if len(text) <= _MOST_SHOWN else text[:_MOST_SHOWN] + "…"
            raise ValueError(
                f"Brackets cannot carry a discontinuous tree, as discbrackets and export can: {shown}"
            )
        text = bracket_text(tree)
        return f"({text})\n" if outer and tree.label else f"{text}\n"

    return line


def bracket_text(tree: Tree) -> str:
    """A tree in brackets, on one line."""
    parts = [child for child in tree if isinstance(child, Tree)]
    if tree.label == "" and len(parts) == len(tree):
        return f"({' '.join(bracketed(part, _WRITTEN.__getitem__, _written_leaf) for part in parts)})"
    return bracketed(tree, _WRITTEN.__getitem__, _written_leaf)


def bracketed(tree: Tree, label_text: Callable[[str], str], leaf_text: Callable[[Leaf], str]) -> str:
    """A tree in brackets, its labels and leaves written as the functions say."""
    pieces: list[str] = []
    todo: list[Tree | Leaf | str] = [tree]
    while todo:
        item = todo.pop()
        if isinstance(item, Tree):
            only = item.children[0]
            if len(item.children) == 1 and isinstance(only, Leaf):
                pieces.append(f" ({label_text(item.label)} {leaf_text(only)})")
                continue
            pieces.append(f" ({label_text(item.label)}")
            todo.append(")")
            todo += item.children[::-1]
        else:
            pieces.append(item if isinstance(item, str) else f" {leaf_text(item)}")
    return "".join(pieces)[1:]


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


_MOST_SHOWN = 60  # characters of a tree in a message
_MOST_WRITTEN = 1 << 16
_WRITTEN = _Written()


def _written_leaf(leaf: Leaf) -> str:
    return _WRITTEN[leaf.word]
