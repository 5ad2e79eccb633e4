"""Word aligners of others: systran-align, the algorithm of fast_align, and eflomal. Text in, Pharaoh lines out."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from benchmarks.peers.process import Work


def systran(source: str, target: str) -> Work:
    """Both directions and grow-diag-final-and of fast_align's best options."""
    import systran_align

    def run() -> float:
        with tempfile.TemporaryDirectory() as folder:
            pairs = list(zip(_lines(source), _lines(target)))
            text = Path(folder, "text")
            text.write_text("".join(f"{e} ||| {f}\n" for e, f in pairs), encoding="utf-8")
            forth, back = f"{folder}/forth", f"{folder}/back"
            systran_align.generate_alignment_probabilities(
                str(text), forth, back, favor_diagonal=True, optimize_tension=True, variational_bayes=True
            )
            _write_systran(systran_align.Aligner(forth, back), pairs, f"{folder}/links")
        return 0.0

    return Work(run)


def systran_forced(source: str, target: str) -> Work:
    """The same text once more with a model that is there, without reading and writing it."""
    import systran_align

    folder = tempfile.mkdtemp()
    pairs = list(zip(_lines(source), _lines(target)))
    text = Path(folder, "text")
    text.write_text("".join(f"{e} ||| {f}\n" for e, f in pairs), encoding="utf-8")
    forth, back = f"{folder}/forth", f"{folder}/back"
    systran_align.generate_alignment_probabilities(str(text), forth, back, favor_diagonal=True, iterations=1)
    aligner = systran_align.Aligner(forth, back)
    sides = [e.split() for e, _ in pairs], [f.split() for _, f in pairs]
    return Work(lambda: aligner.align_batch(*sides))


def eflomal(source: str, target: str) -> Work:
    """Both directions, each into its file; they are not made one."""
    from eflomal import Aligner

    def run() -> float:
        before = os.times()
        with tempfile.TemporaryDirectory() as folder, open(source) as e, open(target) as f:  # noqa: PTH123
            Aligner().align(e, f, links_filename_fwd=f"{folder}/forth", links_filename_rev=f"{folder}/back")
        return sum(os.times()[:4]) - sum(before[:4])

    return Work(run, lambda seconds: {"seconds": seconds})


def _write_systran(aligner: object, pairs: list[tuple[str, str]], path: str) -> None:
    made = aligner.align_batch([e.split() for e, _ in pairs], [f.split() for _, f in pairs])  # type: ignore[attr-defined]
    lines = (" ".join(f"{i}-{j}" for i, j in one["alignments"]) for one in made)
    Path(path).write_text("".join(f"{line}\n" for line in lines))


def _lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines()
