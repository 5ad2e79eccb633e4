"""Translating a file, some lines at a time: what `palmette predict` does with translators."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from palmette.cli.report import json_line, shows
from palmette.cli.run import Run
from palmette.drawing.canvas import drawn_or_told
from palmette.drawing.phrases import draw_phrases
from palmette.formats.files import display_name
from palmette.formats.moses.nbest import feature_groups, nbest_line
from palmette.formats.pharaoh import format_pharaoh
from palmette.tools.translation.answering import RankedTranslation
from palmette.tools.translation.constraints import LineReader
from palmette.tools.translation.explanation import phrase_links
from palmette.tools.translation.known import Known
from palmette.tools.translation.translation import Translation
from palmette.tools.translation.translator import Translator

_AT_ONCE = 200  # lines
_BYTES_AT_ONCE = 1 << 16
_NUMBERED = re.compile(r"Sentence \d+: ")


@dataclass(frozen=True)
class Wanted:
    """What is asked of `predict`."""

    kbest: int | None = None
    distinct: bool = True
    alignment: bool = False
    graph: bool = False
    minimum_risk: str | None = None
    probabilities: bool = False
    draw: bool = False

    def __post_init__(self) -> None:
        forms = {
            "--kbest": self.kbest is not None,
            "--graph": self.graph,
            "--minimum-risk": self.minimum_risk is not None,
            "--draw": self.draw,
        }
        chosen = [name for name, given in forms.items() if given]
        if len(chosen) > 1:
            raise ValueError(f"use only one of {' and '.join(chosen)}")
        if self.probabilities and (self.graph or self.draw or self.minimum_risk is not None):
            raise ValueError(f"--probabilities cannot be combined with {chosen[0]}")


class Lines(NamedTuple):
    """Some lines: the number of the first, their words, and what is known of each."""

    first: int
    words: list[list[str]]
    known: list[Known] | None


def line_batches(source: str, reader: LineReader, run: Run) -> Iterator[Lines]:
    """The lines of a file, some at a time."""
    path = display_name(source)
    for lines, first in run.reading.lines(source, _BYTES_AT_ONCE):
        for at in range(0, len(lines), _AT_ONCE):
            rows = [
                reader.read(line.rstrip("\r"), path=path, number=number)
                for number, line in enumerate(lines[at : at + _AT_ONCE], first + at)
            ]
            known = [row.known for row in rows] if reader.constrains else None
            yield Lines(first + at, [row.words for row in rows], known)


def predictions(
    translator: Translator, source: str, reader: LineReader, wanted: Wanted, run: Run
) -> Iterator[bytes]:
    """The translations of a file in the form that is wanted."""
    if run.jsonl and (wanted.graph or wanted.draw):
        raise ValueError("--jsonl cannot be combined with --graph or --draw")
    ascii = not shows("┌─┴─┐")
    width = shutil.get_terminal_size((160, 25)).columns
    for batch in line_batches(source, reader, run):
        if wanted.graph:
            for graph in _obeyed(translator.graphs, batch, run):
                yield json_line(graph.to_dict())
            continue
        rows = _ranked(translator, batch, wanted, run)
        for number, (words, row) in enumerate(zip(batch.words, rows), batch.first):
            if run.jsonl:
                yield json_line(_object(number, words, row, wanted))
            elif wanted.kbest is not None:
                yield "".join(_moses(number - 1, one, wanted) for one in row).encode()
            elif wanted.draw:
                yield f"{_drawn(number, words, row[0], ascii, width)}\n\n".encode()
            else:
                yield f"{_line(row[0], wanted)}\n".encode()


def _ranked(
    translator: Translator, batch: Lines, wanted: Wanted, run: Run
) -> list[Sequence[RankedTranslation]]:
    """The translations of each line: at least one."""
    if (k := wanted.kbest) is not None:

        def several(rows: Any, known: Any = None) -> Any:
            return translator.kbest(
                rows, k, distinct=wanted.distinct, known=known, probabilities=wanted.probabilities
            )

        return list(_obeyed(several, batch, run))

    def best(rows: Any, known: Any = None) -> Any:
        if wanted.minimum_risk is not None:
            return translator.minimum_risk(rows, wanted.minimum_risk, known=known)
        return translator.translate(rows, known=known, probabilities=wanted.probabilities)

    return [[one] for one in _obeyed(best, batch, run)]


def _obeyed(work: Any, batch: Lines, run: Run) -> list[Any]:
    """What a verb answers for some lines; a line whose constraints cannot be met is answered without them."""
    try:
        return list(work(batch.words, known=batch.known))
    except ValueError:
        if batch.known is None:
            raise
    answers: list[Any] = []
    for number, (words, known) in enumerate(zip(batch.words, batch.known), batch.first):
        try:
            answers += work([words], known=[known])
        except ValueError as error:
            why = _NUMBERED.sub("", str(error)).rstrip(".")
            run.progress.warn(f"{why[:1].lower()}{why[1:]}; translated without constraints", f"line {number}")
            answers += work([words])
    return answers


def _line(one: RankedTranslation, wanted: Wanted) -> str:
    text = one.output
    if wanted.alignment:
        text = f"{text} ||| {format_pharaoh(one.derivation.alignment())}".rstrip()
    if wanted.probabilities:
        words = " ".join(f"{p:.4f}" for p in one.words)
        return f"{one.probability:.6g}\t{text}\t{words}"
    return text


def _moses(number: int, one: RankedTranslation, wanted: Wanted) -> str:
    """A line of an n-best list, with a value for every feature."""
    found = one.derivation
    text = one.output.replace("|||", "&#124;&#124;&#124;")
    line = nbest_line(number, text, feature_groups(found.names), found.features, one.score).rstrip("\n")
    if wanted.alignment:
        line += f" ||| {format_pharaoh(found.alignment())}".rstrip()
    if one.log_probability is not None:
        line += f" ||| {one.probability:.6g}"
    return f"{line}\n"


def _object(
    number: int, words: Sequence[str], row: Sequence[RankedTranslation], wanted: Wanted
) -> dict[str, Any]:
    """What JSON lines have of every sentence."""
    made = []
    for one in row:
        found = one.derivation
        told: dict[str, Any] = {"translation": one.output, "score": one.score}
        if wanted.kbest is not None:
            told["features"] = dict(zip(found.names, found.features.tolist()))
        if wanted.alignment:
            told["alignment"] = [list(link) for link in found.alignment()]
        if one.log_probability is not None:
            told |= {"probability": one.probability, "words": list(zip(found.words, one.words))}
        made.append(told)
    first: dict[str, Any] = {"sentence": number, "source": " ".join(words)}
    return first | ({"kbest": made} if wanted.kbest is not None else made[0])


def _drawn(number: int, words: Sequence[str], one: RankedTranslation, ascii: bool, width: int) -> str:
    found = one.derivation
    picture = ""
    if words:
        picture = drawn_or_told(lambda: _picture(words, found, ascii, width))
    return f"# sentence {number}, score {one.score:.4f}\n{picture}"


def _picture(words: Sequence[str], found: Translation, ascii: bool, width: int) -> str:
    """Both trees of a derivation by rules, or else phrases and how they cross."""
    pair = None if found.derivation is None else found.derivation.draw(words, ascii=ascii, width=width)
    return (
        str(pair) if pair else draw_phrases(words, found.words, phrase_links(found), ascii=ascii, width=width)
    )


def forced(translator: Translator, source: str, target: str, reader: LineReader, run: Run) -> Iterator[bytes]:
    """What the derivation of each given translation is: ln p, score and phrases; or why there is none."""
    from palmette.tools.translation.input import check_same, sentence_rows

    targets = list(sentence_rows(target))
    done = 0
    for batch in line_batches(source, reader, run):
        wanted = targets[done : done + len(batch.words)]
        done += len(batch.words)
        if len(wanted) < len(batch.words):
            check_same(done, len(targets), "translations", target)
        for number, found in enumerate(translator.forced(batch.words, wanted), batch.first):
            best = getattr(found, "translation", None)
            if best is None:
                yield (
                    json_line({"sentence": number, "reason": str(found)})
                    if run.jsonl
                    else f"{found}\n".encode()
                )
                continue
            phrases = [f"{one.begin}-{one.end - 1}:{'_'.join(one.target)}" for one in best.phrases]
            if run.jsonl:
                told = {"sentence": number, "log_probability": found.log_probability, "score": best.score}
                yield json_line(
                    told | {"phrases": phrases, "features": dict(zip(best.names, best.features.tolist()))}
                )
            else:
                yield f"{found.log_probability:.6g}\t{best.score:.6g}\t{' '.join(phrases)}\n".encode()
    if done != len(targets):
        check_same(done, len(targets), "translations", target)
