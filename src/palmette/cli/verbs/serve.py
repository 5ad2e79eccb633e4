"""`palmette serve MODEL …`: models over HTTP, for programs and for people."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from palmette.cli.commands import command as make_command
from palmette.cli.options import Quiet

if TYPE_CHECKING:
    from palmette.serve.app import Service
    from palmette.serve.editing.sessions import Session
    from palmette.serve.limits import Limits
    from palmette.serve.models import Models


def serve(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL]...", help="Model files, or names of shipped models. [default: all shipped]"
        ),
    ] = None,
    host: Annotated[
        str,
        typer.Option(
            "--host", metavar="ADDRESS", help="The address to listen at; others than loopback need --token."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=0, max=65535, help="The port; 0 takes a free one.")
    ] = 8000,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            metavar="TEXT",
            envvar="PALMETTE_TOKEN",
            help="What requests must bring: at least 16 characters.",
        ),
    ] = None,
    max_body: Annotated[
        int, typer.Option("--max-body", metavar="BYTES", min=1000, help="The largest request.")
    ] = 8_000_000,
    max_words: Annotated[
        int, typer.Option("--max-words", metavar="N", min=1, help="The most words of a sentence.")
    ] = 500,
    max_seconds: Annotated[
        float,
        typer.Option("--max-seconds", metavar="S", min=0.1, help="The longest that a request may take."),
    ] = 60.0,
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=1, max=256, help="Threads that predict.")
    ] = 2,
    waiting: Annotated[
        int,
        typer.Option(
            "--waiting", metavar="N", min=0, help="Requests that may wait; more get the answer 503."
        ),
    ] = 64,
    connections: Annotated[
        int,
        typer.Option(
            "--connections",
            metavar="N",
            min=1,
            help="Open connections; beyond that, the one that has waited longest for its client is closed.",
        ),
    ] = 2_000,
    edit: Annotated[
        list[str] | None,
        typer.Option(
            "--edit",
            metavar="FILE",
            help="A file to correct in the page: CoNLL-U, columns, brackets, or sentence pairs; repeatable.",
        ),
    ] = None,
    train: Annotated[
        str | None,
        typer.Option(
            "--train",
            metavar="FILE",
            help="More right sentences for training a model again from the corrections of --edit, such as those "
            "that it was trained on.",
        ),
    ] = None,
    dev: Annotated[
        str | None,
        typer.Option(
            "--dev",
            metavar="FILE",
            help="Right sentences to measure such models on. [default: every fifth that is corrected]",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Serve models as a JSON API and as a page.

    The API has the verbs of the command line: POST /v1/predict, /v1/kbest, /v1/probabilities and /v1/explain;
    /openapi.json describes it. Every request is a line of JSON on standard error, unless --quiet. A model is read
    again when its file is replaced. Ctrl-C stops the server after the requests under way. With --edit, corrections
    are kept in FILE.journal until they are saved.
    """
    from palmette.errors import UsageError
    from palmette.formats.files import opened
    from palmette.serve.app import application
    from palmette.serve.limits import Limits
    from palmette.serve.log import tell
    from palmette.serve.models import Models
    from palmette.serve.safety import Door, is_loopback
    from palmette.serve.server import listening, run

    local = is_loopback(host)
    if token is None and not local:
        raise UsageError(f"--host {host} can be reached from other computers: choose a --token for it")
    if token is not None and (len(token) < 16 or not token.isascii() or not token.isalnum()):
        raise UsageError("--token: expected at least 16 letters and digits")
    limits = Limits(max_body, max_words, max_seconds, workers, waiting, connections=connections)
    found = Models(models or [], lambda text: None if quiet else tell("model", message=text))
    door = Door(token=token) if local else Door(None, token)
    if (train or dev) and len(edit or []) != 1:
        raise UsageError("--train and --dev are for the corrections of one file: give --edit once")
    sessions = _sessions(edit or [], found, limits)
    for file in filter(None, (train, dev)):
        with opened(file):
            pass  # what cannot be read is said now
    bound = listening(host, port)

    def ready(address: str) -> None:
        names = ", ".join(one.name for one in found)
        print(f"palmette: serving {names} at {address} (Ctrl-C stops)", file=sys.stderr, flush=True)

    def more(service: Service) -> list[Any]:
        if not sessions:
            return []
        from palmette.serve.editing.retraining import Retraining
        from palmette.serve.editing.routes import edit_routes

        trainings = [Retraining(session, found, train, dev) for session in sessions]
        return edit_routes(service, sessions, trainings)

    try:
        run(application(found, limits, door, quiet=quiet, more=more), bound, limits, ready)
    finally:
        for session in sessions:
            session.journal.close()


def _sessions(files: Sequence[str], models: Models, limits: Limits) -> list[Session]:
    """The files that are edited, each once."""
    if not files:
        return []
    from palmette.serve.editing.sessions import Session

    if len({Path(file).resolve() for file in files}) < len(files):
        raise ValueError("--edit: a file is named twice")
    return [Session(file, models, limits) for file in files]


command = make_command(
    serve,
    [
        "palmette serve                              the shipped models, at http://127.0.0.1:8000/",
        "palmette serve en.palm de.palm --port 9000",
        "palmette serve en --edit treebank.conllu    correct a file in the page",
        'curl http://127.0.0.1:8000/v1/predict -H "Content-Type: application/json" -d \'{"text": "Time flies."}\'',
    ],
)
