"""A server in a process of its own, on a free port of this machine; it ends with the block that uses it."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]
_SECONDS = 180.0  # to be ready


@dataclass
class Server:
    """A server that answers."""

    port: int
    process: subprocess.Popen[bytes]

    def memory(self) -> float:
        """Bytes that are resident."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return 1024.0 * int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1])

    def processor_seconds(self) -> float:
        """Seconds of processors that it has used until now, in all threads."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_healthy(self, seconds: float = 5.0) -> bool:
        """Whether it answers in time."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=seconds) as found:
                return bool(found.status == 200)
        except OSError:
            return False

    def kill(self) -> None:
        """End it at once, as `kill -9` does."""
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def ours(*arguments: str) -> Iterator[Server]:
    """`palmette serve` with these arguments."""
    command = [sys.executable, "-m", "palmette", "serve", *arguments, "--quiet"]
    with _started(lambda port: [*command, "--port", str(port)]) as server:
        yield server


@contextlib.contextmanager
def of_module(python: str, module: str, *arguments: str) -> Iterator[Server]:
    """A module of this project, run by an interpreter; the port is its first argument."""
    with _started(lambda port: [python, "-m", module, str(port), *arguments]) as server:
        yield server


@contextlib.contextmanager
def _started(command_for: object) -> Iterator[Server]:
    port = free_port()
    command: Sequence[str] = command_for(port)  # type: ignore[operator]
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    process = subprocess.Popen(
        command, cwd=_ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ | threads
    )
    server = Server(port, process)
    try:
        until = time.monotonic() + _SECONDS
        while not server.is_healthy():
            if process.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"{' '.join(command)} did not start")
            time.sleep(0.1)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
