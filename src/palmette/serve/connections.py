"""Connections: how long one may wait, and how many there may be.

A connection *waits* while it is its client's turn: until the head of a request has come, then its body, and until
the client has read what it was sent. Clients that open many connections and send a byte now and then (slow-loris)
would take all places. So a head must come within `Limits.head` seconds, an answer must be read within
`Limits.seconds`, and where there are more than `Limits.connections`, the one that has waited longest is closed.
"""

from __future__ import annotations

import asyncio
import json
import resource
from dataclasses import replace

from uvicorn.protocols.http.h11_impl import H11Protocol

from palmette.serve.limits import Limits, RequestError
from palmette.serve.safety import Receive, Scope, Send, refuse

_OTHER_FILES = 256  # beside connections: models, files that are edited, pipes


def connection_class(limits: Limits) -> type[Connection]:
    """The protocol of a server's connections, which know of each other."""
    shared: dict[Connection, None] = {}
    return type("Connection", (Connection,), {"limits": limits, "waiting": shared})


def with_room(limits: Limits) -> Limits:
    """Let this process have as many open files as connections need; fewer connections where it may not."""
    wanted = limits.connections + _OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return limits
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return replace(limits, connections=min(limits.connections, max(1, soft - _OTHER_FILES)))


class Connection(H11Protocol):
    """A connection that is closed when its client is late, or when others need its place.

    waiting: the connections of this server that wait, the one that has waited longest first.
    """

    limits: Limits
    waiting: dict[Connection, None]
    _for = ""  # what it waits for: head, body, reader, or nothing
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._look()
        while len(self.connections) > self.limits.connections:
            oldest = next(iter(self.waiting))
            if oldest is self:  # all others are served
                self.app = _refuse
                break
            oldest._drop()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait("")
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._look()

    def _look(self) -> None:
        """Find out what it waits for now."""
        if self.flow.write_paused:
            self._wait("reader", self.limits.seconds)
        elif self.cycle is None or self.cycle.response_complete:
            self._wait("head", self.limits.head)
        elif self.cycle.more_body:
            self._wait("body")  # the application says when it is late
        else:
            self._wait("")

    def _wait(self, wanted: str, seconds: float | None = None) -> None:
        """Begin to wait for something, for so long at most; what it waits for already is not waited for again."""
        if wanted == self._for:
            return
        self._for = wanted
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not wanted:
            self.waiting.pop(self, None)
            return
        self.waiting.setdefault(self)
        if seconds is not None:
            self._timer = self.loop.call_later(seconds, self._is_late)

    def _is_late(self) -> None:
        if self._for == "head" and self.conn.trailing_data[0] and not self.transport.is_closing():
            self.transport.write(_too_late(self.limits.head))
            self.transport.close()
        else:
            self._drop()

    def _drop(self) -> None:
        self._wait("")
        self.connections.discard(self)
        self.transport.abort()


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """The application of a connection that finds no place."""
    error = RequestError(503, "there are too many connections; come back in 1 s", retry_after=1)
    await refuse(error, send)


def _too_late(seconds: float) -> bytes:
    body = json.dumps({"error": f"the head of the request did not come within {seconds:g} s"}).encode()
    head = "HTTP/1.1 408 Request Timeout\r\nContent-Type: application/json\r\nConnection: close\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body
