"""Parsing a file, some sentences at a time: what `palmette predict` does with constituency parsers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from palmette.cli.report import json_line, shows
from palmette.cli.run import Run
from palmette.cli.tools.parse.input import Given, PhraseReader
from palmette.cli.tools.parse.options import TreeFormat
from palmette.cli.tools.sequence.prediction import tokens
from palmette.cli.tree_drawing import Picture, in_page, in_terminal
from palmette.drawing.canvas import drawn_or_told
from palmette.drawing.trees import draw, draw_svg
from palmette.errors import UsageError
from palmette.formats.brackets import bracket_printer
from palmette.formats.discbracket import discbracket_printer
from palmette.formats.export import export_printer
from palmette.formats.nbest import NO_CANDIDATES
from palmette.tools.constituency.model import METHODS, Bracket, Marginals, Parse
from palmette.tools.constituency.parser import ConstituencyParser
from palmette.tools.constituency.treebank import ROOT
from palmette.trees.tree import Child, Tree


@dataclass(frozen=True)
class Wanted:
    """What is asked of `predict`."""

    to: TreeFormat | None = None
    kbest: int = 1
    probabilities: bool = False
    minimum_risk: bool | None = None
    draw: bool = False
    svg: bool = False

    def __post_init__(self) -> None:
        if self.draw and self.svg:
            raise UsageError("use either --draw (text) or --svg (HTML page)")
        if self.kbest > 1 and (self.probabilities or self.minimum_risk is not None):
            raise UsageError("--kbest cannot be combined with --probabilities or --minimum-risk")
        if self.kbest > 1 and self.to is TreeFormat.export:
            raise UsageError("--kbest writes one tree per line and cannot be combined with --to export")


def predictions(
    parser: ConstituencyParser, reader: PhraseReader, wanted: Wanted, run: Run
) -> Iterator[bytes]:
    """The trees of a file, or drawings of them, or an object for every sentence."""
    if run.jsonl and (wanted.draw or wanted.svg):
        raise UsageError("use only one of --jsonl, --draw and --svg")
    if wanted.kbest > 1 and (reader.tags or reader.brackets):
        raise UsageError("--kbest cannot be combined with --keep-tags or --keep-brackets")
    found = _parsed(parser, reader, wanted, run)
    if run.jsonl:
        return map(json_line, _objects(found, _printer(parser, wanted.to), ranked=wanted.kbest > 1))
    if wanted.svg:
        return in_page(_pictures(found, draw_svg), "Phrase structure trees")
    if wanted.draw:
        ascii = not shows("┌─┴─┐")
        return in_terminal(_pictures(found, lambda tree: draw(tree, ascii=ascii)))
    return _lines(found, _printer(parser, wanted.to), ranked=wanted.kbest > 1)


def _parsed(
    parser: ConstituencyParser, reader: PhraseReader, wanted: Wanted, run: Run
) -> Iterator[Sequence[Parse]]:
    """The trees of each sentence, none of an empty one; what a model has to say of them is a warning."""
    before = 0
    for given in reader:
        reader.reading.check_length(max(map(len, given.sentences), default=0))
        for number, parses in enumerate(_of_some(parser, given, wanted), before + 1):
            for parse in parses[:1]:
                if parse.note:
                    run.progress.warn(parse.note, f"sentence {number}")
            yield parses
        before += len(given.sentences)


def _of_some(parser: ConstituencyParser, given: Given, wanted: Wanted) -> list[list[Parse]]:
    if wanted.kbest > 1:
        return parser.kbest(given.sentences, wanted.kbest)
    parses = parser.parse(
        given.sentences, tags=given.tags, known=given.constraints, minimum_risk=wanted.minimum_risk
    )
    if wanted.probabilities:
        likely = parser.marginals(given.sentences)
        parses = [
            None if parse is None else _with_probabilities(parse, table)
            for parse, table in zip(parses, likely)
        ]
    return [[] if parse is None else [parse] for parse in parses]


def _with_probabilities(parse: Parse, likely: Marginals) -> Parse:
    """The tree with the probability of every bracket behind its label."""

    def labelled(node: Tree, below: list[Child]) -> Child:
        if node.is_preterminal or node.label == ROOT:
            return Tree(node.label, below)
        segments = node.segments
        p = likely.get(Bracket(segments[0][0], segments[-1][1], node.label), 0.0)
        return Tree(f"{node.label}/{p:.2f}", below)

    tree = parse.tree.fold(lambda leaf: leaf, labelled)
    assert isinstance(tree, Tree)
    return Parse(tree, parse.score, parse.log_probability, parse.note)


def _printer(parser: ConstituencyParser, to: TreeFormat | None) -> Callable[[Tree], str]:
    chosen = to or (TreeFormat.discbracket if METHODS.named(parser.method).gaps else TreeFormat.brackets)
    if chosen is TreeFormat.export:
        return export_printer(root=ROOT)
    return bracket_printer() if chosen is TreeFormat.brackets else discbracket_printer()


def _lines(found: Iterator[Sequence[Parse]], text: Callable[[Tree], str], *, ranked: bool) -> Iterator[bytes]:
    """A tree on each line, empty for an empty sentence; of k best, a list as `formats.nbest` has them."""
    for parses in found:
        if ranked:
            lines = [f"{_value(parse)}\t{text(parse.tree)}" for parse in parses]
            yield "".join(lines or [NO_CANDIDATES]).encode() + b"\n"
        else:
            yield text(parses[0].tree).encode() if parses else b"\n"


def _finite(value: float | None) -> float | None:
    """The value; None in place of minus infinity, the score of a tree that the model cannot build."""
    return value if value is not None and math.isfinite(value) else None


def _objects(
    found: Iterator[Sequence[Parse]], text: Callable[[Tree], str], *, ranked: bool
) -> Iterator[dict[str, Any]]:
    """What JSON lines have of every sentence; of an empty one only its number."""
    for number, parses in enumerate(found, 1):
        trees = [
            {
                "tree": text(parse.tree).rstrip("\n"),
                "score": _finite(parse.score),
                "log_probability": _finite(parse.log_probability),
                "note": parse.note or None,
            }
            for parse in parses
        ]
        kept = [{key: value for key, value in tree.items() if value is not None} for tree in trees]
        words = tokens(parses[0].tree.words, tag=parses[0].tree.tags) if parses else []
        first = {"sentence": number, "tokens": words}
        yield first | ({"kbest": kept} if ranked else kept[0] if kept else {})


def _pictures(found: Iterator[Sequence[Parse]], image: Callable[[Tree], str]) -> Iterator[Picture]:
    for number, parses in enumerate(found, 1):
        for rank, parse in enumerate(parses, 1):
            captions = [f"# sentence {number}" + (f", tree {rank}" if len(parses) > 1 else "")]
            if parse.log_probability is not None or len(parses) > 1:
                captions[0] += (
                    f", {'score' if parse.log_probability is None else 'log-probability'} {_value(parse)}"
                )
            yield Picture(
                drawn_or_told(partial(image, parse.tree)),
                [*captions, *([f"# {parse.note}"] if parse.note else [])],
            )


def _value(parse: Parse) -> str:
    return f"{parse.score if parse.log_probability is None else parse.log_probability:.4f}"
