"""The options of `predict` for many files, and what they start."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from palmette.cli.progress import Progress
from palmette.cluster.address import ADDRESSES
from palmette.errors import UsageError
from palmette.formats.reading import Errors

MEGABYTE = 1_000_000

ClusterAddress: TypeAlias = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help=f"Share the work: {ADDRESSES}."),
]
OutputFolder: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--output-dir",
        metavar="DIR",
        help="Predict every input into a file of the same name in this folder. Given again, do what is missing.",
    ),
]
ShardSize: TypeAlias = Annotated[
    float,
    typer.Option(
        "--shard-size", metavar="MB", help="With --output-dir: cut larger files into shards of this size."
    ),
]
MoreInputs: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="[MORE]...", help="With --output-dir: more files, or folders of files."),
]


def check_alone(
    cluster: str | None, folder: Path | None, more: Sequence[str] | None, output: str, shard_size: float
) -> None:
    """UsageError for options that only go with --output-dir, or not with it."""
    if folder is None:
        if cluster is not None:
            raise UsageError("--cluster needs --output-dir: workers write files, not standard output")
        if more:
            raise UsageError("several inputs need --output-dir")
    elif output != "-":
        raise UsageError("use only one of --output and --output-dir")
    if not shard_size > 0:
        raise UsageError(f"--shard-size must be above zero megabytes. Got {shard_size:g}.")


def is_parquet(path: str | Path) -> bool:
    """Whether the name of a file says that it is Parquet."""
    return str(path).endswith(".parquet")


def input_name(work: Callable[..., Any]) -> str | None:
    """The name of the argument of a prediction that is its input: it is standard input by default."""
    parameters = inspect.signature(work).parameters.items()
    return next((name for name, parameter in parameters if parameter.default == "-"), None)


def check_readable(work: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """UsageError for an input that is a folder, Parquet, or text. given: the options of the tool."""
    name = input_name(work) or ""
    source = str(given.get(name, "-"))
    path = Path(source)
    if path.is_dir():
        raise UsageError(f"{source} is a folder: predict all of its files with --output-dir DIR")
    if is_parquet(source) and path.exists():
        raise UsageError(f"{source} is Parquet: predict its rows with --output-dir DIR")
    looks_like_text = " " in source and not path.suffix[1:].isalnum()
    if looks_like_text and not path.exists() and not _takes_text(work, name):
        raise UsageError(
            f"{source}: no such file or directory; text comes by standard input: "
            "echo TEXT | palmette predict MODEL"
        )


def _takes_text(work: Callable[..., Any], name: str) -> bool:
    """Whether an argument may be a text in place of a file: it is shown as QUESTION|FILE or the like."""
    annotation = inspect.signature(work).parameters[name].annotation
    if isinstance(annotation, str):
        annotation = eval(annotation, getattr(work, "func", work).__globals__)  # a partial has its function
    return "|" in str(annotation.__metadata__[0].metavar)


def predict_files(
    work: Callable[..., Any],
    model: Path,
    given: Mapping[str, Any],
    *,
    cluster: str | None,
    folder: Path,
    more: Sequence[str],
    size: float,
    errors: Errors,
    jsonl: bool,
    n_jobs: int,
    progress: Progress,
) -> None:
    """Predict files into a folder. given: the options of the tool, among them the first input."""
    import hashlib

    from palmette.cli import run as runs
    from palmette.cli.shards.inputs import inputs_of
    from palmette.cli.shards.job import PredictionJob
    from palmette.cli.shards.work import Job, Model
    from palmette.cluster import connect
    from palmette.cluster.recipe import content_of, forget
    from palmette.models import find_model

    path = Path(find_model(str(model))).resolve()
    recipe = Model(str(path), hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest())
    job = Job(recipe, given, errors, jsonl, n_jobs)
    inputs = inputs_of([str(given[job.source]), *more], ".jsonl" if jsonl else "")
    try:
        todo = PredictionJob(job, inputs, folder, max(1, int(size * MEGABYTE)), progress)
        with connect(cluster or "local:1") as engine:
            todo.run(engine)
    finally:
        runs.forget(content_of(recipe))
        forget([recipe.key])
