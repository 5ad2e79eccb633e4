"""`palmette convert INPUT OUTPUT`: from one text format to another, and language models from and to ARPA files."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from palmette.cli.commands import command as make_command
from palmette.cli.options import Quiet
from palmette.cli.progress import Progress
from palmette.cli.report import printable
from palmette.errors import FormatError
from palmette.formats.conversion.conversion import Conversion
from palmette.formats.conversion.conversion import convert as convert_file
from palmette.formats.conversion.options import Nulls
from palmette.formats.files import display_name
from palmette.formats.registry import format_names, formats, is_arpa

_SHOWN = 5  # skipped sentences that are reported one by one


class Separator(StrEnum):
    tab = "tab"
    space = "space"


def _list_formats(wanted: bool) -> None:
    if wanted:
        for format in formats():
            print(f"{format.name:<12} {format.holds:<7} {' '.join(format.suffixes)}\n    {format.summary}")
        print(
            f"{'arpa':<12} {'model':<7} .arpa\n    a language model as text, from and to a model file (*.palm)"
        )
        raise typer.Exit


def convert(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="INPUT", help='The file to read; "-" is standard input.')],
    target: Annotated[
        str, typer.Argument(metavar="OUTPUT", help='The file to write; "-" is standard output.')
    ] = "-",
    source_format: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="NAME",
            help=f"The input format: {format_names()}. [default: by suffix or content]",
        ),
    ] = None,
    target_format: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="NAME", help="The output format, one of the same names. [default: by suffix]"
        ),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="NAME,...",
            help="The columns to write, in order. If a column file becomes conllu: the names of its columns, "
            "with _ for a column to skip. [default: form and the tag]",
        ),
    ] = None,
    separator: Annotated[Separator | None, typer.Option(help="The separator between output columns.")] = None,
    no_comments: Annotated[bool, typer.Option("--no-comments", help="Skip comment lines.")] = False,
    no_empty: Annotated[bool, typer.Option("--no-empty", help="Remove the empty elements of trees.")] = False,
    nulls: Annotated[
        Nulls | None, typer.Option(help="The kind of empty elements that --no-empty removes. [default: penn]")
    ] = None,
    no_functions: Annotated[
        bool, typer.Option("--no-functions", help="Remove function tags and indices from labels.")
    ] = False,
    outer: Annotated[
        bool, typer.Option("--outer", help="Write an extra pair of brackets around each tree.")
    ] = False,
    lenient: Annotated[
        bool,
        typer.Option("--lenient", help="Skip sentences that cannot be read or written, and report them."),
    ] = False,
    list_formats: Annotated[
        bool,
        typer.Option("--list", callback=_list_formats, is_eager=True, help="List the formats and exit."),
    ] = False,
    quiet: Quiet = False,
) -> None:
    """Convert a file from one format to another.

    Formats follow from the suffixes of the files, or from --from and --to. Tokens become tokens; trees become
    trees or tokens. An option that does not apply to the two formats is an error. Language models are converted
    from and to ARPA files, which are named *.arpa or *.arpa.gz.
    """
    if is_arpa(source) or is_arpa(target):
        _convert_model(context, source, target)
        return
    with Progress(quiet) as progress:
        try:
            done = convert_file(
                source,
                target,
                source_format=source_format,
                target_format=target_format,
                lenient=lenient,
                columns=None if columns is None else [name.strip() for name in columns.split(",")],
                separator={None: None, "tab": "\t", "space": " "}[separator],
                no_comments=no_comments,
                no_empty=no_empty,
                nulls=nulls,
                no_functions=no_functions,
                outer=outer,
            )
        except FormatError:
            raise
        except ValueError as error:  # the request itself is wrong
            context.fail(str(error))
        progress.note(f"{_counted(done.n_sentences, 'sentence')}, {_counted(done.n_words, 'word')}")
    report_skipped(done, printable(display_name(source)))


def _convert_model(context: typer.Context, source: str, target: str) -> None:
    """A language model from a model file or an ARPA file to the other."""
    from palmette.tools.lm.model import LanguageModel

    for name, value in context.params.items():
        if name not in ("source", "target", "quiet", "list_formats") and value not in (None, False):
            context.fail(f"--{name.replace('_', '-')} does not apply to language models")
    LanguageModel.load(source).save(target)


def report_skipped(done: Conversion, path: str) -> None:
    """What a conversion left out, on standard error: the first few one by one, then how many."""
    for line, message in done.skipped[:_SHOWN]:
        print(f"palmette: skipped {path}:{line}: {printable(message)}", file=sys.stderr)
    if done.n_skipped:
        print(f"palmette: skipped {_counted(done.n_skipped, 'sentence')} of {path} in all", file=sys.stderr)
    if done.n_emptied:
        print(
            f"palmette: left out {_counted(done.n_emptied, 'tree')} of {path} without words", file=sys.stderr
        )


def _counted(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


command = make_command(
    convert,
    [
        "palmette convert train.conllu train.tsv --columns form,xpos",
        "palmette convert wsj.mrg wsj.discbracket --no-empty --no-functions",
        "palmette convert chunks.txt --to conllu --columns form,xpos,_",
        "zcat tiger.export.gz | palmette convert - tiger.conllu --from export",
        "palmette convert en.palm en.arpa.gz    a language model as text, for other toolkits",
        "palmette convert --list    the formats",
    ],
)
