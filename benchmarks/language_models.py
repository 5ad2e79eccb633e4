"""Language models beside KenLM (Python module, lmplz, build_binary), IRSTLM (build-lm.sh, compile-lm) and NLTK.

The text is all English of the data. Peers that are not installed are left out: `pip install kenlm` for queries;
for estimation lmplz and build_binary, or build-lm.sh of IRSTLM, on the PATH. Times are those of the processors,
but for two threads beside one. Estimation is from text to a file that can be queried; NLTK's is to a model in
memory, and of a sample.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from benchmarks.data import corpus
from benchmarks.measuring.english_text import english_sentences
from benchmarks.measuring.row import Row, UnavailableError
from benchmarks.measuring.timing import shortest
from benchmarks.peers import nltk_language_model
from benchmarks.peers.process import measure
from palmette.compat import kenlm as drop_in
from palmette.tools.lm.model import LanguageModel

LEAST_IRSTLM, LEAST_LMPLZ, LEAST_BATCH, LEAST_DROP_IN, LEAST_WORDS, LEAST_TRIE = 50.0, 3.0, 2.5, 1.0, 4.0, 1.0
LEAST_THREADS = 1.8
SCORED, ORDER, MEMORY = 120_000, 5, "1.4G"
SAMPLE = 16  # NLTK gets one line in so many


def rows(quick: bool = False) -> Iterator[Row]:
    lines = list(english_sentences())
    if quick:
        lines = lines[::8]
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "text").write_text("\n".join(lines) + "\n")
        yield perplexity_row()
        yield from estimation_rows(place, sum(line.count(" ") + 1 for line in lines))
        model = LanguageModel.fit(place / "text", order=ORDER)
        model.save(place / "hashed.palm")
        yield from thread_rows(place, model, lines, 1 if quick else 3)
        yield from query_rows(
            place, model, lines[:: max(len(lines) // SCORED, 1)][:SCORED], 2 if quick else 5
        )


def perplexity_row() -> Row:
    """The known perplexities of modified Kneser-Ney of order 5 on the Penn Treebank."""
    train, dev, test = corpus("lm_en_ptb/train.txt.gz", "lm_en_ptb/dev.txt", "lm_en_ptb/test.txt")
    start = time.process_time()
    model = LanguageModel.fit(train, order=ORDER)
    seconds = time.process_time() - start
    have = [model.perplexity(path.read_text().splitlines()) for path in (dev, test)]
    return Row(
        "Penn Treebank, order 5, modified Kneser-Ney",
        seconds,
        quality=f"perplexity {have[0]:.1f} dev, {have[1]:.1f} test (lmplz 148.0, 141.2)",
        holds=[round(one, 1) for one in have] == [148.0, 141.2],
    )


def estimation_rows(place: Path, n_words: int) -> Iterator[Row]:
    """Ours in a process of its own, as the peers."""
    command = [
        sys.executable,
        "-m",
        "palmette",
        "train",
        "lm",
        "--train",
        "text",
        "-o",
        "own.palm",
        "--memory",
        MEMORY,
    ]
    ours = min(_processor_seconds([command], place) for _ in range(2))
    megabytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1e3
    memory = f"{megabytes:,.0f} MB of {MEMORY}"
    work, amount = f"estimate order {ORDER} from {n_words / 1e6:.1f} M words", n_words / 1e6
    peers: dict[str, tuple[float, list[list[str]]]] = {
        "lmplz and build_binary": (
            LEAST_LMPLZ,
            [
                ["lmplz", "-o", "5", "-S", "2G", "-T", ".", "--text", "text", "--arpa", "arpa"],
                ["build_binary", "arpa", "bin"],
            ],
        ),
        "IRSTLM": (
            LEAST_IRSTLM,
            [
                ["sh", "-c", "add-start-end.sh < text > marked"],
                "build-lm.sh -i marked -n 5 -o ilm.gz -k 1 -s improved-kneser-ney -t parts".split(),
                ["compile-lm", "ilm.gz", "blm"],
            ],
        ),
    }
    for name, (least, commands) in peers.items():
        if shutil.which(commands[-1][0]) is None:
            continue
        peer = _processor_seconds(commands, place)
        yield Row(
            f"{work} / {name}", ours, peer, amount, "M words", least, memory=memory, holds=megabytes < 1400
        )
    try:
        peer = _nltk_seconds(place)
    except UnavailableError:
        return
    yield Row(
        f"{work} / NLTK on 1/{SAMPLE} of them, × {SAMPLE}", ours, peer, amount, "M words", memory=memory
    )


def _nltk_seconds(place: Path) -> float:
    """What the whole text would take, which is less than it would: a larger model is a slower one."""
    lines = (place / "text").read_text().splitlines()
    (place / "sample").write_text("\n".join(lines[::SAMPLE]) + "\n")
    return SAMPLE * measure(nltk_language_model.estimate, str(place / "sample"), ORDER).cpu_seconds


def thread_rows(place: Path, model: LanguageModel, lines: list[str], times: int) -> Iterator[Row]:
    works: dict[str, Callable[[int], object]] = {
        "estimation": lambda n: LanguageModel.fit(place / "text", order=ORDER, n_jobs=n),
        "batch scoring": lambda n: model.score_batch(lines, n_jobs=n),
    }
    for name, work in works.items():
        one, two = shortest(lambda: work(1), lambda: work(2), times=times)  # noqa: B023
        yield Row(f"{name}, two threads / one thread", two, one, least_ratio=LEAST_THREADS)


def query_rows(place: Path, model: LanguageModel, lines: list[str], times: int) -> Iterator[Row]:
    kenlm = _kenlm()
    model.to_arpa(place / "arpa")
    binary = shutil.which("build_binary")
    peer = kenlm.Model(str(_built(binary, place, "probing") if binary else place / "arpa"))
    own, own_drop_in = LanguageModel.load(place / "hashed.palm"), drop_in.Model(place / "hashed.palm")
    worst = max(
        abs(a[0] - b)
        for line, i in zip(lines[:2000], range(2000))
        for a, b in zip(peer.full_scores(line), own.word_scores([line]).sentence(0).tolist())
    )
    n = sum(line.count(" ") + 2 for line in lines)
    some = lines[::4]
    batch, words, alone, theirs, theirs_words = shortest(
        lambda: own.score_batch(lines),
        lambda: own.word_scores(lines),
        lambda: [own_drop_in.score(line) for line in lines],
        lambda: [peer.score(line) for line in lines],
        lambda: [list(peer.full_scores(line)) for line in some],
        times=times,
        clock=time.process_time,
    )
    theirs_words *= len(lines) / len(some)
    quality = f"largest difference of a word {worst:.1g}"
    kwargs: dict[str, Any] = {"amount": n / 1e6, "unit": "M words"}
    yield Row(
        f"score {len(lines):,} sentences / kenlm",
        batch,
        theirs,
        least_ratio=LEAST_BATCH,
        quality=quality,
        holds=worst < 1e-4,
        **kwargs,
    )
    yield Row(
        "the same one by one, palmette.compat.kenlm / kenlm",
        alone,
        theirs,
        least_ratio=LEAST_DROP_IN,
        **kwargs,
    )
    yield Row(
        "score of each word / kenlm.full_scores", words, theirs_words, least_ratio=LEAST_WORDS, **kwargs
    )
    if binary:
        for name, quantize in (("trie", 0), ("quantized trie", 8)):
            yield _trie_row(kenlm, place, model, lines, name, quantize, times)


def _trie_row(
    kenlm: ModuleType,
    place: Path,
    model: LanguageModel,
    lines: list[str],
    name: str,
    quantize: int,
    times: int,
) -> Row:
    options = ["-q", "8", "-b", "8"] if quantize else []
    there = _built(str(shutil.which("build_binary")), place, "trie", options)
    here = place / "trie.palm"
    model.convert(layout="trie", quantize=quantize).save(here)
    own, peer = LanguageModel.load(here), kenlm.Model(str(there))
    ours, theirs = shortest(
        lambda: own.score_batch(lines),
        lambda: [peer.score(line) for line in lines],
        times=times,
        clock=time.process_time,
    )
    sizes = here.stat().st_size / 1e6, there.stat().st_size / 1e6
    return Row(
        f"score with a {name} / kenlm",
        ours,
        theirs,
        least_ratio=LEAST_TRIE,
        memory=f"{sizes[0]:.0f} / {sizes[1]:.0f} MB in the file",
        holds=sizes[0] <= sizes[1],
    )


def _built(binary: str, place: Path, form: str, options: list[str] | None = None) -> Path:
    subprocess.run(
        [binary, *(options or []), form, "arpa", f"{form}.bin"], cwd=place, check=True, capture_output=True
    )
    return place / f"{form}.bin"


def _kenlm() -> ModuleType:
    try:
        import kenlm
    except ImportError:
        raise UnavailableError("queries are measured beside kenlm: pip install kenlm") from None
    return kenlm  # type: ignore[no-any-return]


def _processor_seconds(commands: list[list[str]], place: Path) -> float:
    """The time that the processors spent on some commands."""
    before = os.times()
    for command in commands:
        subprocess.run(command, cwd=place, check=True, capture_output=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system
