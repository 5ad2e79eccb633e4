"""Translation beside thot (sil-thot, sil-machine from PyPI), and beside numbers of Moses that were measured once.

Moses with eflomal and KenLM, tuned on the dev text, has 40.1 and 34.9 BLEU on test2016 of Multi30k; extraction and
scoring took it 58 s. All of ours is trained here, on the training text alone, and tuned on the dev text with the
defaults; the test text is read once, by the rows below. Times are those of the processors, but for two threads.
"""

from __future__ import annotations

import gzip
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import corpus
from benchmarks.measuring.memory import megabytes_text
from benchmarks.measuring.row import Row, UnavailableError
from benchmarks.peers.process import Measured, Work, measure
from benchmarks.peers.thot import translate as thot_translate
from palmette.tools.alignment.aligner import Aligner
from palmette.tools.alignment.text import read_pairs
from palmette.tools.translation.scoring import score_translations
from palmette.tools.translation.tables.extraction import extract
from palmette.tools.translation.translator import Translator

MULTI30K, TANAKA = "mt_en_de_multi30k", "mt_ja_en_tanaka"
MOSES = {("de", "en"): (40.1, 40.6), ("en", "de"): (34.9, 35.4)}  # its BLEU, and what we require
MOSES_EXTRACTION, MOST_EXTRACTION = 58.0, 5.0
LEAST_FASTER, LEAST_TWO, LEAST_BETTER = 20.0, 1.9, 2.0
MOST_LOADING, MOST_MEGABYTES, MOST_GROWTH = 0.5, 300.0, 1.3
JUMPS = {"de-en": 0, "ja-en": 0}  # words that thot may jump over
TUNED_ON = {"de-en": 1000, "ja-en": 200}  # pairs that thot tunes its weights on, of 1,000 that it puts aside


def rows(quick: bool = False) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for direction in list(MOSES)[: 1 if quick else 2]:
            yield from quality_rows(folder, *direction)
        yield from speed_rows(folder, quick)
        yield loading_row(folder)
        yield extraction_row(folder)
        yield from growth_rows(folder, (1, 2) if quick else (1, 2, 4, 8))
        yield from length_rows(folder)
        if not quick:
            yield from tanaka_rows(folder)


def multi30k(folder: Path, language: str) -> tuple[str, str, str]:
    """Training, dev and test text of a language as plain files."""
    train, dev, test = corpus(
        f"{MULTI30K}/train.tok.lc.{language}.gz",
        f"{MULTI30K}/dev.tok.lc.{language}",
        f"{MULTI30K}/test2016.tok.lc.{language}",
    )
    return _plain(train, folder), str(dev), str(test)


def tanaka(folder: Path, language: str) -> tuple[str, str, str]:
    """The same of the other corpus."""
    train, dev, test = corpus(
        f"{TANAKA}/train.{language}.gz", f"{TANAKA}/dev.{language}", f"{TANAKA}/test.{language}"
    )
    return _plain(train, folder), str(dev), str(test)


def train(source: str, target: str, dev_source: str, dev_target: str, model: str, jump: int = 6) -> Work:
    """The whole pipeline on one thread, with its defaults but for the distortion limit."""

    def run() -> Translator:
        options = {"distortion_limit": jump}
        return Translator(options=options, n_jobs=1).fit(source, target, dev=(dev_source, dev_target))

    def judge(made: Translator) -> dict[str, float]:
        made.save(model)
        return {"dev": made.training_["tuned"]["dev"]}

    return Work(run, judge)


def decode(model: str, text: str, output: str, n_jobs: int, times: int = 1) -> Work:
    """Translate the lines of a file, so many times over, and write the translations to another one."""
    translator = Translator.load(model, n_jobs=n_jobs)
    lines = Path(text).read_text(encoding="utf-8").splitlines() * times
    translator.predict(lines[:20])

    def judge(made: list[str]) -> dict[str, float]:
        Path(output).write_text("".join(f"{line}\n" for line in made), encoding="utf-8")
        return {"sentences": len(made)}

    return Work(lambda: translator.predict(lines), judge)


def load(model: str, sentence: str) -> Work:
    """Load a model and translate one sentence; modules are imported before."""
    Translator()
    return Work(lambda: Translator.load(model).predict([sentence]))


def extraction(source: str, target: str) -> Work:
    """Extract and score the phrases of an aligned text."""
    text = read_pairs(source, target)
    links = Aligner("fast", symmetrization="grow-diag-final-and").fit_align(text, probabilities=False)

    def run() -> int:
        return len(extract(text, links))

    return Work(run, lambda n: {"pairs": n})


def quality_rows(folder: Path, source: str, target: str) -> Iterator[Row]:
    sides = [multi30k(folder, language) for language in (source, target)]
    model, output = str(folder / f"{source}-{target}.palm"), str(folder / f"{source}-{target}.txt")
    made = measure(train, sides[0][0], sides[1][0], sides[0][1], sides[1][1], model, python=sys.executable)
    measure(decode, model, sides[0][2], output, 1, python=sys.executable)
    bleu = bleu_of(output, sides[1][2])
    moses, least = MOSES[source, target]
    yield Row(
        f"train Multi30k {source}→{target}, tuned on dev; BLEU on test2016 at least {least}",
        made.cpu_seconds,
        amount=29.0,
        unit="k pairs",
        memory=megabytes_text(made.peak_mb * 1e6),
        quality=f"BLEU {bleu:.2f} (dev {100 * made.quality['dev']:.2f}); Moses {moses}",
        holds=bleu >= least,
    )


def speed_rows(folder: Path, quick: bool) -> Iterator[Row]:
    source, target = (multi30k(folder, language) for language in ("de", "en"))
    model, ours, theirs = (str(folder / name) for name in ("de-en.palm", "ours.txt", "thot.txt"))
    one = measure(decode, model, source[2], ours, 1, times=1 if quick else 3, python=sys.executable)
    peer = thot("de-en", source[0], target[0], source[2], theirs)
    quality = f"BLEU {bleu_of(ours, target[2]):.2f}"
    if peer is not None:
        quality += f" / {bleu_of(theirs, target[2]):.2f}"
    n = one.quality["sentences"]
    yield Row(
        "translate test2016 de→en, one thread / thot",
        one.cpu_seconds,
        peer and peer.cpu_seconds,
        n,
        "sentences",
        LEAST_FASTER if peer else None,
        quality=quality,
    )
    several = [
        measure(decode, model, source[2], ours, jobs, 5, times=3, threads=jobs, python=sys.executable)
        for jobs in (1, 2)
    ]
    yield Row(
        "the same on two threads / one",
        several[1].seconds,
        several[0].seconds,
        5 * n,
        "sentences",
        LEAST_TWO,
    )


def loading_row(folder: Path) -> Row:
    sentence = "ein mann in einem blauen hemd steht auf einer leiter und putzt ein fenster ."
    made = measure(load, str(folder / "de-en.palm"), sentence, python=sys.executable)
    return Row(
        "load the model, first sentence out: below 0.5 s and 300 MB",
        made.cpu_seconds,
        memory=megabytes_text(made.peak_mb * 1e6),
        holds=made.cpu_seconds < MOST_LOADING and made.peak_mb < MOST_MEGABYTES,
    )


def extraction_row(folder: Path) -> Row:
    source, target = (multi30k(folder, language)[0] for language in ("de", "en"))
    made = measure(extraction, source, target, python=sys.executable)
    return Row(
        "extract and score 29,000 pairs with orientations, below 5 s / Moses (measured once)",
        made.cpu_seconds,
        MOSES_EXTRACTION,
        29.0,
        "k pairs",
        quality=f"{made.quality['pairs']:,.0f} phrase pairs",
        holds=made.cpu_seconds <= MOST_EXTRACTION,
    )


def growth_rows(folder: Path, sizes: tuple[int, ...]) -> Iterator[Row]:
    """The peer of a row is the row before: twice the text should take twice as long."""
    source, target = (multi30k(folder, language)[0] for language in ("de", "en"))
    lines = [Path(path).read_text(encoding="utf-8").splitlines() for path in (source, target)]
    parts = [str(folder / f"part.{side}") for side in ("source", "target")]
    whole = len(lines[0])
    before: Measured | None = None
    for size in sizes:
        n = whole * size // sizes[-1]
        for part, own in zip(parts, lines):
            Path(part).write_text("".join(f"{line}\n" for line in own[:n]), encoding="utf-8")
        made = measure(extraction, *parts, python=sys.executable)
        linear = before is None or made.cpu_seconds <= 2 * MOST_GROWTH * before.cpu_seconds
        yield Row(
            f"extract {n:,} pairs",
            made.cpu_seconds,
            before.cpu_seconds if before else None,
            n / 1e3,
            "k pairs",
            memory=megabytes_text(made.peak_mb * 1e6),
            holds=linear,
        )
        before = made


def length_rows(folder: Path) -> Iterator[Row]:
    """Sentences of 5 to 80 words, made of those of the test text; a row has as many words as another."""
    source, model = multi30k(folder, "de")[2], str(folder / "de-en.palm")
    words = Path(source).read_text(encoding="utf-8").split()[:9600]
    before: Measured | None = None
    for length in (5, 10, 20, 40, 80):
        text = folder / f"length.{length}"
        rows = [" ".join(words[at : at + length]) for at in range(0, len(words), length)]
        text.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
        made = measure(
            decode, model, str(text), str(folder / "length.out"), 1, times=3, python=sys.executable
        )
        yield Row(
            f"translate {len(rows):,} sentences of {length} words",
            made.cpu_seconds,
            before.cpu_seconds if before else None,
            len(words) / 1e3,
            "k words",
            holds=before is None or made.cpu_seconds <= 2 * MOST_GROWTH * before.cpu_seconds,
        )
        before = made


def tanaka_rows(folder: Path) -> Iterator[Row]:
    source, target = (tanaka(folder, language) for language in ("ja", "en"))
    model, ours, theirs = (str(folder / name) for name in ("ja-en.palm", "ja-ours.txt", "ja-thot.txt"))
    made = measure(train, source[0], target[0], source[1], target[1], model, 10, python=sys.executable)
    one = measure(decode, model, source[2], ours, 1, times=3, python=sys.executable)
    peer = thot("ja-en", source[0], target[0], source[2], theirs)
    bleu = bleu_of(ours, target[2])
    other = bleu_of(theirs, target[2]) if peer else None
    yield Row(
        f"translate Tanaka test ja→en, {LEAST_BETTER:g} BLEU better / thot",
        one.cpu_seconds,
        peer and peer.cpu_seconds,
        one.quality["sentences"],
        "sentences",
        quality=f"BLEU {bleu:.2f} (dev {100 * made.quality['dev']:.2f})"
        + (f" / {other:.2f}, tuned on {TUNED_ON['ja-en']} of its 1,000 pairs" if other else ""),
        holds=None if other is None else bleu >= other + LEAST_BETTER,
    )


def thot(name: str, source: str, target: str, text: str, output: str) -> Measured | None:
    """The peer, where it is installed; training takes some minutes the first time."""
    try:
        return measure(thot_translate, name, source, target, JUMPS[name], TUNED_ON[name], text, output)
    except UnavailableError:
        return None


def bleu_of(guess: str, references: str) -> float:
    lines = [Path(path).read_text(encoding="utf-8").split("\n")[:-1] for path in (guess, references)]
    return 100 * score_translations(lines[0], [lines[1]], metrics=["bleu"]).bleu


def _plain(path: Path, folder: Path) -> str:
    made = folder / path.name.removesuffix(".gz")
    if not made.exists():
        made.write_bytes(gzip.decompress(path.read_bytes()))
    return str(made)
