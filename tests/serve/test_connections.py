"""Clients that are slow on purpose, on loopback: they lose their connections, and others are answered."""

from __future__ import annotations

import contextlib
import http.client
import json
import resource
import socket
import threading
from collections.abc import Iterator

import pytest

from palmette.serve.app import application
from palmette.serve.connections import with_room
from palmette.serve.limits import Limits
from palmette.serve.models import Models
from palmette.serve.server import listening, server_of

HEAD = b"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
LONG = 3600.0  # seconds: a deadline that does not come


@contextlib.contextmanager
def running(models: Models, limits: Limits) -> Iterator[int]:
    """A server in a thread; yields its port."""
    bound, listens = listening("127.0.0.1", 0), threading.Event()
    server = server_of(application(models, limits, quiet=True), bound, limits, lambda address: listens.set())
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    port = bound.getsockname()[1]
    thread.start()
    try:
        assert listens.wait(60)
        yield port
    finally:
        server.should_exit = True
        thread.join()
        bound.close()


def opened(port: int, sent: bytes = b"") -> socket.socket:
    one = socket.create_connection(("127.0.0.1", port), timeout=60)
    one.sendall(sent)
    return one


def rest(one: socket.socket) -> bytes:
    """All that comes until the server closes the connection."""
    found = b""
    with one, contextlib.suppress(ConnectionResetError):
        while piece := one.recv(1 << 16):
            found += piece
    return found


def health(port: int) -> int:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", "/health")
        answer = connection.getresponse()
        assert ("error" in json.load(answer)) == (
            answer.status == 503 and answer.getheader("retry-after") == "1"
        )
        return answer.status
    finally:
        connection.close()


@pytest.mark.parametrize(
    "sent",
    [b"", HEAD, HEAD + b"X-Slow: a", HEAD + b"Content-Length: 100\r\n\r\n{"],
    ids=["nothing", "lines of a head", "a part of a line", "a part of a body"],
)
def test_clients_that_wait_do_not_keep_others_out(every_model: Models, sent: bytes) -> None:
    limits = Limits(connections=5, head=LONG, seconds=LONG)
    with running(every_model, limits) as port:
        held = [opened(port, sent) for _ in range(12)]
        for _ in range(3):
            assert health(port) == 200
        # the oldest were closed, the newest are still there
        assert [rest(one) for one in held[:8]] == [b""] * 8
        held[-1].settimeout(0.05)
        with pytest.raises(TimeoutError):
            held[-1].recv(1)
        for one in held[8:]:
            one.close()


def test_a_request_that_is_served_is_not_closed_for_others(
    every_model: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    from palmette.serve.asking import Asked

    entered, release = threading.Semaphore(0), threading.Event()

    def slow(self: Asked, **more: object) -> object:
        entered.release()
        assert release.wait(60)
        return iter([b'{"done": true}\n'])

    monkeypatch.setattr(Asked, "predict", slow)
    body = json.dumps({"text": "a"}).encode()
    with running(every_model, Limits(connections=2, workers=2, head=LONG, seconds=LONG)) as port:
        asked = [opened(port, HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(body), body)) for _ in range(2)]
        for _ in asked:
            assert entered.acquire(timeout=60)
        assert health(port) == 503  # both places are taken by requests under way
        release.set()
        for one in asked:
            found = http.client.HTTPResponse(one)
            found.begin()
            assert found.status == 200
            assert json.load(found)["results"] == [{"done": True}]
        assert health(port) == 200  # they wait for their next request, and one of them goes
        assert sum(_closed(one) for one in asked) == 1
        for one in asked:
            one.close()


def _closed(one: socket.socket) -> bool:
    one.settimeout(0.2)
    try:
        return one.recv(1) == b""
    except TimeoutError:
        return False
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    ("sent", "status"),
    [(b"", b""), (HEAD, b"HTTP/1.1 408"), (b"GET /health HTTP/1.1\r\nX: a", b"HTTP/1.1 408")],
)
def test_a_head_that_does_not_come_is_not_waited_for(every_model: Models, sent: bytes, status: bytes) -> None:
    with running(every_model, Limits(head=0.1)) as port:
        found = rest(opened(port, sent))
        assert found.startswith(status)
        if status:
            assert json.loads(found.split(b"\r\n\r\n")[1])["error"].endswith("within 0.1 s")
        else:
            assert not found


def test_the_next_head_of_a_connection_has_a_deadline_too(every_model: Models) -> None:
    with running(every_model, Limits(head=0.2)) as port:
        one = opened(port, b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        first = http.client.HTTPResponse(one)
        first.begin()
        assert (first.status, bool(first.read())) == (200, True)
        one.sendall(b"GET /hea")
        assert rest(one).startswith(b"HTTP/1.1 408")


def test_an_answer_that_nobody_reads_is_given_up(
    every_model: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    from palmette.serve.asking import Asked

    ended = threading.Event()

    def endless(self: Asked, **more: object) -> Iterator[bytes]:
        try:
            while True:
                yield b'{"line": "' + b"x" * 100_000 + b'"}\n'
        finally:
            ended.set()

    monkeypatch.setattr(Asked, "predict", endless)
    body = b'{"text": "a", "stream": true}'
    with running(every_model, Limits(seconds=0.3)) as port:
        one = opened(port, HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        assert ended.wait(60)
        one.close()
        assert health(port) == 200


@pytest.mark.parametrize(
    ("soft", "hard", "connections", "then"),
    [
        (1024, 4096, 2000, 2256),
        (8192, 8192, 2000, None),
        (256, 1024, 768, 1024),
        (1024, resource.RLIM_INFINITY, 2000, 2256),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, 2000, None),
    ],
)
def test_open_files_are_enough_for_connections(
    soft: int, hard: int, connections: int, then: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda which: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda which, limits: asked.append(limits))
    assert with_room(Limits()).connections == connections
    assert asked == ([] if then is None else [(then, hard)])
