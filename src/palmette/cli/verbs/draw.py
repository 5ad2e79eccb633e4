"""`palmette draw FILE`: trees and alignments as text, SVG or PNG: dependency trees as arcs, phrase structure as
branches, links of words as a grid.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from palmette.cli.commands import command as make_command
from palmette.cli.options import Output
from palmette.cli.plots.output import is_png, write_image
from palmette.cli.report import shows
from palmette.drawing.canvas import MAX_CELLS, drawn_or_told
from palmette.errors import FormatError, UsageError
from palmette.formats.files import check_not_read, display_name, is_standard, read_bytes, write_atomically
from palmette.formats.guess import guess_format
from palmette.formats.registry import Format, format_named, format_names, format_of_name
from palmette.messages import counted

if TYPE_CHECKING:
    from palmette.formats.corpus import Corpus


def draw(
    source: Annotated[str, typer.Argument(metavar="FILE", help='The file to read; "-" is standard input.')],
    number: Annotated[
        int | None, typer.Option("--number", metavar="N", min=1, help="Draw only sentence N, counted from 1.")
    ] = None,
    most: Annotated[
        int,
        typer.Option(
            "--most", metavar="N", min=1, help="The largest number of sentences to draw; with --svg it is 1."
        ),
    ] = 10,
    svg: Annotated[
        bool,
        typer.Option(
            "--svg",
            help="Draw an image of one sentence: the first, or that of --number. Words without heads are drawn "
            "with their labels. A file for --output that ends in .svg or .png gets one too.",
        ),
    ] = False,
    ascii: Annotated[bool, typer.Option("--ascii", help="Draw with ASCII characters only.")] = False,
    width: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="Draw sentences that need more columns as a list. [default: width of the terminal]",
        ),
    ] = None,
    max_cells: Annotated[
        int,
        typer.Option(
            metavar="N",
            min=1,
            help="The largest size of a drawing in characters, rows times columns (a character of an SVG image "
            "is 8 pixels wide).",
        ),
    ] = MAX_CELLS,
    alignment: Annotated[
        str | None,
        typer.Option(
            "--alignment",
            metavar="FILE",
            help="Links of words (Pharaoh format), a line for each sentence pair of FILE, whose two sentences are "
            "separated by a tab or |||: draw each pair as a grid.",
        ),
    ] = None,
    source_format: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME",
            help=f"The input format: {format_names()}. [default: by suffix or content]",
        ),
    ] = None,
    output: Output = "-",
) -> None:
    """Draw the trees of a file: dependency trees as arcs, phrase structure trees as branches.

    With --alignment, draw sentence pairs with the links of their words.

    To draw the output of a parser: palmette predict ... | palmette draw -

    A dependency tree that needs more than --max-cells characters is drawn as an indented list; other trees of that
    size are not drawn.
    """
    check_not_read(output, [source, alignment])
    svg = svg or output.endswith(".svg") or is_png(output)
    plain = ascii or not shows("┌─▼█·")
    if alignment is not None:
        if source_format is not None:
            raise UsageError("--from is for trees and tokens; with --alignment the file has sentence pairs")
        pictures = _grids(source, alignment, svg, plain)
    else:
        data = read_bytes(source)
        pictures = _pictures(data, source, source_format, svg, plain, width or _columns(), max_cells)
    if number is not None and number > len(pictures):
        raise ValueError(
            f"{display_name(source)} has {counted(len(pictures), 'sentence')}; there is no sentence {number}"
        )
    first = 0 if number is None else number - 1
    chosen = pictures[first : first + (1 if svg or number is not None else most)]
    text = "\n\n".join(map(drawn_or_told, chosen) if len(chosen) > 1 else (make() for make in chosen)) + "\n"
    if output == "-":
        print(text, end="")
    elif svg:
        write_image(text, output)
    else:
        with write_atomically(output) as file:
            file.write(text.encode())
    left = len(pictures) - len(chosen)
    if number is None and left:
        rest = "1 more sentence is not drawn" if left == 1 else f"{left:,} more sentences are not drawn"
        hint = "an SVG image has one sentence: choose it with --number" if svg else "--most, --number"
        print(f"palmette: {rest} ({hint})", file=sys.stderr)


def _pictures(
    data: bytes, source: str, named: str | None, svg: bool, ascii: bool, width: int, max_cells: int
) -> list[Callable[[], str]]:
    """For every sentence a function that draws it."""
    from palmette.drawing.arcs import draw_arcs, draw_arcs_svg
    from palmette.drawing.trees import draw as draw_branches
    from palmette.drawing.trees import draw_svg
    from palmette.trees.dependency_tree import DependencyTree

    format = _format(data, source, named)
    content: Any = format.parse(data, path=display_name(source))
    if format.holds == "trees":
        branches = draw_svg if svg else partial(draw_branches, ascii=ascii)
        return [partial(branches, tree, max_cells=max_cells) for tree in content]
    if svg and not _has_heads(content):
        return [sentence.svg for sentence in content]
    _check_heads(content, source)

    def arcs(i: int) -> str:
        tree = DependencyTree.of(content[i])
        if svg:
            return draw_arcs_svg(tree, max_cells=max_cells)
        return draw_arcs(tree, width=width, ascii=ascii, max_cells=max_cells)

    return [partial(arcs, i) for i in range(len(content))]


def _grids(source: str, alignment: str, svg: bool, ascii: bool) -> list[Callable[[], str]]:
    """For every sentence pair a function that draws its links."""
    from palmette.cli.tools.align.input import gold_of
    from palmette.drawing.alignments import draw_alignment, draw_alignment_svg
    from palmette.tools.alignment.text import read_pairs

    if is_standard(source) and is_standard(alignment):
        raise UsageError("the sentence pairs and --alignment cannot both be standard input")
    pairs = read_pairs(source)
    links = [sorted(one.possible) for one in gold_of(alignment, pairs)]
    draw = draw_alignment_svg if svg else partial(draw_alignment, ascii=ascii)
    return [partial(draw, first, second, found) for (first, second), found in zip(pairs, links, strict=True)]


def _format(data: bytes, source: str, named: str | None) -> Format:
    found = format_named(named) if named is not None else format_of_name(source) or guess_format(data)
    if found is None:
        raise FormatError(
            f"cannot detect the format; specify it with --from ({format_names()})", path=display_name(source)
        )
    return found


def _has_heads(corpus: Corpus) -> bool:
    return corpus.heads is not None and bool((corpus.heads >= 0).any())


def _check_heads(corpus: Corpus, source: str) -> None:
    if not _has_heads(corpus):
        raise FormatError(
            "expected heads to draw, but the file has none; parse it first with palmette predict, or "
            "draw the labels with --svg",
            path=display_name(source),
        )


def _columns() -> int:
    return shutil.get_terminal_size((120, 24)).columns


command = make_command(
    draw,
    [
        "palmette draw train.conllu",
        "palmette draw train.conllu --number 12 --svg -o tree.svg",
        "palmette draw wsj.mrg --number 1 -o tree.png",
        "head -40 text.conllu | palmette draw -",
        "palmette draw pairs.tsv --alignment pairs.align --number 3 -o grid.svg",
    ],
)
