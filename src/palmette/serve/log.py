"""One line of JSON for every request and event, on standard error."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import MutableMapping
from datetime import UTC, datetime
from typing import Any

from palmette.serve.metrics import Metrics
from palmette.serve.safety import Receive, Scope, Send

_LONGEST = 200  # characters of a path


def tell(event: str, **facts: Any) -> None:
    """Write a line; what is None is left out."""
    line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event}
    line |= {name: value for name, value in facts.items() if value is not None}
    print(json.dumps(line), file=sys.stderr, flush=True)


class Lines(logging.Handler):
    """Messages of the HTTP library as such lines."""

    def emit(self, record: logging.LogRecord) -> None:
        facts = {"level": record.levelname.lower(), "message": record.getMessage()}
        if record.exc_info and record.exc_info[0] is not None:
            facts["error"] = record.exc_info[0].__name__
        tell("log", **facts)


class Logged:
    """An application whose requests are counted and told."""

    def __init__(self, app: Any, metrics: Metrics, quiet: bool) -> None:
        self.app, self.metrics, self.quiet = app, metrics, quiet

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        began, status, size = time.perf_counter(), 500, 0

        async def counted(message: MutableMapping[str, Any]) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
            size += len(message.get("body", b""))
            await send(message)

        # what the application found out: the verb and the model, if they are known ones, and an error
        about: dict[str, Any] = {}
        scope["palmette"] = about
        try:
            await self.app(scope, receive, counted)
        finally:
            seconds = time.perf_counter() - began
            self.metrics.count(about.get("verb", "other"), about.get("model", ""), status, seconds)
            if not self.quiet:
                tell(
                    "request",
                    method=scope["method"],
                    path=scope["path"][:_LONGEST],
                    status=status,
                    milliseconds=round(seconds * 1000, 2),
                    bytes=size,
                    client=(scope.get("client") or [None])[0],
                    **about,
                )
