"""Reading and writing treebanks, beside nltk's trees, on the treebanks of English, Icelandic and Dutch.

Both sides start from a text in memory and end with every tree as Python objects. nltk has no reader of the
export format; it reads the same trees from discbrackets, its leaves staying `position=word`.
Memory is how far a process of its own grew, at its peak, while reading.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import nltk

from palmette.formats.brackets import bracket_text, parse_brackets
from palmette.formats.discbracket import parse_discbrackets
from palmette.formats.export import parse_export
from palmette.formats.files import read_bytes

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
ENGLISH = DATA / "const_en_ptb" / "train.mrg.gz"
ICELANDIC = DATA / "const_is_icepahc" / "train.mrg.gz"
DUTCH = DATA / "disc_nl_alpino" / "train.export.gz"
DUTCH_BRACKETS = DATA / "disc_nl_alpino" / "train.discbracket.gz"

Row = dict[str, str | float]
Made = TypeVar("Made")


def rows() -> Iterator[Row]:
    """One row per piece of work: seconds of ours and of the peer, and their ratio."""
    for language, path in (("English", ENGLISH), ("Icelandic", ICELANDIC)):
        if path.exists():
            yield from bracket_rows(language, path)
    if DUTCH.exists() and DUTCH_BRACKETS.exists():
        exported, bracketed = read_bytes(DUTCH).decode(), read_bytes(DUTCH_BRACKETS).decode()
        peer, _ = seconds(lambda: nltk_trees(bracketed), times=2)
        ours, _ = seconds(lambda: parse_discbrackets(bracketed))
        yield row(f"read discbrackets, Dutch ({speed(bracketed, ours)})", ours, peer)
        ours, _ = seconds(lambda: parse_export(exported))
        yield row(f"read export, Dutch ({speed(exported, ours)})", ours, peer)


def bracket_rows(language: str, path: Path) -> Iterator[Row]:
    text = read_bytes(path).decode()
    ours, trees = seconds(lambda: parse_brackets(text))
    peer, nltk_bank = seconds(lambda: nltk_trees(text), times=2)
    memory = (
        f"{peak_growth('from palmette.formats.brackets import parse_brackets as read', path):.0f} / "
        f"{peak_growth('from benchmarks.trees import nltk_trees as read', path):.0f} MB"
    )
    yield row(f"read brackets, {language} ({speed(text, ours)})", ours, peer, memory)
    ours, _ = seconds(lambda: [bracket_text(tree) for tree in trees])
    peer, _ = seconds(lambda: [tree.pformat(margin=1 << 30) for tree in nltk_bank], times=2)
    yield row(f"write brackets, {language} ({speed(text, ours)})", ours, peer)


def row(work: str, ours: float, peer: float, memory: str = "") -> Row:
    return {"work": work, "ours": ours, "peer": peer, "ratio": peer / ours, "required": "", "memory": memory}


def speed(text: str, seconds: float) -> str:
    return f"{len(text.encode()) / seconds / 1e6:.0f} MB/s"


def nltk_trees(text: str) -> list[nltk.Tree]:
    """One tree per line, without the extra outer pair of brackets."""
    trees = [nltk.Tree.fromstring(line) for line in text.splitlines()]
    return [tree[0] if tree.label() == "" else tree for tree in trees]


def seconds(work: Callable[[], Made], times: int = 5) -> tuple[float, Made]:
    """The shortest of some runs, and what the last one made."""
    best = float("inf")
    made = work()
    for _ in range(times):
        del made
        gc.collect()
        start = time.perf_counter()
        made = work()
        best = min(best, time.perf_counter() - start)
    return best, made


def peak_growth(imports: str, path: Path) -> float:
    """Megabytes by which the peak of a fresh process grows when it reads a treebank (Linux only)."""
    program = f"""
from pathlib import Path
{imports}
from palmette.formats.files import read_bytes
text = read_bytes({str(path)!r}).decode()
def megabytes(key):
    return int(Path("/proc/self/status").read_text().split(key + ":")[1].split()[0]) / 1024
Path("/proc/self/clear_refs").write_text("5")  # forget the peak of before
before = megabytes("VmRSS")
kept = read(text)
print(megabytes("VmHWM") - before)
"""
    root = Path(__file__).resolve().parents[1]
    run = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=root
    )
    return float(run.stdout)
