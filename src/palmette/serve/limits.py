"""What one request may ask for, and the errors that say so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """The most that a request may bring and take.

    body: bytes of a request. words: of a sentence. seconds: of work, and of waiting for the body. workers: threads
    that predict. waiting: requests that may wait for a thread. kbest: outputs of one input. head: seconds until
    the head of a request has come. connections: open ones.
    """

    body: int = 8_000_000
    words: int = 500
    seconds: float = 60.0
    workers: int = 2
    waiting: int = 64
    kbest: int = 100
    head: float = 10.0
    connections: int = 2_000


class RequestError(Exception):
    """A request that is not answered: its status, one sentence why, and when to come back, if that helps."""

    def __init__(self, status: int, sentence: str, retry_after: int | None = None) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.retry_after = status, sentence, retry_after
