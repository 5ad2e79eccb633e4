"""`palmette inspect FILE`: what is in a model, whatever its kind, or in a file of tokens or trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from palmette.cli.model_command import model_command
from palmette.cli.options import AsJson
from palmette.cli.report import Answers, human_size, print_json, print_lines
from palmette.cli.run import Run
from palmette.formats.guess import format_of_file
from palmette.formats.model.strict_json import Json, dump_json

if TYPE_CHECKING:
    from palmette.formats.model import ModelFile

InspectedPath: TypeAlias = Annotated[
    Path, typer.Argument(metavar="FILE", help="A model (*.palm), or a file of tokens or trees.")
]

_FIRST = 5  # strings of each table that are shown


def describe(model: ModelFile) -> dict[str, Any]:
    """What a model file holds, as plain data; the arrays are not read."""
    size = Path(model.path).stat().st_size if model.path else None
    return {
        "path": model.path,
        "kind": model.kind,
        "bytes": size,
        "format_version": model.format_version,
        "palmette_version": model.palmette_version,
        "fingerprint": model.fingerprint,
        "options": dict(model.options),
        "arrays": {
            name: {"dtype": str(array.dtype), "shape": list(array.shape), "bytes": array.nbytes}
            for name, array in model.arrays.items()
        },
        "strings": {
            name: {"length": len(table), "first": list(table[:_FIRST])}
            for name, table in model.strings.items()
        },
    }


def inspect(
    work: Callable[..., Mapping[str, Any]] | None,
    /,
    model: InspectedPath,
    *,
    json: AsJson = False,
    **own: Any,
) -> None:
    """Show what is in a model, or how much is in a file of tokens or trees.

    For a model: its kind, versions, options, arrays and tables of strings; the arrays are not read. For other
    files, recognized by suffix or content (palmette convert --list): sentences, words and distinct values, and for
    dependency trees also relations, shapes (projective, gap degree, nesting, depth) and arcs.
    """
    from palmette.formats.model import ModelFile
    from palmette.models import find_model

    text_format = format_of_file(model)
    if text_format is not None:
        from palmette.evaluation.summary import summarize

        counts = summarize(model, text_format)
        if json:
            print_json(counts)
        else:
            from palmette.cli.verbs.treebank_report import for_people

            print_lines(for_people(counts))
        return
    report = describe(ModelFile.load(find_model(model)))
    found = {} if work is None else work(Run(), **own)
    if work is not None:
        report["details"] = dict(found)
    if json:
        print_json(report)
    elif isinstance(found, Answers):
        print_lines(found.asked)
    else:
        print_lines(_for_people(report))


def _for_people(report: dict[str, Any]) -> dict[str, Any]:
    shown = {
        "file": f"{report['path']} ({human_size(report['bytes'])})",
        "kind": report["kind"],
        "format": str(report["format_version"]),
        "written by": f"Palmette {report['palmette_version']}",
        "trained on": report["fingerprint"] or "not recorded",
        "options": {name: _option(value) for name, value in report["options"].items()},
        "arrays": {name: _array(array) for name, array in report["arrays"].items()},
        "strings": {name: _strings(table) for name, table in report["strings"].items()},
    }
    return shown | ({"details": report["details"]} if "details" in report else {})


def _option(value: Json) -> str:
    return value if isinstance(value, str) else dump_json(value)


def _array(array: dict[str, Any]) -> str:
    shape = " × ".join(f"{n:,}" for n in array["shape"]) or "one number"
    return f"{array['dtype']:<8} {shape} ({human_size(array['bytes'])})"


def _strings(table: dict[str, Any]) -> str:
    first = [repr(string if len(string) <= 20 else string[:19] + "…") for string in table["first"]]
    more = ["…"] if table["length"] > len(first) else []
    return f"{table['length']:,}: {', '.join(first + more)}" if first else "0"


command = model_command(
    inspect,
    ["palmette inspect en.palm", "palmette inspect en.palm --json", "palmette inspect train.conllu.gz"],
    any_kind=True,
)
