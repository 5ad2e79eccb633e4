"""Discbrackets: bracketed trees whose leaves carry their positions, so that yields may have gaps.

`(S (VP (WP 0=What) (VBN 2=done)) (VBZ 1=is))`; words may also be right below a phrase: `(VP 0=What
2=done)`. The positions of a tree are 0 to n - 1, each once. Children are read in the order of their first
words.

A bracket in a word is written `-LRB-` or `-RRB-` (`#LRB#`, `#RRB#` are read as well), in a label `#LRB#` or
`#RRB#`. A text that holds such a code itself gets a backslash before it (`\\-LRB-`), and backslashes right
before a code are doubled, so whatever is written reads back the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from palmette import _native
from palmette.formats.brackets import bracketed
from palmette.formats.files import Source, as_bytes, display_name, read_bytes
from palmette.formats.treebank import Treebank, to_treebank, write_trees
from palmette.trees.tree import Leaf, Tree

_IN_WORD = re.compile(r"(\\*)([()]|-[LR]RB-|#[LR]RB#)")
_IN_LABEL = re.compile(r"(\\*)([()]|#[LR]RB#)")

NO_TREE = "no tree in the input; expected at least one, such as (S (VP 0=What 2=done) (VBZ 1=is))"


def read_discbrackets(source: Source, *, lenient: bool = False) -> Treebank:
    """The trees of a file (`-` is standard input, gzip is transparent).

    A file that is not well formed raises FormatError with the line; with `lenient`, trees with a problem
    are left out and noted in the `skipped` of the result.
    """
    return parse_discbrackets(read_bytes(source), lenient=lenient, path=display_name(source))


def parse_discbrackets(text: str | bytes, *, lenient: bool = False, path: str | None = None) -> Treebank:
    """The trees of a text, as `read_discbrackets` reads them; `path` is what messages call it.

    >>> parse_discbrackets("(S (VP 0=What 2=done) (VBZ 1=is))")[0].words
    ['What', 'is', 'done']
    """
    found = _native.read_brackets(as_bytes(text), (Tree, Leaf), positions=True, lenient=lenient)
    return to_treebank(found, lenient=lenient, path=path, nothing=NO_TREE)


def write_discbrackets(trees: Iterable[Tree], target: Source) -> None:
    """Writes one tree per line. The positions of each must be 0 to n - 1, each once."""
    write_trees(trees, discbracket_printer(), target)


def discbracket_printer() -> Callable[[Tree], str]:
    """What makes a tree the line that `write_discbrackets` writes."""

    def line(tree: Tree) -> str:
        check_positions(tree)
        return discbracket_text(tree) + "\n"

    return line


def discbracket_text(tree: Tree) -> str:
    """A tree in discbrackets, on one line."""
    return bracketed(tree, _written_label, lambda leaf: f"{leaf.position}={_written_word(leaf.word)}")


def check_positions(tree: Tree) -> None:
    """Raises ValueError unless the positions of a tree are 0 to n - 1, each once."""
    for expected, leaf in enumerate(tree.leaves):
        if leaf.position != expected:
            raise ValueError(
                f"The positions of a tree must be 0 to n - 1, each once; {leaf.word!r} has position "
                f"{leaf.position}, expected {expected}."
            )


@lru_cache(maxsize=1 << 16)
def _written_word(word: str) -> str:
    return _escaped(word, _IN_WORD)


@lru_cache(maxsize=1 << 12)
def _written_label(label: str) -> str:
    return _escaped(label, _IN_LABEL)


def _escaped(text: str, pattern: re.Pattern[str]) -> str:
    if text == "" or any(c in " \t\n\r\f\v" for c in text):
        raise ValueError(
            f"Discbrackets cannot carry {text!r}: a word or label must not be empty or hold white space."
        )
    if not pattern.search(text):
        return text
    written = ""
    end = last = 0  # of what was read, and of the last code that was written
    for match in pattern.finditer(text):
        written += text[end : match.start()] + match[1] * 2
        end = match.end()
        sign = "-" if pattern is _IN_WORD else "#"
        if match[2] not in "()":
            written += "\\" + match[2]
        else:
            # "-LRB" and then "-LRB-" would read as a code one character too early.
            if sign == "-" and written[last:].endswith(("-LRB", "-RRB")):
                sign = "#"
            elif sign == "#" and written[last:].endswith(("#LRB", "#RRB")):
                raise ValueError(
                    f"Discbrackets cannot carry {text!r}: a bracket follows half a code for one."
                )
            written += f"{sign}{'L' if match[2] == '(' else 'R'}RB{sign}"
            last = len(written)
    return written + text[end:]
