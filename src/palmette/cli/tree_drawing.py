"""Trees as pictures on standard output: characters for a terminal, SVG in a page for a browser."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from html import escape
from typing import NamedTuple

from palmette.cli.report import shows
from palmette.drawing.arcs import draw_arcs, draw_arcs_svg
from palmette.drawing.canvas import drawn_or_told
from palmette.formats.corpus import Corpus
from palmette.formats.sentence import Sentence
from palmette.trees.dependency_tree import DependencyTree

_HEAD = """<!doctype html>
<html><head><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: sans-serif; margin: 2em }} figure {{ margin: 0 0 2em; overflow-x: auto }}</style>
</head><body>
"""
_FOOT = "</body></html>\n"


class Picture(NamedTuple):
    """A drawing, and the lines to say about it."""

    image: str
    captions: Sequence[str] = ()


def in_terminal(pictures: Iterable[Picture]) -> Iterator[bytes]:
    """Every drawing of characters below its captions."""
    for picture in pictures:
        above = "".join(f"{line}\n" for line in picture.captions)
        yield f"{above}{picture.image}\n\n".encode()


def in_page(pictures: Iterable[Picture], title: str) -> Iterator[bytes]:
    """One page of HTML with every drawing of SVG above its captions."""
    yield _HEAD.format(title=escape(title)).encode()
    for picture in pictures:
        caption = "<br>".join(escape(line) for line in picture.captions)
        below = f"<figcaption>{caption}</figcaption>" if caption else ""
        yield f"<figure>{picture.image}{below}</figure>\n".encode()
    yield _FOOT.encode()


def drawn(corpora: Iterable[Corpus]) -> Iterator[bytes]:
    """Return every tree as characters, below the comments that describe the parse (not the file).

    Where a tree is wider than the terminal, its words come as an indented list.
    """
    width = shutil.get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else None
    ascii = not shows("┌─▼")
    return in_terminal(
        Picture(
            drawn_or_told(partial(draw_arcs, DependencyTree.of(sentence), width=width, ascii=ascii)),
            _captions(sentence),
        )
        for corpus in corpora
        for sentence in corpus
    )


def page(corpora: Iterable[Corpus]) -> Iterator[bytes]:
    """One page of HTML with every tree as SVG."""
    return in_page(
        (
            Picture(drawn_or_told(partial(draw_arcs_svg, DependencyTree.of(sentence))), _captions(sentence))
            for corpus in corpora
            for sentence in corpus
        ),
        "Dependency trees",
    )


def _captions(sentence: Sentence) -> list[str]:
    """What is worth saying of a tree: its number in the file, and its place among the k best."""
    wanted = ("sent_id", "kbest", "log_probability", "score")
    return [f"# {key} = {value}" for key, value in sentence.metadata.items() if key in wanted]
