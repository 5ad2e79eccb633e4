"""Requests that are answered together: each gets what it would get alone, and the queue stays bounded."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from palmette.serve import joining
from palmette.serve.asking import Asked
from palmette.serve.joining import answered, key_of
from palmette.serve.limits import Limits, RequestError
from palmette.serve.models import Models
from palmette.serve.work import Work
from serve.conftest import serving

SENTENCES = [
    ["The", "dog", "sleeps"],
    ["Mr", "Smith", "left", "Rome", "."],
    ["a", "cat", "sees", "the", "dog"],
]
TEXTS = ["The dog sleeps. Mr Smith left Rome.", "", "A cat sees the dog", "Don't go!\n\nHe can't."]
BODIES: list[dict[str, Any]] = [
    *({"sentences": [words]} for words in SENTENCES),
    {"sentences": SENTENCES[:2]},
    {"sentences": ["a dog"] * 3},
]


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[Asked]:
    """The requests that were answered one by one."""
    found: list[Asked] = []
    original = joining._alone
    monkeypatch.setattr(joining, "_alone", lambda asked: (found.append(asked), original(asked))[1])
    return found


def asked(models: Models, name: str, bodies: Sequence[dict[str, Any]], **more: Any) -> list[Asked]:
    return [Asked(models.find(name), {**body, **more}, Limits()) for body in bodies]


@pytest.mark.parametrize("more", [{}, {"probabilities": True}], ids=["best", "probabilities"])
@pytest.mark.parametrize("name", ["en", "pipeline", "tag", "spans", "parse"])
def test_answers_are_those_of_single_requests(
    name: str, more: dict[str, Any], every_model: Models, alone: list[Asked]
) -> None:
    bodies = [BODIES, [{"text": text} for text in TEXTS]] if name in ("en", "pipeline") else [BODIES]
    for some in bodies:
        single = asked(every_model, name, some, **more)
        wanted = [list(one.predict()) for one in single]
        together = asked(every_model, name, some, **more)
        assert len({key_of(one) for one in together}) == 1
        assert answered(together) == wanted
        assert [one.notes.told() for one in together] == [one.notes.told() for one in single]
    assert alone == []


def test_tokens_with_what_is_known_of_them(every_model: Models, alone: list[Asked]) -> None:
    bodies = [{"sentences": [[{"form": "Time", "head": 2}, "flies"]]}, *BODIES, {"sentences": [["Go"]]}]
    found = answered(asked(every_model, "en", bodies))
    assert found == [list(one.predict()) for one in asked(every_model, "en", bodies)]
    assert len(alone) == 1  # the one with a head: nobody else has its options


def test_a_wrong_request_is_no_harm_to_others(every_model: Models, alone: list[Asked]) -> None:
    bodies = [
        {"sentences": [["Go"]]},
        {"sentences": [[]]},
        {"sentences": [["x"] * 501]},
        {"sentences": [["Stop"]]},
    ]
    for name in ("en", "tag"):
        first, empty, long, last = answered(asked(every_model, name, bodies))
        assert [first, last] == [list(one.predict()) for one in asked(every_model, name, bodies[::3])]
        assert isinstance(empty, RequestError)
        assert "500" in str(long)
        assert isinstance(long, Exception)
    assert len(alone) == 2 * 3


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("en", {"text": "x" * 5000}),
        ("en", {"sentences": [["x"]] * 17}),
        ("en", {"sentences": [["x"] * 501]}),
        ("en", {"sentences": ["x"], "text": "y"}),
        ("parse", {"sentences": [["x"] * 50]}),
        ("en", {"text": 3}),
        ("tag", {"text": "Go"}),
        ("classify", {"text": "Go"}),
        ("translate", {"sentences": ["Go"]}),
    ],
)
def test_what_is_answered_alone(name: str, body: dict[str, Any], every_model: Models) -> None:
    assert key_of(asked(every_model, name, [body])[0]) is None


def test_clients_at_once_get_their_own_answers(every_model: Models) -> None:
    bodies = [{"model": "en", **body} for body in [*BODIES, *({"text": text} for text in TEXTS)]] * 6
    bodies += [{"model": "en", "sentences": [[]]}, {"model": "tag", "sentences": ["Go on"]}] * 3
    with serving(every_model) as client:
        wanted = [client.post("/v1/predict", json=body) for body in bodies]
        with ThreadPoolExecutor(16) as pool:
            found = list(pool.map(lambda body: client.post("/v1/predict", json=body), bodies))
    assert [(one.status_code, one.json()) for one in found] == [
        (one.status_code, one.json()) for one in wanted
    ]


# The queue


def gathering(limits: Limits, use: Callable[[Work], Any]) -> Any:
    async def run() -> Any:
        work = Work(limits)
        try:
            return await use(work)
        finally:
            work.stop()

    return asyncio.run(run())


def test_those_that_come_meanwhile_are_done_together() -> None:
    goes_on, groups = threading.Event(), []

    def together(jobs: Sequence[int]) -> list[Any]:
        groups.append(list(jobs))
        if jobs[0] == 0:
            goes_on.wait(60)
        return [ValueError(str(job)) if job == 2 else 10 * job for job in jobs]

    async def use(work: Work) -> list[Any]:
        tasks = [asyncio.ensure_future(work.join("kind", job, together)) for job in range(5)]
        await asyncio.sleep(0)
        assert work.pending == 5
        goes_on.set()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert work.pending == 0
        assert not work._waiting
        assert not work._running
        found.append(await work.join("kind", 7, together))
        return found

    found = gathering(Limits(), use)
    assert groups == [[0], [1, 2, 3, 4], [7]]
    assert [one if isinstance(one, int) else str(one) for one in found] == [0, 10, "2", 30, 40, 70]


def test_the_queue_of_joined_jobs_is_bounded_too() -> None:
    goes_on = threading.Event()

    def together(jobs: Sequence[int]) -> list[int]:
        goes_on.wait(60)
        return list(jobs)

    async def use(work: Work) -> None:
        tasks = [asyncio.ensure_future(work.join("kind", job, together)) for job in range(6)]
        await asyncio.sleep(0)
        assert tasks[5].done()
        assert isinstance(tasks[5].exception(), RequestError)
        goes_on.set()
        assert await asyncio.gather(*tasks[:5]) == [0, 1, 2, 3, 4]

    gathering(Limits(workers=1, waiting=4), use)


def test_many_that_wait_take_another_thread_and_no_group_is_too_large() -> None:
    goes_on, sizes = threading.Event(), []

    def together(jobs: Sequence[int]) -> list[int]:
        sizes.append(len(jobs))
        goes_on.wait(60)
        return [job + 1 for job in jobs]

    async def use(work: Work) -> list[int]:
        tasks = [asyncio.ensure_future(work.join("kind", job, together)) for job in range(200)]
        await asyncio.sleep(0)
        goes_on.set()
        return await asyncio.gather(*tasks)

    assert gathering(Limits(workers=2, waiting=500), use) == list(range(1, 201))
    assert sum(sizes) == 200
    assert max(sizes) <= 64


def test_joined_work_that_fails_as_a_whole_or_takes_too_long() -> None:
    goes_on = threading.Event()

    def together(jobs: Sequence[str]) -> list[str]:
        if jobs[0] == "slow":
            goes_on.wait(60)
            return list(jobs)
        raise KeyError(jobs[0])

    async def use(work: Work) -> None:
        with pytest.raises(KeyError):
            await work.join("kind", "wrong", together)
        with pytest.raises(RequestError, match="more than"):
            await work.join("kind", "slow", together)
        assert work.pending == 1
        goes_on.set()

    gathering(Limits(seconds=0.2), use)
