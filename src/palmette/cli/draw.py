"""`palmette draw FILE`: the trees of a CoNLL-U file as arcs."""

from __future__ import annotations

from typing import Annotated

import typer

from palmette.cli.commands import command as make_command
from palmette.cli.options import Output


def draw(
    source: Annotated[str, typer.Argument(metavar="FILE", help='CoNLL-U; "-" is standard input.')] = "-",
    sentence: Annotated[
        int | None, typer.Option("--sentence", metavar="N", min=1, help="Draw only this sentence.")
    ] = None,
    svg: Annotated[bool, typer.Option("--svg", help="As SVG, in a page of HTML.")] = False,
    output: Output = "-",
) -> None:
    """Draw the dependency trees of a file: for a terminal, or as SVG for a browser."""
    from palmette.cli.tree_drawing import drawn, page
    from palmette.formats.conllu import read_conllu
    from palmette.formats.files import display_name, write_atomically

    corpus = read_conllu(source)
    if corpus.heads is None or (corpus.heads < 0).all():
        raise ValueError(f"{display_name(source)} has no heads: palmette predict MODEL makes trees")
    if sentence is not None:
        if sentence > len(corpus):
            raise ValueError(
                f"{display_name(source)} has {len(corpus)} sentences, and no sentence {sentence}"
            )
        corpus = corpus.select([sentence - 1])
    with write_atomically(output) as file:
        for piece in (page if svg else drawn)([corpus]):
            file.write(piece)


command = make_command(
    draw, ["palmette draw test.conllu --sentence 3", "palmette draw test.conllu --svg -o t.html"]
)
