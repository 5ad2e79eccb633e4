"""The server process: where it listens, what it says when it is ready, and how it stops."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Callable
from typing import Any

import uvicorn

from palmette.serve.connections import connection_class, with_room
from palmette.serve.limits import Limits
from palmette.serve.log import Lines

_GRACE = 10  # seconds for requests under way, when the server stops


class _Server(uvicorn.Server):
    """Tells when it listens."""

    ready: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self.ready()


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to the address; OSError in a sentence if it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # with the protocol named, so that asyncio sends small answers at once (TCP_NODELAY)
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host.strip("[]"), port))
    except OSError as error:
        bound.close()
        reason = (error.strerror or str(error)).lower()
        raise ValueError(f"cannot listen at {host}:{port}: {reason}; choose another --port") from None
    return bound


def run(app: Any, bound: socket.socket, limits: Limits, ready: Callable[[str], None]) -> None:
    """Serve until a signal comes; requests under way are finished. ready: called with the address."""
    server = server_of(app, bound, limits, ready)
    try:
        server.run(sockets=[bound])
    except KeyboardInterrupt:  # it has stopped by the signal, and raises it again
        print("palmette: stopped", file=sys.stderr)
    finally:
        bound.close()


def server_of(app: Any, bound: socket.socket, limits: Limits, ready: Callable[[str], None]) -> uvicorn.Server:
    """The server of an application; it serves when it is run."""
    host, port = bound.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    for name in ("uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [Lines(level=logging.WARNING)], False
        logger.setLevel(logging.WARNING)
    limits = with_room(limits)
    config = uvicorn.Config(
        app,
        http=connection_class(limits),
        log_config=None,
        access_log=False,
        server_header=False,
        ws="none",
        timeout_keep_alive=5,
        timeout_graceful_shutdown=_GRACE,
        h11_max_incomplete_event_size=1 << 15,
    )
    server = _Server(config)
    server.ready = lambda: ready(f"http://{shown}:{port}/")
    return server
