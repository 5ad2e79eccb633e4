"""Rough treatment of a server: slow and large requests, many connections, and an end in the middle of a save."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import resource
import shutil
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.serving.client import answer, request
from benchmarks.serving.server import Server, ours

SENTENCE = {"sentences": [["Time", "flies", "like", "an", "arrow"]]}


def seconds_to_answer(port: int, within: float = 30.0) -> float:
    """How long a plain request takes now, from its connection on; infinite if it is not answered with 200."""

    async def one() -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(request(port, SENTENCE))
            status, _ = await answer(reader)
        finally:
            writer.close()
        return status

    began = time.perf_counter()
    try:
        status = asyncio.run(asyncio.wait_for(one(), within))
    except (OSError, TimeoutError, asyncio.IncompleteReadError):
        return float("inf")
    return time.perf_counter() - began if status == 200 else float("inf")


@contextlib.contextmanager
def slow_clients(port: int, n: int, sent: str) -> Iterator[int]:
    """Clients that send a part of a request, and then a byte now and then (slow-loris); yields how many there are.

    sent: what comes after the first lines of the head.
    """
    head = f"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n{sent}"
    held = []
    with _many_files() as most:
        try:
            for _ in range(min(n, most)):
                one = socket.create_connection(("127.0.0.1", port), timeout=5)
                one.send(head.encode())
                held.append(one)
            for one in held:
                with contextlib.suppress(OSError):
                    one.send(b"a")
            yield len(held)
        finally:
            for one in held:
                one.close()


def large_body(port: int, size: int) -> int:
    """The status of the answer to a body of this size; 0 if the connection is closed instead."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.putrequest("POST", "/v1/predict")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", str(size))
        connection.endheaders()
        piece = b" " * 1_000_000
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(size // len(piece)):
                connection.send(piece)
        return connection.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        connection.close()


@contextlib.contextmanager
def idle_connections(port: int, wanted: int) -> Iterator[int]:
    """Many connections that ask nothing; yields how many there are."""
    held: list[socket.socket] = []
    with _many_files() as most:
        try:
            with contextlib.suppress(OSError):
                while len(held) < min(wanted, most):
                    one = socket.create_connection(("127.0.0.1", port), timeout=30)
                    held.append(one)
            yield len(held)
        finally:
            for one in held:
                one.close()


@contextlib.contextmanager
def _many_files() -> Iterator[int]:
    """Let this process have as many connections as it may; yields how many."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    try:
        yield hard - 200
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def killed_in_saves(model: str, treebank: Path, folder: Path, times: int) -> tuple[int, int]:
    """Kill a server in the middle of saves, again and again; returns kills, and corrections that were lost.

    A correction that was answered must be in the file or, after a new start, in the journal; the file must always
    be whole: the old one or the new one.
    """
    file = folder / "corrected.conllu"
    shutil.copy(treebank, file)
    kept: dict[int, str] = {}
    lost = 0
    for k in range(times):
        with ours(model, "--edit", str(file)) as server:
            lost += _missing(server, kept)
            for i in range(3):
                number, tag = (3 * k + i) % 20 + 1, ("X", "INTJ", "SYM")[(k + i) % 3]
                given = {"file": 0, "sentence": number, "token": 1, "upos": tag, "keep": True}
                _post(server, "correct", given)
                kept[number] = tag
            _die_while_saving(server, 0.004 * k)
    with ours(model, "--edit", str(file)) as server:
        lost += _missing(server, kept)
        _post(server, "save", {"file": 0})
    from palmette.formats import read_conllu

    saved = read_conllu(file)
    lost += sum(saved[number - 1]["upos"][0] != tag for number, tag in kept.items())
    return times, lost


def _die_while_saving(server: Server, after: float) -> None:
    """Ask for a save and kill the server a moment later, wherever it is then."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as one:
        one.sendall(request(server.port, {"file": 0}, "/v1/edit/save"))
        time.sleep(after)
        server.kill()


def _missing(server: Server, kept: dict[int, str]) -> int:
    """How many corrections a server does not know."""
    return sum(
        _tag(_post(server, "show", {"file": 0, "sentence": number})) != tag for number, tag in kept.items()
    )


def _tag(found: Any) -> str:
    return str(found["tokens"][0]["upos"])


def _post(server: Server, action: str, body: dict[str, Any]) -> Any:
    asked = urllib.request.Request(
        f"http://127.0.0.1:{server.port}/v1/edit/{action}",
        json.dumps(body).encode(),
        {"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(asked, timeout=60) as found:
        return json.load(found)
