"""`palmette select MODEL ...`: the examples most worth annotating, annotated by the model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from palmette.cli.model_command import model_command
from palmette.cli.options import Jobs, ModelPath, Output, Quiet, Seed
from palmette.cli.progress import Progress
from palmette.cli.run import Run
from palmette.cli.selectable import Selectable
from palmette.formats.files import Content, check_not_read, write_atomically
from palmette.formats.reading import Reading
from palmette.messages import counted

if TYPE_CHECKING:
    from palmette.tools.annotation.strategies import Candidate


class Strategy(StrEnum):
    """What makes an example worth annotating."""

    mixed = "mixed"
    least_confident = "least-confident"
    change = "change"
    diverse = "diverse"
    random = "random"


def select(
    work: Callable[..., Selectable],
    /,
    model: ModelPath,
    source: Annotated[
        str, typer.Argument(metavar="FILE", help='What to choose from; "-" is standard input.')
    ] = "-",
    *,
    n: Annotated[int, typer.Option("--n", metavar="N", min=1, help="How many to choose.")] = 100,
    strategy: Annotated[
        Strategy,
        typer.Option(
            "--strategy",
            help="least-confident: the lowest mean probability. change: the largest expected change of the model. "
            "diverse: the least like those before. mixed: in doubt and unlike those before. random: any.",
        ),
    ] = Strategy.mixed,
    annotated: Annotated[
        list[str] | None,
        typer.Option(
            "--annotated",
            metavar="FILE",
            help="What is annotated already, such as the training data: it is not chosen again, and what is like "
            "it is worth less; repeatable.",
        ),
    ] = None,
    shortest: Annotated[
        int, typer.Option("--shortest", metavar="N", min=0, help="The fewest words that an example may have.")
    ] = 1,
    longest: Annotated[
        int | None,
        typer.Option(
            "--longest", metavar="N", min=1, help="The most words that it may have. [default: no limit]"
        ),
    ] = None,
    output: Output = "-",
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Write one JSON object per line for each.")] = False,
    seed: Seed = 0,
    n_jobs: Jobs = 1,
    quiet: Quiet = False,
    **own: object,
) -> None:
    """Choose the examples most worth annotating, and write them annotated by the model.

    The most worth annotating comes first; probabilities are written as predict writes them. In CoNLL-U a comment
    gives the number of the sentence in the input and the confidence: the mean probability of its words.
    """
    from palmette.tools.annotation.confidence import sureness
    from palmette.tools.annotation.strategies import Candidate as Candidate
    from palmette.tools.annotation.strategies import choose

    check_not_read(output, [model, source, annotated])
    with Progress(quiet) as progress:
        reading = Reading(follow=lambda total: progress.task("Reading", total, size=True).advance)
        given = work(Run(seed=seed, n_jobs=n_jobs, progress=progress, reading=reading, jsonl=jsonl), **own)

        def candidates() -> Iterator[Candidate]:
            number = 0
            for examples in given.read(source):
                found = sureness(given.tool, examples.given)
                for one, words, file in zip(found, examples.words, examples.files, strict=True):
                    number += 1
                    if len(words) >= shortest and (longest is None or len(words) <= longest):
                        note = _note(number, one.confidence) if examples.commented else b""
                        yield Candidate(number, words, one.confidence, one.change, note + file)

        known = (words for path in annotated or () for part in given.read(path) for words in part.words)
        chosen = choose(candidates(), n, strategy.value, annotated=known, random_state=seed)
        if not chosen:
            raise ValueError(
                f"{source}: nothing to choose from: expected examples that are not annotated yet"
            )
        if len(chosen) < n:
            progress.warn(f"expected {n:,} to choose, but there are only {counted(len(chosen), 'example')}")
        with write_atomically(output) as file:
            for piece in given.annotate(Content(b"".join(one.example for one in chosen), "the selection")):
                file.write(piece)


def _note(number: int, confidence: float) -> bytes:
    return f"# number = {number}\n# confidence = {confidence:.4f}\n".encode()


command = model_command(
    select,
    [
        "palmette select en raw.txt --n 200 -o next.conllu",
        "palmette select ner.palm raw.txt --strategy diverse --annotated train.txt",
    ],
)
