"""Word alignment beside systran-align (the algorithm of fast_align) and eflomal, both from PyPI.

From two files of text to one of links, both directions made one: Multi30k, 29,000 pairs of English and German.
Times are those of the processors, but for two threads. Error rates are of the two sets with links by people:
Hansards (5,439 pairs, of which 447 are scored) and CzEnAli (2,500, 250 scored).
"""

from __future__ import annotations

import gzip
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.data import corpus
from benchmarks.measuring.memory import megabytes_text
from benchmarks.measuring.row import Row, UnavailableError
from benchmarks.peers.aligners import eflomal, systran, systran_forced
from benchmarks.peers.process import Measured, Work, measure
from palmette.evaluation.alignments import evaluate_alignments
from palmette.formats.pharaoh import GoldAlignment, read_pharaoh
from palmette.tools.alignment.aligner import Aligner
from palmette.tools.alignment.text import ParallelText, parse_side, read_pairs

LEAST_FAST, LEAST_TWO, LEAST_FORCED, LEAST_EFLOMAL = 4.0, 7.0, 3.0, 3.0
MOST_GROWTH, MOST_MEGABYTES = 1.3, 1500
# The best symmetrizations of the peers on Hansards and CzEnAli.
FAST_ALIGN, EFLOMAL = (0.170, 0.346), (0.085, 0.233)
SETS = {
    "Hansards": ("align_en_fr_hansards", ("train_news", "dev", "test"), "fr"),
    "CzEnAli": ("align_en_cs_czenali", ("train", "test"), "cs"),
}
# Each is to be better than the one before, both ways.
MODELS = (("model1",), ("model1", "model2"), ("model1", "hmm"), ("model1", "hmm", "model4"))
BEST = ("model1", "hmm", "fertility")
OTHERS = (("model1", "diagonal"), ("model1", "hmm", "model3"), BEST)
MOST_AER = {"Hansards": 0.080, "CzEnAli": 0.225}
NEAR = 0.01


def rows(quick: bool = False) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        names = [str(Path(folder, name)) for name in ("source", "target")]
        for path, name in zip(
            corpus(*(f"mt_en_de_multi30k/train.tok.lc.{x}.gz" for x in ("en", "de"))), names
        ):
            Path(name).write_bytes(gzip.decompress(path.read_bytes()))
        yield from speed_rows(names, 1 if quick else 3)
        yield from growth_rows(names, (1, 4) if quick else (1, 4, 16))
    yield from accuracy_rows()


def train(source: str, target: str, models: str, n_jobs: int, times: int = 1) -> Work:
    """Read, train, align, write; `times`: the text so many times over."""

    def run() -> int:
        sides = [parse_side(Path(path).read_bytes() * times) for path in (source, target)]
        text = ParallelText(*sides)
        links = Aligner(models, n_jobs=n_jobs).fit_align(text, probabilities=False)
        with tempfile.TemporaryFile() as file:
            file.write(links.pharaoh_bytes())
        return len(text)

    return Work(run, lambda n: {"pairs": n})


def forced(source: str, target: str) -> Work:
    """Read, align and write with a model that is there."""
    aligner = Aligner("fast", n_jobs=1).fit(read_pairs(source, target))

    def run() -> None:
        with tempfile.TemporaryFile() as file:
            file.write(aligner.align(read_pairs(source, target), probabilities=False).pharaoh_bytes())

    return Work(run)


def speed_rows(names: list[str], times: int) -> Iterator[Row]:
    n, unit = len(read_pairs(*names)), "k pairs"
    rates = error_rates("fast")
    quality = f"AER {rates[0]:.3f}, {rates[1]:.3f}; fast_align {FAST_ALIGN[0]:.3f}, {FAST_ALIGN[1]:.3f}"
    better = all(have < there for have, there in zip(rates, FAST_ALIGN))
    one = measure(train, *names, "fast", 1, times=times, python=sys.executable)
    two = measure(train, *names, "fast", 2, times=times, threads=2, python=sys.executable)
    new = measure(forced, *names, times=times, python=sys.executable)
    peer, peer_new = _peer(systran, names, times), _peer(systran_forced, names, times)
    work = f"align {n:,} pairs, fast"
    for name, ours, theirs, least in (
        ("one thread / systran-align", one.cpu_seconds, peer and peer.cpu_seconds, LEAST_FAST),
        ("two threads / systran-align", two.seconds, peer and peer.seconds, LEAST_TWO),
    ):
        required = least if theirs else None
        yield Row(f"{work}, {name}", ours, theirs, n / 1e3, unit, required, quality=quality, holds=better)
    theirs = peer_new and peer_new.cpu_seconds
    yield Row(
        "force-align them / systran-align",
        new.cpu_seconds,
        theirs,
        n / 1e3,
        unit,
        LEAST_FORCED if theirs else None,
    )
    rates = error_rates("best")
    quality = f"AER {rates[0]:.3f}, {rates[1]:.3f}; eflomal {EFLOMAL[0]:.3f}, {EFLOMAL[1]:.3f}"
    better = all(round(have, 3) <= there for have, there in zip(rates, EFLOMAL))
    best = measure(train, *names, "best", 1, times=times, python=sys.executable)
    other = _peer(eflomal, names, 1)
    theirs = other and other.quality["seconds"]
    yield Row(
        f"align {n:,} pairs, best / eflomal",
        best.cpu_seconds,
        theirs,
        n / 1e3,
        unit,
        LEAST_EFLOMAL if theirs else None,
        quality=quality,
        holds=better,
    )


def growth_rows(names: list[str], sizes: Sequence[int]) -> Iterator[Row]:
    """The peer of a row is the row before: four times the text should take four times as long."""
    before: Measured | None = None
    for times in sizes:
        made = measure(train, *names, "fast", 1, times, python=sys.executable)
        linear = before is None or made.cpu_seconds <= 4 * MOST_GROWTH * before.cpu_seconds
        yield Row(
            f"align {times} × Multi30k, fast",
            made.cpu_seconds,
            before.cpu_seconds if before else None,
            made.quality["pairs"] / 1e3,
            "k pairs",
            memory=megabytes_text(made.peak_mb * 1e6),
            holds=linear and made.peak_mb < MOST_MEGABYTES,
        )
        before = made


def accuracy_rows() -> Iterator[Row]:
    """Error rates of every model: source to target, back, and both as one; and of new text."""
    for name, most in MOST_AER.items():
        text, gold = gold_set(name)
        before = (1.0, 1.0)
        for models in (*MODELS, *OTHERS):
            rates, seconds = trained_rates(text, gold, models)
            chain = models in MODELS
            better = not chain or all(have < there for have, there in zip(rates, before))
            found = "AER {:.3f}, {:.3f}, posterior {:.3f}, intersection {:.3f}, grow-diag-final-and {:.3f}"
            best = min(rates) <= most if models == BEST else True
            wanted = ", better than the one before both ways" if chain else ""
            wanted += f", at most {most}" if models == BEST else ""
            yield Row(
                f"{name}: {' + '.join(models)}{wanted}",
                seconds,
                quality=found.format(*rates),
                holds=better and best,
            )
            before = (rates[0], rates[1]) if chain else before
        yield new_text_row(name)


def trained_rates(
    text: ParallelText, gold: list[GoldAlignment], models: tuple[str, ...]
) -> tuple[list[float], float]:
    """Of the last pairs of the text of the training: source to target, back, and symmetrized; and the time."""
    start = time.process_time()
    aligner = Aligner(models, n_jobs=1).fit(text)
    seconds = time.process_time() - start
    methods = "source", "target", "posterior", "intersection", "grow-diag-final-and"
    found = [
        aligner.align(text, symmetrization=method, probabilities=False)[-len(gold) :] for method in methods
    ]
    return [evaluate_alignments(gold, links).aer for links in found], seconds


def new_text_row(name: str) -> Row:
    """Pairs that a saved model has never seen, beside the same pairs in its training; means of three seeds."""
    text, gold = gold_set(name)
    n = len(text) - len(gold)
    rates = []
    start = time.process_time()
    for seed in range(3):
        inside = Aligner(random_state=seed).fit_align(text, probabilities=False)[n:]
        new = (
            Aligner(random_state=seed)
            .fit(text.part(0, n))
            .align(text.part(n, len(text)), probabilities=False)
        )
        rates.append([evaluate_alignments(gold, links).aer for links in (inside, new)])
    seen, unseen = (sum(column) / len(rates) for column in zip(*rates))
    return Row(
        f"{name}: new pairs within {NEAR} of pairs in training",
        time.process_time() - start,
        quality=f"AER {unseen:.4f}, in training {seen:.4f}",
        holds=unseen <= seen + NEAR,
    )


def error_rates(models: str) -> list[float]:
    """Of both sets, symmetrized."""
    found = []
    for name in SETS:
        text, gold = gold_set(name)
        links = Aligner(models, n_jobs=1).fit_align(text, probabilities=False)[-len(gold) :]
        found.append(evaluate_alignments(gold, links).aer)
    return found


def gold_set(name: str) -> tuple[ParallelText, list[GoldAlignment]]:
    """The text to train on, and the right links of its last pairs."""
    folder, parts, language = SETS[name]
    sides = [
        parse_side(
            b"".join(path.read_bytes() for path in corpus(*(f"{folder}/{part}.{x}" for part in parts)))
        )
        for x in ("en", language)
    ]
    (gold,) = corpus(f"{folder}/test.align")
    return ParallelText(*sides), read_pharaoh(gold)


def _peer(prepare: object, names: list[str], times: int) -> Measured | None:
    try:
        return measure(prepare, *names, times=times)  # type: ignore[arg-type]
    except UnavailableError:
        return None
