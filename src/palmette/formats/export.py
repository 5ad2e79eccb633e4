"""The Negra export format: one word or node per line, each naming its parent, so that yields may have gaps.

    #BOS 1
    What    what    WP      --      OC      500
    is      be      VBZ     --      HD      0
    done    do      VBN     --      HD      500
    #500    --      VP      --      OC      0
    #EOS 1

Version 4 has the columns word, lemma, tag, morph, edge, parent; version 3 has no lemma. Pairs of secondary
edge and parent, and a comment after `%%`, may follow. Without a `#FORMAT` line the number of columns tells
the version: it is odd in version 3 and even in version 4.

What is at parent 0 comes under a node `root`. The other columns are kept in the `note` of each node and
tag (`NodeNote`), and what is around the lines in the `note` of the root (`SentenceNote`), so that
writing gives back what was read, except that columns are separated by one tab, that lines end in a line
feed, that comment lines and blank lines inside a sentence are left out, and so is what follows the last
sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from palmette import _native
from palmette.formats.discbracket import check_positions
from palmette.formats.files import Source, as_bytes, display_name, read_bytes
from palmette.formats.treebank import Treebank, to_treebank, write_trees
from palmette.trees.tree import Leaf, Tree

_FIRST_NUMBER = 500  # nonterminals are numbered from here
_NO_WORD = re.compile(r"#(BOS|EOS|0*[5-9]\d\d|0*[1-9]\d{3,})")  # a first column that would not read as a word


@dataclass(frozen=True, slots=True)
class NodeNote:
    """The columns of a line that a tree has no place for; `number` is that of a nonterminal."""

    lemma: str = "--"
    morph: str = "--"
    edge: str = "--"
    number: int | None = None
    secondary: tuple[tuple[str, int], ...] = ()
    comment: str = ""


@dataclass(frozen=True, slots=True)
class SentenceNote:
    """What follows #BOS and #EOS, and the text `before` #BOS: the header of a file, or comments."""

    bos: str
    eos: str
    before: str = ""
    version: int = 4


def read_export(source: Source, *, root: str = "ROOT", lenient: bool = False) -> Treebank:
    """The trees of a file (`-` is standard input, gzip is transparent).

    A file that is not well formed raises FormatError with the line; with `lenient`, sentences with a
    problem are left out and noted in the `skipped` of the result.
    """
    return parse_export(read_bytes(source), root=root, lenient=lenient, path=display_name(source))


def parse_export(
    text: str | bytes, *, root: str = "ROOT", lenient: bool = False, path: str | None = None
) -> Treebank:
    """The trees of a text, as `read_export` reads them; `path` is what messages call it."""
    classes = (Tree, Leaf, NodeNote, SentenceNote)
    found = _native.read_export(as_bytes(text), classes, root=root, lenient=lenient)
    nothing = "no sentence in the input; expected at least one, from #BOS to #EOS"
    return to_treebank(found, lenient=lenient, path=path, nothing=nothing)


def write_export(
    trees: Iterable[Tree], target: Source, *, root: str = "ROOT", version: int | None = None
) -> None:
    """Writes trees with their notes; what has no note gets `--`, new numbers, and sentence numbers from 1.

    The root of a tree is left out where its label is `root`, and written as a node otherwise. `version` is
    3 or 4; without it, that of the first tree's note, or 4. Each word must stand alone under its tag.
    """
    write_trees(trees, export_printer(root=root, version=version), target)


def export_printer(*, root: str = "ROOT", version: int | None = None) -> Callable[[Tree], str]:
    """What makes one tree after another the sentences that `write_export` writes."""
    if version not in (None, 3, 4):
        raise ValueError(f"The 'version' parameter must be 3 or 4. Got {version!r} instead.")
    chosen = version
    written = 0

    def sentence(tree: Tree) -> str:
        nonlocal chosen, written
        note = tree.note if isinstance(tree.note, SentenceNote) else None
        chosen = chosen or (note.version if note else 4)
        lines = list(_lines(tree, root, chosen))
        if note:
            before = re.sub(r"(?m)^#FORMAT\b.*$", f"#FORMAT {chosen}", note.before)
            bos, eos = note.bos, note.eos
        else:
            before = f"#FORMAT {chosen}\n" if written == 0 else ""
            bos = eos = str(written + 1)
        written += 1
        return before + "\n".join([f"#BOS {bos}", *lines, f"#EOS {eos}", ""])

    return sentence


def _lines(tree: Tree, root: str, version: int) -> Iterator[str]:
    """The lines of one sentence: words in order, then nodes by number."""
    check_positions(tree)
    rootless = tree.label == root and not tree.is_preterminal
    numbers = _numbers(tree, rootless)
    words: dict[int, str] = {}
    nodes: dict[int, str] = {}
    if not rootless:
        _add_line(tree, 0, numbers, version, words, nodes)
    for node in tree.preorder():
        if node.is_preterminal:
            continue
        parent = numbers.get(id(node), 0)
        for child in node.children:
            if isinstance(child, Leaf):
                raise ValueError(
                    f"Export needs a tag above each word; {child.word!r} has none in {node.label!r}."
                )
            _add_line(child, parent, numbers, version, words, nodes)
    yield from (words[position] for position in sorted(words))
    yield from (nodes[number] for number in sorted(nodes))


def _add_line(
    node: Tree,
    parent: int,
    numbers: dict[int, int],
    version: int,
    words: dict[int, str],
    nodes: dict[int, str],
) -> None:
    note = node.note if isinstance(node.note, NodeNote) else NodeNote()
    leaf = node.children[0]
    if node.is_preterminal and isinstance(leaf, Leaf):
        if _NO_WORD.fullmatch(leaf.word):
            raise ValueError(f"Export cannot carry the word {leaf.word!r}: it would not read as a word.")
        words[leaf.position] = _line(leaf.word, node.label, note, parent, version)
    else:
        number = numbers[id(node)]
        nodes[number] = _line(f"#{number}", node.label, note, parent, version)


def _line(word: str, label: str, note: NodeNote, parent: int, version: int) -> str:
    columns = [word, note.lemma, label, note.morph, note.edge, str(parent)]
    if version == 3:
        del columns[1]
    for edge, target in note.secondary:
        columns += (edge, str(target))
    if note.comment:
        columns.append(note.comment)
    for column in columns:
        if column == "" or column != column.strip(" \r") or "\t" in column or "\n" in column:
            raise ValueError(
                f"Export cannot carry {column!r}: a column must not be empty, hold a tab or a line end, "
                "nor begin or end with a space."
            )
    return "\t".join(columns)


def _numbers(tree: Tree, rootless: bool) -> dict[int, int]:
    """Per node, by identity: the number of its note, or the next that is free, from the leaves up."""
    inner = [node for node in tree.postorder() if not node.is_preterminal]
    if rootless:
        inner.pop()
    numbers: dict[int, int] = {}
    used: set[int] = set()
    for node in inner:
        number = node.note.number if isinstance(node.note, NodeNote) else None
        if number is not None and number not in used:
            numbers[id(node)] = number
            used.add(number)
    free = max(used, default=_FIRST_NUMBER - 1)
    for node in inner:
        if id(node) not in numbers:
            free += 1
            numbers[id(node)] = free
    return numbers
