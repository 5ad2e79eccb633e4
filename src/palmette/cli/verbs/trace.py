"""`palmette trace ALGORITHM`: an algorithm step by step, over a small input."""

from __future__ import annotations

from typing import Annotated

import typer

from palmette.cli.commands import command as make_command
from palmette.cli.commands import utf8
from palmette.cli.options import AsJson, Output
from palmette.cli.plots.output import is_png, write, write_image
from palmette.cli.report import json_line, print_json, printable
from palmette.drawing.panels import side_by_side
from palmette.errors import UsageError
from palmette.trace.registry import ALGORITHMS, Algorithm
from palmette.trace.steps import Trace


def trace(
    algorithm: Annotated[
        str | None, typer.Argument(metavar="[ALGORITHM]", help="What to look into. [default: list them]")
    ] = None,
    input: Annotated[
        str | None,
        typer.Option("--input", metavar="TEXT", callback=utf8, help="The main input, such as a sentence."),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="FIELD=TEXT",
            help="Another field, such as grammar or beam; `;` begins a new line; repeatable.",
        ),
    ] = None,
    fields: Annotated[bool, typer.Option("--fields", help="Show what it reads, with the defaults.")] = False,
    svg: Annotated[
        bool,
        typer.Option(
            "--svg", help="Draw the figures. A file for --output that ends in .svg or .png gets them too."
        ),
    ] = False,
    figure: Annotated[
        str | None,
        typer.Option(
            "--figure", metavar="NAME", help="svg: only this figure. [default: all that show anything]"
        ),
    ] = None,
    after: Annotated[
        int | None,
        typer.Option("--after", metavar="N", min=1, help="svg: after N steps. [default: in the end]"),
    ] = None,
    output: Output = "-",
    json: AsJson = False,
) -> None:
    """Show an algorithm step by step: Viterbi, CKY, EM and others, over a small input that you may change.

    The steps are what the general engine for weighted deduction does, or native searches and learners; the guide
    to traces says which. The page of `palmette serve` plays the same traces.
    """
    svg = svg or output.endswith(".svg") or is_png(output)
    if svg and json:
        raise UsageError("--svg and --json: choose one of them")
    if not svg and (figure is not None or after is not None):
        raise UsageError("--figure and --after are for images: add --svg, or -o FILE.svg")
    if (algorithm is None or fields) and (svg or output != "-"):
        raise UsageError("--svg and --output are for the trace of an algorithm")
    if algorithm is None:
        _list(json)
        return
    found = ALGORITHMS.get(algorithm)
    given = _given(settings or [], input)
    if found is None:
        from palmette.trace.registry import trace as refuse

        refuse(algorithm)  # a sentence that names the nearest one
        return
    if fields:
        _fields(found, json)
        return
    made = found.run(**given)
    if svg:
        write_image(_image(made, figure, after), output)
    elif output != "-":
        write(json_line(made.to_json()) if json else made.to_text().encode(), output)
    elif json:
        print_json(made.to_json())
    else:
        lines = made.to_text().rstrip("\n").split("\n")
        print("\n".join(map(printable, lines)))


def _image(made: Trace, figure: str | None, after: int | None) -> str:
    """The figures side by side after some steps, or one of them."""
    if after is not None and after > len(made.steps):
        raise ValueError(f"{made.name} has {len(made.steps)} steps; there is no step {after}")
    if figure is not None:
        return made.svg(figure, after)
    images = [made.svg(one.name, after) for one in made.figures if made.state(one.name, after)]
    if not images:
        raise ValueError(f"{made.name}: the figures are empty after step {after}")
    return side_by_side(images, made.title)


def _given(settings: list[str], input: str | None) -> dict[str, str]:
    given = {} if input is None else {"input": input}
    for pair in settings:
        name, equals, text = pair.partition("=")
        utf8(pair)
        if not equals or not name:
            raise typer.BadParameter(f"{pair!r} is not FIELD=TEXT, as in beam=3", param_hint="'--set'")
        if name in given:
            raise typer.BadParameter(f"{name!r} is set twice", param_hint="'--set'")
        given[name] = text
    return given


def _list(json: bool) -> None:
    if json:
        found = [{"name": one.name, "title": one.title} for one in ALGORITHMS.values()]
        print_json({"algorithms": found})
        return
    width = max(map(len, ALGORITHMS))
    for one in ALGORITHMS.values():
        print(f"{one.name:<{width}}  {one.title}")


def _fields(algorithm: Algorithm, json: bool) -> None:
    if json:
        print_json({"name": algorithm.name, "fields": [field.to_json() for field in algorithm.fields]})
        return
    for field in algorithm.fields:
        print(f"{field.name}: {field.help}")
        print("".join(f"    {line}\n" for line in field.default.split("\n")), end="")


command = make_command(
    trace,
    [
        "palmette trace                                     the algorithms",
        'palmette trace viterbi --input "time flies"',
        "palmette trace shift-reduce --set beam=1           with another beam",
        "palmette trace cky --fields                        what it reads",
        "palmette trace mert --json",
        "palmette trace cky -o chart.svg                    its figures as an image",
    ],
)
