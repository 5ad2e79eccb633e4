"""`palmette serve` beside spaCy behind the same starlette, under load, and under rough treatment; all on loopback.

Tags and trees of sentences of the English Web Treebank, whose words are given. A client asks again as soon as it
has its answer. spaCy's model has a tagger and a parser of its usual configuration for processors. Beside it are a
model of ours that has the same, with the parser that builds trees step by step as spaCy's does, and `en`, which
does more: features, lemmas and names too. Times are of processors, for an answer of the server; answers in a
second and latencies are by the clock.

`--quick` asks for some seconds in place of ten minutes.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import treebank
from benchmarks.measuring.row import Row, UnavailableError
from benchmarks.peers import columns, spacy_server
from benchmarks.peers.folder import kept
from benchmarks.peers.process import interpreter, measure
from benchmarks.serving import rough
from benchmarks.serving.client import Load, ask, request
from benchmarks.serving.server import Server, of_module, ours
from palmette.formats import read_conllu
from palmette.formats.conllu import format_conllu

MODEL, LEAST_RATIO, CLIENTS = "en", 10.0, 64
BATCH = 32
SLOW = 5_000  # clients at once, more than twice as many as there may be connections
Kind = tuple[str, list[list[list[str]]], int]  # of requests: a name, the sentences of each, clients
MOST_GROWTH = 30e6  # bytes, of the second half of a long load


def rows(quick: bool = False) -> Iterator[Row]:
    """`quick` measures for two seconds and holds the load for twenty."""
    words = [sentence[1] for sentence in columns.sentences(str(treebank("ud_en_ewt", "test")))][:1000]
    yield from _beside_spacy(words, 2.0 if quick else 10.0)
    with ours(MODEL, "--max-body", "8000000") as server:
        yield _long_load(server, words, 20.0 if quick else 600.0)
        yield from _rough(server)
    yield _killed(3 if quick else 10)


def _beside_spacy(words: list[list[str]], seconds: float) -> Iterator[Row]:
    model = kept("spacy-served")
    if not Path(model).exists():
        measure(spacy_server.train, str(treebank("ud_en_ewt", "train")), model)
    kinds: list[Kind] = [
        ("one sentence, 1 client", [[one] for one in words], 1),
        ("one sentence, 8 clients", [[one] for one in words], 8),
        (f"one sentence, {CLIENTS} clients", [[one] for one in words], CLIENTS),
        (
            f"{BATCH} sentences, 1 client",
            [words[i : i + BATCH] for i in range(0, len(words) - BATCH, BATCH)],
            1,
        ),
    ]
    with of_module(interpreter(), "benchmarks.peers.spacy_server", model) as server:
        peers = [_load(server, bodies, clients, seconds) for _, bodies, clients in kinds]
    for model, what in ((_tagger_and_parser(), "a tagger and a parser"), (MODEL, MODEL)):
        yield from _beside(model, what, kinds, peers, seconds)


def _beside(model: str, what: str, kinds: list[Kind], peers: list[Load], seconds: float) -> Iterator[Row]:
    with ours(model) as server:
        for (name, bodies, clients), peer in zip(kinds, peers):
            own = _load(server, bodies, clients, seconds)
            yield Row(
                f"{what}: requests of {name}",
                own.cost,
                peer.cost,
                amount=1,
                unit="requests",
                least_ratio=LEAST_RATIO,
                quality=f"{own.rate:,.0f}/s, {own.text()} (spaCy: {peer.rate:,.0f}/s, {peer.text()})",
            )


def _tagger_and_parser() -> str:
    """A model of what spaCy's does, trained on as many sentences."""
    model = kept("palmette-served.palm")
    if not Path(model).exists():
        with tempfile.NamedTemporaryFile(suffix=".conllu") as cut:
            corpus = read_conllu(treebank("ud_en_ewt", "train"))[: spacy_server.SENTENCES]
            cut.write(format_conllu(corpus))
            cut.flush()
            command = ["train", "depparse", "--train", cut.name, "--with-tags", "--method", "transition"]
            subprocess.run([sys.executable, "-m", "palmette", *command, "-q", "-o", model], check=True)
    return model


def _load(server: Server, bodies: list[list[list[str]]], clients: int, seconds: float) -> Load:
    requests = [request(server.port, {"sentences": body}) for body in bodies]
    ask(server.port, requests, clients, seconds / 5)  # what is made once is made now
    before = server.processor_seconds()
    found = ask(server.port, requests, clients, seconds)
    found.processor = server.processor_seconds() - before
    if not found.seconds or set(found.statuses) != {200}:
        raise UnavailableError(f"a server answered with {found.statuses}: {found.errors}")
    return found


def _long_load(server: Server, words: list[list[str]], seconds: float) -> Row:
    """64 clients: no error, and no growth of memory in the second half."""
    requests = [request(server.port, {"sentences": [one]}) for one in words]
    first = ask(server.port, requests, CLIENTS, seconds / 2)
    before = server.memory()
    second = ask(server.port, requests, CLIENTS, seconds / 2)
    grown = server.memory() - before
    errors = [*first.errors, *second.errors]
    return Row(
        f"{CLIENTS} clients for {seconds:g} s",
        second.whole / len(second.seconds),
        amount=1,
        unit="requests",
        memory=f"{server.memory() / 1e6:.0f} MB, {grown / 1e6:+.1f} in the second half",
        quality=f"{second.text()}; {len(errors)} errors of {len(first.seconds) + len(second.seconds):,}",
        holds=not errors and grown <= MOST_GROWTH and {*first.statuses, *second.statuses} == {200},
    )


def _rough(server: Server) -> Iterator[Row]:
    for part, sent in (("head", "X-Slow: "), ("body", 'Content-Length: 99\r\n\r\n{"')):
        with rough.slow_clients(server.port, SLOW, sent) as n:
            answers = [rough.seconds_to_answer(server.port) for _ in range(10)]
        yield Row(
            f"answer beside {n:,} slow clients with half a {part} (slow-loris)",
            max(answers),
            holds=max(answers) < 5,
        )
    before = server.memory()
    began = time.perf_counter()
    statuses = [rough.large_body(server.port, 100_000_000) for _ in range(3)]
    took, grown = (time.perf_counter() - began) / 3, server.memory() - before
    after = rough.seconds_to_answer(server.port)
    yield Row(
        "refuse a body of 100 MB",
        took,
        memory=f"{grown / 1e6:+.1f} MB",
        quality=f"status {', '.join(map(str, statuses))}; then an answer in {1000 * after:.0f} ms",
        holds=set(statuses) <= {413, 0} and grown < 20e6 and after < 5,
    )
    with rough.idle_connections(server.port, 10_000) as n:
        during = rough.seconds_to_answer(server.port)
    after = _until_answered(server)
    yield Row(
        f"answer after {n:,} idle connections",
        after,
        quality=f"meanwhile {'refused' if during == float('inf') else f'{1000 * during:.0f} ms'}",
        holds=max(during, after) < 5 and server.process.poll() is None,
    )


def _until_answered(server: Server) -> float:
    """How long it takes until a plain request is answered."""
    began = time.perf_counter()
    while time.perf_counter() - began < 60:
        if rough.seconds_to_answer(server.port) < float("inf"):
            return time.perf_counter() - began
        time.sleep(0.1)
    return float("inf")


def _killed(times: int) -> Row:
    with tempfile.TemporaryDirectory(prefix="palmette") as folder:
        source = Path(__file__).parents[1] / "examples" / "parsing" / "train.conllu"
        began = time.perf_counter()
        kills, lost = rough.killed_in_saves(MODEL, source, Path(folder), times)
    return Row(
        f"killed {kills} times in the middle of a save, and started again",
        (time.perf_counter() - began) / kills,
        quality=f"{lost} corrections lost of {3 * kills}",
        holds=not lost,
    )
