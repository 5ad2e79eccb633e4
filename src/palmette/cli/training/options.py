"""The options of `train` for clusters, checkpoints and memory, and what they do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from palmette.cli.progress import Progress
from palmette.cli.run import Run
from palmette.cluster.address import ADDRESSES
from palmette.errors import UsageError
from palmette.threads import n_threads
from palmette.tools.registry import tools

if TYPE_CHECKING:
    from palmette.cluster.training import Spread
    from palmette.course import Course


class MixingName(StrEnum):
    """How weights are mixed."""

    uniform = "uniform"
    mistakes = "mistakes"


ClusterAddress: TypeAlias = Annotated[
    str | None,
    typer.Option("--cluster", metavar="ADDRESS", help=f"Share the work of the learner: {ADDRESSES}."),
]
Shards: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--shards",
        metavar="N",
        min=1,
        help="With --cluster: parts into which the examples are cut; the result depends on it, and not on the "
        "number of workers. [default: 16, or 4 where the weights of online learners are mixed]",
    ),
]
Mixing: TypeAlias = Annotated[
    MixingName,
    typer.Option(
        "--mixing",
        help="With --cluster: how online learners mix the weights of the shards after a pass, all alike or by the "
        "mistakes made.",
    ),
]
CheckpointEvery: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--checkpoint-every",
        metavar="TIME",
        help="Write MODEL.checkpoint after the pass in which this time is up: 30s, 5m, 2h, or never. [default: "
        "5m, after the first ten minutes]",
    ),
]
Resume: TypeAlias = Annotated[
    bool, typer.Option("--resume", help="Go on from MODEL.checkpoint, if it is there, to the same model.")
]
MemoryLimit: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--memory",
        metavar="SIZE",
        help="Stop with an error rather than take more memory, such as 500M or 2G: data of this process, and of "
        "each local worker.",
    ),
]


# Tools whose learners may share their work, or whose counting; what they cannot share they refuse themselves.
SPREADING = tuple(
    "tag spans depparse parse classify rerank morphology lemmas align induce lm translate thesaurus".split()
)


def tool_of(work: Callable[..., Any]) -> str:
    """Return the name of the tool of a command's function."""
    return next((tool.name for tool in tools() if tool.commands == work.__module__), work.__module__)


def local_workers(cluster: str | None) -> int:
    """Return how many workers on this machine an address asks for."""
    kind, _, number = (cluster or "").partition(":")
    if kind not in ("local", "processes") or not re.fullmatch(r"-?\d*", number):
        return 0  # the others are of a scheduler, or an address that is refused later
    return max(n_threads(-1) if number in ("", "-", "-1") else int(number), 0)


@contextmanager
def spread(
    cluster: str | None,
    work: Callable[..., Any],
    run: Run,
    own: Mapping[str, Any],
    course: Course,
    *,
    output: Path,
    shards: int | None,
    mixing: MixingName,
    progress: Progress,
) -> Iterator[Spread | None]:
    """Inside, learners share their work by what is yielded, if there is a cluster."""
    if cluster is None:
        yield None
        return
    from palmette.cluster import Threads, connect
    from palmette.cluster.training import spread_over

    tool = tool_of(work)
    if tool not in SPREADING:
        raise UsageError(f"--cluster is for training {', '.join(SPREADING)}; {tool} trains on one machine")
    if own.get("scorer") == "neural" and not (own.get("with_tags") or own.get("jackknife")):
        raise UsageError("--cluster is for learners, and a network trains on one machine: remove --cluster")
    with connect(cluster) as engine:
        if not isinstance(engine, Threads):
            _check_readable(own)
        again = Again(work, run.learner, dict(run.settings), run.seed, dict(own))
        progress.note(f"{engine.n_workers} workers at {cluster}")
        with spread_over(
            engine, again, course, folder=_folder(engine, output), shards=shards, mixing=mixing.value
        ) as used:
            yield used


class Again:
    """A training for workers to do again."""

    def __init__(
        self,
        work: Callable[..., Any],
        learner: str | None,
        settings: dict[str, Any],
        seed: int,
        own: dict[str, Any],
    ) -> None:
        self.work, self.learner, self.settings, self.seed, self.own = work, learner, settings, seed, own

    def __call__(self) -> Any:
        return self.work(Run(self.learner, self.settings, self.seed), **self.own)


def _check_readable(own: Mapping[str, Any]) -> None:
    """UsageError for standard input, which workers cannot read."""
    if "-" in own.values():
        raise UsageError("--cluster needs files that workers can read, not standard input")


def _folder(engine: Any, output: Path) -> Path | None:
    """A folder that all workers see: that of the model, if they may be on other machines."""
    from palmette.cluster import Processes, Threads

    return None if isinstance(engine, Processes | Threads) else output.resolve().parent
