"""Many clients at once against a server on this machine: HTTP/1.1 by hand, so that the client costs little."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field


@dataclass
class Load:
    """What clients have met: seconds of every answer, statuses by number, and how long all of it took.

    processor: seconds of processors that the server used.
    """

    seconds: list[float] = field(default_factory=list)
    statuses: dict[int, int] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    whole: float = 0.0
    processor: float = 0.0

    @property
    def cost(self) -> float:
        """Seconds of processors that the server needs for an answer."""
        return self.processor / len(self.seconds)

    @property
    def rate(self) -> float:
        """Answers in a second."""
        return len(self.seconds) / self.whole

    def quantile(self, share: float) -> float:
        """The seconds in which this share of the answers came."""
        ordered = sorted(self.seconds)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)]

    def text(self) -> str:
        """Rate and latencies in words."""
        return f"p50 {1000 * self.quantile(0.5):.1f} ms, p99 {1000 * self.quantile(0.99):.1f} ms"


def request(port: int, body: object, path: str = "/v1/predict") -> bytes:
    """The bytes of a POST request."""
    data = json.dumps(body).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(data)}\r\n\r\n"
    )
    return head.encode() + data


async def answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """The status and the body of one answer."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    lines = head.split("\r\n")
    names = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
    body = await reader.readexactly(int(names.get("content-length", 0)))
    return int(lines[0].split()[1]), body


async def _client(
    port: int, requests: Sequence[bytes], goes_on: Callable[[], bool], load: Load, k: int
) -> None:
    """One client on one connection, which asks as soon as it has an answer."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        while goes_on():
            began = time.perf_counter()
            writer.write(requests[k % len(requests)])
            status, body = await answer(reader)
            load.seconds.append(time.perf_counter() - began)
            load.statuses[status] = load.statuses.get(status, 0) + 1
            if status != 200 and len(load.errors) < 5:
                load.errors.append(body[:200].decode(errors="replace"))
            k += 1
    except (OSError, asyncio.IncompleteReadError) as error:
        load.errors.append(repr(error))
    finally:
        writer.close()


def ask(port: int, requests: Sequence[bytes], clients: int, seconds: float) -> Load:
    """Let clients ask for some seconds, each with requests of its own in turn."""

    async def all_of_them() -> Load:
        load, began = Load(), time.perf_counter()

        def goes_on() -> bool:
            return time.perf_counter() - began < seconds

        step = max(len(requests) // clients, 1)
        await asyncio.gather(*(_client(port, requests, goes_on, load, c * step) for c in range(clients)))
        load.whole = time.perf_counter() - began
        return load

    return asyncio.run(all_of_them())
