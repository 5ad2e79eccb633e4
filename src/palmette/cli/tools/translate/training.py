"""`palmette train translate`: files in, stages with their progress, a model out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from palmette.cli import signals
from palmette.cli.run import Run
from palmette.cli.tools.parallel_text import pair_files
from palmette.errors import FormatError
from palmette.formats.files import check_writable, display_name, read_text, write_atomically
from palmette.formats.pharaoh import read_pharaoh
from palmette.learning.loop import Report
from palmette.messages import counted
from palmette.tools.alignment.links import Alignments
from palmette.tools.alignment.text import PairFormat, ParallelText, guess_pair_format, parse_pairs, read_pairs
from palmette.tools.translation.input import Pairs, sentence_rows
from palmette.tools.translation.model import METHODS


def check_reordering(method: str) -> None:
    """Raise an error if the tables of a method have no orientations."""
    if not METHODS.named(method).model_class.has_orientations:
        raise ValueError(
            f"The method {method!r} has no reordering table: the rules of its table have the order in them."
        )


@dataclass(frozen=True)
class Written:
    """Files for the results of stages, each written as soon as its stage is finished."""

    method: str = "phrase"
    alignment: str | None = None
    table: str | None = None
    reordering: str | None = None
    lm: str | None = None

    def check(self) -> None:
        """Raise an error if one cannot be written; better before long work than after it."""
        if self.reordering is not None and self.table is None:
            raise ValueError("--reordering-to needs --table-to: the two files belong together")
        if self.reordering is not None:
            check_reordering(self.method)
        for path in (self.alignment, self.table, self.reordering, self.lm):
            if path is not None:
                check_writable(path)

    def check_made(self, *, alignment: bool, table: bool, lm: bool) -> None:
        """Raise an error if a file is asked for whose stage is not run, since its result is given."""
        if self.alignment is not None and (alignment or table):
            given = "--alignment" if alignment else "--table"
            raise ValueError(
                f"--alignment-to writes the alignment of the text, and with {given} none is made"
            )
        if self.lm is not None and lm:
            raise ValueError("--lm-to writes the language model of the text, and with --lm none is made")

    def keep(self, name: str, made: Any) -> None:
        """Write the result of a stage."""
        if name == "alignments" and self.alignment is not None:
            with write_atomically(self.alignment) as file:
                file.write(made.pharaoh_bytes())
        elif name == "table" and self.table is not None:
            METHODS[self.method].model_class.write_table(made, self.table, self.reordering)
        elif name == "lm" and self.lm is not None:
            made.save(self.lm)


def training_pairs(
    source: str | None, target: str | None, train: str | None, format: PairFormat | None, *, raw: bool
) -> Any:
    """The training text: words, or raw lines of both languages."""
    first, second = pair_files(source, target, train)
    if not raw:
        return read_pairs(first, second, format=format)
    if second is not None:
        pairs = Pairs(sentence_rows(first), sentence_rows(second))
        if len(pairs.source) != len(pairs.target):
            read_pairs(first, second)  # which says what is wrong
        return pairs
    return raw_pairs(first, format)


def raw_pairs(path: str, format: PairFormat | None) -> Pairs:
    """Raw lines of one file, with both languages on each."""
    text, name = read_text(path), display_name(path)
    chosen = format or guess_pair_format(text.encode(), path=name)
    parse_pairs(text.encode(), chosen, path=name)  # which says what is wrong
    separator = "|||" if chosen is PairFormat.bars else "\t"
    rows = [line.split(separator) for line in text.removesuffix("\n").split("\n")]
    return Pairs([row[0] for row in rows], [row[-1] if len(row) == 2 else "" for row in rows])


def dev_text(source: str | None, target: list[str] | None, dev: str | None, *, raw: bool) -> Any:
    """The dev text: sentences and references, or None; ValueError if one of the two is missing."""
    if dev is not None:
        if source is not None or target:
            raise ValueError("give either --dev-source and --dev-target or --dev, not both")
        pairs = raw_pairs(dev, None) if raw else _pairs(read_pairs(dev))
        return pairs.source, pairs.target
    if source is None and not target:
        return None
    if source is None or not target:
        missing = "--dev-source" if source is None else "--dev-target"
        raise ValueError(f"a dev text needs sentences and their references: {missing} is missing")
    rows, references = sentence_rows(source), [sentence_rows(path) for path in target]
    for path, one in zip(target, references):
        if len(one) != len(rows):
            raise FormatError(
                f"{counted(len(one), 'reference')}, but {source} has {counted(len(rows), 'line')}: line k of "
                "one must be the "
                "translation of line k of the other",
                path=path,
            )
    return rows, *references


def tuning_line(method: str, n: int) -> str:
    """Return a line that says how weights are tuned, and why so."""
    line = f"tuning with {method} on {n:,} dev sentences"
    if method == "mert":
        line += ": it takes weights that stay good under small changes, which also holds for few sentences"
    return line


def given_alignments(path: str | None, text: ParallelText | Pairs | None) -> Alignments | None:
    """The links of a Pharaoh file for the training text."""
    if path is None:
        return None
    found = Alignments.of([links.possible for links in read_pharaoh(path)])
    n = None if text is None else len(text.source)
    if n is not None and len(found) != n:
        raise FormatError(
            f"expected {counted(n, 'alignment')}, one for each sentence pair; got {len(found):,}",
            path=display_name(path),
        )
    if isinstance(text, ParallelText):  # raw text gets its words later
        wrong = found.outside(text.source.offsets, text.target.offsets)
        if wrong is not None:
            raise FormatError(wrong[1], path=display_name(path), line=wrong[0] + 1)
    return found


def stage_notes(run: Run) -> Callable[[Report], None]:
    """Return a callback that notes the passes of tuning, and the last pass of other models, in a line each."""
    held: list[Report] = []

    def note(report: Report) -> None:
        if held and held[0].where != report.where:
            run.progress.note(_line(held.pop()))
        if report.where.get("stage") == "align":
            held[:] = [report]
        else:
            run.progress.note(_line(report))

    return note


def _line(report: Report) -> str:
    numbers = "  ".join(
        f"{name} {value:,}" if isinstance(value, int) else f"{name} {value:,.4f}"
        for name, value in report.numbers.items()
    )
    where = "  ".join(report.where.values())
    better = "  *" if report.best and "dev" in report.numbers else ""
    return f"{where:<22}  pass {report.epoch:>3}  {report.seconds:6.1f} s  {numbers}{better}"


def tell_of_training(translator: Any, run: Run) -> None:
    """Report an interruption, and what was done in another way than asked."""
    if translator.interrupted_:
        run.progress.interrupt(
            f"{signals.verb()}; the stages that are finished, and the best weights, are saved"
        )
    for text in translator.training_.get("notes", ()):
        run.progress.warn(text)


def _pairs(text: ParallelText) -> Pairs:
    return Pairs([text.source[s] for s in range(len(text))], [text.target[s] for s in range(len(text))])
