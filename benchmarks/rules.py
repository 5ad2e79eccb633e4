"""Translation by synchronous rules beside that by phrases, and beside numbers of Moses that were measured once.

Moses' chart decoder, untuned, has 39.2 BLEU on test2016 of Multi30k de→en. It translated 49 sentences a second
with a pop limit of 100, and 6.3 with 1000; five times as many are required. Everything is trained here and tuned
on the dev text; the test text is read once. Times are those of the processors, but for two threads.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring.memory import megabytes_text
from benchmarks.measuring.row import Row
from benchmarks.peers.process import Measured, Work, measure
from benchmarks.translation import bleu_of, decode, multi30k, tanaka, train
from palmette.drawing.curves import draw_curves_svg
from palmette.tools.translation.translator import Translator

MOSES, LEAST = 39.2, 40.0
MOSES_RATES = {100: 49.0, 1000: 6.3}
JAPANESE = {"max_span": 15, "span": 20, "min_hole": 1, "max_symbols": 7}  # chosen on the dev text
LENGTHS, POPS = "5 to 60 words, pop limit 100", "pop limit 10 to 1000"
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "growth-of-rules.svg"
FASTER, LEAST_TWO, MOST_GROWTH = 5.0, 1.9, 1.3


def rows(quick: bool = False) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield quality_row(folder)
        yield from speed_rows(folder, quick)
        curves: dict[str, list[tuple[float, float]]] = {LENGTHS: [], POPS: []}
        yield from length_rows(folder, curves[LENGTHS])
        yield from pop_rows(folder, quick, curves[POPS])
        if not quick:
            write_picture(curves)
            yield from tanaka_rows(folder)


def write_picture(curves: dict[str, list[tuple[float, float]]]) -> None:
    """Write the growth with words and with the pop limit as an image of the guide."""
    image = draw_curves_svg(
        curves, "words of a sentence; pop limit", "ms a sentence", title="Hierarchical rules, one processor"
    )
    PICTURE.write_text(image, encoding="utf-8")


def train_rules(
    source: str, target: str, dev_source: str, dev_target: str, model: str, options: dict[str, int]
) -> Work:
    """The whole pipeline on one thread, with its defaults but for some options."""

    def run() -> Translator:
        translator = Translator("hiero", options=options, n_jobs=1)
        return translator.fit(source, target, dev=(dev_source, dev_target))

    def judge(made: Translator) -> dict[str, float]:
        made.save(model)
        return {"dev": made.training_["tuned"]["dev"]}

    return Work(run, judge)


def decode_with(model: str, text: str, output: str, n_jobs: int, times: int, pop_limit: int) -> Work:
    """Translate the lines of a file with another pop limit."""
    translator = Translator.load(model, n_jobs=n_jobs).with_options(pop_limit=pop_limit)
    lines = Path(text).read_text(encoding="utf-8").splitlines() * times
    translator.predict(lines[:20])

    def judge(made: list[str]) -> dict[str, float]:
        Path(output).write_text("".join(f"{line}\n" for line in made), encoding="utf-8")
        return {"sentences": len(made)}

    return Work(lambda: translator.predict(lines), judge)


def quality_row(folder: Path) -> Row:
    source, target = (multi30k(folder, language) for language in ("de", "en"))
    model, output = str(folder / "hiero.palm"), str(folder / "hiero.txt")
    texts = source[0], target[0], source[1], target[1]
    made = measure(train_rules, *texts, model, {}, python=sys.executable)
    measure(decode, model, source[2], output, 1, python=sys.executable)
    bleu = bleu_of(output, target[2])
    return Row(
        f"train Multi30k de→en with hierarchical rules, tuned on dev; BLEU on test2016 at least {LEAST}",
        made.cpu_seconds,
        amount=29.0,
        unit="k pairs",
        memory=megabytes_text(made.peak_mb * 1e6),
        quality=f"BLEU {bleu:.2f} (dev {100 * made.quality['dev']:.2f}); Moses {MOSES}",
        holds=bleu >= LEAST,
    )


def speed_rows(folder: Path, quick: bool) -> Iterator[Row]:
    source, output = multi30k(folder, "de")[2], str(folder / "speed.txt")
    model = str(folder / "hiero.palm")
    one: Measured | None = None
    for pops, moses in list(MOSES_RATES.items())[: 1 if quick else 2]:
        made = measure(decode_with, model, source, output, 1, 1, pops, python=sys.executable)
        one = one or made
        n = made.quality["sentences"]
        yield Row(
            f"translate test2016 de→en, pop limit {pops} / Moses' chart (measured once)",
            made.cpu_seconds,
            n / moses,
            n,
            "sentences",
            FASTER,
            memory=megabytes_text(made.peak_mb * 1e6),
        )
    several = [
        measure(decode_with, model, source, output, jobs, 3, 100, threads=jobs, python=sys.executable)
        for jobs in (1, 2)
    ]
    yield Row(
        "the same on two threads / one",
        several[1].seconds,
        several[0].seconds,
        several[0].quality["sentences"],
        "sentences",
        LEAST_TWO,
    )


def length_rows(folder: Path, points: list[tuple[float, float]]) -> Iterator[Row]:
    """Sentences of 5 to 60 words, made of those of the test text; a row has as many words as another."""
    model, output = str(folder / "hiero.palm"), str(folder / "length.out")
    words = Path(multi30k(folder, "de")[2]).read_text(encoding="utf-8").split()[:6000]
    before: Measured | None = None
    for length in (5, 10, 20, 40, 60):
        text = folder / f"length.{length}"
        lines = [" ".join(words[at : at + length]) for at in range(0, len(words), length)]
        text.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        made = measure(decode_with, model, str(text), output, 1, 1, 100, python=sys.executable)
        points.append((length, 1000 * made.cpu_seconds / len(lines)))
        yield Row(
            f"translate {len(lines):,} sentences of {length} words",
            made.cpu_seconds,
            before.cpu_seconds if before else None,
            len(words) / 1e3,
            "k words",
            holds=before is None or length <= 20 or made.cpu_seconds <= 2 * MOST_GROWTH * before.cpu_seconds,
        )
        before = made


def pop_rows(folder: Path, quick: bool, points: list[tuple[float, float]]) -> Iterator[Row]:
    """Ten times the candidates take at most ten times as long, but for the heap."""
    source, target = (multi30k(folder, language)[2] for language in ("de", "en"))
    output = str(folder / "pops.txt")
    before: Measured | None = None
    for pops in (10, 100) if quick else (10, 30, 100, 300, 1000):
        made = measure(
            decode_with, str(folder / "hiero.palm"), source, output, 1, 1, pops, python=sys.executable
        )
        points.append((pops, 1000 * made.cpu_seconds / made.quality["sentences"]))
        yield Row(
            f"translate test2016 with a pop limit of {pops}",
            made.cpu_seconds,
            before.cpu_seconds if before else None,
            made.quality["sentences"],
            "sentences",
            quality=f"BLEU {bleu_of(output, target):.2f}",
        )
        before = made


def tanaka_rows(folder: Path) -> Iterator[Row]:
    source, target = (tanaka(folder, language) for language in ("ja", "en"))
    texts = source[0], target[0], source[1], target[1]
    phrases, rules = str(folder / "ja-phrase.palm"), str(folder / "ja-hiero.palm")
    outputs = [str(folder / "ja-phrase.txt"), str(folder / "ja-hiero.txt")]
    other = measure(train, *texts, phrases, 10, python=sys.executable)
    made = measure(train_rules, *texts, rules, JAPANESE, python=sys.executable)
    seconds = [
        measure(decode, model, source[2], output, 1, python=sys.executable)
        for model, output in zip((phrases, rules), outputs)
    ]
    bleu = [bleu_of(output, target[2]) for output in outputs]
    yield Row(
        "translate Tanaka test ja→en with hierarchical rules, BLEU at least that of phrases / phrases",
        seconds[1].cpu_seconds,
        seconds[0].cpu_seconds,
        seconds[1].quality["sentences"],
        "sentences",
        quality=f"BLEU {bleu[1]:.2f} (dev {100 * made.quality['dev']:.2f}) / {bleu[0]:.2f} "
        f"(dev {100 * other.quality['dev']:.2f})",
        holds=bleu[1] >= bleu[0],
    )
