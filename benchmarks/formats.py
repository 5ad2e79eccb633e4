"""Reading and writing CoNLL-U, beside the `conllu` package, on the English Web Treebank (14 MB).

Both sides start from the file's content in memory. The package makes a list of tokens with dictionaries;
Palmette makes arrays, and in a row of its own also every word as a Python object. Memory is how far a process
of its own grew, at its peak, over holding the file's content.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import conllu

from palmette.formats.columns import format_columns, parse_columns
from palmette.formats.conllu import format_conllu, parse_conllu
from palmette.formats.corpus import Corpus
from palmette.formats.files import read_bytes

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
TREEBANK = DATA / "ud_en_ewt" / "train.conllu.gz"
TAGGED = DATA / "pos_en_brown" / "train.tsv.gz"

Row = dict[str, str | float]
Made = TypeVar("Made")


def rows() -> Iterator[Row]:
    """One row per piece of work: seconds of ours and of the peer, their ratio, and what is required."""
    if not TREEBANK.exists():
        return
    text = read_bytes(TREEBANK)
    size = len(text) / 1e6

    peer_read, peer_write = peer_times(text.decode())
    peer_memory = peak_growth("import conllu", "kept = conllu.parse(text.decode())")
    memory = peak_growth("from palmette.formats.conllu import parse_conllu", "kept = parse_conllu(text)")

    ours, corpus = seconds(lambda: parse_conllu(text))
    work = f"read CoNLL-U ({size / ours:.0f} MB/s)"
    yield row(work, ours, peer_read, "40 MB/s, 10x", f"{memory:.0f} / {peer_memory:.0f} MB")
    ours, _ = seconds(lambda: all_words(parse_conllu(text)))
    yield row("read CoNLL-U, every word an object", ours, peer_read, "", "")
    ours, _ = seconds(lambda: format_conllu(corpus))
    yield row(f"write CoNLL-U ({size / ours:.0f} MB/s)", ours, peer_write, "", "")

    if TAGGED.exists():
        text = read_bytes(TAGGED)
        size = len(text) / 1e6
        ours, tagged = seconds(lambda: parse_columns(text))
        peer, lists = seconds(lambda: read_by_hand(text), times=2)
        yield row(f"read columns ({size / ours:.0f} MB/s), beside str.split", ours, peer, "", "")
        ours, _ = seconds(lambda: format_columns(tagged))
        peer, _ = seconds(lambda: write_by_hand(lists), times=2)
        yield row(f"write columns ({size / ours:.0f} MB/s), beside str.join", ours, peer, "", "")


def peer_times(text: str) -> tuple[float, float]:
    """Seconds of the `conllu` package to read and to write.

    Its objects are gone when this returns: the garbage collector would visit them while others are timed.
    """
    read, sentences = seconds(lambda: conllu.parse(text), times=2)
    write, _ = seconds(lambda: "".join(sentence.serialize() for sentence in sentences), times=2)
    return read, write


def row(work: str, ours: float, peer: float, required: str, memory: str) -> Row:
    """A row of the table; the ratio says how many times faster than the peer."""
    return {
        "work": work,
        "ours": ours,
        "peer": peer,
        "ratio": peer / ours,
        "required": required,
        "memory": memory,
    }


def seconds(work: Callable[[], Made], times: int = 5) -> tuple[float, Made]:
    """The shortest of a few runs, and what the last one made."""
    best = float("inf")
    made: list[Made] = []
    for _ in range(times):
        made.clear()
        gc.collect()
        start = time.perf_counter()
        made.append(work())
        best = min(best, time.perf_counter() - start)
    return best, made[0]


def all_words(corpus: Corpus) -> list[list[object]]:
    """Every word of every sentence as a named tuple."""
    return [sentence.words() for sentence in corpus]


def read_by_hand(text: bytes) -> list[list[list[str]]]:
    """The plain Python that one writes for a column file."""
    return [
        [line.split("\t") for line in sentence.split("\n") if line[0] != "#"]
        for sentence in text.decode().strip("\n").split("\n\n")
    ]


def write_by_hand(sentences: list[list[list[str]]]) -> bytes:
    """The way back of `read_by_hand`, without the comments."""
    return "".join("".join("\t".join(word) + "\n" for word in s) + "\n" for s in sentences).encode()


def peak_growth(setup: str, work: str) -> float:
    """Megabytes that a new process grows by while it does the work, over having the text (Linux only)."""
    script = f"""
from pathlib import Path
from palmette.formats.files import read_bytes
{setup}
text = read_bytes({str(TREEBANK)!r})
status = lambda key: int(Path("/proc/self/status").read_text().split(key + ":")[1].split()[0]) / 1024
Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
before = status("VmRSS")
{work}
print(status("VmHWM") - before)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return float(done.stdout)


if __name__ == "__main__":
    for found in rows():
        print("  ".join(f"{v:.3f}" if isinstance(v, float) else v for v in found.values()))
