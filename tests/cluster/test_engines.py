"""The two verbs on every engine: order, sums to the last bit, errors, and workers that are killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from palmette.cluster import Engine, EngineError, Processes, Threads, connect
from palmette.cluster.dask_engine import DaskEngine
from palmette.errors import FormatError, UsageError
from samples.on_engines.engines import KINDS, engine_of
from samples.on_engines.numbers import (
    Drawn,
    always_killed,
    bad,
    killed_once,
    name_of_process,
    times,
)

SHARDS = [Drawn(k) for k in range(11)]
EXACT = [shard.make() for shard in SHARDS]


@pytest.fixture(scope="module", params=KINDS)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    with engine_of(request.param) as made:
        yield made


@pytest.fixture(scope="module")
def processes() -> Iterator[Processes]:
    with Processes(2) as made:
        yield made


def test_map_keeps_the_order(engine: Engine) -> None:
    found = engine.map(times, SHARDS, 3.0)
    assert [one.tobytes() for one in found] == [(numbers * 3.0).tobytes() for numbers in EXACT]
    assert engine.n_workers == 2


def test_map_takes_plain_objects(engine: Engine) -> None:
    told: list[int] = []
    found = engine.map(times, [1.0, 2.0, 4.0], told=lambda outcome: told.append(outcome.shard))
    assert found == [1.0, 2.0, 4.0]
    assert sorted(told) == [0, 1, 2]


@pytest.mark.parametrize("n", [1, 2, 5, 8, 11])
def test_sums_are_the_same_bytes_for_every_engine(engine: Engine, n: int) -> None:
    with Threads(1) as alone:
        want = alone.reduce(times, SHARDS[:n], 1.5)
    assert engine.reduce(times, SHARDS[:n], 1.5).tobytes() == want.tobytes()
    np.testing.assert_allclose(want, 1.5 * np.sum(EXACT[:n], axis=0), rtol=1e-12, atol=1e-6)


@pytest.mark.parametrize("n", [1, 3, 4])
def test_sums_are_the_same_bytes_for_every_number_of_workers(n: int) -> None:
    with Threads(1) as alone, Threads(n) as several:
        assert several.reduce(times, SHARDS, 0.1).tobytes() == alone.reduce(times, SHARDS, 0.1).tobytes()


def test_processes_sum_the_same_bytes_in_other_numbers() -> None:
    with Threads(1) as alone, Processes(3) as several:
        assert several.reduce(times, SHARDS, 0.1).tobytes() == alone.reduce(times, SHARDS, 0.1).tobytes()


def test_an_error_of_a_function_is_raised_as_it_was(engine: Engine) -> None:
    with pytest.raises(FormatError, match=r"^numbers\.txt:3: a bad number$") as caught:
        engine.map(bad, SHARDS, EXACT[4][0])
    assert (caught.value.path, caught.value.line) == ("numbers.txt", 3)
    with pytest.raises(FormatError, match=r"^numbers\.txt:3: a bad number$"):
        engine.reduce(bad, SHARDS, EXACT[4][0])
    outcomes = list(engine.outcomes(bad, SHARDS, EXACT[4][0]))
    assert [outcome.shard for outcome in outcomes if outcome.error is not None] == [4]
    assert sorted(outcome.shard for outcome in outcomes) == list(range(11))


def test_nothing_cannot_be_summed(engine: Engine) -> None:
    assert engine.map(times, []) == []
    with pytest.raises(ValueError, match="nothing to sum"):
        engine.reduce(times, [])


def test_a_shard_is_made_once(engine: Engine, tmp_path: Path) -> None:
    shards = [Drawn(k, str(tmp_path)) for k in range(4)]
    first = engine.map(times, shards)
    again = engine.map(times, shards)
    engine.reduce(times, shards, 2.0)
    assert [one.tobytes() for one in first] == [one.tobytes() for one in again]
    assert len(list(tmp_path.iterdir())) == 4


def test_a_killed_process_costs_its_shard(processes: Processes, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    mark.touch()
    found = processes.map(killed_once, SHARDS, str(mark))
    assert not mark.exists()
    assert [one.tobytes() for one in found] == [numbers.tobytes() for numbers in EXACT]
    mark.touch()
    with Threads(1) as alone:
        want = alone.reduce(times, SHARDS)
    assert processes.reduce(killed_once, SHARDS, str(mark)).tobytes() == want.tobytes()
    assert not mark.exists()
    assert len(processes.process_ids) == 2


def test_a_process_that_is_killed_again_and_again_is_an_error(processes: Processes) -> None:
    with pytest.raises(EngineError, match="ended 4 times with the same shard"):
        processes.map(always_killed, SHARDS[:2])
    assert processes.map(times, SHARDS[:1])[0].tobytes() == EXACT[0].tobytes()  # and it goes on


def test_processes_are_others(processes: Processes) -> None:
    found = processes.map(name_of_process, list(range(8)))
    assert set(found) <= set(processes.process_ids)


def test_a_killed_dask_worker_costs_its_shard(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    with engine_of("dask processes") as engine, Threads(1) as alone:
        mark.touch()
        found = engine.map(killed_once, SHARDS, str(mark))
        assert not mark.exists()
        assert [one.tobytes() for one in found] == [numbers.tobytes() for numbers in EXACT]
        mark.touch()
        want = alone.reduce(times, SHARDS)
        assert engine.reduce(killed_once, SHARDS, str(mark)).tobytes() == want.tobytes()
        assert not mark.exists()


def test_a_generator_that_is_left_ends_its_work(engine: Engine) -> None:
    next(iter(engine.outcomes(times, SHARDS)))
    assert len(engine.map(times, SHARDS)) == 11


@pytest.mark.parametrize("address", ["local", "local:x", "grid:2", "processes:0", "somewhere"])
def test_wrong_addresses_are_refused(address: str) -> None:
    if address == "local":
        with connect(address) as engine:
            assert engine.n_workers >= 1
        return
    with pytest.raises(UsageError, match="expected"):
        connect(address)


def test_a_scheduler_that_does_not_answer_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="dask is not installed")
    from palmette.cluster import dask_engine

    monkeypatch.setattr(dask_engine, "WAIT", "1 s")
    with pytest.raises(EngineError, match=r"no Dask scheduler answers at tcp://127.0.0.1:9: "):
        connect("tcp://127.0.0.1:9")


def test_a_call_that_sees_the_closed_connection_first() -> None:
    closed = pytest.importorskip("distributed.comm").CommClosedError
    engine: Any = object.__new__(DaskEngine)
    engine.client, engine._address = SimpleNamespace(status="running"), "tcp://host:1"
    assert "the connection to the Dask scheduler at tcp://host:1 is lost" in str(
        engine.failed(closed("closed"))
    )
    assert "cannot go on: no" in str(engine.failed(ValueError("no")))
