"""The same work on one worker and on two: gradients of a CRF, counts of EM and of n-grams, prediction; killed
workers; and what an engine costs.

A row's time is that of a cluster whose every worker has a processor: the processor time of the busiest worker and
of the head. So other work on the machine does not count. The peer of a row is the same with one worker; an
efficiency of 0.85 is a ratio of 1.7.

`python -m benchmarks.cluster [PART ...] [--share S]` runs parts, with that share of the data.
"""

from __future__ import annotations

import gzip
import os
import pickle
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cluster.scheduler import killed_scheduler
from benchmarks.cluster.work import (
    SHARDS,
    Killing,
    Range,
    Text,
    alignment,
    counts,
    gradient,
    killed_once,
    ngrams,
    nothing,
    processor_seconds,
    tagging,
    vocabulary,
)
from benchmarks.data import corpus
from benchmarks.measuring.row import Row
from palmette.cluster import Engine, Processes, Threads
from palmette.cluster.shares import add_sums
from palmette.tools.lm.sharing import CountJob, merged

LEAST = 1.7
FLOATS = 1_000_000
WORDS = 6_700_000
BROWN = 45_000  # sentences, about
PIECE = 20_000  # sentences that are predicted again and again
QUICK = 1 / 50


def rows(quick: bool = False) -> Iterator[Row]:
    """`quick` takes a fiftieth of the data."""
    for part in PARTS.values():
        yield from part(QUICK if quick else 1.0)


def _gradients(share: float) -> Iterator[Row]:
    """Gradients of a CRF on Brown, eight times over."""
    (brown,) = corpus("pos_en_brown/train.tsv.gz")
    sentences = int(8 * BROWN * share)
    shards = [Range(tagging, (str(brown), sentences), k) for k in range(SHARDS)]
    yield from _sums(f"gradients of a CRF, {sentences:,} sentences of Brown", gradient, shards, 0.01)


def _counts(share: float) -> Iterator[Row]:
    """Expected counts of Model 1 on Multi30k, 16 times over."""
    source, target = corpus("mt_en_de_multi30k/train.tok.lc.en.gz", "mt_en_de_multi30k/train.tok.lc.de.gz")
    times = 16 * share
    times = float(round(times)) if times > 1 else times
    pairs = [Range(alignment, (str(source), str(target), times), k) for k in range(SHARDS)]
    yield from _sums(f"counts of Model 1, {times:g} × Multi30k", counts, pairs, 0.1)


def _counting(share: float) -> Iterator[Row]:
    """N-grams of 6.7 million words: WSJ, Multi30k and Tanaka, one after another, as often as it takes."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "text.txt")
        n = _write_text(path, int(WORDS * share))
        job = CountJob(vocabulary(str(path)), 3)
        yield from _sums(
            f"3-grams of {n:,} words",
            ngrams,
            [Text(str(path), k) for k in range(SHARDS)],
            job,
            add=merged,
            told=lambda found: sum(int(level[2].sum()) for level in found.levels),
        )


def _write_text(path: Path, least: int) -> int:
    """Write whole texts, and return the number of words."""
    n = 0
    sources = corpus(
        "lm_en_ptb/train.txt.gz", "mt_en_de_multi30k/train.tok.lc.en.gz", "mt_ja_en_tanaka/train.en.gz"
    )
    with path.open("wb") as file:
        for round_ in range(1000):
            for source in sources:
                with gzip.open(source, "rb") as text:
                    for number, line in enumerate(text):
                        words = line.split()
                        if round_:  # so that n-grams are new, as in a longer text
                            words = words[:: 1 if (number + round_) % 3 else -1]
                        n += len(words)
                        file.write(b" ".join(words) + b"\n")
                        if n >= least:
                            return n
    return n


def _sums(
    name: str,
    function: Callable[..., Any],
    shards: list[Any],
    value: Any,
    *,
    add: Callable[[Any, Any], Any] = add_sums,
    told: Callable[[Any], Any] = lambda total: total[0],
) -> Iterator[Row]:
    """The work on one worker and on two, and then with one that is killed. told: what a sum is known by."""
    spent, found = [], []
    for n in (1, 2):
        with Processes(n) as engine:
            engine.reduce(function, shards, value, add=add)  # the shards are made
            seconds, total = _busiest(engine, lambda: engine.reduce(function, shards, value, add=add))
            spent.append(seconds)
            found.append(pickle.dumps(total))
            number = told(total)
            if n == 2:
                yield from _killed(name, engine, shards, Killing(function, value, ""), add, found[-1])
    same = f"the same bytes, {number:.9g}" if found[0] == found[1] else "other bytes"
    yield Row(
        f"{name}, 2 workers", spent[1], spent[0], least_ratio=LEAST, quality=same, holds=found[0] == found[1]
    )


def _busiest(engine: Processes, work: Callable[[], Any]) -> tuple[float, Any]:
    """The processor time of the busiest worker and of this process, the lesser of two; and the result."""
    best, result = np.inf, None
    for _ in range(2):
        before = {process: processor_seconds(process) for process in engine.process_ids}
        head = time.process_time()
        result = work()
        spent = time.process_time() - head
        spent += max(processor_seconds(process) - was for process, was in before.items())
        best = min(best, spent)
    return best, result


def _killed(
    name: str,
    engine: Processes,
    shards: list[Any],
    work: Killing,
    add: Callable[[Any, Any], Any],
    whole: bytes,
) -> Iterator[Row]:
    """The same with a worker that is killed: by the clock, beside a pass without a kill."""
    with tempfile.TemporaryDirectory() as folder:
        work = replace(work, mark=str(Path(folder, "mark")))
        began = time.perf_counter()
        engine.reduce(killed_once, shards, work, add=add)
        usual = time.perf_counter() - began
        Path(work.mark).touch()
        began = time.perf_counter()
        found = engine.reduce(killed_once, shards, work, add=add)
        took = time.perf_counter() - began
    same = pickle.dumps(found) == whole
    yield Row(
        f"{name}, a worker killed -9 (by the clock, with its start)",
        took,
        usual,
        quality="the same bytes" if same else "other bytes",
        holds=same,
    )


def _prediction(share: float) -> Iterator[Row]:
    """`palmette predict --output-dir` of Brown, as often as it takes, with a tagger of Brown."""
    from palmette.cli import main

    (brown,) = corpus("pos_en_brown/train.tsv.gz")
    pieces = max(1, round(1_000_000 / PIECE * share))
    sentences = pieces * PIECE
    spent, outputs = [], []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        piece = _words(brown, PIECE)
        source = folder / "text.tsv"
        with source.open("wb") as file:
            for _ in range(pieces):
                file.write(piece)
        model = folder / "tag.palm"
        training = ["train", "tag", "--train", str(_small(brown, folder)), "--learner", "perceptron"]
        assert main([*training, "--set", "n_iter=3", "-q", "-o", str(model)]) == 0
        for n in (1, 2):
            out = folder / f"out{n}"
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            head = time.process_time()
            line = [
                "predict",
                str(model),
                str(source),
                "--output-dir",
                str(out),
                "--cluster",
                f"processes:{n}",
            ]
            assert main([*line, "--append", "--shard-size", "0.5" if sentences < 100_000 else "4", "-q"]) == 0
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            workers = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            spent.append(time.process_time() - head + workers / n)
            outputs.append((out / "text.tsv").read_bytes())
        line = [str(model), str(source), "--output-dir", str(folder / "killed"), "--cluster", "processes:2"]
        began = time.perf_counter()
        _kill_a_worker([*line, "--append", "--shard-size", "0.5", "-q"], folder / "killed")
        took = time.perf_counter() - began
        same = (folder / "killed" / "text.tsv").read_bytes() == outputs[0]
        yield Row(
            f"prediction of {sentences:,} sentences, a worker killed -9 (by the clock)",
            took,
            quality="the same bytes" if same else "other bytes",
            holds=same,
        )
    yield Row(
        f"prediction of {sentences:,} sentences, 2 workers (with their start)",
        spent[1],
        spent[0],
        amount=sentences / 1e3,
        unit="k sentences",
        least_ratio=LEAST,
        holds=outputs[0] == outputs[1],
    )


def _kill_a_worker(line: list[str], out: Path) -> None:
    """Predict in a process of its own, and kill one of its workers when the first shards are there."""
    job = subprocess.Popen([sys.executable, "-m", "palmette", "predict", *line])
    while job.poll() is None and len(list(out.glob(".palmette/text.tsv/*"))) < 2:
        time.sleep(0.01)
    children = Path(f"/proc/{job.pid}/task/{job.pid}/children").read_text().split()
    workers = [child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]
    os.kill(int(workers[-1]), signal.SIGKILL)
    assert job.wait() == 0


def _words(brown: Path, sentences: int) -> bytes:
    """So many sentences, a word on each line."""
    lines, n = [], 0
    with gzip.open(brown, "rb") as file:
        for line in file:
            if line.startswith(b"# "):
                continue
            lines.append(line.split(b"\t")[0].rstrip() + b"\n")
            n += lines[-1] == b"\n"
            if n == sentences:
                break
    return b"".join(lines)


def _small(brown: Path, folder: Path) -> Path:
    """A part of Brown to learn from: what is measured is prediction."""
    small = folder / "small.tsv"
    with gzip.open(brown, "rt") as file:
        text = file.read(1_000_000)
    small.write_text(text[: text.rindex("\n\n") + 2])
    return small


def _overheads(_: float) -> Iterator[Row]:
    """Passes without work: what an engine costs."""
    value = np.zeros(FLOATS)
    for name, engine in _engines():
        with engine:
            shards = list(range(SHARDS))
            engine.reduce(nothing, shards, value)
            best = np.inf
            for _ in range(5):
                began = time.perf_counter()
                engine.reduce(nothing, shards, value)
                best = min(best, time.perf_counter() - began)
            text = f"{SHARDS} shards, {FLOATS:,} doubles there and back"
            yield Row(f"a pass without work, {name}: {text}", best, quality=f"{best * 1000:.0f} ms")


def _engines() -> Iterator[tuple[str, Engine]]:
    yield "2 threads", Threads(2)
    yield "2 processes", Processes(2)
    try:
        import distributed

        from palmette.cluster import DaskEngine
    except ImportError:
        return
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs="CRITICAL"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield "2 Dask workers", DaskEngine(client)


PARTS: dict[str, Callable[[float], Iterator[Row]]] = {
    "gradients": _gradients,
    "counts": _counts,
    "n-grams": _counting,
    "prediction": _prediction,
    "scheduler": killed_scheduler,
    "overhead": _overheads,
}
