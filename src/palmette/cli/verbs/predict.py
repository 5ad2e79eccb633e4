"""`palmette predict MODEL ...`: what a model says of new input."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from palmette.cli.model_command import model_command
from palmette.cli.options import Jobs, ModelPath, Output, Quiet
from palmette.cli.progress import Progress
from palmette.cli.run import Run
from palmette.cli.shards.options import (
    ClusterAddress,
    MoreInputs,
    OutputFolder,
    ShardSize,
    check_alone,
    check_readable,
    predict_files,
)
from palmette.errors import UsageError
from palmette.formats.files import check_not_read, is_standard, write_atomically
from palmette.formats.reading import Errors, Reading


def predict(
    work: Callable[..., Iterable[bytes]],
    /,
    model: ModelPath,
    *,
    more: MoreInputs = None,
    output: Output = "-",
    output_dir: OutputFolder = None,
    cluster: ClusterAddress = None,
    shard_size: ShardSize = 8.0,  # of its type, so that nothing converts it
    jsonl: Annotated[
        bool, typer.Option("--jsonl", help="Write one JSON object per line for each sentence, line or pair.")
    ] = False,
    errors: Annotated[
        Errors,
        typer.Option(
            "--errors",
            help="What to do with NUL and bytes that are not UTF-8: strict stops, replace writes U+FFFD, skip "
            "drops the sentence or line.",
        ),
    ] = Errors.strict,
    line_buffered: Annotated[
        bool,
        typer.Option(
            "--line-buffered",
            help="Answer each sentence as soon as it is read; a line of text is then a paragraph.",
        ),
    ] = False,
    n_jobs: Jobs = 1,
    quiet: Quiet = False,
    **own: Any,
) -> None:
    """Predict with a model.

    What is predicted, and the further options, depend on the kind of the model.
    """
    check_alone(cluster, output_dir, more, output, shard_size)
    if output_dir is not None:
        if line_buffered:
            raise UsageError("--line-buffered cannot be combined with --output-dir")
        with Progress(quiet, plain=True) as progress:
            predict_files(
                work,
                model,
                own,
                cluster=cluster,
                folder=output_dir,
                more=more or (),
                size=shard_size,
                errors=errors,
                jsonl=jsonl,
                n_jobs=n_jobs,
                progress=progress,
            )
        return
    check_readable(work, own)
    check_not_read(output, [model, *own.values()])
    to_screen = is_standard(output) and sys.stdout is not None and sys.stdout.isatty()
    with Progress(quiet, bars=not to_screen) as progress:
        reading = Reading(
            errors, line_buffered, lambda total: progress.task("Reading", total, size=True).advance
        )
        run = Run(n_jobs=n_jobs, progress=progress, reading=reading, jsonl=jsonl)
        if own.get("svg") and Path(output).suffix == ".svg":
            progress.warn(
                f"{output} is a page of HTML with an SVG image for each tree: name it *.html, or make one image "
                "with palmette predict ... | palmette draw - --svg --number N"
            )
        with write_atomically(output) as file:
            for piece in work(run, **own):
                file.write(piece)
                if line_buffered:
                    file.flush()
        if summary := reading.summary():
            progress.warn(summary)


command = model_command(
    predict,
    [
        "palmette predict en.palm input.conllu > output.conllu",
        "palmette predict en.palm texts/ --output-dir out --cluster processes:4    many files",
        "palmette predict en.palm --help     the options for this model",
    ],
)
